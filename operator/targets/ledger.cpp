#include "targets/ledger.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "model/days.h"
#include "model/work_left.h"

namespace lips {

namespace {

constexpr std::size_t most_days = 40;

}  // namespace

Tally& Tally::operator+=(const Tally& other) {
  dollars += other.dollars, fixed += other.fixed, work += other.work;
  waited += other.waited, started += other.started;
  arrived_work += other.arrived_work, arrived_tasks += other.arrived_tasks;
  return *this;
}

Tally operator-(const Tally& a, const Tally& b) {
  Tally result = a;
  result.dollars -= b.dollars, result.fixed -= b.fixed, result.work -= b.work;
  result.waited -= b.waited, result.started -= b.started;
  result.arrived_work -= b.arrived_work, result.arrived_tasks -= b.arrived_tasks;
  return result;
}

TargetLedger::TargetLedger(Billing billing, CostModel costs, Seen node, Duration keeps)
    : billing_(billing),
      costs_(std::move(costs)),
      node_(node ? std::move(node)
                 : [](const ClusterSnapshot& cluster, NodeId id) -> const Node& { return cluster.nodes[id]; }),
      keeps_(keeps) {}

void TargetLedger::begin(const ClusterSnapshot& cluster) {
  running_.clear(), open_.clear();
  for (const JobId id : cluster.jobs.ids())
    if (!cluster.jobs[id].finished()) open_[id] = cluster.jobs[id].arrival;
  advanced_ = cluster.now;
  count_pending(cluster);
}

void TargetLedger::add(const std::string& pool, TimePoint at, const Tally& more) {
  auto& day = days_[day_of(at)];
  sums_[pool] += more, day[pool] += more;
  sums_[everyone] += more, day[everyone] += more;
  if (days_.size() > most_days) days_.erase(days_.begin());
}

void TargetLedger::advance(const ClusterSnapshot& cluster) {
  const TimePoint now = cluster.now;
  const Duration span = advanced_ ? std::max(Duration(0), now - *advanced_) : Duration(0);
  const TimePoint since = advanced_.value_or(now);
  advanced_ = std::max(now, since);
  if (span == Duration(0)) return;
  for (const auto& [pool, tasks] : pending_) {
    Tally more;
    more.waited = tasks * to_seconds(span);
    if (tasks > 0) add(pool, since, more);
  }
  if (billing_ == Billing::use) return;
  Tally nodes;  // of no pool
  nodes.dollars = UsdPerHour(node_rate_) * span;
  nodes.fixed = UsdPerHour(fixed_rate_) * span;
  sums_[everyone] += nodes, days_[day_of(since)][everyone] += nodes;
}

void TargetLedger::count_pending(const ClusterSnapshot& cluster) {
  for (auto& [pool, tasks] : pending_) tasks = 0;
  for (const JobId job : cluster.pending) pending_[pool_of(cluster, cluster.jobs[job])] += cluster.jobs[job].pending;
  if (billing_ == Billing::use) return;
  IdVector<NodeId, bool> used(cluster.nodes.size(), false);
  for (const RunningTask& run : cluster.running) used[run.node] = true;
  node_rate_ = fixed_rate_ = 0;
  for (const NodeId id : cluster.nodes.ids()) {
    if (!cluster.nodes[id].schedulable && !used[id]) continue;
    const Node& node = node_of(cluster, id);
    node_rate_ += node.price.value();
    if (node.fleet == FleetKind::fixed) fixed_rate_ += node.price.value();
  }
}

void TargetLedger::on_plan(const ClusterSnapshot& cluster, const Plan& plan) {
  advance(cluster);
  count_pending(cluster);
  Tally copies;  // of no pool
  for (const DataMove& move : plan.moves)
    copies.dollars +=
        cluster.blocks[move.block].size * costs_.transfer(cluster.stores[move.from].zone, cluster.stores[move.to].zone);
  if (copies.dollars.value() > 0) sums_[everyone] += copies, days_[day_of(cluster.now)][everyone] += copies;
}

void TargetLedger::on_bind(const ClusterSnapshot& cluster, const Assignment& assignment) {
  advance(cluster);
  const Task& task = cluster.tasks[assignment.task];
  const Job& job = cluster.jobs[task.job];
  const Node& node = node_of(cluster, assignment.node);
  const Bill bill = task_bill(cluster, costs_, task, assignment);
  Running running;
  running.pool = pool_of(cluster, job);
  running.node = assignment.node;
  running.since = cluster.now;
  running.work = task.cpu;
  running.work_a_second = CostModel::work(job.request.cpu, std::chrono::seconds(1), node).value();
  running.price = node.cpu_price;
  running.charged = CostModel::cpu(task.cpu, node);
  Tally more;
  more.dollars = bill.transfer + bill.shuffle + running.charged;
  more.work = task.cpu;
  more.started = 1;
  double& pending = pending_[running.pool];
  pending = std::max(0.0, pending - 1);
  // An invoice counts the hours of nodes instead.
  Tally shared = more;
  if (billing_ == Billing::invoice) shared.dollars -= running.charged;
  auto& day = days_[day_of(cluster.now)];
  sums_[running.pool] += more, day[running.pool] += more;
  sums_[everyone] += shared, day[everyone] += shared;
  running_[assignment.task] = std::move(running);
}

// `returns`: it is pending again, and its work still to do.
void TargetLedger::end(const ClusterSnapshot& cluster, TaskId task, std::optional<Duration> ran, bool returns) {
  const auto found = running_.find(task);
  if (found == running_.end()) return;
  const Running running = std::move(found->second);
  running_.erase(found);
  const double span = to_seconds(ran.value_or(cluster.now - running.since));
  Tally more;
  more.dollars = CpuSeconds(running.work_a_second * span) * running.price - running.charged;
  if (returns) more.work = CpuSeconds(0) - running.work;
  if (returns) more.started = -1, pending_[running.pool] += 1;
  auto& day = days_[day_of(cluster.now)];
  sums_[running.pool] += more, day[running.pool] += more;
  if (billing_ == Billing::invoice) more.dollars = Usd(0);
  sums_[everyone] += more, day[everyone] += more;
}

void TargetLedger::end_on(const ClusterSnapshot& cluster, NodeId node) {
  std::vector<TaskId> lost;
  for (const auto& [task, running] : running_)
    if (running.node == node) lost.push_back(task);
  std::sort(lost.begin(), lost.end());
  for (const TaskId task : lost) end(cluster, task, std::nullopt, true);
}

void TargetLedger::close_jobs(const ClusterSnapshot& cluster, JobId id) {
  const auto open = open_.find(id);
  if (open == open_.end() || !cluster.jobs[id].finished()) return;
  const TimePoint now = cluster.now;
  for (const std::string& pool : {pool_of(cluster, cluster.jobs[id]), everyone}) {
    std::vector<Closed>& closed = closed_[pool];
    if (closed.size() > 1000 && closed.front().done < now - keeps_)
      std::erase_if(closed, [&](const Closed& known) { return known.done < now - keeps_; });
    closed.push_back({open->second, now});
  }
  open_.erase(open);
}

void TargetLedger::on_event(const ClusterSnapshot& cluster, const ClusterEvent& event) {
  advance(cluster);
  if (const auto* listed = std::get_if<ClusterListed>(&event)) {
    costs_ = listed->costs;
    running_.clear(), open_.clear(), pending_.clear();
    counted_ = latest_;
    return;
  }
  if (const auto* arrived = std::get_if<JobArrived>(&event)) {
    const JobId id(static_cast<std::uint32_t>(cluster.jobs.size() - 1));
    const Job& job = cluster.jobs[id];
    open_[id] = job.arrival;
    if (job.arrival <= counted_) return;  // reported again
    Tally more;
    more.arrived_work = job.work;
    more.arrived_tasks = static_cast<double>(arrived->tasks.size());
    add(pool_of(cluster, job), job.arrival, more);
    latest_ = std::max(latest_, job.arrival);
    return;
  }
  if (const auto* finished = std::get_if<TaskFinished>(&event)) {
    end(cluster, finished->task, finished->ran, false);
    close_jobs(cluster, cluster.tasks[finished->task].job);
  } else if (const auto* withdrawn = std::get_if<TaskWithdrawn>(&event)) {
    end(cluster, withdrawn->task, withdrawn->ran, false);
    close_jobs(cluster, cluster.tasks[withdrawn->task].job);
  } else if (const auto* lost = std::get_if<TaskLost>(&event)) {
    end(cluster, lost->task, std::nullopt, true);
  } else if (const auto* gone = std::get_if<NodeLost>(&event)) {
    end_on(cluster, gone->node);
  }
}

const Tally& TargetLedger::sum(const std::string& pool) const {
  static const Tally none;
  const auto found = sums_.find(pool);
  return found == sums_.end() ? none : found->second;
}

Tally TargetLedger::day(const std::string& pool, std::int64_t day) const {
  const auto tallies = days_.find(day);
  if (tallies == days_.end()) return {};
  const auto found = tallies->second.find(pool);
  return found == tallies->second.end() ? Tally{} : found->second;
}

std::vector<std::int64_t> TargetLedger::days() const {
  std::vector<std::int64_t> result;
  for (const auto& [day, tallies] : days_) result.push_back(day);
  return result;
}

DueWork TargetLedger::due(const ClusterSnapshot& cluster, const std::string& pool, TimePoint by) const {
  DueWork due;
  for (const auto& [id, arrival] : open_) {
    const Job& job = cluster.jobs[id];
    if (arrival > by - notice || (!pool.empty() && pool_of(cluster, job) != pool)) continue;
    ++due.jobs;
    due.work += work_left(job).value();
    double longest = 0;
    const double rate = std::max(least_cores, job.request.cpu.value());
    for (const TaskGroup& group : cluster.groups[id])
      if (group.count > 0) longest = std::max(longest, group.cpu.value() / rate);
    const bool reduces_to_come = job.reduce_tasks > 0 && !job.all_maps_finished();
    due.longest = std::max(due.longest, longest * (reduces_to_come ? 2 : 1));
  }
  for (const RunningTask& run : cluster.running)
    if (const JobId job = run.job; open_.contains(job) && open_.at(job) <= by - notice)
      if (pool.empty() || pool_of(cluster, cluster.jobs[job]) == pool)
        due.longest = std::max(due.longest, to_seconds(run.expected_end - cluster.now));
  return due;
}

std::optional<Duration> TargetLedger::lateness(const std::string& pool, TimePoint by) const {
  const auto closed = closed_.find(pool);
  if (closed == closed_.end()) return std::nullopt;
  std::optional<Duration> late;
  for (const Closed& job : closed->second)
    if (job.arrived <= by - notice && job.arrived > by - notice - one_day)
      late = std::max(late.value_or(Duration(0)), job.done - by);
  return late;
}

}  // namespace lips
