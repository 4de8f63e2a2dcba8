#include "spending/spend.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "model/days.h"
#include "model/job_dollars.h"
#include "model/task_bill.h"

namespace lips {
namespace {

Bill cpu_bill(Usd dollars) {
  Bill bill;
  bill.cpu = dollars;
  return bill;
}

Bill shuffle_bill(Usd dollars) {
  Bill bill;
  bill.shuffle = dollars;
  return bill;
}

}  // namespace

std::string pool_name(const ClusterSnapshot& cluster, PoolId pool) {
  return cluster.pools.contains(pool) ? cluster.pools[pool].name : "";
}

Spend::Spend(Tell tell, Seen node) : tell_(std::move(tell)), node_(std::move(node)) {}

void Spend::charge(const std::string& pool, const std::string& job, const Bill& more) {
  tell_({day_.value_or(0), pool, job, more});
}

const BegunTask& Spend::begin(const ClusterSnapshot& cluster, const Assignment& assignment, TimePoint since,
                              TimePoint counted_from) {
  const Task& task = cluster.tasks[assignment.task];
  const Job& job = cluster.jobs[task.job];
  const Node& node = node_of(cluster, assignment.node);
  Running running;
  running.begun = {assignment.task,
                   assignment.node,
                   since,
                   counted_from,
                   task_bill(cluster, costs_, task, assignment),
                   begun_.add(cluster, costs_, assignment.task, assignment.node)};
  running.begun.predicted.cpu = CostModel::cpu(task.cpu, node);
  running.begun.predicted.shuffle += running.begun.exchange;
  running.pool = pool_name(cluster, job.pool);
  running.job_id = task.job, running.job = job.name;
  running.reduces = job.all_reduces();
  running.work_a_second = CostModel::work(job.request.cpu, std::chrono::seconds(1), node);
  running.price = node.cpu_price;
  return (running_[assignment.task] = std::move(running)).begun;
}

const BegunTask& Spend::on_bind(const ClusterSnapshot& cluster, const Assignment& assignment) {
  if (!counting_since_) counting_since_ = cluster.now;
  return begin(cluster, assignment, cluster.now, cluster.now);
}

// The task was bound before this program started, or before ids changed, or by another scheduler. It is taken to read
// the nearest replica.
const BegunTask* Spend::find(const ClusterSnapshot& cluster, const TaskFound& found, std::vector<EndedTask>& ended) {
  const Task& task = cluster.tasks[found.task];
  if (task.state == TaskState::finished) return nullptr;
  if (const auto known = running_.find(found.task); known != running_.end()) {
    known->second.started = true;
    if (known->second.begun.node == found.node) return nullptr;
    ended.push_back(undo(cluster, known, EndedTask::End::elsewhere));
  }
  Assignment assignment{found.task, found.node, {}, {}};
  if (task.block.valid()) assignment.read_from = nearest_replica(cluster, costs_, task.block, found.node).store;
  const BegunTask& begun = begin(cluster, assignment, found.since, std::max(found.since, *counting_since_));
  running_.at(found.task).started = true;
  return &begun;
}

// The cost of a task that has been on its node for that long, beyond what was counted.
Usd Spend::count(Running& running, Duration ran) {
  const double seconds = std::max(0.0, to_seconds(ran - running.begun.before()));
  const Usd due = (running.work_a_second * seconds) * running.price;
  return due - std::exchange(running.counted, due);
}

void Spend::count_and_charge(Running& running, Duration ran) {
  charge(running.pool, running.job, cpu_bill(count(running, ran)));
}

void Spend::charge_all_until(TimePoint then) {
  struct Due {
    const Running* one = nullptr;
    Usd more;
  };
  std::unordered_map<JobId, Due> jobs;
  for (auto& [task, running] : running_) {
    Due& sum = jobs[running.job_id];
    sum.one = &running;
    sum.more += count(running, then - running.begun.since);
  }
  for (const auto& [job, sum] : jobs) charge(sum.one->pool, sum.one->job, cpu_bill(sum.more));
}

void Spend::see(TimePoint now) {
  if (!counting_since_) counting_since_ = now;
  const std::int64_t today = day_of(now);
  if (running_.empty() || !day_) day_ = std::max(day_.value_or(today), today);
  for (; *day_ < today; ++*day_) charge_all_until(TimePoint(one_day * (*day_ + 1)));
}

void Spend::count_until(TimePoint now) {
  see(now);
  charge_all_until(now);
}

Usd Spend::charge_exchange(const ClusterSnapshot& cluster, const Running& running) {
  const TaskId task = running.begun.task;
  const Usd exchange = ended_.add(cluster, costs_, task, running.begun.node);
  if (exchange.value() != 0) charge(running.pool, running.job, shuffle_bill(exchange));
  if (!ended_.complete(cluster, task)) return exchange;
  const WholeJobId job = cluster.jobs[cluster.tasks[task].job].whole.id;
  begun_.forget(job), ended_.forget(job);
  return exchange;
}

EndedTask Spend::take_out(Runs::iterator run, EndedTask::End end) {
  Running& running = run->second;
  EndedTask ended;
  ended.task = running.begun.task, ended.end = end;
  ended.pool = std::move(running.pool), ended.job = std::move(running.job);
  ended.predicted = running.begun.predicted;
  running_.erase(run);
  return ended;
}

EndedTask Spend::finish(const ClusterSnapshot& cluster, Runs::iterator run, std::optional<Duration> ran) {
  Running& running = run->second;
  const Duration span = ran.value_or(cluster.now - running.begun.since);
  count_and_charge(running, span);
  const Job& job = cluster.jobs[running.job_id];
  const double share = running.reduces > 0 ? double{1} * running.reduces / job.all_reduces() : 1;
  Bill reads = running.begun.predicted;
  reads.cpu = Usd(0);
  reads.shuffle = (reads.shuffle - running.begun.exchange) * share;
  charge(running.pool, running.job, reads);
  if (reads.shuffle.value() > 0 && job.whole.id.valid()) {
    Shared& shared = shared_[job.whole.id];
    shared.reduces = job.all_reduces();
    shared.due[{running.pool, running.job}] += reads.shuffle;
  }
  const Usd cpu = running.work_a_second * to_seconds(span) * running.price;
  const Usd exchange = charge_exchange(cluster, running);
  EndedTask ended = take_out(run, EndedTask::End::finished);
  ended.ours = reads, ended.ours.cpu = cpu, ended.ours.shuffle += exchange;
  return ended;
}

// A peer has exchanged its part.
EndedTask Spend::cut_off(const ClusterSnapshot& cluster, Runs::iterator run, std::optional<Duration> ran) {
  count_and_charge(run->second, ran.value_or(cluster.now - run->second.begun.since));
  charge_exchange(cluster, run->second);
  return take_out(run, EndedTask::End::cut_off);
}

EndedTask Spend::undo(const ClusterSnapshot& cluster, Runs::iterator run, EndedTask::End end) {
  const Running& running = run->second;
  charge(running.pool, running.job, cpu_bill(Usd(0) - running.counted));
  begun_.remove(cluster, costs_, running.begun.task, running.begun.node);
  return take_out(run, end);
}

std::vector<EndedTask> Spend::lose_node(const ClusterSnapshot& cluster, NodeId node) {
  std::vector<TaskId> lost;
  for (const auto& [task, running] : running_)
    if (running.begun.node == node) lost.push_back(task);
  std::sort(lost.begin(), lost.end());
  std::vector<EndedTask> ended;
  for (const TaskId task : lost) {
    ended.push_back(cut_off(cluster, running_.find(task), std::nullopt));
    ended.back().end = EndedTask::End::lost;
  }
  return ended;
}

// More tasks share a shuffle than were known when some ended.
void Spend::grow(const Job& job) {
  const auto found = shared_.find(job.whole.id);
  if (found == shared_.end() || job.all_reduces() <= found->second.reduces) return;
  const double share = double{1} * found->second.reduces / job.all_reduces();
  found->second.reduces = job.all_reduces();
  for (auto& [of, due] : found->second.due) {
    const Usd less = due * share - due;
    due = due * share;
    charge(of.first, of.second, shuffle_bill(less));
  }
}

// A replica that a move brings. One that a remote read leaves behind was paid by that read.
std::optional<Mebibytes> Spend::count_copy(const ClusterSnapshot& cluster, const ReplicaAdded& added) {
  static const std::string pool(data_pool), what = "(moves)";
  const std::uint32_t end = added.block.index() + added.blocks;
  std::optional<Mebibytes> copied;
  for (const MoveInFlight& move : cluster.moves) {
    if (move.block < added.block || move.block.index() >= end || move.to != added.replica.store) continue;
    const Mebibytes size = cluster.blocks[move.block].size;
    Bill bill;
    bill.moves = size * costs_.transfer(cluster.stores[move.from].zone, cluster.stores[move.to].zone);
    charge(pool, what, bill);
    copied = copied.value_or(Mebibytes(0)) + size;
  }
  return copied;
}

Spend::Kept Spend::count_storage(const ClusterSnapshot& cluster) {
  static const std::string pool(data_pool), what = "(storage of copies)";
  const Duration span = cluster.now - stored_until_.value_or(cluster.now);
  stored_until_ = cluster.now;
  Kept kept;
  Bill bill;
  for (const auto& [block, store] : cluster.extra_copies) {
    if (!cluster.blocks[block].on(store)) continue;  // gone
    ++kept.copies, kept.size += cluster.blocks[block].size;
    bill.storage += CostModel::storage(cluster.blocks[block].size, cluster.stores[store], span);
  }
  if (bill.storage.value() > 0) charge(pool, what, bill);
  return kept;
}

void Spend::begin_anew(TimePoint now) {
  charge_all_until(now);
  running_.clear();
  shared_.clear();
  begun_.clear(), ended_.clear();
  counting_since_ = now;
}

Spend::Changes Spend::on_event(const ClusterSnapshot& cluster, const ClusterEvent& event) {
  if (!counting_since_) counting_since_ = cluster.now;
  Changes changes;
  const auto run_of = [&](TaskId task) { return running_.find(task); };
  if (const auto* finished = std::get_if<TaskFinished>(&event)) {
    if (const auto run = run_of(finished->task); run != running_.end())
      changes.ended.push_back(finished->failed ? cut_off(cluster, run, finished->ran)
                                               : finish(cluster, run, finished->ran));
  } else if (const auto* started = std::get_if<TaskStarted>(&event)) {
    if (const auto run = run_of(started->task); run != running_.end() && run->second.begun.node == started->node)
      run->second.started = true;
  } else if (const auto* found = std::get_if<TaskFound>(&event)) {
    changes.begun = find(cluster, *found, changes.ended);
  } else if (const auto* listed = std::get_if<ClusterListed>(&event)) {
    begin_anew(cluster.now);
    costs_ = listed->costs;
  } else if (std::holds_alternative<JobArrived>(event)) {
    if (!cluster.jobs.empty()) grow(cluster.jobs.items().back());
  } else if (const auto* withdrawn = std::get_if<TaskWithdrawn>(&event)) {
    if (const auto run = run_of(withdrawn->task); run != running_.end())
      changes.ended.push_back(cut_off(cluster, run, withdrawn->ran));
  } else if (const auto* lost = std::get_if<TaskLost>(&event)) {
    const auto run = run_of(lost->task);
    if (run == running_.end()) return changes;
    const bool ran = run->second.started;
    changes.ended.push_back(ran ? cut_off(cluster, run, std::nullopt) : undo(cluster, run, EndedTask::End::refused));
    if (ran) changes.ended.back().end = EndedTask::End::lost;
  } else if (const auto* gone = std::get_if<NodeLost>(&event)) {
    changes.ended = lose_node(cluster, gone->node);
  } else if (const auto* added = std::get_if<ReplicaAdded>(&event)) {
    changes.copied = count_copy(cluster, *added);
  }
  return changes;
}

}  // namespace lips
