// Random clusters whose pools take tasks back or do not, and whose jobs preempt or do not, with long tasks, gangs and
// jobs of one task; and a policy that looks at every plan.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
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

// The first seed and how many: LIPS_RECLAIM_SEED looks elsewhere, LIPS_RECLAIM_RUNS for longer.
inline std::pair<std::uint64_t, std::uint64_t> reclaim_seeds(std::uint64_t runs) {
  const char *first = std::getenv("LIPS_RECLAIM_SEED"), *set = std::getenv("LIPS_RECLAIM_RUNS");
  return {first ? std::strtoull(first, nullptr, 10) : 1, set ? std::strtoull(set, nullptr, 10) : runs};
}

struct ReclaimWorld {
  double reclaims = 0.6;  // the part of the pools that take tasks back
  double gangs = 0.15;    // the part of the jobs that start together
  double preempts = 0;    // the part of the jobs that take room from those of lower priority
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
    made.job.preempts = world.preempts > 0 && random.uniform() < world.preempts;
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
    std::uint64_t quiet = 0;      // reclaims of which nothing else has happened until their room was free
    std::uint64_t preempted = 0;  // reclaims for tasks of the same pool
    std::uint64_t starts = 0;     // of pools that take tasks back, or of tasks that preempt
    std::uint64_t checked = 0;    // waiting tasks for which no room could be had
    double usd = 0;
  };
  const Count& count() const { return watch_.count; }
  const std::string& fault() const { return watch_.fault; }

 private:
  struct Open {
    Reclaim reclaim;
    NodeId node;
    TimePoint at{};
    std::uint64_t starts = 0;  // for which it may have been, so far
    std::uint64_t changes = 0;
  };

  struct Watch {
    Count count;
    std::string fault;
    std::vector<Open> open;
    std::set<TaskId> running;
    std::map<PoolId, std::map<std::int32_t, std::uint64_t>> started;  // tasks of the pool, by priority
    std::map<std::pair<TaskId, PoolId>, std::uint64_t> last;          // Open::starts when it was last taken back
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
        ++started[pool][cluster.jobs[run.job].priority];
        count.starts += cluster.pools[pool].reclaims() || cluster.jobs[run.job].preempts;
      }
      running = std::move(now);
      std::erase_if(open, [&](const Open& one) { return ended_or_late(cluster, one); });
    }

    // Starts of the pool for which it takes the task back: of its own, those of higher priority.
    std::uint64_t starts_for(const ClusterSnapshot& cluster, const Reclaim& reclaim) {
      const Job& job = cluster.jobs[cluster.tasks[reclaim.task].job];
      std::uint64_t sum = 0;
      for (const auto& [priority, starts] : started[reclaim.pool])
        if (reclaim.pool != job.pool || priority > job.priority) sum += starts;
      return sum;
    }

    bool ended_or_late(const ClusterSnapshot& cluster, const Open& one) {
      const bool leaves = std::any_of(cluster.running.begin(), cluster.running.end(), [&](const RunningTask& run) {
        return run.task == one.reclaim.task && run.leaves();
      });
      if (leaves && cluster.now - one.at > graceful_end) say(cluster, "a task that was taken back still runs");
      if (leaves) return false;
      const bool quiet = changes == one.changes;
      count.quiet += quiet;
      if (quiet && starts_for(cluster, one.reclaim) == one.starts)
        say(cluster, "task " + std::to_string(one.reclaim.task.index()) + " was taken back, and nothing of pool " +
                         std::to_string(one.reclaim.pool.index()) + " has started");
      const bool back = std::any_of(cluster.running.begin(), cluster.running.end(), [&](const RunningTask& run) {
        return run.task == one.reclaim.task && run.node == one.node;
      });
      if (quiet && back) say(cluster, "a task that was taken back is in the same room again");
      return true;
    }

    // Shares of what runs and stays, without what the plan takes back for other pools.
    IdVector<PoolId, ResourceAmounts> used(const ClusterSnapshot& cluster, const Plan* plan, std::size_t resources) {
      std::set<TaskId> taken;
      if (plan)
        for (const Reclaim& reclaim : plan->reclaims)
          if (cluster.jobs[cluster.tasks[reclaim.task].job].pool != reclaim.pool) taken.insert(reclaim.task);
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
        if (job.pool == reclaim.pool) {
          ++count.preempted;
          if (!is_preempted(cluster, plan, reclaim)) say(cluster, "a task is taken back for none of higher priority");
        } else {
          if (!cluster.pools[reclaim.pool].reclaims()) say(cluster, "a pool takes a task back that may not");
          if (dominant_share(had[job.pool], shares.capacity) <= shares.of[job.pool].share + 1e-9)
            say(cluster, "a pool loses a task that is within its share");
          if (dominant_share(has[job.pool], shares.capacity) < shares.of[job.pool].share - 1e-6)
            say(cluster, "a pool is left below its share");
        }
        const auto key = std::pair(reclaim.task, reclaim.pool);
        const std::uint64_t starts = starts_for(cluster, reclaim);
        if (const auto before = last.find(key); before != last.end() && before->second == starts)
          say(cluster, "task " + std::to_string(reclaim.task.index()) + " is taken back again for nothing");
        last[key] = starts;
        open.push_back({reclaim, cluster.tasks[reclaim.task].node, cluster.now, starts, changes});
        ++count.reclaims;
        count.usd += reclaim.lost.value();
      }
      for (const PoolId pool : cluster.pools.ids()) look_for_more(cluster, plan, shares, pool);
    }

    // A waiting task of its pool and of a higher priority starts on its node, or on one of its gang.
    static bool is_preempted(const ClusterSnapshot& cluster, const Plan& plan, const Reclaim& reclaim) {
      const Job& job = cluster.jobs[cluster.tasks[reclaim.task].job];
      std::set<NodeId> nodes{cluster.tasks[reclaim.task].node};
      for (const Reclaim& other : plan.reclaims)
        if (const Task& task = cluster.tasks[other.task];
            job.whole.gang > 0 && cluster.jobs[task.job].whole.id == job.whole.id)
          nodes.insert(task.node);
      return std::any_of(plan.assignments.begin(), plan.assignments.end(), [&](const Assignment& start) {
        const Job& starts = cluster.jobs[cluster.tasks[start.task].job];
        return nodes.contains(start.node) && starts.pool == job.pool && starts.preempts &&
               starts.priority > job.priority;
      });
    }

    // The amounts that the plan leaves to the pool.
    struct Rest {
      IdVector<PoolId, ResourceAmounts> has;
      IdVector<NodeId, Resources> free, room;  // now, and when all that is taken back has ended
      IdVector<NodeId, bool> own, of_others;   // tasks end there for the pool, for others
      std::set<TaskId> taken, lost, planned;   // `lost`: those of `taken` that end for another pool than theirs
    };
    Rest rest_for(const ClusterSnapshot& cluster, const Plan& plan, std::size_t resources, PoolId pool) {
      const IdVector<NodeId, bool> none(cluster.free.size(), false);
      Rest rest{used(cluster, &plan, resources), cluster.free, cluster.free, none, none, {}, {}, {}};
      IdVector<NodeId, bool> full = none;
      for (const Reclaim& reclaim : plan.reclaims) {
        rest.taken.insert(reclaim.task);
        if (cluster.jobs[cluster.tasks[reclaim.task].job].pool != reclaim.pool) rest.lost.insert(reclaim.task);
        const NodeId node = cluster.tasks[reclaim.task].node;
        (reclaim.pool == pool ? rest.own : rest.of_others)[node] = true;
        rest.room[node] += cluster.jobs[cluster.tasks[reclaim.task].job].request;
      }
      for (const RunningTask& run : cluster.running)
        if (run.leaves()) {
          (run.reclaimed_for == pool ? rest.own : rest.of_others)[run.node] = true;
          rest.room[run.node] += cluster.jobs[run.job].request;
        }
      for (const Assignment& assignment : plan.assignments) {
        const Job& job = cluster.jobs[cluster.tasks[assignment.task].job];
        const NodeId node = assignment.node;
        full[node] = full[node] || !fits(job.request, rest.free[node]);
        if (full[node] && !(job.pool == pool && rest.own[node])) continue;
        rest.planned.insert(assignment.task);
        if (!full[node]) rest.free[node] -= job.request;
        rest.room[node] -= job.request;
        if (job.pool == pool) add_amounts(rest.has[pool], job.request, 1);
      }
      // Room that is held for peers is theirs, for minutes. The plan says in which zone.
      for (const HeldRoom& held : plan.account.held)
        for (const NodeId node : cluster.nodes.ids())
          if (held.reason != HeldFor::large_task && cluster.nodes[node].zone == held.zone) rest.room[node] -= held.room;
      return rest;
    }

    // Says so where one more task of the pool, within its share, could be given the room of tasks of pools that keep
    // theirs, or, without more use of it, that of its own tasks of lower priority. A node on which tasks end for
    // another pool has its turn when they have ended.
    void look_for_more(const ClusterSnapshot& cluster, const Plan& plan, const PoolShares& shares, PoolId pool) {
      const Rest rest = rest_for(cluster, plan, shares.capacity.size(), pool);
      for (const JobId id : cluster.pending) {
        const Job& job = cluster.jobs[id];
        if (job.pool != pool || job.whole.peers) continue;
        bool waits = false;
        for (const TaskGroup& group : cluster.groups[id])
          for (const TaskId task : cluster.tasks_of(group)) waits = waits || !rest.planned.contains(task);
        const bool may_borrow =
            cluster.pools[pool].reclaims() &&
            tasks_until_share(shares.of[pool], rest.has[pool], job.request, shares.capacity) >= 1 - 1e-6;
        if (!waits || !(may_borrow || job.preempts)) continue;
        bool by_choice = false;
        for (const NodeId node : cluster.nodes.ids())
          by_choice = by_choice || (!rest.own[node] && !rest.of_others[node] && fits(job.request, rest.free[node]));
        if (by_choice) continue;
        ++count.checked;
        for (const NodeId node : cluster.nodes.ids()) {
          const Wish wish{pool, node, job.request, rest.room[node]};
          if (rest.of_others[node]) continue;
          const std::string what = "a task of job " + std::to_string(id.index()) + " could have room on node " +
                                   std::to_string(node.index());
          if (may_borrow && can_be_had(cluster, shares, rest.has, wish, rest.taken)) say(cluster, what);
          if (job.preempts && can_be_preempted(cluster, shares, rest, id, node)) say(cluster, what + " of its pool");
        }
      }
    }

    // Without all tasks of lower priority of its pool that run there.
    static bool can_be_preempted(const ClusterSnapshot& cluster, const PoolShares& shares, const Rest& rest, JobId id,
                                 NodeId node) {
      const Job& job = cluster.jobs[id];
      ResourceAmounts before(shares.capacity.size(), 0.0), left = rest.has[job.pool];
      Resources room = rest.room[node];
      bool lower = false;
      for (const RunningTask& run : cluster.running) {
        const Job& other = cluster.jobs[run.job];
        if (other.pool != job.pool) continue;
        const bool taken = rest.taken.contains(run.task);
        const bool leaves = run.leaves() && run.reclaimed_for != job.pool;
        if (!leaves && !rest.lost.contains(run.task)) add_amounts(before, other.request, 1);
        if (run.leaves() || rest.lost.contains(run.task)) continue;
        const bool gives_way = run.node == node && !taken && job.preempts_tasks_of(other) && !other.whole.peers &&
                               cluster.tasks[run.task].state == TaskState::running;
        if (taken || gives_way) add_amounts(left, other.request, -1);
        if (gives_way) room += other.request, lower = true;
      }
      add_amounts(left, job.request, 1);
      const double most = std::max(shares.of[job.pool].share, dominant_share(before, shares.capacity));
      return lower && fits(job.request, room) && dominant_share(left, shares.capacity) <= most;
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
