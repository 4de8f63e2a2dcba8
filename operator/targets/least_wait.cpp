#include "targets/least_wait.h"

#include <algorithm>
#include <cmath>

#include "model/costs.h"

namespace lips {

namespace {

// Lengths are rounded down to powers of this, so that the queue stays short however many tasks wait.
const double step_of_length = std::log(1.02);
constexpr int shortest = -400;  // 0.4 ms

int length(CpuSeconds work) {
  return work.value() > 0 ? std::max(shortest, static_cast<int>(std::floor(std::log(work.value()) / step_of_length)))
                          : shortest;
}

double work_of(int length) { return std::exp(length * step_of_length); }

}  // namespace

void LeastWait::arrive(std::uint32_t tasks, CpuSeconds each, Cores request) {
  if (tasks == 0) return;
  left_[length(each)] += tasks;
  unfinished_ += tasks;
  least_request_ = std::min(least_request_, std::max(Cores(least_cores), request));
}

double LeastWait::waiting(double unfinished, const Nodes& nodes) const {
  return std::max(0.0, unfinished - static_cast<double>(withdrawn_) - nodes.cores / least_request_);
}

double LeastWait::run(double span, const Nodes& nodes) {
  double waited = 0;
  while (span > 0 && !left_.empty() && nodes.work_rate > 0) {
    const auto next = left_.begin();
    const double all = work_of(next->first) * next->second / nodes.work_rate, step = std::min(span, all);
    const double done = next->second * step / all;
    // Tasks end one after the other, so that the number falls in equal steps.
    const double before = waiting(unfinished_, nodes), after = waiting(unfinished_ - done, nodes);
    waited += step * (after > 0 ? (before + after) / 2 : before * before / 2 / done);
    unfinished_ -= done, span -= step;
    if (step < all)
      next->second -= done;
    else
      left_.erase(next);
  }
  if (left_.empty()) unfinished_ = 0, withdrawn_ = 0, least_request_ = Cores(std::numeric_limits<double>::infinity());
  return waited;
}

double LeastWait::advance(TimePoint now, const Nodes& nodes) {
  const double span = advanced_ ? std::max(0.0, to_seconds(now - *advanced_)) : 0;
  advanced_ = std::max(now, advanced_.value_or(now));
  return run(span, nodes);
}

double LeastWait::rest(const Nodes& nodes) const {
  return LeastWait(*this).run(std::numeric_limits<double>::infinity(), nodes);
}

void LeastWaits::arrive(TimePoint now, const LeastWait::Nodes& nodes, std::uint32_t tasks, CpuSeconds each,
                        Cores request) {
  for (std::size_t i = 0; i < times.size(); ++i) {
    waited_[i] += on_[i].advance(now, nodes * times[i]);
    on_[i].arrive(tasks, each, request);
  }
}

void LeastWaits::withdraw() {
  for (LeastWait& one : on_) one.withdraw();
}

LeastWaits::Sums LeastWaits::take(TimePoint now, const LeastWait::Nodes& nodes) {
  Sums growth{};
  for (std::size_t i = 0; i < times.size(); ++i) {
    const LeastWait::Nodes scaled = nodes * times[i];
    waited_[i] += on_[i].advance(now, scaled);
    const double all = waited_[i] + on_[i].rest(scaled);
    growth[i] = all - taken_[i];
    taken_[i] = all;
  }
  return growth;
}

}  // namespace lips
