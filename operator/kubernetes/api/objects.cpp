#include "kubernetes/api/objects.h"

#include <algorithm>

namespace lips::kubernetes {
namespace {

template <class Value>
const Value* find_in(const std::vector<std::pair<std::string, Value>>& map, std::string_view key) {
  const auto place = std::lower_bound(map.begin(), map.end(), key,
                                      [](const auto& entry, std::string_view wanted) { return entry.first < wanted; });
  return place != map.end() && place->first == key ? &place->second : nullptr;
}

}  // namespace

const std::string* find_text(const TextMap& map, std::string_view key) { return find_in(map, key); }

std::int64_t amount_of(const ResourceAmounts& amounts, std::string_view resource) {
  const std::int64_t* amount = find_in(amounts, resource);
  return amount ? *amount : 0;
}

std::string full_name(const ObjectMeta& meta) {
  return meta.name_space.empty() ? meta.name : meta.name_space + '/' + meta.name;
}

}  // namespace lips::kubernetes
