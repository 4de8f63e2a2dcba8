// Tasks that find no room where the program meant them: no node stays idle beside a task that it is worth starting on.
#include "policies/lips/placing/second_choice.h"

#include <gmock/gmock.h>

#include <map>

#include "tests/policies/lips/mixed_world.h"

namespace lips::testing {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

// Cheap nodes of eight cores on which two tasks of three cores run for hours, and empty dear ones.
struct Fragments : ::testing::Test {
  ClusterBuilder builder{1};
  std::vector<NodeId> cheap, dear;

  Fragments() {
    for (int i = 0; i < 4; ++i) cheap.push_back(node(0.04));
    for (int i = 0; i < 2; ++i) dear.push_back(node(0.05));
  }
  NodeId node(double usd_an_hour_and_core) {
    return builder.node({.price = usd_an_hour_and_core / 3600, .slots = 100, .cpu = 8, .memory = 32'768});
  }
  void fill(Case& with, double seconds) {
    for (const NodeId node : cheap) {
      const JobId job = with.add({.maps = 2, .cpu = 3 * seconds, .cores = 3});
      for (std::uint32_t i = 0; i < 2; ++i) ASSERT_TRUE(with.state.assume({with.task(job, i), node, {}, {}}));
    }
  }
};

TEST_F(Fragments, AreNoRoomForLargeTasksWhichStartOnDearerNodes) {
  Case with("lips", builder);
  fill(with, 36'000);
  with.add({.maps = 2, .cpu = 3600, .cores = 4});
  const Plan plan = with.plan();
  ASSERT_THAT(plan.assignments, SizeIs(2));
  for (const Assignment& assignment : plan.assignments)
    EXPECT_TRUE(assignment.node == dear[0] || assignment.node == dear[1]);
  EXPECT_GT(plan.account.loss, Usd(0)) << "the program counted on the fragments";
  EXPECT_GT(plan.account.gap, 0);
}

TEST_F(Fragments, AreWaitedForWhereThatCostsLess) {
  for (const NodeId node : dear) builder.start.nodes[node].cpu_price = UsdPerCpuSecond(4.0 / 3600);
  Case with("lips", builder);
  fill(with, 20);
  with.add({.maps = 2, .cpu = 3600, .cores = 4});
  EXPECT_THAT(with.plan().assignments, IsEmpty());
}

TEST_F(Fragments, AreStillTakenByTasksThatFitThem) {
  Case with("lips", builder);
  fill(with, 36'000);
  with.add({.maps = 8, .cpu = 3600, .cores = 1});
  const Plan plan = with.plan();
  ASSERT_THAT(plan.assignments, SizeIs(8));
  for (const Assignment& assignment : plan.assignments)
    EXPECT_TRUE(std::find(cheap.begin(), cheap.end(), assignment.node) != cheap.end());
  EXPECT_NEAR(plan.account.loss.value(), 0, 1e-12);
}

TEST_F(Fragments, OfMemoryAreNoRoomEither) {
  Case with("lips", builder);
  for (const NodeId node : cheap) {
    const JobId job = with.add({.maps = 1, .cpu = 36'000, .cores = 1, .memory = 30'000});
    ASSERT_TRUE(with.state.assume({with.task(job, 0), node, {}, {}}));
  }
  with.add({.maps = 4, .cpu = 3600, .cores = 1, .memory = 4096});
  EXPECT_THAT(with.plan().assignments, SizeIs(4));
}

// Nodes with one free core each, beside an empty one that only its own tasks tolerate. More tasks wait for two cores
// than a plan looks at, none like another.
struct Crowd : ::testing::Test {
  ClusterBuilder builder{1};
  PolicySettings settings;
  const NodeId empty{0};

  Crowd() {
    settings.lips.fast_path_limit = Usd(0);
    builder.start.constraints.push_back({});
    const ProfileId own = builder.start.profiles.push_back({{}, {{"own", "", "NoSchedule"}}});
    for (int i = 0; i < 40; ++i) {
      const NodeId id = builder.node({.price = 0.05 / 3600, .slots = 100, .cpu = 8, .memory = 32'768});
      Node& node = builder.start.nodes[id];
      node.others = {Cores(id == empty ? 0 : 7), Mebibytes(1024), 10};
      if (id == empty) node.profile = own;
    }
  }
  void add_crowd(Case& with) const {
    for (int i = 0; i < 100; ++i)
      with.add({.priority = i % 2, .maps = 1, .cpu = 100, .cores = 1.5 + 0.01 * i, .constraint = ConstraintId(0)});
    with.at(10);
  }
};

TEST_F(Crowd, HidesNoTaskOfItsPoolForWhichANodeHasRoom) {
  Case with("lips", builder, settings);
  add_crowd(with);
  with.add({.arrival = 10, .maps = 5, .cpu = 10, .cores = 0.5, .constraint = ConstraintId(0)});
  EXPECT_EQ(with.step().size(), 5u);
}

// A fixed node is paid for in any case: what a wait costs there exceeds all differences of price within this time.
constexpr double longest_idle = 120;  // seconds

// One run of a mixed world, plan by plan. Ends at the first task that has waited for too long beside a node that holds
// it, or when nothing is left.
class MixedRun {
 public:
  explicit MixedRun(std::uint64_t seed) : world_(drawn(seed)), with_("lips", world_.builder()) {}

  // The fault: nothing, or a sentence.
  std::string run() {
    std::size_t next = 0;
    for (int step = 0; step < 20'000; ++step) {
      const ClusterSnapshot& cluster = with_.state.snapshot();
      while (next < world_.jobs().size() && world_.jobs()[next].arrival <= to_seconds(cluster.now - TimePoint{}))
        with_.state.apply(MixedWorld::arrival_of(cluster, world_.jobs()[next++]));
      for (const Assignment& assignment : with_.plan().assignments)
        started_ += with_.state.assume(assignment) ? 1U : 0U;
      if (const std::string fault = look(); !fault.empty()) return fault;
      if (next == world_.jobs().size() && cluster.running.empty()) return left_over();
      advance(next < world_.jobs().size() ? world_.jobs()[next].arrival : 1e12);
    }
    return "it never ends";
  }
  std::size_t started() const { return started_; }

 private:
  static MixedWorld drawn(std::uint64_t seed) {
    MixedWorld world(seed, seed % 7 == 0 ? 2 : 1);
    if (seed % 2 == 0) world.make_some_overdue(seed);
    if (seed % 3 == 0) world.dedicate_some_nodes(seed);
    if (seed % 5 < 2) world.add_crowd(seed), world.break_up(seed);
    return world;
  }

  bool held_by_a_node(const Job& job, bool empty) const {
    const ClusterSnapshot& cluster = with_.state.snapshot();
    for (const NodeId node : cluster.nodes.ids())
      if (cluster.eligible(job.constraint, node) &&
          fits(job.request, empty ? cluster.nodes[node].capacity - cluster.nodes[node].others : cluster.free[node]))
        return true;
    return false;
  }

  std::string look() {
    const ClusterSnapshot& cluster = with_.state.snapshot();
    std::map<JobId, double> beside;
    for (const JobId id : cluster.pending)
      if (held_by_a_node(cluster.jobs[id], false)) {
        const auto before = beside_idle_.find(id);
        const double now = to_seconds(cluster.now - TimePoint{});
        const double since = beside[id] = before == beside_idle_.end() ? now : before->second;
        if (now - since > longest_idle)
          return "job " + std::to_string(id.index()) + " waits beside an idle node since second " +
                 std::to_string(since) + ", now " + std::to_string(now);
      }
    beside_idle_ = std::move(beside);
    return "";
  }

  std::string left_over() const {
    for (const JobId id : with_.state.snapshot().pending)
      if (held_by_a_node(with_.state.snapshot().jobs[id], true))
        return "job " + std::to_string(id.index()) + " never ran";
    return "";
  }

  // To the next end of a task or the next arrival, or a minute from now while a task waits beside a node that holds it.
  void advance(double arrival) {
    const ClusterSnapshot& cluster = with_.state.snapshot();
    const auto first =
        std::min_element(cluster.running.begin(), cluster.running.end(),
                         [](const RunningTask& a, const RunningTask& b) { return a.expected_end < b.expected_end; });
    TimePoint until = arrival > 1e11 ? TimePoint::max() : TimePoint(seconds(arrival));
    if (!beside_idle_.empty()) until = std::min(until, cluster.now + seconds(60));
    if (first == cluster.running.end() || first->expected_end > until)
      return with_.state.advance(std::max(cluster.now + seconds(1), until));
    const RunningTask ended = *first;
    with_.state.advance(std::max(cluster.now, ended.expected_end));
    with_.state.apply(TaskFinished{ended.task, ended.node});
  }

  MixedWorld world_;
  Case with_;
  std::map<JobId, double> beside_idle_;  // since when, in seconds
  std::size_t started_ = 0;
};

TEST(NoIdleNode, IsBesideATaskThatCouldUseIt) {
  std::size_t started = 0;
  for (std::uint64_t seed = 1; seed <= 1000; ++seed) {
    MixedRun run(seed);
    ASSERT_EQ(run.run(), "") << "seed " << seed;
    started += run.started();
  }
  EXPECT_GT(started, 20'000u);
}

}  // namespace
}  // namespace lips::testing
