#include "model/validate_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "model/degraded_read.h"
#include "model/entitlements.h"
#include "model/launch_room.h"
#include "model/stripe.h"

namespace lips {

namespace {

// The tasks that a plan names. Those of jobs that wait lie close together, among all that a cluster has ever had.
class SeenTasks {
 public:
  explicit SeenTasks(const ClusterSnapshot& cluster) {
    std::size_t end = 0;
    first_ = cluster.tasks.size();
    for (const JobId id : cluster.pending) {
      const Job& job = cluster.jobs[id];
      first_ = std::min<std::size_t>(first_, job.first_task.index());
      end = std::max<std::size_t>(end, job.first_task.index() + job.tasks());
    }
    if (end > first_) close_.assign(end - first_, false);
  }
  // False if it was there.
  bool insert(TaskId task) {
    if (task.index() < first_ || task.index() - first_ >= close_.size()) return others_.insert(task).second;
    const std::size_t place = task.index() - first_;
    if (close_[place]) return false;
    return close_[place] = true;
  }

 private:
  std::size_t first_ = 0;
  std::vector<bool> close_;
  std::unordered_set<TaskId> others_;
};

class Validation {
 public:
  Validation(const ClusterSnapshot& cluster, const Plan& plan) : cluster_(cluster), plan_(plan), seen_(cluster) {}

  std::vector<std::string> run() {
    for (const DataMove& move : plan_.moves) check(move);
    for (const ReplicaDrop& drop : plan_.drops) check(drop);
    for (const Assignment& assignment : plan_.assignments) check(assignment);
    if (!plan_.reclaims.empty()) check(plan_.reclaims);
    for (const Deferral& deferral : plan_.deferrals) once(deferral.task);
    for (const Remembered& remembered : plan_.remember) check(remembered);
    if (plan_.node_requests) check(*plan_.node_requests), check_limits(*plan_.node_requests);
    return std::move(problems_);
  }

 private:
  template <class... Args>
  void problem(fmt::format_string<Args...> text, Args&&... args) {
    problems_.push_back(fmt::format(text, std::forward<Args>(args)...));
  }

  void once(TaskId task) {
    if (!cluster_.tasks.contains(task)) return problem("task {} does not exist", task.index());
    if (cluster_.tasks[task].state != TaskState::pending) problem("task {} is not pending", task.index());
    if (!seen_.insert(task)) problem("task {} is planned twice", task.index());
  }

  void check(const Assignment& assignment) {
    once(assignment.task);
    if (!cluster_.tasks.contains(assignment.task)) return;
    if (!cluster_.nodes.contains(assignment.node))
      return problem("task {} names a node that does not exist", assignment.task.index());
    const Task& task = cluster_.tasks[assignment.task];
    const Job& job = cluster_.jobs[task.job];
    const Node& node = cluster_.nodes[assignment.node];
    if (!node.schedulable) problem("node {} takes no tasks", node.name);
    if (!fits(job.request, node.capacity))
      problem("task {} is larger than node {}", assignment.task.index(), node.name);
    if (!eligible(job.constraint, assignment.node))
      problem("task {} may not run on {}", assignment.task.index(), node.name);
    if (assignment.read_from.valid() != (task.block.valid() && assignment.sources.empty()))
      problem("task {} names a replica that it does not need, or none where it needs one", assignment.task.index());
    if (!assignment.sources.empty()) check_sources(assignment, task);
    if (assignment.read_from.valid() && task.block.valid() && !readable(task.block, assignment.read_from))
      problem("task {} reads block {} from a store that does not hold it", assignment.task.index(), task.block.index());
    if (assignment.keep_in.valid() && !cluster_.stores.contains(assignment.keep_in))
      problem("task {} keeps its input in a store that does not exist", assignment.task.index());
    else if (assignment.keep_in.valid() && cluster_.stores[assignment.keep_in].zone != node.zone)
      problem("task {} keeps its input in another zone", assignment.task.index());
    if (assignment.write_to.valid() && !cluster_.stores.contains(assignment.write_to))
      problem("task {} writes to a store that does not exist", assignment.task.index());
  }

  // Nodes share profiles and jobs share constraints, so a million tasks ask few questions.
  bool eligible(ConstraintId constraint, NodeId node) {
    const std::pair key(constraint, cluster_.nodes[node].profile);
    if (!last_eligible_ || last_eligible_->first != key) {
      const auto [known, added] = eligible_.try_emplace(key);
      if (added) known->second = cluster_.eligible(constraint, node);
      last_eligible_ = *known;
    }
    return last_eligible_->second;
  }

  // Only deferred tasks may request nodes, each one, and nodes for peers that are expected.
  void check(const std::vector<NodeRequest>& requests) {
    std::unordered_set<TaskId> asked, assigned;
    std::map<WholeJobId, std::uint64_t> to_come;
    for (const Assignment& assignment : plan_.assignments) assigned.insert(assignment.task);
    for (const NodeRequest& request : requests) {
      const bool for_peers = request.to_come > 0;
      const TaskState state =
          cluster_.tasks.contains(request.task) ? cluster_.tasks[request.task].state : TaskState::finished;
      const bool runs = state == TaskState::bound || state == TaskState::running;
      if (state != TaskState::pending && !(for_peers && runs)) {
        problem("task {} requests a node and is not pending", request.task.index());
        continue;
      }
      if (!for_peers && assigned.contains(request.task))
        problem("task {} has a node and requests another", request.task.index());
      if (!for_peers && !asked.insert(request.task).second) problem("task {} requests two nodes", request.task.index());
      if (!cluster_.offers.contains(request.offer)) {
        problem("task {} requests a node of an offer that does not exist", request.task.index());
        continue;
      }
      const Job& job = cluster_.jobs[cluster_.tasks[request.task].job];
      const WholeJob& whole = job.whole;
      if (for_peers && (to_come[whole.id] += request.to_come) > std::uint64_t{whole.expected} + whole.lacks_driver)
        problem("task {} requests nodes for more peers than the {} that are expected", request.task.index(),
                whole.expected);
      const Offer& offer = cluster_.offers[request.offer];
      const Node& node = cluster_.nodes[offer.like];
      if (nodes_left(cluster_, offer) == 0)
        problem("task {} requests a node like {}: sold out", request.task.index(), node.name);
      const Resources& needs = for_peers ? whole.each : job.request;
      if (!fits(needs, node.capacity) || !eligible(job.constraint, offer.like))
        problem("task {} requests a node like {} and may not run there", request.task.index(), node.name);
    }
  }

  // Requests for the offers within one limit fit into the room that it leaves and that is free in their places: a
  // request keeps nodes that are there, too.
  void check_limits(const std::vector<NodeRequest>& requests) {
    struct Asked {
      Resources needs{Cores(0), Mebibytes(0), 0}, largest{Cores(0), Mebibytes(0), 0};
      std::set<std::pair<ZoneId, CapacityType>> places;
    };
    std::map<LimitId, Asked> asked;
    for (const NodeRequest& request : requests) {
      if (!cluster_.offers.contains(request.offer) || !cluster_.tasks.contains(request.task)) continue;
      const Offer& offer = cluster_.offers[request.offer];
      if (!offer.within.valid()) continue;
      const Job& job = cluster_.jobs[cluster_.tasks[request.task].job];
      const Node& node = cluster_.nodes[offer.like];
      Asked& within = asked[offer.within];
      within.needs += request.to_come > 0 ? job.whole.each * static_cast<std::int32_t>(request.to_come) : job.request;
      within.largest.cpu = std::max(within.largest.cpu, node.capacity.cpu);
      within.largest.memory = std::max(within.largest.memory, node.capacity.memory);
      within.places.emplace(node.zone, node.capacity_type);
    }
    if (asked.empty()) return;
    IdVector<NodeId, Resources> free = cluster_.free;
    for (const Assignment& assignment : plan_.assignments)
      if (free.contains(assignment.node) && cluster_.tasks.contains(assignment.task))
        free[assignment.node] -= cluster_.jobs[cluster_.tasks[assignment.task].job].request;
    for (const auto& [id, within] : asked) {
      const LaunchLimit& limit = cluster_.launch_limits[id];
      Cores cores = std::min(limit.cores, within.largest.cpu * limit.nodes);
      Mebibytes memory = std::min(limit.memory, within.largest.memory * limit.nodes);
      for (const NodeId node : cluster_.nodes.ids()) {
        const Node& there = cluster_.nodes[node];
        if (!there.schedulable || !within.places.contains({there.zone, there.capacity_type})) continue;
        cores += std::max(Cores(0), free[node].cpu), memory += std::max(Mebibytes(0), free[node].memory);
      }
      if (within.needs.cpu.value() > cores.value() * (1 + 1e-9) ||
          within.needs.memory.value() > memory.value() * (1 + 1e-9))
        problem("{} cores and {} MiB are requested of offers that have {} and {} together", within.needs.cpu.value(),
                within.needs.memory.value(), cores.value(), memory.value());
    }
  }

  // Only running tasks, each once, of a gang all: of pools that stay at their share or above it, for a pool that allows
  // it, or for a task of their own pool that preempts them.
  void check(const std::vector<Reclaim>& reclaims) {
    const std::size_t before = problems_.size();
    std::map<TaskId, const RunningTask*> running;
    for (const RunningTask& run : cluster_.running) running[run.task] = &run;
    std::set<TaskId> taken, lost_to_others;
    std::map<std::pair<WholeJobId, TaskId>, std::vector<const RunningTask*>> preempted;  // gangs, and single tasks
    for (const Reclaim& reclaim : reclaims) {
      const auto run = running.find(reclaim.task);
      if (run == running.end() || cluster_.tasks[reclaim.task].state != TaskState::running) {
        problem("task {} is taken back and does not run", reclaim.task.index());
        continue;
      }
      if (run->second->leaves()) problem("task {} is taken back and leaves already", reclaim.task.index());
      if (!taken.insert(reclaim.task).second) problem("task {} is taken back twice", reclaim.task.index());
      const Job& job = cluster_.jobs[run->second->job];
      if (job.pool == reclaim.pool)
        preempted[job.whole.gang > 0 ? std::pair(job.whole.id, TaskId::none())
                                     : std::pair(WholeJobId::none(), reclaim.task)]
            .push_back(run->second);
      else if (!cluster_.pools.contains(reclaim.pool) || !cluster_.pools[reclaim.pool].reclaims())
        problem("task {} is taken back for a pool that takes nothing back", reclaim.task.index());
      else
        lost_to_others.insert(reclaim.task);
    }
    for (const auto& [unit, runs] : preempted)
      if (!is_preempted(runs)) problem("task {} is taken back for no task of its pool", runs.front()->task.index());
    if (problems_.size() > before) return;
    PoolShares shares = share_out(cluster_);
    std::set<PoolId> losers;
    std::set<WholeJobId> gangs;
    for (const auto& [task, run] : running) {
      const Job& job = cluster_.jobs[run->job];
      const bool lost = taken.contains(task);
      if (lost_to_others.contains(task) || (run->leaves() && run->reclaimed_for != job.pool))
        add_amounts(shares.claims[job.pool].used, job.request, -1);
      if (lost_to_others.contains(task)) losers.insert(job.pool);
      if (lost && job.whole.gang > 0) gangs.insert(job.whole.id);
    }
    for (const auto& [task, run] : running)
      if (gangs.contains(cluster_.jobs[run->job].whole.id) && !taken.contains(task) && !run->leaves())
        problem("task {} runs on, and others of its gang are taken back", task.index());
    for (const PoolId pool : losers)
      if (dominant_share(shares.claims[pool].used, shares.capacity) < shares.of[pool].share - 1e-6)
        problem("pool {} is left below its share", cluster_.pools[pool].name);
  }

  // A task starts on one of their nodes that takes the room of each.
  bool is_preempted(const std::vector<const RunningTask*>& runs) const {
    return std::any_of(plan_.assignments.begin(), plan_.assignments.end(), [&](const Assignment& start) {
      if (!cluster_.tasks.contains(start.task)) return false;
      const Job& job = cluster_.jobs[cluster_.tasks[start.task].job];
      const auto is_there = [&](const RunningTask* run) { return run->node == start.node; };
      const auto gives_way = [&](const RunningTask* run) { return job.preempts_tasks_of(cluster_.jobs[run->job]); };
      return std::any_of(runs.begin(), runs.end(), is_there) && std::all_of(runs.begin(), runs.end(), gives_way);
    });
  }

  void check(const Remembered& remembered) {
    if (!cluster_.jobs.contains(remembered.job)) return problem("a memory names a job that does not exist");
    const ZoneId home = remembered.memory.home;
    if (home.valid() && !cluster_.zones.contains(home)) problem("a memory names a home zone that does not exist");
  }

  void check_sources(const Assignment& assignment, const Task& task) {
    const auto wrong = [&](std::string_view what) { problem("task {} {}", assignment.task.index(), what); };
    if (!task.block.valid() || !decodable(cluster_, task.block)) return wrong("decodes a block that needs no decoding");
    if (assignment.keep_in.valid()) wrong("keeps what it decodes");
    const Stripe stripe = stripe_of(cluster_.data_sets[cluster_.blocks[task.block].data_set], task.block);
    if (assignment.sources.size() != stripe.natives) wrong("does not read as many blocks as the code requires");
    std::unordered_set<BlockId> read;
    for (const StripeSource& source : assignment.sources) {
      bool member = false;
      for (std::uint32_t i = 0; i < stripe.size(); ++i) member |= stripe.block(i) == source.block;
      if (!member) wrong("reads a block of another stripe");
      if (!read.insert(source.block).second) wrong("reads a block of its stripe twice");
      if (member && !readable(source.block, source.store))
        wrong("reads a block of its stripe from a store that does not hold it");
    }
  }

  bool readable(BlockId block, StoreId store) const {
    for (const ReplicaDrop& drop : plan_.drops)
      if (drop.block == block && drop.store == store) return false;
    if (cluster_.blocks[block].on(store)) return true;
    for (const DataMove& move : plan_.moves)
      if (move.block == block && move.to == store) return true;
    for (const MoveInFlight& move : cluster_.moves)
      if (move.block == block && move.to == store) return true;
    return false;
  }

  void check(const DataMove& move) {
    if (!cluster_.blocks.contains(move.block) || !cluster_.stores.contains(move.from) ||
        !cluster_.stores.contains(move.to))
      return problem("a move names a block or store that does not exist");
    if (!cluster_.blocks[move.block].on(move.from))
      problem("block {} is moved from a store that does not hold it", move.block.index());
    if (cluster_.blocks[move.block].on(move.to))
      problem("block {} is moved to a store that already holds it", move.block.index());
    added_[move.to.index()] += cluster_.blocks[move.block].size.value();
    const DataStore& store = cluster_.stores[move.to];
    if (store.capacity.value() > 0 && store.used.value() + added_[move.to.index()] > store.capacity.value() + 1e-6)
      problem("store {} would overflow", store.name);
  }

  void check(const ReplicaDrop& drop) {
    if (!cluster_.blocks.contains(drop.block)) return problem("a drop names a block that does not exist");
    const Block& block = cluster_.blocks[drop.block];
    if (!block.on(drop.store)) problem("block {} is dropped from a store that does not hold it", drop.block.index());
    if (++dropped_[drop.block.index()] >= block.replicas.size())
      problem("the last replica of block {} would be dropped", drop.block.index());
  }

  const ClusterSnapshot& cluster_;
  const Plan& plan_;
  std::vector<std::string> problems_;
  SeenTasks seen_;
  using Question = std::pair<ConstraintId, ProfileId>;
  std::map<Question, bool> eligible_;
  std::optional<std::pair<Question, bool>> last_eligible_;
  std::unordered_map<std::uint32_t, double> added_;
  std::unordered_map<std::uint32_t, std::size_t> dropped_;
};

}  // namespace

std::vector<std::string> validate_plan(const ClusterSnapshot& cluster, const Plan& plan) {
  return Validation(cluster, plan).run();
}

std::vector<std::string> validate_single_wave(const ClusterSnapshot& cluster, const Plan& plan) {
  std::vector<std::string> problems = validate_plan(cluster, plan);
  IdVector<NodeId, Resources> free = cluster.free;
  for (const Assignment& assignment : plan.assignments) {
    if (!free.contains(assignment.node) || !cluster.tasks.contains(assignment.task)) continue;
    const Resources& request = cluster.jobs[cluster.tasks[assignment.task].job].request;
    if (!fits(request, free[assignment.node]))
      problems.push_back(fmt::format("node {} is overcommitted", cluster.nodes[assignment.node].name));
    free[assignment.node] = free[assignment.node] - request;
  }
  return problems;
}

}  // namespace lips
