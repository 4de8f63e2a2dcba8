#include "policies/lips/usable_room.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace lips {

namespace {

constexpr double thousandths = 1000, rounding = 1e-6;

}  // namespace

UsableRoom::UsableRoom(const ClusterSnapshot& cluster) {
  if (cluster.pending.empty()) return;
  unit_ = 0;
  const auto add_job = [&](JobId id) {
    const Job& job = cluster.jobs[id];
    add(job.request.cpu);
    if (job.whole.peers && job.whole.expected > 0) add(job.whole.each.cpu);
  };
  for (const JobId id : cluster.pending) add_job(id);
  for (const RunningTask& run : cluster.running) {
    if (unit_ == any) return;
    add_job(run.job);
  }
  unit_ = std::max(unit_, any);
}

void UsableRoom::add(Cores request) {
  const double exact = request.value() * thousandths;
  const std::int64_t whole = std::llround(exact);
  if (whole <= 0) return;
  unit_ = std::abs(exact - static_cast<double>(whole)) < rounding ? std::gcd(unit_, whole) : any;
}

Cores UsableRoom::of(Cores room) const {
  if (unit_ == any) return room;
  const auto unit = static_cast<double>(unit_);
  return Cores(std::floor(room.value() * thousandths / unit + rounding) * unit / thousandths);
}

}  // namespace lips
