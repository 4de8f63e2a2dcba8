#include "targets/ledger.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "model/days.h"
#include "model/job_dollars.h"
#include "model/work_left.h"

namespace lips {

namespace {

constexpr std::size_t most_days = 40;

Bill negative(const Bill& bill) {
  const Usd none;
  return {none - bill.cpu, none - bill.transfer, none - bill.shuffle, none - bill.moves, none - bill.storage};
}

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
      node_(node),
      spend_([this](const Charge& charge) { tell(charge); }, std::move(node)),
      keeps_(keeps) {
  spend_.price(std::move(costs));
}

std::map<std::string, Tally>& TargetLedger::day_at(TimePoint at) {
  const std::int64_t day = day_of(at);
  while (days_.size() >= most_days && !days_.contains(day) && days_.begin()->first < day) days_.erase(days_.begin());
  return days_[day];
}

void TargetLedger::add(const std::string& pool, TimePoint at, const Tally& more) {
  auto& day = day_at(at);
  sums_[pool] += more, day[pool] += more;
  sums_[everyone] += more, day[everyone] += more;
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
  sums_[everyone] += nodes, day_at(since)[everyone] += nodes;
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

void TargetLedger::on_plan(const ClusterSnapshot& cluster, const Plan&) {
  advance(cluster);
  count_pending(cluster);
  spend_.count_storage(cluster);
}

void TargetLedger::tell(const Charge& charge) { expect(charge.pool, charge.more); }

// The data is of no pool. An invoice of all pools together counts the hours of nodes instead of the CPU of tasks.
void TargetLedger::expect(const std::string& pool, const Bill& bill) {
  auto& day = day_at(now());
  if (pool != data_pool) sums_[pool].dollars += bill.total(), day[pool].dollars += bill.total();
  const Usd of_all = billing_ == Billing::invoice ? bill.total() - bill.cpu : bill.total();
  sums_[everyone].dollars += of_all, day[everyone].dollars += of_all;
}

void TargetLedger::on_bind(const ClusterSnapshot& cluster, const Assignment& assignment) {
  advance(cluster);
  begin(cluster, spend_.on_bind(cluster, assignment), true);
}

// `starts`: now; else it had started when ids changed, or before this program did.
void TargetLedger::begin(const ClusterSnapshot& cluster, const BegunTask& begun, bool starts) {
  const Task& task = cluster.tasks[begun.task];
  const Job& job = cluster.jobs[task.job];
  const Node& node = node_of(cluster, begun.node);
  Running running;
  running.pool = pool_of(cluster, job);
  running.since = begun.counted_from;
  running.work_a_second = CostModel::work(job.request.cpu, std::chrono::seconds(1), node).value();
  const CpuSeconds done(running.work_a_second * to_seconds(begun.before()));
  running.work = std::max(CpuSeconds(0), task.cpu - done);
  running.charged = begun.predicted;
  running.charged.cpu = CostModel::cpu(running.work, node);
  expect(running.pool, running.charged);
  Tally more;
  more.work = running.work;
  if (starts) {
    more.started = 1;
    double& pending = pending_[running.pool];
    pending = std::max(0.0, pending - 1);
  }
  add(running.pool, now(), more);
  running_[begun.task] = std::move(running);
}

void TargetLedger::end(const EndedTask& task) {
  const auto found = running_.find(task.task);
  if (found == running_.end()) return;
  const Running running = std::move(found->second);
  running_.erase(found);
  expect(running.pool, negative(running.charged));
  const bool returns = task.end == EndedTask::End::lost || task.end == EndedTask::End::refused;
  if (!returns && task.end != EndedTask::End::elsewhere) return;
  Tally less;
  less.work = CpuSeconds(0) - running.work;
  less.started = -1;
  pending_[running.pool] += 1;
  add(running.pool, now(), less);
}

// Work that has run is counted; the rest of it is expected again when it is found.
void TargetLedger::begin_anew(TimePoint now) {
  for (const auto& [task, running] : running_) {
    expect(running.pool, negative(running.charged));
    const CpuSeconds done(running.work_a_second * to_seconds(std::max(Duration(0), now - running.since)));
    Tally less;
    less.work = std::min(CpuSeconds(0), done - running.work);
    add(running.pool, now, less);
  }
  running_.clear(), open_.clear(), pending_.clear();
  counted_ = latest_;
  listed_ = now;
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
  const Spend::Changes changes = spend_.on_event(cluster, event);
  for (const EndedTask& task : changes.ended) end(task);
  if (changes.begun) begin(cluster, *changes.begun, !listed_ || changes.begun->since > *listed_);
  if (std::holds_alternative<ClusterListed>(event)) {
    begin_anew(now());
  } else if (const auto* arrived = std::get_if<JobArrived>(&event)) {
    arrive(cluster, *arrived);
  } else if (const auto* finished = std::get_if<TaskFinished>(&event)) {
    close_jobs(cluster, cluster.tasks[finished->task].job);
  } else if (const auto* withdrawn = std::get_if<TaskWithdrawn>(&event)) {
    close_jobs(cluster, cluster.tasks[withdrawn->task].job);
  }
}

void TargetLedger::arrive(const ClusterSnapshot& cluster, const JobArrived& arrived) {
  const JobId id(static_cast<std::uint32_t>(cluster.jobs.size() - 1));
  const Job& job = cluster.jobs[id];
  open_[id] = job.arrival;
  if (job.arrival <= counted_) return;  // reported again
  Tally more;
  more.arrived_work = job.work;
  more.arrived_tasks = static_cast<double>(arrived.tasks.size());
  add(pool_of(cluster, job), job.arrival, more);
  latest_ = std::max(latest_, job.arrival);
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
