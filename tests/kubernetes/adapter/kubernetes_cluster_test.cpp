#include "kubernetes/adapter/kubernetes_cluster.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <set>
#include <thread>

#include "controller/epoch_controller.h"
#include "model/cluster_state.h"
#include "policies/registry/registry.h"
#include "tests/kubernetes/adapter/fake_cluster.h"

namespace lips::kubernetes {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

constexpr std::chrono::seconds long_enough{60};

class Counting : public AdapterObserver {
 public:
  void on_bind_outcome(lips::BindOutcome outcome, Duration) override { ++outcomes[static_cast<std::size_t>(outcome)]; }
  void on_unknown_price(std::string_view node, std::string_view, bool unknown) override {
    const std::lock_guard lock(mutex);
    if (unknown)
      unpriced.insert(std::string(node));
    else
      unpriced.erase(std::string(node));
  }
  std::set<std::string> nodes_without_price() {
    const std::lock_guard lock(mutex);
    return unpriced;
  }
  std::array<std::atomic<int>, 4> outcomes{};

 private:
  std::mutex mutex;
  std::set<std::string> unpriced;
};

// The operator's loop on a thread of its own against a fake cluster.
class Scheduling {
 public:
  explicit Scheduling(FakeCluster& cluster, std::function<bool()> leads = {}) : fake_(cluster) {
    ClusterSettings settings;
    settings.leads = std::move(leads);
    settings.stop = [this] { return stop_.load(); };
    settings.model.node_price = [](const PriceQuestion& question) {
      return NodePrice{UsdPerHour(0.05 * question.cpu.value()), 1, question.cpu.value() != 64};
    };
    PolicySettings policy;
    policy.replan_least = Duration(1000);
    policy_ = *make_policy("lips", policy);
    adapter_ = std::make_unique<KubernetesCluster>(fake_.connection(), std::move(settings), counted, log_);
    adapter_->start();
    thread_ = std::thread([this] {
      ClusterState state{ClusterSnapshot{}};
      EpochController controller(state, *adapter_, *policy_, CostModel{});
      ControllerSettings rules;
      rules.stop = [this] { return stop_.load(); };
      ran_ = controller.run(rules).has_value();
      free_fits_ = std::all_of(state.snapshot().free.begin(), state.snapshot().free.end(),
                               [](const Resources& free) { return free.cpu.value() > -1e-6 && free.slots >= 0; });
      running_ = state.snapshot().running.size();
    });
  }
  ~Scheduling() { end(); }
  void end() {
    if (!thread_.joinable()) return;
    stop_ = true;
    adapter_->wake();
    thread_.join();
    adapter_->finish();
  }
  template <class Predicate>
  bool until(Predicate predicate) const {
    const auto deadline = std::chrono::steady_clock::now() + long_enough;
    while (!predicate()) {
      if (std::chrono::steady_clock::now() > deadline) return false;
      std::this_thread::yield();
    }
    return true;
  }
  bool until_bound(const std::string& pod) const {
    return until([&] { return !fake_.pod(pod).node.empty(); });
  }
  bool free_fits() const { return free_fits_; }
  std::size_t running() const { return running_; }
  bool ran() const { return ran_; }
  void wake() { adapter_->wake(); }

  Counting counted;

 private:
  FakeCluster& fake_;
  SilentLog log_;
  std::atomic<bool> stop_{false};
  bool ran_ = false, free_fits_ = false;
  std::size_t running_ = 0;
  std::unique_ptr<Policy> policy_;
  std::unique_ptr<KubernetesCluster> adapter_;
  std::thread thread_;
};

FakePod pod_of(int cpu, const std::string& owner = "", int index = 0) {
  FakePod pod;
  pod.cpu = cpu;
  pod.owner = owner;
  pod.index = index;
  return pod;
}

TEST(KubernetesCluster, BindsWhatFitsAndLetsTheRestWaitForRoom) {
  FakeCluster cluster;
  cluster.put_node("a", {.cpu = 2});
  for (int i = 0; i < 3; ++i) cluster.put_pod(fmt::format("p{}", i), pod_of(1, "job", i));
  Scheduling scheduling(cluster);
  ASSERT_TRUE(scheduling.until([&] { return cluster.bound_to("a") == 2; }));
  cluster.end_pod("p0");
  ASSERT_TRUE(scheduling.until([&] { return cluster.bound_to("a") == 3; }));
  scheduling.end();
  EXPECT_TRUE(scheduling.ran());
  EXPECT_THAT(cluster.wrong(), IsEmpty());
}

TEST(KubernetesCluster, TellsNodesWithoutAPriceUntilTheyAreGone) {
  FakeCluster cluster;
  cluster.put_node("known", {.cpu = 2});
  cluster.put_node("odd-1", {.cpu = 64});
  Scheduling scheduling(cluster);
  ASSERT_TRUE(
      scheduling.until([&] { return scheduling.counted.nodes_without_price() == std::set<std::string>{"odd-1"}; }));
  cluster.remove_node("odd-1");
  cluster.put_node("odd-2", {.cpu = 64});
  EXPECT_TRUE(
      scheduling.until([&] { return scheduling.counted.nodes_without_price() == std::set<std::string>{"odd-2"}; }));
}

TEST(KubernetesCluster, CountsPodsOfOtherSchedulersUntilTheyAreGone) {
  FakeCluster cluster;
  cluster.put_node("a", {.cpu = 2});
  FakePod foreign = pod_of(2);
  foreign.scheduler = "default-scheduler";
  foreign.node = "a";
  cluster.put_pod("foreign", foreign);
  cluster.put_pod("ours", pod_of(1));
  cluster.put_node("b", {.cpu = 1, .cordoned = true});
  Scheduling scheduling(cluster);
  ASSERT_TRUE(scheduling.until([&] { return !cluster.pod("ours").reason.empty(); }));
  EXPECT_EQ(cluster.pod("ours").reason, "Unschedulable");
  EXPECT_THAT(cluster.pod("ours").message, HasSubstr("1 are cordoned"));
  EXPECT_THAT(cluster.pod("ours").message, HasSubstr("1 have too little cpu"));
  cluster.remove_pod("foreign");
  EXPECT_TRUE(scheduling.until_bound("ours"));
}

TEST(KubernetesCluster, SaysOfPodsThatAskForWhatIsNotHonouredSoAndBindsTheOthers) {
  FakeCluster cluster;
  cluster.put_node("a", {.cpu = 8});
  FakePod ports = pod_of(1);
  ports.spec = R"("initContainers":[{"name":"i","ports":[{"hostPort":80}]}],)";
  cluster.put_pod("ports", ports);
  FakePod wrong = pod_of(1);
  wrong.annotations["lips.dev/cpu-seconds"] = "many";
  cluster.put_pod("wrong", wrong);
  FakePod data = pod_of(1);
  data.annotations["lips.dev/dataset"] = "nowhere";
  cluster.put_pod("data", data);
  cluster.put_pod("good", pod_of(1));
  Scheduling scheduling(cluster);
  EXPECT_TRUE(scheduling.until_bound("good"));
  for (const auto& [name, reason] :
       {std::pair("ports", "NotHonoured"), std::pair("wrong", "BadAnnotation"), std::pair("data", "DataSetNotReady")}) {
    ASSERT_TRUE(scheduling.until([&, pod = std::string(name)] { return !cluster.pod(pod).reason.empty(); })) << name;
    EXPECT_EQ(cluster.pod(name).reason, reason);
    EXPECT_EQ(cluster.pod(name).node, "");
  }
  EXPECT_THAT(cluster.pod("wrong").message, HasSubstr("lips.dev/cpu-seconds: found 'many'"));
}

TEST(KubernetesCluster, ToleratesTaintsOnlyWherePodsDoAndFollowsNodesThatComeAndGo) {
  FakeCluster cluster;
  cluster.put_node("tainted", {.cpu = 8, .taint = "dedicated"});
  cluster.put_pod("plain", pod_of(1));
  FakePod tolerant = pod_of(1);
  tolerant.spec = R"("tolerations":[{"key":"dedicated","operator":"Exists"}],)";
  cluster.put_pod("tolerant", tolerant);
  Scheduling scheduling(cluster);
  ASSERT_TRUE(scheduling.until_bound("tolerant"));
  ASSERT_TRUE(scheduling.until([&] { return !cluster.pod("plain").message.empty(); }));
  EXPECT_THAT(cluster.pod("plain").message, HasSubstr("taint dedicated"));
  cluster.put_node("new", {.cpu = 8, .zone = "zone-b"});
  ASSERT_TRUE(scheduling.until_bound("plain"));
  EXPECT_EQ(cluster.pod("plain").node, "new");
}

TEST(KubernetesCluster, BindsNothingWhileAnotherCopyLeads) {
  FakeCluster cluster;
  cluster.put_node("a", {.cpu = 8});
  cluster.put_pod("p", pod_of(1));
  std::atomic<bool> leads{false};
  std::atomic<int> asked{0};
  Scheduling scheduling(cluster, [&] {
    ++asked;
    return leads.load();
  });
  ASSERT_TRUE(scheduling.until([&] { return asked > 5; }));
  EXPECT_EQ(cluster.bindings(), 0u);
  leads = true;
  scheduling.wake();
  EXPECT_TRUE(scheduling.until_bound("p"));
}

TEST(KubernetesCluster, LearnsThatAnotherSchedulerWasQuicker) {
  FakeCluster cluster;
  cluster.put_node("a", {.cpu = 1});
  cluster.put_node("b", {.cpu = 1});
  Scheduling scheduling(cluster);
  FakePod taken = pod_of(1);
  taken.node = "a";
  cluster.put_pod("taken", taken);  // of ours, but bound by somebody else
  cluster.put_pod("next", pod_of(1));
  ASSERT_TRUE(scheduling.until_bound("next"));
  EXPECT_EQ(cluster.pod("next").node, "b");
  EXPECT_THAT(cluster.wrong(), IsEmpty());
}

// Random pods, ends, deletions, nodes, refused and unanswered bindings, cut and forgotten watches, restarts.
class RandomTrouble : public testing::TestWithParam<std::uint64_t> {};

TEST_P(RandomTrouble, NeverOvercommitsNorLosesAPod) {
  Random random(GetParam());
  FakeCluster cluster(GetParam());
  int nodes = 0, pods = 0;
  for (; nodes < 4; ++nodes)
    cluster.put_node(fmt::format("n{}", nodes), {.cpu = 4, .zone = nodes % 2 ? "zone-a" : "zone-b"});
  FakePod foreign = pod_of(2);
  foreign.scheduler = "default-scheduler";
  foreign.node = "n0";
  cluster.put_pod("foreign", foreign);
  cluster.trouble(200);
  auto scheduling = std::make_unique<Scheduling>(cluster);
  for (int step = 0; step < 150; ++step) {
    const auto draw = random.below(20);
    const auto alive = cluster.pods();
    if (draw < 8) {
      const int count = 1 + static_cast<int>(random.below(4));
      for (int i = 0; i < count; ++i, ++pods)
        cluster.put_pod(fmt::format("p{}", pods),
                        pod_of(1 + static_cast<int>(random.below(2)), fmt::format("job-{}", step), i));
    } else if (draw < 15) {
      for (const auto& [name, pod] : alive)
        if (!pod.node.empty() && name != "foreign" && pod.phase == "Pending" && random.below(3) == 0)
          cluster.end_pod(name);
    } else if (draw == 15) {
      for (const auto& [name, pod] : alive)
        if (name != "foreign" && random.below(10) == 0) cluster.remove_pod(name);
    } else if (draw == 16) {
      cluster.cut_watches();
    } else if (draw == 17) {
      cluster.forget_versions();
    } else if (draw == 18) {
      cluster.put_node(fmt::format("n{}", nodes++), {.cpu = 4});
    } else if (random.below(2) == 0) {
      scheduling->end();
      scheduling = std::make_unique<Scheduling>(cluster);
    } else {
      cluster.put_node("n1", {.cpu = 4, .cordoned = random.below(2) == 0, .zone = "zone-a"});
    }
    const std::size_t before = cluster.bindings();
    scheduling->until([&, turns = 0]() mutable { return ++turns > 2000 || cluster.bindings() > before + 2; });
  }
  cluster.trouble(0);
  cluster.put_node("large", {.cpu = 10'000, .pods = 10'000});
  EXPECT_TRUE(scheduling->until([&] {
    const auto all = cluster.pods();
    return std::none_of(all.begin(), all.end(), [](const auto& entry) { return entry.second.node.empty(); });
  })) << "a pod was lost";
  EXPECT_THAT(cluster.wrong(), IsEmpty());
  scheduling->end();
  EXPECT_TRUE(scheduling->free_fits());
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomTrouble, testing::Range<std::uint64_t>(1, 9));

}  // namespace
}  // namespace lips::kubernetes
