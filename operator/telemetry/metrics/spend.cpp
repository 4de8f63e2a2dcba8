#include "telemetry/metrics/spend.h"

#include <algorithm>
#include <utility>

#include "model/days.h"
#include "model/targets.h"
#include "telemetry/metrics/money_history.h"
#include "telemetry/metrics/rise.h"

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

void Spend::charge(const std::string& pool, const std::string& job, const Bill& more) {
  ledger_.add(day_.value_or(0), pool, job, {0, {}, {}, more});
  Sum& sum = sums_[pool];
  sum.due += more;
  Bill told;
  told.cpu = rise(sum.due.cpu, sum.told.cpu);
  told.transfer = rise(sum.due.transfer, sum.told.transfer);
  told.shuffle = rise(sum.due.shuffle, sum.told.shuffle);
  tell_(pool, told);
}

void Spend::begin(const ClusterSnapshot& cluster, const CostModel& costs, const Begun& begun, const Bill& bill) {
  const Job& job = cluster.jobs[cluster.tasks[begun.task].job];
  const Node& node = cluster.nodes[begun.node];
  Running running;
  running.begun = begun;
  running.pool = pool_name(cluster, job.pool);
  running.job_id = cluster.tasks[begun.task].job, running.job = job.name;
  running.bill = bill;
  running.exchange = begun_.add(cluster, costs, begun.task, begun.node);
  running.reduces = job.all_reduces();
  running.work_a_second = CostModel::work(job.request.cpu, std::chrono::seconds(1), node);
  running.price = node.cpu_price;
  running_[begun.task] = std::move(running);
}

const Spend::Begun* Spend::of(TaskId task) const {
  const auto found = running_.find(task);
  return found == running_.end() ? nullptr : &found->second.begun;
}

void Spend::compare(TaskId task, BaselineBill bill) {
  if (const auto found = running_.find(task); found != running_.end())
    found->second.baselines.push_back(std::move(bill));
}

// What a task costs that has been on its node for that long, beyond what was counted.
Usd Spend::count(Running& running, Duration ran) {
  const Duration before = std::max(Duration(0), running.begun.counted_from - running.begun.since);
  const double seconds = std::max(0.0, to_seconds(ran - before));
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
  const std::int64_t today = day_of(now);
  if (running_.empty() || !day_) day_ = std::max(day_.value_or(today), today);
  for (; *day_ < today; ++*day_) charge_all_until(TimePoint(one_day * (*day_ + 1)));
}

void Spend::count_until(TimePoint now) {
  see(now);
  charge_all_until(now);
}

Usd Spend::charge_exchange(const ClusterSnapshot& cluster, const CostModel& costs, const Running& running) {
  const TaskId task = running.begun.task;
  const Usd exchange = ended_.add(cluster, costs, task, running.begun.node);
  if (exchange.value() != 0) charge(running.pool, running.job, shuffle_bill(exchange));
  if (!ended_.complete(cluster, task)) return exchange;
  const WholeJobId job = cluster.jobs[cluster.tasks[task].job].whole.id;
  begun_.forget(job), ended_.forget(job);
  return exchange;
}

std::optional<EndedTask> Spend::end(const ClusterSnapshot& cluster, const CostModel& costs, TaskId task,
                                    std::optional<Duration> ran) {
  const auto found = running_.find(task);
  if (found == running_.end()) return std::nullopt;
  Running running = std::move(found->second);
  running_.erase(found);
  const Duration span = ran.value_or(cluster.now - running.begun.since);
  count_and_charge(running, span);
  const Job& job = cluster.jobs[cluster.tasks[task].job];
  const double share = running.reduces > 0 ? double{1} * running.reduces / job.all_reduces() : 1;
  Bill reads = running.bill;
  reads.cpu = Usd(0);
  reads.shuffle = reads.shuffle * share;
  charge(running.pool, running.job, reads);
  if (reads.shuffle.value() > 0 && job.whole.id.valid()) {
    Shared& shared = shared_[job.whole.id];
    shared.reduces = job.all_reduces();
    shared.due[{running.pool, running.job}] += reads.shuffle;
  }
  const CpuSeconds work = running.work_a_second * to_seconds(span);
  const Usd exchange = charge_exchange(cluster, costs, running);
  EndedTask ended{std::move(running.pool),     std::move(running.job), reads, running.bill, exchange,
                  std::move(running.baselines)};
  ended.ours.cpu = work * running.price;
  ended.ours.shuffle += exchange, ended.predicted.shuffle += running.exchange;
  ledger_.add(day_.value_or(0), ended.pool, ended.job, {1, ended.predicted, ended.ours, {}});
  for (BaselineBill& baseline : ended.baselines) {
    baseline.bill.cpu = work * baseline.cpu_price;
    baseline.bill.shuffle = baseline.bill.shuffle * share;
  }
  return ended;
}

bool Spend::cut_off(const ClusterSnapshot& cluster, const CostModel& costs, TaskId task, std::optional<Duration> ran) {
  const auto found = running_.find(task);
  if (found == running_.end()) return false;
  count_and_charge(found->second, ran.value_or(cluster.now - found->second.begun.since));
  charge_exchange(cluster, costs, found->second);
  running_.erase(found);
  return true;
}

std::vector<TaskId> Spend::running_on(NodeId node) const {
  std::vector<TaskId> tasks;
  for (const auto& [task, running] : running_)
    if (running.begun.node == node) tasks.push_back(task);
  std::sort(tasks.begin(), tasks.end());
  return tasks;
}

bool Spend::undo(const ClusterSnapshot& cluster, const CostModel& costs, TaskId task) {
  const auto found = running_.find(task);
  if (found == running_.end()) return false;
  charge(found->second.pool, found->second.job, cpu_bill(Usd(0) - found->second.counted));
  begun_.remove(cluster, costs, task, found->second.begun.node);
  running_.erase(found);
  return true;
}

void Spend::grow(const Job& job) {
  const auto found = shared_.find(job.whole.id);
  if (found == shared_.end() || job.all_reduces() <= found->second.reduces) return;
  const double share = double{1} * found->second.reduces / job.all_reduces();
  found->second.reduces = job.all_reduces();
  for (auto& [of, due] : found->second.due) {
    Bill less;
    less.shuffle = due * share - due;
    due = due * share;
    charge(of.first, of.second, less);
  }
}

void Spend::charge_data(const char* what, const Bill& more) {
  ledger_.add(day_.value_or(0), std::string(data_pool), what, {0, {}, {}, more});
}

Bill Spend::due(const std::string& pool) const {
  const auto sum = sums_.find(pool);
  return sum == sums_.end() ? Bill{} : sum->second.due;
}

void Spend::begin_anew(TimePoint now) {
  count_until(now);
  running_.clear();
  shared_.clear();
  begun_.clear(), ended_.clear();
}

}  // namespace lips
