// Gangs that never fill: the tasks that keep their room from them never end when they should. What is held for the rest
// of such a gang is paid for, and gives way once its pool has spent its budget (docs/policies.md#what-else-is-held).
#include <algorithm>
#include <cmath>
#include <map>

#include "base/random.h"
#include "model/entitlements.h"
#include "model/unpaid_room.h"
#include "tests/policies/case.h"

namespace lips::testing {
namespace {

constexpr double gang_step = 1;        // seconds between two plans
constexpr double gang_node_cores = 4;  // a gang's task takes a whole node
constexpr double beside_gang = 0.05;   // cores of a task that never ends

// The tenant has a small task on each of some nodes, which always seems to end in a second, and gangs that need these
// nodes too. Others come with small tasks.
class GangWorld {
 public:
  static constexpr PoolId tenant{0}, other{1};

  GangWorld(std::uint64_t seed, const PolicySettings& settings)
      : random_(seed), with_("lips", builder(), settings), budget_(settings.lips.keep_budget) {
    const auto nodes = static_cast<std::uint32_t>(with_.state.snapshot().nodes.size());
    for (std::uint32_t node = 0; node < nodes; ++node)
      if (node == 0 || random_.below(4) == 0) block(NodeId(node));
    for (std::uint64_t i = 0, gangs = 1 + random_.below(4); i < gangs; ++i)
      gangs_.push_back(
          {static_cast<double>(random_.below(100)), static_cast<std::uint32_t>(2 + random_.below(nodes - 1))});
    for (double at = 0; at < 600; at += 1 + static_cast<double>(random_.below(6)))
      small_.push_back(
          {at, 0.5 * static_cast<double>(1 + random_.below(8)), static_cast<double>(5 + random_.below(60))});
  }

  const ClusterSnapshot& cluster() const { return with_.state.snapshot(); }
  double budget() const { return most_unpaid(cluster(), budget_).value(); }

  template <class Look>
  void run(double until, const Look& look) {
    for (double now = 0; now < until && !::testing::Test::HasFailure(); now += gang_step) {
      with_.at(now);
      for (auto it = ends_.begin(); it != ends_.end() && it->first <= now; it = ends_.erase(it))
        with_.finish(it->second);
      arrive(now);
      const Plan plan = with_.plan();
      look(now, plan);
      with_.state.keep(plan.account.held, plan.account.kept_room);
      for (const Assignment& assignment : plan.assignments) {
        if (!with_.state.assume(assignment)) continue;
        with_.state.apply(TaskStarted{assignment.task, assignment.node});
        ends_.emplace(now + run_.at(assignment.task), assignment.task);
      }
    }
  }

 private:
  struct Arrival {
    double at = 0;
    std::uint32_t peers = 0;
  };
  struct SmallTask {
    double at = 0, cores = 1, run = 20;
  };

  ClusterBuilder builder() {
    ClusterBuilder builder(1);
    builder.pool(static_cast<double>(1 + random_.below(3)));
    for (std::uint64_t i = 0, nodes = 3 + random_.below(6); i < nodes; ++i)
      builder.node({.price = 1e-5, .slots = 100, .cpu = gang_node_cores});
    return builder;
  }

  TaskId last_task() const { return TaskId(static_cast<std::uint32_t>(cluster().tasks.size() - 1)); }

  void block(NodeId node) {
    with_.add({.pool = tenant, .maps = 1, .cpu = beside_gang, .cores = beside_gang});
    run_[last_task()] = 1e9;
    with_.state.apply(TaskFound{last_task(), node, TimePoint{}});
  }

  void arrive(double now) {
    for (const Arrival& each : gangs_) {
      if (each.at < now || each.at >= now + gang_step) continue;
      JobArrived gang = job(cluster(), {.pool = tenant,
                                        .arrival = now,
                                        .maps = static_cast<int>(each.peers),
                                        .cpu = 3600 * gang_node_cores,
                                        .cores = gang_node_cores});
      WholeJob& whole = gang.job.whole;
      whole.id = WholeJobId(static_cast<std::uint32_t>(cluster().jobs.size()));
      whole.peers = true, whole.maps = whole.expected = whole.gang = each.peers;
      whole.each = gang.job.request, whole.arrived = cluster().now;
      with_.state.apply(gang);
      for (std::uint32_t i = 0; i < each.peers; ++i) run_[TaskId(last_task().index() - i)] = 30;
    }
    for (const SmallTask& each : small_)
      if (each.at >= now && each.at < now + gang_step) {
        with_.add({.pool = other, .arrival = now, .maps = 1, .cpu = each.run * each.cores, .cores = each.cores});
        run_[last_task()] = each.run;
      }
  }

  Random random_;
  Case with_;
  Duration budget_;
  std::vector<Arrival> gangs_;
  std::vector<SmallTask> small_;
  std::map<TaskId, double> run_;
  std::multimap<double, TaskId> ends_;
};

PolicySettings gang_settings(std::uint64_t seed) {
  PolicySettings settings;
  settings.lips.billing = Billing::invoice;
  settings.lips.keep_budget = seconds(seed % 3 == 0 ? 2 : seed % 3 == 1 ? 5 : 15);
  return settings;
}

// The victims' view of a plan: is some task within its pool's share, and does it wait though the room that is free,
// with what is held for the tenant, would take it?
bool gang_keeps_waiting(const ClusterSnapshot& cluster, const Plan& plan) {
  IdVector<NodeId, Resources> free = cluster.free;
  const PoolShares shares = share_out(cluster);
  std::map<TaskId, bool> starts;
  ResourceAmounts used = shares.claims[GangWorld::other].used;
  for (const Assignment& assignment : plan.assignments) {
    const Job& job = cluster.jobs[cluster.tasks[assignment.task].job];
    starts[assignment.task] = true;
    if (fits(job.request, free[assignment.node])) free[assignment.node] -= job.request;
    if (job.pool == GangWorld::other) add_amounts(used, job.request, 1);
  }
  for (const JobId id : cluster.pending) {
    const Job& job = cluster.jobs[id];
    if (job.pool != GangWorld::other || starts.contains(job.first_task)) continue;
    const bool within = !shares.of[GangWorld::other].limits() ||
                        tasks_until_share(shares.of[GangWorld::other], used, job.request, shares.capacity) >= 1;
    for (const NodeId node : cluster.nodes.ids())
      if (within && fits(job.request, free[node])) return true;
  }
  return false;
}

double held_for_tenant(const ClusterSnapshot& cluster, const Plan& plan) {
  double cores = 0;
  for (const HeldRoom& room : plan.account.held)
    if (room.is_paid_for() && cluster.jobs[room.job].pool == GangWorld::tenant) cores += room.room.cpu.value();
  return cores;
}

// In any window of T seconds others who are within their share wait beside no more idle core-seconds than the tenant's
// budget, with one step of all cores above it, once and once more for each 43 minutes, which is what fades; and what
// the tenant's tasks use.
TEST(GangsThatNeverFill, KeepOthersWaitingForNoMoreThanTheirPoolPaysFor) {
  int waited = 0, held = 0, over = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    GangWorld world(seed, gang_settings(seed));
    std::vector<double> idle{0}, used{0};  // sums until each plan
    double budget = 0, cores = 0;
    world.run(600, [&](double, const Plan& plan) {
      const ClusterSnapshot& cluster = world.cluster();
      const double kept = held_for_tenant(cluster, plan);
      const bool waits = kept > 0 && gang_keeps_waiting(cluster, plan);
      held += kept > 0, waited += waits, over += cluster.pools[GangWorld::tenant].unpaid_room.value() > world.budget();
      budget = world.budget(), cores = gang_node_cores * static_cast<double>(cluster.nodes.size());
      idle.push_back(idle.back() + (waits ? gang_step * kept : 0));
      used.push_back(used.back() + gang_step * cluster.pool_cores[GangWorld::tenant].value());
    });
    if (HasFailure()) return;
    const double most = budget + cores * gang_step, fade = std::log(2.0) / to_seconds(unpaid_half_life);
    for (std::size_t begin = 0; begin < idle.size(); begin += 7)
      for (std::size_t end = begin + 1; end < idle.size(); end += 13)
        ASSERT_LE(idle[end] - idle[begin],
                  most * (1 + fade * static_cast<double>(end - begin) * gang_step) + used[end] - used[begin] + 1e-6)
            << begin << " to " << end;
  }
  EXPECT_GT(held, 10'000) << "gangs are waiting";
  EXPECT_GT(waited, 30) << "others wait beside them";
  EXPECT_GT(over, 1000) << "budgets bind";
}

// The tenant holds nothing beyond its share.
TEST(GangsThatNeverFill, HoldNothingAboveTheirShare) {
  int limited = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    GangWorld world(seed, gang_settings(seed));
    world.run(300, [&](double, const Plan& plan) {
      const ClusterSnapshot& cluster = world.cluster();
      const PoolShares shares = share_out(cluster);
      const Entitlement& of = shares.of[GangWorld::tenant];
      if (!shares.contended() || !of.limits()) return;
      const double used = shares.claims[GangWorld::tenant].used[0], kept = held_for_tenant(cluster, plan);
      limited += kept > 0;
      EXPECT_LE(used + kept, std::max(used, of.amounts[0]) + 1e-6);
    });
    if (HasFailure()) return;
  }
  EXPECT_GT(limited, 1000);
}

}  // namespace
}  // namespace lips::testing
