#include "policies/lips/market/usable_room.h"

#include <cmath>
#include <numeric>

namespace lips {

namespace {

constexpr double rounding = 1e-6;

}  // namespace

UsableRoom::UsableRoom(const ClusterSnapshot& cluster) {
  if (cluster.pending.empty()) return;
  const auto add_job = [&](JobId id) {
    const Job& job = cluster.jobs[id];
    add(job.request);
    if (job.whole.peers && job.whole.expected > 0) add(job.whole.each);
  };
  for (const JobId id : cluster.pending) add_job(id);
  JobId last;  // tasks of a job often follow each other
  for (const RunningTask& run : cluster.running) {
    if (run.job == last) continue;
    if (cores_.is_any() && memory_.is_any()) return;
    add_job(last = run.job);
  }
}

void UsableRoom::add(const Resources& request) {
  cores_.add(request.cpu.value());
  memory_.add(request.memory.value());
}

Cores UsableRoom::of(Cores room) const { return Cores(cores_.part_of(room.value())); }

Mebibytes UsableRoom::of(Mebibytes room) const { return Mebibytes(memory_.part_of(room.value())); }

void UsableRoom::Step::add(double amount) {
  const double exact = amount * parts_;
  if (exact < rounding) return;
  const std::int64_t whole = std::llround(exact);
  step_ = whole > 0 && std::abs(exact - static_cast<double>(whole)) < rounding ? std::gcd(step_, whole) : any;
}

double UsableRoom::Step::part_of(double room) const {
  if (step_ == nothing_added || step_ == any) return room;
  const double step = static_cast<double>(step_) / parts_;
  return std::floor(room / step + rounding) * step;
}

}  // namespace lips
