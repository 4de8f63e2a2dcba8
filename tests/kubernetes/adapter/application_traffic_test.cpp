// The traffic that a Spark driver tells of its run is known when the application runs again: under another process,
// too.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/kubernetes/adapter/scheduling.h"

namespace lips::kubernetes {
namespace {

using testing::HasSubstr;

class ApplicationTrafficTest : public ::testing::Test {
 protected:
  ApplicationTrafficTest() {
    cluster_.answer_for_others([this](const ReceivedRequest& request) {
      asked_.push_back(request);
      return answer_;
    });
    for (const auto& [zone, cores, usd] :
         {std::tuple("a", 4, "4.0"), std::tuple("b", 2, "1.0"), std::tuple("c", 4, "3.0")})
      cluster_.put_node(std::string("node-") + zone,
                        {.cpu = cores, .zone = std::string("zone-") + zone, .usd_per_hour = usd});
    cluster_.put_node("node-of-drivers", {.cpu = 8, .cordoned = true, .zone = "zone-a", .usd_per_hour = "4.0"});
  }
  void say(int code, const std::string& body) { answer_ = {code, body, {}, false, nullptr}; }
  // The traffic of four executors together.
  static std::string executors(std::int64_t shuffle, std::int64_t input = 7) {
    return fmt::format(R"([{{"id":"1","totalShuffleRead":{0},"totalShuffleWrite":{0},"totalInputBytes":{1}}}])",
                       shuffle, input);
  }
  static std::map<std::string, std::string> labels(const std::string& run, const std::string& role) {
    return {{"spark-app-selector", run}, {"spark-role", role}, {"spark-app-name", "nightly"}};
  }
  // It runs where no plan has put it: LiPS asks whoever runs.
  void driver(const std::string& run, const std::string& address = "127.0.0.1") {
    FakePod pod;
    pod.labels = labels(run, "driver");
    pod.scheduler = "default-scheduler";
    pod.node = "node-of-drivers";
    pod.phase = "Running";
    pod.status = fmt::format(R"(,"podIP":"{}","hostIP":"192.0.2.1")", address);
    cluster_.put_pod(run + "-driver", pod);
  }
  // `tasks`: how many they say that they are, so that none starts before the last has come; empty: they do not say it.
  void start_executors(const std::string& run, const std::string& tasks = "") {
    for (int i = 1; i <= 4; ++i) {
      FakePod pod;
      pod.labels = labels(run, "executor");
      if (!tasks.empty()) pod.annotations["lips.dev/tasks"] = tasks;
      cluster_.put_pod(fmt::format("{}-exec-{}", run, i), pod);
    }
  }
  std::map<std::string, int> nodes_of(const std::string& run) const {
    std::map<std::string, int> result;
    for (const auto& [name, pod] : cluster_.pods())
      if (name.starts_with(run + "-exec") && !pod.node.empty()) ++result[pod.node];
    return result;
  }
  int placed(const std::string& run) const {
    int sum = 0;
    for (const auto& [node, pods] : nodes_of(run)) sum += pods;
    return sum;
  }
  ClusterSettings settings(bool any_address = true) const {
    ClusterSettings settings;
    if (any_address) settings.may_ask_driver = [](const std::string&) { return true; };
    settings.shares = {"default", "lips-memory"};
    return settings;
  }
  Scheduling operator_with(ClusterSettings settings) {
    return Scheduling(
        cluster_, {}, PodMode::watch, {}, [](const WatchedCluster&) {}, std::move(settings));
  }
  std::string kept() const {
    const auto texts = cluster_.config_map("lips-memory");
    const auto found = texts.find("traffic");
    return found == texts.end() ? "" : found->second;
  }
  using Nodes = std::map<std::string, int>;

  Reply answer_{200, executors(0), {}, false, nullptr};  // of every driver
  std::vector<ReceivedRequest> asked_;                   // of them
  FakeCluster cluster_;
};

TEST_F(ApplicationTrafficTest, OfTheFirstRunDecidesTheSecondUnderTheNextProcess) {
  const auto executors_of = [&](const std::string& run) {
    start_executors(run);
    Scheduling scheduling = operator_with(settings());
    EXPECT_TRUE(scheduling.until([&] { return placed(run) == 4; }));
    return nodes_of(run);
  };
  const std::string whole_run = R"("default/nightly":{"runs":1,"shuffleMiB":0.0,)";
  EXPECT_EQ(executors_of("first"), (Nodes{{"node-c", 4}})) << "by the assumption they stay together";
  for (int i = 1; i <= 4; ++i) cluster_.remove_pod(fmt::format("first-exec-{}", i));
  driver("first");
  {
    Scheduling scheduling = operator_with(settings());
    ASSERT_TRUE(scheduling.until([&] { return scheduling.counted.driver_answers()["read"] > 0; }));
    cluster_.end_pod("first-driver");
    ASSERT_TRUE(scheduling.until([&] { return kept().find(whole_run) != std::string::npos; })) << kept();
  }
  EXPECT_EQ(asked_.front().path, "/api/v1/applications/first/allexecutors");
  EXPECT_EQ(executors_of("second"), (Nodes{{"node-b", 2}, {"node-c", 2}})) << "nothing to exchange: where CPU is cheap";
}

TEST_F(ApplicationTrafficTest, HowManyExecutorsTheFirstRunHadDecidesWhereTheFirstOfTheSecondStarts) {
  const auto remove = [&](const std::string& run, int executors) {
    for (int i = 1; i <= executors; ++i) cluster_.remove_pod(fmt::format("{}-exec-{}", run, i));
  };
  const auto start_one = [&](const std::string& run, int number) {
    FakePod pod;
    pod.labels = labels(run, "executor");
    cluster_.put_pod(fmt::format("{}-exec-{}", run, number), pod);
  };
  {
    Scheduling scheduling = operator_with(settings());
    start_one("before", 1);
    ASSERT_TRUE(scheduling.until([&] { return placed("before") == 1; }));
    EXPECT_EQ(nodes_of("before"), (Nodes{{"node-b", 1}})) << "nobody knows that others will come";
    remove("before", 1);
    start_executors("first", "4");  // after a run of one, the first would start alone
    ASSERT_TRUE(scheduling.until([&] { return placed("first") == 4; }));
    remove("first", 4);
    ASSERT_TRUE(scheduling.until([&] { return kept().find(R"("workers":[4,1])") != std::string::npos; })) << kept();
  }
  Scheduling scheduling = operator_with(settings());
  start_one("second", 1);
  ASSERT_TRUE(scheduling.until([&] { return placed("second") == 1; }));
  EXPECT_EQ(nodes_of("second"), (Nodes{{"node-c", 1}})) << "where four have room";
}

TEST_F(ApplicationTrafficTest, OfARunThatFailedOnlyRaisesWhatIsKnown) {
  Scheduling scheduling = operator_with(settings());
  const auto answered = [&] { return scheduling.counted.driver_answers()["read"]; };
  const auto next_answer = [&] { return [&, before = answered()] { return answered() > before; }; };
  say(200, executors(5 << 20));
  driver("first");
  ASSERT_TRUE(scheduling.until(next_answer()));
  cluster_.end_pod("first-driver", "Failed");
  say(200, executors(1 << 20, 3 << 20));
  driver("second");
  ASSERT_TRUE(scheduling.until(next_answer()));
  cluster_.end_pod("second-driver");
  ASSERT_TRUE(scheduling.until([&] { return kept().find(R"("inputMiB":3)") != std::string::npos; })) << kept();
  EXPECT_THAT(kept(), HasSubstr(R"("runs":1,"shuffleMiB":5.0)"));
}

TEST_F(ApplicationTrafficTest, IsNotLearnedFromAHostileDriverAndNobodyWaitsForIt) {
  say(200, std::string(9 << 20, '['));
  driver("first");
  Scheduling scheduling = operator_with(settings());
  ASSERT_TRUE(scheduling.until([&] { return scheduling.counted.driver_answers()["refused"] > 0; }));
  say(200, "[{\"totalShuffleRead\":-1}]");
  ASSERT_TRUE(scheduling.until([&] { return scheduling.counted.driver_answers()["refused"] > 1; }));
  say(302, "");
  ASSERT_TRUE(scheduling.until([&] { return scheduling.counted.driver_answers()["refused"] > 2; }));
  start_executors("second");
  ASSERT_TRUE(scheduling.until([&] { return cluster_.bindings() == 4; }));
  EXPECT_EQ(nodes_of("second"), (Nodes{{"node-c", 4}}));
  EXPECT_EQ(scheduling.counted.driver_answers()["read"], 0);
  EXPECT_EQ(kept(), "");
}

TEST_F(ApplicationTrafficTest, IsAskedOfNoAddressButAPodsAndOnlyIfItIsToBeLearned) {
  driver("first");
  driver("second", "192.0.2.1");  // its node's
  const auto asked = [&](ClusterSettings settings) {
    Scheduling scheduling = operator_with(std::move(settings));
    const int looks = scheduling.looks();
    EXPECT_TRUE(scheduling.until([&] { return scheduling.looks() > looks + 5; }));
    return scheduling.counted.driver_answers();
  };
  EXPECT_TRUE(asked(settings(false)).empty()) << "127.0.0.1 is no pod's";
  ClusterSettings off = settings();
  off.applications.learn_traffic = false;
  EXPECT_TRUE(asked(std::move(off)).empty());
  EXPECT_TRUE(asked_.empty());
}

}  // namespace
}  // namespace lips::kubernetes
