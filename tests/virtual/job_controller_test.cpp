// The virtual Job controller against the times of a real one: kube-controller-manager 1.36, story back_off.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "simulation/metrics.h"
#include "tests/virtual/elastic_day.h"
#include "virtual/job_back_off.h"
#include "virtual/virtual_kubernetes.h"

namespace lips::virtual_cluster {
namespace {

using namespace nlohmann::literals;

constexpr TimePoint start{std::chrono::hours(1)};

TEST(JobBackOffTest, DoublesWithEachFailureSinceASuccess) {
  JobBackOff back_off;
  EXPECT_LE(back_off.ends(), start);
  for (const int expected : {10, 20, 40, 80, 160, 320, 600, 600}) {
    back_off.fail(start, false);
    EXPECT_EQ(back_off.ends(), start + std::chrono::seconds(expected));
  }
  back_off.succeed();
  EXPECT_LE(back_off.ends(), start);
  back_off.fail(start, false);
  EXPECT_EQ(back_off.ends(), start + std::chrono::seconds(10));
  EXPECT_FALSE(back_off.exceeds_limit()) << "none of them counts";
}

TEST(JobBackOffTest, IsOverTheLimitAtTheSeventhFailureThatCounts) {
  JobBackOff back_off;
  for (int i = 0; i < 6; ++i) {
    back_off.fail(start, true);
    back_off.succeed();
    back_off.fail(start, false);
  }
  EXPECT_FALSE(back_off.exceeds_limit());
  back_off.fail(start, true);
  EXPECT_TRUE(back_off.exceeds_limit());
}

TEST(JobBackOffTest, TriesAgainAfterRefusalsAtMostAMinuteLater) {
  JobBackOff back_off;
  for (int round = 0; round < 2; ++round) {
    for (const int expected : {1, 2, 4, 8, 16, 32, 60, 60})
      EXPECT_EQ(back_off.refuse(), Duration(std::chrono::seconds(expected)));
    back_off.admit();
  }
}

constexpr const char* two_jobs_text = R"(
name: two-jobs
zones: [a]
nodes: [{name: c, count: 2, instanceType: c6i.4xlarge, cores: 16}]
prices: {region: us-east-1}
stores: {nodeDirectories: false}
jobs:
  - {name: other, tasks: 1, cores: 1, cpuPerTask: 9000}
  - {name: work, tasks: 12, cores: 1, cpuPerTask: 3000}
)";

// A Job of twelve tasks of 50 minutes beside a longer one; nobody plans.
class JobController : public testing::Test {
 protected:
  JobController() {
    cluster_.server().objects().listen(pods, [this](const ObjectChange& change) {
      if (change.type == ChangeType::added) made_.push_back(cluster_.loop().now());
    });
    pass(std::chrono::seconds(20));
    EXPECT_EQ(names().size(), 12u);
    made_.clear();
  }
  static ClusterRules watched() {
    ClusterRules rules;
    rules.mode = PodMode::watch;
    return rules;
  }
  void pass(Duration span) {
    const TimePoint end = cluster_.loop().now() + span;
    while (cluster_.loop().now() < end) cluster_.loop().run(end - cluster_.loop().now());
  }
  std::vector<std::string> names(const std::string& phase = "Running") const {
    std::vector<std::string> result;
    for (const auto& [key, pod] : cluster_.server().objects().all(pods))
      if (key.find("work") != std::string::npos && pod.json->at("status").value("phase", "") == phase)
        result.push_back(key);
    return result;
  }
  int ask(kubernetes::Verb verb, const std::string& path, const Json& body) {
    kubernetes::ApiRequest request;
    request.verb = verb;
    request.path = path;
    request.body = body.dump();
    return cluster_.server().handle(request).code;
  }
  // Those that run first.
  void evict(std::size_t count) {
    const std::vector<std::string> running = names();
    ASSERT_GE(running.size(), count);
    began_ = cluster_.loop().now();
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t slash = running[i].find('/');
      const std::string space = running[i].substr(0, slash), name = running[i].substr(slash + 1);
      ASSERT_EQ(ask(kubernetes::Verb::create, "/api/v1/namespaces/" + space + "/pods/" + name + "/eviction",
                    {{"metadata", {{"name", name}, {"namespace", space}}}}),
                201);
    }
  }
  // The seconds from then on until each pod that was made since.
  std::vector<double> made_after(TimePoint then) const {
    std::vector<double> result;
    for (const TimePoint made : made_) result.push_back(to_seconds(made - then));
    return result;
  }
  void expect_replaced(std::size_t count, double earliest, double latest) {
    const std::vector<double> after = made_after(began_);
    ASSERT_EQ(after.size(), count);
    for (const double seconds : after) {
      EXPECT_GE(seconds, earliest);
      EXPECT_LE(seconds, latest);
    }
    made_.clear();
  }
  Json job() const {
    for (const auto& [key, job] : cluster_.server().objects().all("/apis/batch/v1/jobs"))
      if (key.find("work") != std::string::npos) return *job.json;
    return {};
  }

  static constexpr const char* pods = "/api/v1/pods";
  const simulation::Scenario scenario_ = elastic_scenario("two-jobs.yaml", two_jobs_text, 1);
  simulation::RunMetrics metrics_{scenario_};
  mutable VirtualKubernetes cluster_{scenario_, {}, metrics_, watched()};
  std::vector<TimePoint> made_;
  TimePoint began_{};
};

// A pod that is evicted ends in its own time, and the pause counts from its end.
TEST_F(JobController, ReplacesEvictedPodsTogetherAfterAPauseThatDoubles) {
  evict(1);
  pass(std::chrono::minutes(1));
  const double grace = made_after(began_).at(0) - 10;
  EXPECT_GE(grace, 0);
  expect_replaced(1, 10 + grace, 10 + grace);
  evict(2);
  pass(std::chrono::minutes(2));
  expect_replaced(2, 40 + grace, 41 + grace);
  EXPECT_FALSE(job().contains("/status/conditions"_json_pointer)) << "its policy ignores evictions";
}

TEST_F(JobController, GivesAJobUpWhoseSeventhPodFails) {
  cluster_.truth().give_up(JobId(1));  // what its pods read is lost
  evict(12);
  pass(std::chrono::minutes(11));
  EXPECT_EQ(job().value("/status/conditions/1/type"_json_pointer, ""), "Failed");
  EXPECT_EQ(job().value("/status/conditions/1/reason"_json_pointer, ""), "BackoffLimitExceeded");
  EXPECT_EQ(names("Failed").size(), 7u);
  EXPECT_TRUE(names("Pending").empty());
  EXPECT_TRUE(names("Running").empty());
  made_.clear();
  pass(std::chrono::minutes(30));
  EXPECT_TRUE(made_.empty()) << "nobody makes others";
  EXPECT_TRUE(job().is_null());
}

}  // namespace
}  // namespace lips::virtual_cluster
