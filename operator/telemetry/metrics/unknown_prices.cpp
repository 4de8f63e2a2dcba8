#include "telemetry/metrics/unknown_prices.h"

#include <algorithm>
#include <utility>

namespace lips {

void UnknownPrices::note(std::string_view node, std::string_view instance_type, bool unknown) {
  const auto found = types_.find(node);
  constexpr GaugeId<1> metric = "lips_unknown_price_nodes";
  const auto alike = [&](const std::string& type) {
    return std::count_if(types_.begin(), types_.end(), [&](const auto& other) { return other.second == type; });
  };
  const auto told = [](std::string_view type) { return type.empty() ? "none" : type; };
  if (found != types_.end()) {
    if (unknown && found->second == instance_type) return;
    const std::string type = std::move(found->second);
    types_.erase(found);
    if (alike(type) == 0)
      registry_.remove({"lips_unknown_price_nodes", "instance_type"}, told(type));
    else
      registry_.change(metric, {told(type)}, -1);
  }
  if (!unknown) return;
  types_.emplace(node, instance_type);
  registry_.change(metric, {told(instance_type)}, 1);
}

std::vector<std::pair<std::string, std::uint64_t>> UnknownPrices::by_type() const {
  std::map<std::string, std::uint64_t> counts;
  for (const auto& [node, type] : types_) ++counts[type];
  return {counts.begin(), counts.end()};
}

}  // namespace lips
