#include "kubernetes/pods/amounts.h"

#include <algorithm>
#include <limits>

namespace lips::kubernetes {
namespace {

// More than any machine has of anything. Larger amounts count as this each time, so they can be subtracted again; two
// thousand of them fit.
constexpr std::int64_t most_of_one = std::int64_t{1} << 52;

void add_times(ResourceAmounts& sum, const ResourceAmounts& more, std::int64_t times) {
  for (const auto& [resource, amount] : more) {
    auto place = std::lower_bound(sum.begin(), sum.end(), resource,
                                  [](const auto& entry, const std::string& key) { return entry.first < key; });
    if (place == sum.end() || place->first != resource) place = sum.insert(place, {resource, 0});
    place->second += times * std::clamp(amount, -most_of_one, most_of_one);
  }
}

}  // namespace

void add(ResourceAmounts& sum, const ResourceAmounts& more) { add_times(sum, more, 1); }
void subtract(ResourceAmounts& sum, const ResourceAmounts& less) { add_times(sum, less, -1); }

void ResourceNames::add(const ResourceAmounts& requests) {
  for (const auto& [name, amount] : requests)
    if (name != "cpu" && name != "memory" && name != "pods" && !ids_.contains(name))
      ids_[name] = names_.push_back(name);
}

ResourceId ResourceNames::find(const std::string& name) const {
  const auto known = ids_.find(name);
  return known == ids_.end() ? ResourceId::none() : known->second;
}

Resources resources_of(const ResourceAmounts& amounts, const ResourceNames& names) {
  Resources result;
  result.cpu = Cores(static_cast<double>(amount_of(amounts, "cpu")) / 1000.0);
  result.memory = Mebibytes(static_cast<double>(amount_of(amounts, "memory")) / bytes_per_mebibyte);
  constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
  result.slots = static_cast<std::int32_t>(std::clamp<std::int64_t>(amount_of(amounts, "pods"), -most, most));
  for (const auto& [name, amount] : amounts)
    if (const ResourceId resource = names.find(name); resource.valid())
      result.extended.set(resource, static_cast<double>(amount));
  return result;
}

Resources request_of(const ResourceAmounts& requests, const ResourceNames& names) {
  Resources result = resources_of(requests, names);
  result.slots = 1;
  return result;
}

}  // namespace lips::kubernetes
