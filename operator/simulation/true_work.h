// The true work of a task, as opposed to the work that policies expect. A function of seed and task, not of any order.
#pragma once

#include <cmath>
#include <numbers>

#include "base/random.h"
#include "simulation/scenario.h"

namespace lips::simulation {

// The recorded factor; else log-normal noise of mean 1 and, for a share of the tasks, the slowdown of a straggler.
inline double true_work_factor(const Scenario& scenario, TaskId task) {
  const auto draw = [&](std::uint64_t stream) {
    const std::uint64_t bits = derive_seed(derive_seed(scenario.seed, stream), task.index());
    return static_cast<double>(bits >> 11) * 0x1.0p-53;
  };
  if (!scenario.work_factors.empty()) return scenario.work_factors[task.index()];
  double factor = 1;
  if (const double sigma = scenario.duration_noise; sigma > 0) {
    const double normal = std::sqrt(-2 * std::log(1 - draw(101))) * std::cos(2 * std::numbers::pi * draw(102));
    factor = std::exp(sigma * normal - sigma * sigma / 2);
  }
  if (scenario.stragglers.share > 0 && draw(103) < scenario.stragglers.share) factor *= scenario.stragglers.slowdown;
  return factor;
}

}  // namespace lips::simulation
