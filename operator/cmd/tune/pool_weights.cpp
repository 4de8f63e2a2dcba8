#include "cmd/tune/pool_weights.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "cmd/cli/arguments.h"
#include "config/quantities.h"

namespace lips::cmd {
namespace {

constexpr double heaviest = 1e6;

}  // namespace

Result<void> PoolWeights::add_present(const simulation::Scenario& scenario) {
  std::vector<std::string> names;
  for (const Pool& known : scenario.cluster.pools) {
    names.push_back(known.name);
    if (known.name == pool) weights.push_back(known.weight);
  }
  if (std::ranges::find(names, pool) == names.end())
    return fail(ErrorCode::invalid_input,
                fmt::format("--weight: found no pool '{}'; allowed: {}", pool, fmt::join(names, ", ")));
  std::ranges::sort(weights);
  weights.erase(std::unique(weights.begin(), weights.end()), weights.end());
  return {};
}

Result<PoolWeights> read_pool_weights(const std::string& text) {
  const std::size_t equals = text.find('=');
  PoolWeights result{text.substr(0, equals), {}};
  if (equals != std::string::npos)
    for (const std::string& each : split(std::string_view(text).substr(equals + 1), ',')) {
      const std::optional<double> weight = parse_number(each);
      if (!weight || !(*weight > 0) || *weight > heaviest)
        return fail(ErrorCode::invalid_input,
                    fmt::format("--weight: found '{}'; allowed: a weight above 0, at most {:g}", each, heaviest));
      result.weights.push_back(*weight);
    }
  if (result.pool.empty() || result.weights.empty())
    return fail(ErrorCode::invalid_input, fmt::format("--weight: expected POOL=A,B,..., found '{}'", text));
  return result;
}

bool set_weight(simulation::Scenario& scenario, const std::string& pool, double weight) {
  bool changed = false;
  for (Pool& known : scenario.cluster.pools)
    if (known.name == pool) changed = std::exchange(known.weight, weight) != weight;
  return changed;
}

}  // namespace lips::cmd
