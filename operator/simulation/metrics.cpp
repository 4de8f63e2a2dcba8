#include "simulation/metrics.h"

#include <algorithm>
#include <cmath>

#include "base/check.h"

namespace lips::simulation {

namespace {

constexpr std::size_t most_busy_nodes = 40, most_busy_intervals = 50000, most_names = 20;
constexpr double small_job_seconds = 120;

std::string class_name(const ClusterSnapshot& cluster, const Node& node) {
  std::string name = node.zone.valid() ? cluster.zones[node.zone].name : "";
  if (!node.instance_type.empty()) name += " " + node.instance_type;
  if (node.capacity_type == CapacityType::spot) name += " spot";
  return name;
}

// The nearest-rank quantile.
double quantile(const std::vector<double>& sorted, double share) {
  if (sorted.empty()) return 0;
  const double rank = std::ceil(share * static_cast<double>(sorted.size()));
  return sorted[static_cast<std::size_t>(std::max(rank, 1.0)) - 1];
}

double mean(const std::vector<double>& values) {
  double sum = 0;
  for (double value : values) sum += value;
  return values.empty() ? 0 : sum / static_cast<double>(values.size());
}

std::vector<std::string> class_names(const ClusterSnapshot& cluster) {
  std::vector<std::string> names;
  for (const Node& node : cluster.nodes) names.push_back(class_name(cluster, node));
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

}  // namespace

Pace pace_alone(const ClusterSnapshot& cluster, const Job& job) {
  Pace pace;
  for (NodeId id : cluster.nodes.ids()) {
    const Node& node = cluster.nodes[id];
    if (!node.schedulable || !fits(job.request, node.capacity) || !cluster.eligible(job.constraint, id)) continue;
    const double one = job.request.cpu.value() * node.speed;
    pace.fastest = std::max(pace.fastest, one);
    pace.all += one * static_cast<double>(fit_count(job.request, node.capacity));
  }
  return pace;
}

double seconds_alone(const JobArrived& arrival, const Pace& pace, MebibytesPerSecond local_read) {
  if (pace.fastest <= 0) return 0;
  double total = 0;
  for (TaskKind kind : {TaskKind::map, TaskKind::reduce}) {
    double work = 0, longest = 0;
    for (const Task& task : arrival.tasks) {
      if (task.kind != kind) continue;
      work += task.cpu.value();
      longest = std::max(longest, task.cpu.value() / pace.fastest);
      if (task.block.valid() && local_read.value() > 0)
        longest = std::max(longest, task.input.value() / local_read.value());
    }
    total += std::max(longest, work / pace.all);
  }
  return total;
}

RunMetrics::RunMetrics(const Scenario& scenario)
    : scenario_(scenario),
      start_(scenario.cluster.now),
      usage_(scenario),
      forecast_(scenario),
      ends_(zone_ends(scenario.cluster)),
      class_names_(class_names(scenario.cluster)),
      class_cores_(class_names_.size(), 0),
      class_used_(class_names_.size(), 0),
      utilisation_(class_names_.size()),
      fairness_(scenario.cluster),
      own_targets_(scenario),
      last_end_(start_) {
  for (const Node& node : scenario.cluster.nodes) {
    NodeRecord record;
    const auto found = std::lower_bound(class_names_.begin(), class_names_.end(), class_name(scenario.cluster, node));
    record.node_class = static_cast<std::size_t>(found - class_names_.begin());
    nodes_.push_back(record);
  }
  for (const NodeOffer& offer : scenario.fleet.offers)
    for (const NodeId node : offer.places()) {
      NodeRecord& record = nodes_[node];
      record.elastic = true, record.up = false, record.down_since = start_;
    }
  for (const NodeId node : nodes_.ids())
    if (nodes_[node].up) class_cores_[nodes_[node].node_class] += scenario.cluster.nodes[node].capacity.cpu.value();
}

void RunMetrics::on_job(JobId job, TimePoint) {
  LIPS_CHECK(job.index() == job_ended_.size(), "jobs arrive in the order of their ids");
  job_ended_.push_back(false);
  const std::size_t tasks = scenario_.jobs[job.index()].tasks.size();
  result_.tasks += tasks;
  own_targets_.on_job(tasks);
  last_reason_.resize(last_reason_.size() + tasks, std::nullopt);
  plans_at_release_.push_back({});
}

void RunMetrics::on_released(JobId id, TaskKind kind, TimePoint now) {
  const Job& job = scenario_.jobs[id.index()].job;
  const std::uint32_t count = kind == TaskKind::map ? job.map_tasks : job.reduce_tasks;
  fairness_.change_demand(job.pool, job.request, count, since_start(now));
  plans_at_release_[id][kind] = result_.plans.made;
}

void RunMetrics::on_start(TaskId task, JobId id, NodeId node, TimePoint now) {
  own_targets_.on_start(task, id, now);
  const Job& job = scenario_.jobs[id.index()].job;
  NodeRecord& record = nodes_[node];
  if (record.running++ == 0) record.busy_since = now;
  fairness_.change_used(job.pool, job.request, 1, since_start(now));
  class_used_[record.node_class] += job.request.cpu.value();
  set_utilisation(record.node_class, now);
}

void RunMetrics::set_utilisation(std::size_t node_class, TimePoint now) {
  utilisation_.set(node_class, class_used_[node_class] / std::max(1e-9, class_cores_[node_class]), since_start(now));
}

void RunMetrics::count_hours(NodeRecord& record, TimePoint end) const {
  constexpr Duration hour = std::chrono::hours(1);
  const std::int64_t first = std::max(record.last_hour + 1, since_start(record.busy_since) / hour);
  const std::int64_t last = (since_start(end) - Duration(end > record.busy_since ? 1 : 0)) / hour;
  if (last >= first) record.hours += last - first + 1;
  record.last_hour = std::max(record.last_hour, last);
}

void RunMetrics::on_end(const AttemptEnd& end) {
  const Job& job = scenario_.jobs[end.job.index()].job;
  NodeRecord& record = nodes_[end.node];
  if (--record.running == 0) count_hours(record, end.end);
  const double cores = job.request.cpu.value();
  double& used = class_used_[record.node_class];
  used = std::max(0.0, used - cores);
  if (used < 1e-9) used = 0;
  set_utilisation(record.node_class, end.end);
  result_.core_hours_used += cores * to_hours(end.end - end.start);
  fairness_.change_used(job.pool, job.request, -1, since_start(end.end));
  if (end.outcome == AttemptEnd::Outcome::finished) {
    fairness_.change_demand(job.pool, job.request, -1, since_start(end.end));
    ++result_.tasks_finished;
    work_ += end.work.value();
    work_waited_ += end.work.value() * to_seconds(end.start - job.arrival);
    result_.locality.tasks[end.level] += 1;
    result_.locality.read[end.level] += end.read;
    if (!end.sources.empty()) ++result_.degraded.tasks;
    for (const Mebibytes read : end.decoded) result_.degraded.read += read;
  }
  const bool lost = end.outcome == AttemptEnd::Outcome::lost;
  if (lost) ++result_.attempts_lost;
  bill(end);
  usage_.on_end(end);
  if (nodes_.size() > most_busy_nodes) return;
  if (result_.busy.size() < most_busy_intervals)
    result_.busy.push_back({end.node, end.job, end.kind, lost, end.start, end.end});
  else
    result_.busy_cut = true;
}

void RunMetrics::bill(const AttemptEnd& end) {
  const Node& node = scenario_.cluster.nodes[end.node];
  Node priced = node;
  if (priced.cpu_price.value() == 0 && priced.capacity.cpu.value() > 0)
    priced.cpu_price = full_packing_price(priced.price, priced.capacity.cpu, priced.speed);
  const Usd cpu = CostModel::cpu(end.work, priced);
  result_.bill.cpu += cpu;
  if (end.outcome == AttemptEnd::Outcome::lost) result_.lost_work += cpu;
  if (end.reclaimed) ++result_.reclaimed.tasks, result_.reclaimed.lost += cpu;
  if (end.source.valid()) {
    result_.bill.transfer += end.read * scenario_.costs.transfer(end.source, node.zone);
    if (cross(end.source, node.zone)) result_.cross_zone.map_reads += end.read;
  }
  for (std::size_t i = 0; i < end.sources.size(); ++i) {
    const ZoneId from = scenario_.cluster.stores[end.sources[i].store].zone;
    result_.bill.transfer += end.decoded[i] * scenario_.costs.transfer(from, node.zone);
    if (cross(from, node.zone)) result_.cross_zone.map_reads += end.decoded[i];
  }
  for (std::uint32_t zone = 0; zone < end.shuffled.size(); ++zone) {
    result_.bill.shuffle += end.shuffled[zone] * scenario_.costs.transfer(ZoneId(zone), node.zone);
    if (ZoneId(zone) != node.zone) result_.cross_zone.shuffle += end.shuffled[zone];
  }
}

void RunMetrics::on_job_end(JobId id, bool finished, TimePoint now) {
  job_ended_[id.index()] = finished;
  own_targets_.on_job_end(id, finished, now);
  last_end_ = std::max(last_end_, now);
  if (!finished) {
    ++result_.jobs_failed;
    return;
  }
  ++result_.jobs_finished;
  const JobArrived& arrival = scenario_.jobs[id.index()];
  const double took = to_seconds(now - arrival.job.arrival);
  completion_.push_back(took);
  const Job& job = arrival.job;
  const auto [entry, added] = paces_.try_emplace({job.request, job.constraint});
  if (added) entry->second = pace_alone(scenario_.cluster, job);
  const double alone = seconds_alone(arrival, entry->second, scenario_.cluster.network.local_read);
  if (alone > small_job_seconds || alone <= 0) return;
  small_completion_.push_back(took);
  slowdown_.push_back(took / alone);
}

bool RunMetrics::cross(ZoneId from, ZoneId to) const {
  return from != to && ends_[from] == EndKind::zone && ends_[to] == EndKind::zone;
}

void RunMetrics::on_copied(StoreId source, StoreId target, Mebibytes size) {
  const ZoneId from = scenario_.cluster.stores[source].zone, to = scenario_.cluster.stores[target].zone;
  result_.bill.moves += size * scenario_.costs.transfer(from, to);
  if (cross(from, to)) result_.cross_zone.moves += size;
  usage_.on_copied(source, target, size);
}

void RunMetrics::on_kept(StoreId store, Mebibytes size, Duration span) { usage_.on_kept(store, size, span); }

void RunMetrics::on_extra_kept(StoreId store, Mebibytes size, Duration span) {
  result_.bill.storage += CostModel::storage(size, scenario_.cluster.stores[store], span);
  usage_.on_extra_kept(store, size, span);
}

void RunMetrics::on_launch(NodeId node, TimePoint now) {
  ++result_.fleet.launches;
  usage_.on_launch(node, now);
  forecast_.on_launch(node, now);
}

void RunMetrics::on_gone(NodeId node, Gone why, TimePoint now) {
  usage_.on_gone(node, why, now);
  forecast_.on_gone(node, why, now);
  FleetFigures& fleet = result_.fleet;
  ++(why == Gone::interrupted ? fleet.interrupted : why == Gone::empty ? fleet.empty : fleet.underutilized);
}

void RunMetrics::on_node(NodeId id, bool up, TimePoint now) {
  usage_.on_node(id, up, now);
  forecast_.on_node(id, up, now);
  NodeRecord& record = nodes_[id];
  if (up && !record.up) record.down += now - record.down_since;
  if (!up && record.up) record.down_since = now;
  if (record.elastic && up != record.up) {
    class_cores_[record.node_class] += (up ? 1 : -1) * scenario_.cluster.nodes[id].capacity.cpu.value();
    set_utilisation(record.node_class, now);
  }
  record.up = up;
}

void RunMetrics::on_plan(const ClusterSnapshot& cluster, const Plan& plan) {
  forecast_.on_plan(cluster, plan);
  Plans& plans = result_.plans;
  ++plans.made;
  plans.tasks_assigned += plan.assignments.size();
  plans.moves += plan.moves.size();
  plans.drops += plan.drops.size();
  plans.fell_back += plan.account.fell_back ? 1 : 0;
  for (const Deferral& deferral : plan.deferrals) last_reason_[deferral.task] = deferral.reason;
  last_rest_ = plan.rest;
  if (!plan.account.lower_bound) return;
  ++plans.with_bound;
  gaps_ += plan.account.gap;
  plans.worst_gap = std::max(plans.worst_gap, plan.account.gap);
}

// A task that no plan named has the reason of the rest.
void RunMetrics::on_bind(const ClusterSnapshot& cluster, const Assignment& assignment) {
  const Task& task = cluster.tasks[assignment.task];
  forecast_.on_bind(cluster, assignment);
  if (const auto named = std::exchange(last_reason_[assignment.task], std::nullopt)) {
    ++result_.plans.deferred[*named];
  } else if (plans_at_release_[task.job][task.kind] + 1 < result_.plans.made) {
    ++result_.plans.deferred[last_rest_];
  }
}

void RunMetrics::finish_nodes(RunResult& result, TimePoint end) {
  for (NodeId id : nodes_.ids()) {
    NodeRecord& record = nodes_[id];
    const Node& node = scenario_.cluster.nodes[id];
    if (!record.up && end > record.down_since) record.down += end - record.down_since;
    result.nodes_all += node.price * std::max(Duration(0), since_start(end) - record.down);
    result.nodes_when_used += node.price * std::chrono::hours(record.hours);
  }
}

void RunMetrics::finish_jobs(RunResult& result) {
  result.jobs = scenario_.jobs.size();
  for (std::size_t i = 0; i < scenario_.jobs.size() && result.unfinished.size() < most_names; ++i)
    if (i >= job_ended_.size() || !job_ended_[i]) result.unfinished.push_back(scenario_.jobs[i].job.name);
  std::sort(completion_.begin(), completion_.end());
  std::sort(small_completion_.begin(), small_completion_.end());
  std::sort(slowdown_.begin(), slowdown_.end());
  result.completion = {mean(completion_), quantile(completion_, 0.5), quantile(completion_, 0.95),
                       quantile(completion_, 1)};
  result.mean_wait = work_ > 0 ? work_waited_ / work_ : 0;
  result.small_jobs = {small_completion_.size(), quantile(small_completion_, 0.95), mean(slowdown_),
                       quantile(slowdown_, 0.95)};
}

RunResult RunMetrics::finish(TimePoint end, TimePoint billed_until) {
  RunResult result = std::move(result_);
  const bool whole = result.jobs_finished + result.jobs_failed == scenario_.jobs.size();
  const TimePoint over = std::max(last_end_, std::min(end, simulation::last_end(scenario_.services)));
  const TimePoint last = std::max(whole ? over : std::max(end, last_end_), billed_until);
  result.makespan = last - start_;
  finish_nodes(result, last);
  const auto billed = [&](const Usage& usage) {
    return make_invoice(usage, scenario_.costs, scenario_.tariff, scenario_.cluster.stores);
  };
  const Usage usage = usage_.finish(last);
  result.invoice = billed(usage);
  result.predicted = billed(forecast_.finish(usage)).total();
  result.core_hours_paid = usage_.core_hours();
  finish_jobs(result);
  result.fairness = fairness_.finish(result.makespan);
  result.own_targets = own_targets_.finish(last);
  result.utilisation = utilisation_.finish(result.makespan, class_names_);
  result.plans.mean_gap = result.plans.with_bound > 0 ? gaps_ / static_cast<double>(result.plans.with_bound) : 0;
  return result;
}

}  // namespace lips::simulation
