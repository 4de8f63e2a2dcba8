#include "telemetry/metrics/spend.h"

#include <algorithm>
#include <utility>

#include "telemetry/metrics/rise.h"

namespace lips {
namespace {

Bill cpu_bill(Usd dollars) {
  Bill bill;
  bill.cpu = dollars;
  return bill;
}

}  // namespace

void Spend::charge(const std::string& pool, const Bill& more) {
  Sum& sum = sums_[pool];
  sum.due += more;
  Bill told;
  told.cpu = rise(sum.due.cpu, sum.told.cpu);
  told.transfer = rise(sum.due.transfer, sum.told.transfer);
  told.shuffle = rise(sum.due.shuffle, sum.told.shuffle);
  tell_(pool, told);
}

void Spend::begin(const ClusterSnapshot& cluster, const Begun& begun, const Bill& bill) {
  const Job& job = cluster.jobs[cluster.tasks[begun.task].job];
  const Node& node = cluster.nodes[begun.node];
  Running running;
  running.begun = begun;
  running.pool = cluster.pools.contains(job.pool) ? cluster.pools[job.pool].name : "";
  running.bill = bill;
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

// Counts a task that has been on its node for that long.
void Spend::count(Running& running, Duration ran) {
  const Duration before = std::max(Duration(0), running.begun.counted_from - running.begun.since);
  const double seconds = std::max(0.0, to_seconds(ran - before));
  const Usd due = (running.work_a_second * seconds) * running.price;
  charge(running.pool, cpu_bill(due - running.counted));
  running.counted = due;
}

void Spend::count_until(TimePoint now) {
  for (auto& [task, running] : running_) count(running, now - running.begun.since);
}

std::optional<EndedTask> Spend::end(const ClusterSnapshot& cluster, TaskId task, std::optional<Duration> ran) {
  const auto found = running_.find(task);
  if (found == running_.end()) return std::nullopt;
  Running running = std::move(found->second);
  running_.erase(found);
  const Duration span = ran.value_or(cluster.now - running.begun.since);
  count(running, span);
  const Job& job = cluster.jobs[cluster.tasks[task].job];
  const double share = running.reduces > 0 ? double{1} * running.reduces / job.all_reduces() : 1;
  Bill reads = running.bill;
  reads.cpu = Usd(0);
  reads.shuffle = reads.shuffle * share;
  charge(running.pool, reads);
  if (reads.shuffle.value() > 0 && job.whole.id.valid()) {
    Shared& shared = shared_[job.whole.id];
    shared.reduces = job.all_reduces();
    shared.due[running.pool] += reads.shuffle;
  }
  const CpuSeconds work = running.work_a_second * to_seconds(span);
  EndedTask ended{std::move(running.pool), reads, running.bill, std::move(running.baselines)};
  ended.ours.cpu = work * running.price;
  for (BaselineBill& baseline : ended.baselines) {
    baseline.bill.cpu = work * baseline.cpu_price;
    baseline.bill.shuffle = baseline.bill.shuffle * share;
  }
  return ended;
}

bool Spend::cut_off(TaskId task, std::optional<Duration> ran, TimePoint now) {
  const auto found = running_.find(task);
  if (found == running_.end()) return false;
  count(found->second, ran.value_or(now - found->second.begun.since));
  running_.erase(found);
  return true;
}

bool Spend::undo(TaskId task) {
  const auto found = running_.find(task);
  if (found == running_.end()) return false;
  charge(found->second.pool, cpu_bill(Usd(0) - found->second.counted));
  running_.erase(found);
  return true;
}

void Spend::grow(const Job& job) {
  const auto found = shared_.find(job.whole.id);
  if (found == shared_.end() || job.all_reduces() <= found->second.reduces) return;
  const double share = double{1} * found->second.reduces / job.all_reduces();
  found->second.reduces = job.all_reduces();
  for (auto& [pool, due] : found->second.due) {
    Bill less;
    less.shuffle = due * share - due;
    due = due * share;
    charge(pool, less);
  }
}

Bill Spend::due(const std::string& pool) const {
  const auto sum = sums_.find(pool);
  return sum == sums_.end() ? Bill{} : sum->second.due;
}

void Spend::begin_anew(TimePoint now) {
  count_until(now);
  running_.clear();
  shared_.clear();
}

}  // namespace lips
