// Room that is kept for an application whose driver runs stays for it until its workers have come, whoever else
// arrives (docs/spark.md).
#include <map>
#include <set>

#include "base/random.h"
#include "tests/policies/case.h"
#include "tests/policies/elastic_builder.h"

namespace lips::testing {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

// Applications of a driver and workers of a core each.
class Applications {
 public:
  Applications(const ClusterBuilder& builder, Billing billing)
      : with_("lips", builder, settings(billing), UsdPerMebibyte(2e-5)) {}

  TaskId driver(std::uint32_t application, std::uint32_t pods, double at) { return pod(application, pods, at, true); }
  TaskId worker(std::uint32_t application, std::uint32_t pods, double at) { return pod(application, pods, at, false); }
  // Tasks of a core, of another pool.
  void others(PoolId pool, int tasks, double at) {
    with_.at(at);
    with_.add({.pool = pool, .arrival = at, .maps = tasks, .cpu = 3600});
  }
  // Plans, and starts what is planned. Returns the zones of the tasks that start.
  std::map<TaskId, ZoneId> step(double at) {
    with_.at(at);
    std::map<TaskId, ZoneId> started;
    for (const Assignment& assignment : with_.step()) {
      with_.state.apply(TaskStarted{assignment.task, assignment.node});
      started[assignment.task] = with_.state.snapshot().nodes[assignment.node].zone;
    }
    return started;
  }
  void finish(TaskId task) { with_.finish(task); }
  std::vector<HeldRoom> held() { return with_.plan().account.held; }
  double free_cores(ZoneId zone) const {
    const ClusterSnapshot& cluster = with_.state.snapshot();
    double cores = 0;
    for (const NodeId node : cluster.nodes.ids())
      if (cluster.nodes[node].schedulable && cluster.nodes[node].zone == zone) cores += cluster.free[node].cpu.value();
    return cores;
  }

 private:
  static PolicySettings settings(Billing billing) {
    PolicySettings settings;
    settings.lips.billing = billing;
    return settings;
  }
  TaskId pod(std::uint32_t application, std::uint32_t pods, double at, bool drives) {
    with_.at(at);
    const std::string name = "application-" + std::to_string(application) + (drives ? "-driver" : "-worker");
    JobArrived arrived =
        job(with_.state.snapshot(), {.name = name, .arrival = at, .maps = 1, .cpu = 3600, .shuffle = 1000});
    arrived.job.coordinates = drives;
    WholeJob& whole = arrived.job.whole;
    whole.id = WholeJobId(application);
    whole.peers = true;
    whole.expected = pods;
    whole.each = {Cores(1), Mebibytes(100), 1};
    whole.arrived = with_.state.snapshot().now;
    with_.state.apply(arrived);
    return TaskId(static_cast<std::uint32_t>(with_.state.snapshot().tasks.size() - 1));
  }

  Case with_;
};

// Room for one and a half applications of four pods in the cheap zone, and for less than one in each other.
ClusterBuilder cheap_zone_and_two_dear_ones() {
  ClusterBuilder builder(3);
  builder.node({.zone = ZoneId(0), .price = 1e-5, .slots = 100, .cpu = 6});
  builder.node({.zone = ZoneId(1), .price = 3e-5, .slots = 100, .cpu = 3});
  builder.node({.zone = ZoneId(2), .price = 3e-5, .slots = 100, .cpu = 3});
  return builder;
}

TEST(KeptRoom, StaysForTheWorkersThatAreStillToComeWhenTheFirstHasCome) {
  for (const Billing billing : {Billing::use, Billing::invoice}) {
    SCOPED_TRACE(static_cast<int>(billing));
    Applications with(cheap_zone_and_two_dear_ones(), billing);
    const TaskId first = with.driver(0, 4, 0);
    EXPECT_EQ(with.step(0), (std::map<TaskId, ZoneId>{{first, ZoneId(0)}}));
    const TaskId second = with.driver(1, 4, 1);
    const std::vector<HeldRoom> held = with.held();
    ASSERT_FALSE(held.empty());
    EXPECT_EQ(held.front().reason, HeldFor::workers_to_come);
    EXPECT_EQ(held.front().job, JobId(0));
    EXPECT_EQ(held.front().zone, ZoneId(0));
    EXPECT_EQ(held.front().tasks, 3u);
    EXPECT_EQ(held.front().room.cpu, Cores(3));
    EXPECT_THAT(with.step(1), IsEmpty()) << "its workers would find no room beside it";
    std::map<TaskId, ZoneId> started;
    std::set<TaskId> workers;
    for (const double at : {10.0, 12.0, 14.0}) {
      workers.insert(with.worker(0, 4, at));
      started.merge(with.step(at));
      EXPECT_FALSE(started.contains(second)) << "at " << at;
    }
    started.merge(with.step(20));
    EXPECT_FALSE(started.contains(second));
    for (const TaskId worker : workers) {
      ASSERT_TRUE(started.contains(worker));
      EXPECT_EQ(started.at(worker), ZoneId(0));
      with.finish(worker);
    }
    with.finish(first);
    EXPECT_THAT(with.step(30), SizeIs(1)) << "the second driver's turn";
  }
}

// Drivers come at any time, workers one by one after their driver has started, within the time for which room is kept
// after the last of them. Where the driver's zone had room for all when it started, all start there.
TEST(KeptRoom, HoldsWhateverComesBetween) {
  std::size_t together = 0, waited = 0;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    ClusterBuilder builder(3);
    for (std::uint32_t zone = 0; zone < 3; ++zone)
      for (std::uint64_t node = 0, nodes = 1 + random.below(2); node < nodes; ++node)
        builder.node({.zone = ZoneId(zone),
                      .price = 1e-5 * static_cast<double>(1 + random.below(4)),
                      .slots = 100,
                      .cpu = static_cast<double>(1 + random.below(6))});
    Applications with(builder, random.below(2) == 0 ? Billing::use : Billing::invoice);
    struct Application {
      std::uint32_t pods = 0;
      double comes = 0;  // its next pod
      std::uint32_t here = 0;
      std::vector<TaskId> tasks;
      std::map<TaskId, ZoneId> started;
      std::optional<ZoneId> home;  // where room was kept for all of it
    };
    std::vector<Application> applications(2 + random.below(4));
    for (Application& each : applications) {
      each.pods = static_cast<std::uint32_t>(2 + random.below(4));
      each.comes = static_cast<double>(random.below(40));
    }
    for (double now = 0; now < 200; now += 1) {
      for (std::uint32_t i = 0; i < applications.size(); ++i) {
        Application& each = applications[i];
        if (each.here == each.pods || each.comes > now) continue;
        const bool drives = each.here == 0;
        if (!drives && each.started.empty()) continue;  // nobody creates workers yet
        each.tasks.push_back(drives ? with.driver(i, each.pods, now) : with.worker(i, each.pods, now));
        ++each.here;
        each.comes = now + static_cast<double>(1 + random.below(12));
      }
      std::map<ZoneId, double> free;
      for (std::uint32_t zone = 0; zone < 3; ++zone) free[ZoneId(zone)] = with.free_cores(ZoneId(zone));
      const std::map<TaskId, ZoneId> started = with.step(now);
      waited += started.empty();
      for (const Application& each : applications)
        if (each.home) free[*each.home] -= static_cast<double>(each.pods - each.started.size());
      for (Application& each : applications)
        for (const TaskId task : each.tasks) {
          const auto found = started.find(task);
          if (found == started.end()) continue;
          const bool drives = task == each.tasks.front();
          if (drives) {
            each.comes = std::max(each.comes, now + 1);
            if (free[found->second] >= each.pods) each.home = found->second;
          } else if (each.home) {
            EXPECT_EQ(found->second, *each.home) << "a worker at " << now;
          }
          free[found->second] -= 1;
          each.started.insert(*found);
        }
    }
    for (const Application& each : applications) {
      if (!each.home) continue;
      EXPECT_EQ(each.started.size(), each.pods);
      ++together;
    }
    if (HasFailure()) return;
  }
  EXPECT_GT(together, 300u);
  EXPECT_GT(waited, 0u);
}

// An application that announces more workers than ever come keeps room within what its pool is entitled to.
TEST(KeptRoom, IsNoMoreThanThePoolIsEntitledToWhereOthersWantIt) {
  for (const Billing billing : {Billing::use, Billing::invoice})
    for (const std::uint32_t announced : {8U, 1'000'000U}) {
      SCOPED_TRACE(std::to_string(static_cast<int>(billing)) + " " + std::to_string(announced));
      ClusterBuilder builder(1);
      const PoolId other = builder.pool(1);
      for (int i = 0; i < 2; ++i) builder.node({.price = 1e-5, .slots = 100, .cpu = 4});
      Applications with(builder, billing);
      with.driver(0, announced, 0);
      with.step(0);
      with.others(other, 8, 1);
      const std::size_t started = with.step(1).size() + with.step(2).size();
      EXPECT_GE(started, 4u) << "half of the cluster is the other pool's";
    }
}

// Two peers that start together need the room of a task that ends soon, and keep what is free until then.
TEST(KeptRoom, ForTheRestOfAGangIsNamedToThoseWhomItKeepsWaiting) {
  ClusterBuilder builder(1);
  const NodeId node = builder.node({.price = 1e-5, .slots = 100, .cpu = 4});
  Case with("lips", builder);
  const JobId running = with.add({.maps = 1, .cpu = 120, .cores = 2});
  ASSERT_TRUE(with.state.assume({with.task(running, 0), node, {}, {}}));
  with.at(1);
  JobArrived gang = job(with.state.snapshot(), {.arrival = 1, .maps = 2, .cpu = 7200, .cores = 2});
  WholeJob& whole = gang.job.whole;
  whole.id = WholeJobId(0), whole.peers = true, whole.expected = whole.gang = 2;
  whole.each = gang.job.request, whole.arrived = gang.job.arrival;
  with.state.apply(gang);
  with.at(2);
  const JobId beside = with.add({.arrival = 2, .maps = 1, .cpu = 3600});
  const Plan plan = with.plan();
  EXPECT_THAT(plan.assignments, IsEmpty());
  ASSERT_THAT(plan.account.held, SizeIs(1));
  EXPECT_EQ(plan.account.held.front().reason, HeldFor::rest_of_gang);
  EXPECT_THAT(plan.deferrals, ::testing::Contains(Deferral{with.task(beside, 0), DeferralReason::no_capacity}));
}

}  // namespace
}  // namespace lips::testing
