// The same figures over many seeds, and over the sizes of a sweep. Knows no experiment.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "experiments/experiment.h"

namespace lips::experiments {

// figures(x, seed) returns the same number of values each time. Result by figure, then by x: the spread over the seeds
// 1, 2, ...
using Sweep = std::vector<std::vector<Spread>>;
Result<Sweep> sweep_seeds(const ExperimentRun& run, const std::vector<double>& xs,
                          const std::function<std::vector<double>(double x, std::uint32_t seed)>& figures);

// One setting: by figure.
Result<std::vector<Spread>> over_seeds(const ExperimentRun& run,
                                       const std::function<std::vector<double>(std::uint32_t seed)>& figures);

// The means of one figure of a sweep as a curve.
Curve curve_of(std::string name, const std::vector<double>& xs, const std::vector<Spread>& spreads);

}  // namespace lips::experiments
