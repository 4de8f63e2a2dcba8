#include "targets/likely_wait.h"

#include <algorithm>
#include <cmath>

#include "model/costs.h"

namespace lips {

namespace {
constexpr int most_steps = 10'000;  // of one arrival; what is left is spread over all nodes
}

double FirstComeQueue::arrive(TimePoint now, const LeastWait::Nodes& nodes, std::uint32_t tasks, CpuSeconds each,
                              Cores request) {
  const double cores = nodes.cores.value(), one = std::max(least_cores, request.value());
  if (tasks == 0 || cores <= 0 || nodes.work_rate <= 0) return 0;
  const double begin = to_seconds(now.time_since_epoch());
  const double lasts = std::max(0.0, each.value() * cores / (one * nodes.work_rate));
  busy_.erase(busy_.begin(), busy_.upper_bound(static_cast<std::int64_t>(begin)));
  double taken = 0, waited = 0, to_start = tasks * one;
  for (const auto& [until, count] : busy_) taken += count;
  const auto start = [&](double at, double count) {
    waited += count / one * std::max(0.0, at - begin);
    busy_[static_cast<std::int64_t>(std::ceil(at + lasts))] += count;
    to_start -= count;
  };
  if (taken < cores) start(begin, std::min(to_start, cores - taken));
  for (int step = 0; to_start > 0 && step < most_steps && !busy_.empty(); ++step) {
    const auto [at, count] = *busy_.begin();
    busy_.erase(busy_.begin());
    const double used = std::min(to_start, count);
    if (used < count) busy_[at] += count - used;
    start(static_cast<double>(at), used);
  }
  if (to_start > 0 && !busy_.empty()) {
    const double at = static_cast<double>(busy_.begin()->first), rest = to_start / cores * lasts;
    waited += to_start / one * (at - begin + rest / 2);
    busy_ = {{static_cast<std::int64_t>(std::ceil(at + rest)), cores}};
  }
  return waited;
}

LeastWaits::Sums LikelyWaits::arrive(TimePoint now, const LeastWait::Nodes& nodes, std::uint32_t tasks, CpuSeconds each,
                                     Cores request) {
  LeastWaits::Sums waited{};
  for (std::size_t i = 0; i < on_.size(); ++i)
    waited[i] = on_[i].arrive(now, nodes * LeastWaits::times[i], tasks, each, request);
  return waited;
}

}  // namespace lips
