#include "experiments/seeds.h"

#include <algorithm>

namespace lips::experiments {

Result<Sweep> sweep_seeds(const ExperimentRun& run, const std::vector<double>& xs,
                          const std::function<std::vector<double>(double x, std::uint32_t seed)>& figures) {
  const std::size_t seeds = std::max(1u, run.seeds);
  std::vector<std::vector<double>> values(xs.size() * seeds);
  const Result<void> ran = each_piece(run, values.size(), [&](std::size_t index) {
    values[index] = figures(xs[index / seeds], static_cast<std::uint32_t>(index % seeds) + 1);
  });
  if (!ran) return tl::unexpected(ran.error());
  Sweep sweep(values.empty() ? 0 : values.front().size());
  for (std::size_t figure = 0; figure < sweep.size(); ++figure)
    for (std::size_t x = 0; x < xs.size(); ++x) {
      std::vector<double> of_seeds;
      for (std::size_t seed = 0; seed < seeds; ++seed) of_seeds.push_back(values[x * seeds + seed][figure]);
      sweep[figure].push_back(spread(of_seeds));
    }
  return sweep;
}

Result<std::vector<Spread>> over_seeds(const ExperimentRun& run,
                                       const std::function<std::vector<double>(std::uint32_t seed)>& figures) {
  const Result<Sweep> sweep = sweep_seeds(run, {0}, [&](double, std::uint32_t seed) { return figures(seed); });
  if (!sweep) return tl::unexpected(sweep.error());
  std::vector<Spread> spreads;
  for (const std::vector<Spread>& figure : *sweep) spreads.push_back(figure.front());
  return spreads;
}

Curve curve_of(std::string name, const std::vector<double>& xs, const std::vector<Spread>& spreads) {
  Curve curve{std::move(name), {}};
  for (std::size_t i = 0; i < xs.size() && i < spreads.size(); ++i) curve.points.push_back({xs[i], spreads[i].mean});
  return curve;
}

}  // namespace lips::experiments
