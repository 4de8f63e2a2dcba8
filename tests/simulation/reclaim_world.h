// Random clusters whose pools take tasks back or do not, with long tasks, gangs and jobs of one task; and a policy that
// looks at every plan.
#pragma once

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/random.h"
#include "controller/checked_policy.h"
#include "model/entitlements.h"
#include "simulation/truth_tasks.h"
#include "tests/simulation/tiny_scenario.h"

namespace lips::simulation {

struct ReclaimWorld {
  double reclaims = 0.6;  // the part of the pools that take tasks back
  double gangs = 0.15;    // the part of the jobs that start together
};

inline Scenario reclaim_scenario(std::uint64_t seed, const ReclaimWorld& world = {}) {
  Random random(seed);
  tiny::ScenarioBuilder builder(1 + static_cast<std::uint32_t>(random.below(2)));
  Scenario& scenario = builder.scenario;
  scenario.seed = seed;
  ClusterSnapshot& cluster = scenario.cluster;
  constexpr std::array<double, 3> sizes{4, 8, 16};
  const auto zones = static_cast<std::uint32_t>(cluster.zones.size());
  for (std::uint64_t i = 0, nodes = 1 + random.below(5); i < nodes; ++i)
    builder.node(static_cast<std::uint32_t>(i) % zones, sizes[random.below(sizes.size())],
                 random.below(2) == 0 ? 1e-5 : random.uniform(0.5e-5, 2e-5));
  const auto pools = static_cast<std::uint32_t>(2 + random.below(3));
  for (std::uint32_t i = 1; i < pools; ++i)
    builder.pool("pool" + std::to_string(i), static_cast<double>(1 + random.below(4)));
  for (Pool& pool : cluster.pools)
    if (random.uniform() < world.reclaims) pool.reclaim = ReclaimRule::from_borrowers;
  constexpr std::array<double, 4> cores{0.5, 1, 2, 4};
  double arrival = 0;
  std::uint32_t wholes = 0;
  for (std::uint64_t i = 0, jobs = 6 + random.below(12); i < jobs; ++i) {
    arrival += random.exponential(random.below(3) == 0 ? 600 : 60);
    const auto tasks = static_cast<std::uint32_t>(1 + random.below(random.below(2) == 0 ? 1 : 20));
    const double request = cores[random.below(cores.size())];
    const double span = random.below(3) == 0 ? random.uniform(10, 100) : random.uniform(600, 6000);
    JobArrived& made = builder.computing_job(arrival, tasks, span * request);
    made.job.pool = PoolId(static_cast<std::uint32_t>(random.below(pools)));
    made.job.priority = static_cast<std::int32_t>(random.below(2)) * 10;
    made.job.request = {Cores(request), Mebibytes(128.0 * static_cast<double>(random.below(9)) * request), 1};
    if (random.uniform() >= world.gangs) continue;
    WholeJob& whole = made.job.whole;
    whole.id = WholeJobId(wholes++);
    whole.peers = true;
    // A gang that no cluster holds would wait for ever.
    made.job.map_tasks = whole.maps = whole.expected = std::min(tasks, 3U);
    made.tasks.resize(whole.maps);
    whole.gang = random.below(3) == 0 ? 0 : whole.maps;
    whole.each = made.job.request = {Cores(1), Mebibytes(0), 1};
    for (Task& task : made.tasks) task.cpu = CpuSeconds(span);
    whole.arrived = made.job.arrival;
  }
  for (Node& node : cluster.nodes) node.capacity.slots = 110;
  scenario.settings.lips.waiting_price = 1000;  // nobody waits by choice for long
  scenario.settings.lips.billing = seed % 2 == 0 ? Billing::invoice : Billing::use;
  return scenario;
}

// Beside a policy, looks at what its plans take back, with an arithmetic of its own.
class ReclaimWatch : public Policy {
 public:
  explicit ReclaimWatch(const Policy& policy) : policy_(policy) {}
  Cadence cadence() const override { return policy_.cadence(); }
  Result<Plan> decide(const PolicyInput& input) const override {
    watch_.before(input.cluster);
    Result<Plan> plan = policy_.decide(input);
    if (plan) watch_.after(input.cluster, *plan);
    return plan;
  }

  struct Count {
    std::uint64_t reclaims = 0, plans = 0;
    std::uint64_t quiet = 0;    // reclaims of which nothing else has happened until their room was free
    std::uint64_t starts = 0;   // of pools that take tasks back
    std::uint64_t checked = 0;  // waiting tasks for which no room could be had
    double usd = 0;
  };
  const Count& count() const { return watch_.count; }
  const std::string& fault() const { return watch_.fault; }

 private:
  struct Open {
    Reclaim reclaim;
    NodeId node;
    TimePoint at{};
    std::uint64_t starts = 0;  // of the pool so far
    std::uint64_t changes = 0;
  };

  struct Watch {
    Count count;
    std::string fault;
    std::vector<Open> open;
    std::set<TaskId> running;
    std::map<PoolId, std::uint64_t> starts;
    std::map<std::pair<TaskId, PoolId>, std::uint64_t> last;  // starts of the pool when the task was last taken back
    std::size_t jobs = 0, ended = 0;
    std::uint64_t changes = 0;  // arrivals, and tasks that have ended

    void say(const ClusterSnapshot& cluster, const std::string& what) {
      if (fault.empty()) fault = "at " + std::to_string(to_seconds(cluster.now - TimePoint{})) + " s: " + what;
    }

    void before(const ClusterSnapshot& cluster) {
      std::size_t ended_now = 0;
      for (const Job& job : cluster.jobs) ended_now += job.finished_maps + job.finished_reduces;
      changes += (cluster.jobs.size() - jobs) + (ended_now - ended);
      jobs = cluster.jobs.size(), ended = ended_now;
      std::set<TaskId> now;
      for (const RunningTask& run : cluster.running) {
        now.insert(run.task);
        if (running.contains(run.task)) continue;
        const PoolId pool = cluster.jobs[run.job].pool;
        ++starts[pool];
        count.starts += cluster.pools[pool].reclaims();
      }
      running = std::move(now);
      std::erase_if(open, [&](const Open& one) { return ended_or_late(cluster, one); });
    }

    bool ended_or_late(const ClusterSnapshot& cluster, const Open& one) {
      const bool leaves = std::any_of(cluster.running.begin(), cluster.running.end(), [&](const RunningTask& run) {
        return run.task == one.reclaim.task && run.leaves();
      });
      if (leaves && cluster.now - one.at > graceful_end) say(cluster, "a task that was taken back still runs");
      if (leaves) return false;
      const bool quiet = changes == one.changes;
      count.quiet += quiet;
      if (quiet && starts[one.reclaim.pool] == one.starts)
        say(cluster, "task " + std::to_string(one.reclaim.task.index()) + " was taken back, and nothing of pool " +
                         std::to_string(one.reclaim.pool.index()) + " has started");
      const bool back = std::any_of(cluster.running.begin(), cluster.running.end(), [&](const RunningTask& run) {
        return run.task == one.reclaim.task && run.node == one.node;
      });
      if (quiet && back) say(cluster, "a task that was taken back is in the same room again");
      return true;
    }

    // Shares of what runs and stays, without the plan's reclaims.
    IdVector<PoolId, ResourceAmounts> used(const ClusterSnapshot& cluster, const Plan* plan, std::size_t resources) {
      std::set<TaskId> taken;
      if (plan)
        for (const Reclaim& reclaim : plan->reclaims) taken.insert(reclaim.task);
      IdVector<PoolId, ResourceAmounts> sum(cluster.pools.size(), ResourceAmounts(resources, 0.0));
      for (const RunningTask& run : cluster.running)
        if (!run.leaves() && !taken.contains(run.task))
          add_amounts(sum[cluster.jobs[run.job].pool], cluster.jobs[run.job].request, 1);
      return sum;
    }

    void after(const ClusterSnapshot& cluster, const Plan& plan) {
      ++count.plans;
      const PoolShares shares = share_out(cluster);
      const auto had = used(cluster, nullptr, shares.capacity.size()),
                 has = used(cluster, &plan, shares.capacity.size());
      for (const Reclaim& reclaim : plan.reclaims) {
        const Job& job = cluster.jobs[cluster.tasks[reclaim.task].job];
        if (!cluster.pools[reclaim.pool].reclaims()) say(cluster, "a pool takes a task back that may not");
        if (dominant_share(had[job.pool], shares.capacity) <= shares.of[job.pool].share + 1e-9)
          say(cluster, "a pool loses a task that is within its share");
        if (dominant_share(has[job.pool], shares.capacity) < shares.of[job.pool].share - 1e-6)
          say(cluster, "a pool is left below its share");
        const auto key = std::pair(reclaim.task, reclaim.pool);
        if (const auto before = last.find(key); before != last.end() && before->second == starts[reclaim.pool])
          say(cluster, "task " + std::to_string(reclaim.task.index()) + " is taken back again for nothing");
        last[key] = starts[reclaim.pool];
        open.push_back({reclaim, cluster.tasks[reclaim.task].node, cluster.now, starts[reclaim.pool], changes});
        ++count.reclaims;
        count.usd += reclaim.lost.value();
      }
      for (const PoolId pool : cluster.pools.ids())
        if (cluster.pools[pool].reclaims()) look_for_more(cluster, plan, shares, pool);
    }

    // Says so where one more task of the pool, within its share, could be given the room of tasks of pools that keep
    // theirs. A node on which tasks end for another pool has its turn when they have ended.
    void look_for_more(const ClusterSnapshot& cluster, const Plan& plan, const PoolShares& shares, PoolId pool) {
      IdVector<PoolId, ResourceAmounts> has = used(cluster, &plan, shares.capacity.size());
      IdVector<NodeId, Resources> free = cluster.free, room = cluster.free;
      IdVector<NodeId, bool> full(free.size(), false), of_others(free.size(), false), own(free.size(), false);
      std::set<TaskId> taken, planned;
      for (const Reclaim& reclaim : plan.reclaims) {
        taken.insert(reclaim.task);
        const NodeId node = cluster.tasks[reclaim.task].node;
        (reclaim.pool == pool ? own : of_others)[node] = true;
        room[node] += cluster.jobs[cluster.tasks[reclaim.task].job].request;
      }
      for (const RunningTask& run : cluster.running)
        if (run.leaves()) {
          (run.reclaimed_for == pool ? own : of_others)[run.node] = true;
          room[run.node] += cluster.jobs[run.job].request;
        }
      for (const Assignment& assignment : plan.assignments) {
        const Job& job = cluster.jobs[cluster.tasks[assignment.task].job];
        full[assignment.node] = full[assignment.node] || !fits(job.request, free[assignment.node]);
        const bool waits_here = full[assignment.node] && job.pool == pool && own[assignment.node];
        if (full[assignment.node] && !waits_here) continue;
        planned.insert(assignment.task);
        if (!full[assignment.node]) free[assignment.node] -= job.request;
        room[assignment.node] -= job.request;
        if (job.pool == pool) add_amounts(has[pool], job.request, 1);
      }
      // Room that is held for peers is theirs, for minutes. The plan says in which zone.
      for (const HeldRoom& held : plan.account.held)
        for (const NodeId node : cluster.nodes.ids())
          if (held.reason != HeldFor::large_task && cluster.nodes[node].zone == held.zone) room[node] -= held.room;
      for (const JobId id : cluster.pending) {
        const Job& job = cluster.jobs[id];
        if (job.pool != pool || job.whole.peers) continue;
        bool waits = false;
        for (const TaskGroup& group : cluster.groups[id])
          for (const TaskId task : cluster.tasks_of(group)) waits = waits || !planned.contains(task);
        if (!waits || tasks_until_share(shares.of[pool], has[pool], job.request, shares.capacity) < 1 - 1e-6) continue;
        bool by_choice = false;
        for (const NodeId node : cluster.nodes.ids())
          by_choice = by_choice || (!own[node] && !of_others[node] && fits(job.request, free[node]));
        if (by_choice) continue;
        ++count.checked;
        for (const NodeId node : cluster.nodes.ids())
          if (!of_others[node] && can_be_had(cluster, shares, has, {pool, node, job.request, room[node]}, taken))
            say(cluster, "a task of job " + std::to_string(id.index()) + " could have room on node " +
                             std::to_string(node.index()));
      }
    }

    struct Wish {
      PoolId pool;
      NodeId node;
      Resources request, room;
    };
    // All tasks that may be taken one by one, the largest of the request's cores first.
    static bool can_be_had(const ClusterSnapshot& cluster, const PoolShares& shares,
                           IdVector<PoolId, ResourceAmounts> has, Wish wish, const std::set<TaskId>& taken) {
      std::vector<const RunningTask*> others;
      for (const RunningTask& run : cluster.running)
        if (const Job& job = cluster.jobs[run.job]; run.node == wish.node && job.pool != wish.pool && !run.leaves() &&
                                                    !taken.contains(run.task) && !job.whole.peers &&
                                                    cluster.tasks[run.task].state == TaskState::running)
          others.push_back(&run);
      std::sort(others.begin(), others.end(), [&](const RunningTask* a, const RunningTask* b) {
        return cluster.jobs[a->job].request.cpu > cluster.jobs[b->job].request.cpu;
      });
      for (const RunningTask* run : others) {
        if (fits(wish.request, wish.room)) return false;  // nothing has to be taken back: it has room
        const Job& job = cluster.jobs[run->job];
        ResourceAmounts left = has[job.pool];
        add_amounts(left, job.request, -1);
        if (dominant_share(left, shares.capacity) < shares.of[job.pool].share - 1e-9) continue;
        has[job.pool] = left;
        wish.room += job.request;
        if (fits(wish.request, wish.room)) return true;
      }
      return false;
    }
  };

  const Policy& policy_;
  mutable Watch watch_;
};

}  // namespace lips::simulation
