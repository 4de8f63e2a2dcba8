#include "kubernetes/pods/quotas.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "kubernetes/api/object_fields_json.h"
#include "kubernetes/pods/amounts.h"

namespace lips::kubernetes {
namespace {

using simdjson::ondemand::value;

// "requests.cpu" and "cpu" are one resource, "pods" and "count/pods" are the number. Limits and other objects are none.
std::string resource_of(std::string_view name) {
  if (name.starts_with("requests.")) return std::string(name.substr(9));
  if (name == "pods" || name == "count/pods") return "pods";
  return name == "cpu" || name == "memory" || name == "ephemeral-storage" ? std::string(name) : "";
}

// For two names of one resource the smaller amount of `hard` counts, and the larger one of `used`.
ResourceAmounts read_limited(value json, const std::string& path, bool smaller) {
  ResourceAmounts result;
  json::each_field(json, [&](std::string_view name, value quantity) {
    std::string resource = resource_of(name);
    if (resource.empty()) return;
    const std::int64_t amount = json::amount(resource, quantity, path);
    const auto known = std::find_if(result.begin(), result.end(), [&](const auto& one) { return one.first == resource; });
    if (known == result.end())
      result.emplace_back(std::move(resource), amount);
    else
      known->second = smaller ? std::min(known->second, amount) : std::max(known->second, amount);
  });
  json::sort_by_key(result);
  return result;
}

}  // namespace

template <>
struct ObjectFields<ResourceQuota> {
  static constexpr std::string_view kind = "ResourceQuota";
  static void read(std::string_view key, value content, ResourceQuota& quota) {
    if (key == "metadata")
      json::each_field(content,
                       [&](std::string_view part, value inner) { json::names_object(part, inner, quota.meta); });
    if (key == "spec")
      json::each_field(content, [&](std::string_view part, value inner) {
        if (part == "scopes" || part == "scopeSelector") quota.scoped |= !inner.is_null();
      });
    if (key == "status")
      json::each_field(content, [&](std::string_view part, value inner) {
        if (part == "hard") quota.hard = read_limited(inner, "status.hard", true);
        if (part == "used") quota.used = read_limited(inner, "status.used", false);
      });
  }
};
template class ObjectDecoder<ResourceQuota>;

void Quotas::update(ResourceQuota quota) {
  std::string name_space = quota.meta.name_space, name = quota.meta.name;
  quotas_[std::move(name_space)].insert_or_assign(std::move(name), std::move(quota));
}

void Quotas::forget(const ObjectMeta& meta) {
  const auto own = quotas_.find(meta.name_space);
  if (own == quotas_.end()) return;
  own->second.erase(meta.name);
  if (own->second.empty()) quotas_.erase(own);
}

std::int64_t Quotas::Room::take(const std::string& name_space, const ResourceAmounts& requests, std::int64_t count) {
  const auto own = quotas_.quotas_.find(name_space);
  if (own == quotas_.quotas_.end()) return count;
  ResourceAmounts& taken = taken_[name_space];
  std::map<std::string, std::int64_t> limited;  // what each pod takes of it
  for (const auto& [name, quota] : own->second) {
    if (quota.scoped) continue;
    for (const auto& [resource, hard] : quota.hard) {
      const std::int64_t left = hard - amount_of(quota.used, resource) - amount_of(taken, resource);
      const std::int64_t each = resource == "pods" ? 1 : amount_of(requests, resource);
      if (each <= 0) continue;
      limited[resource] = each;
      count = std::min(count, std::max<std::int64_t>(0, left) / each);
    }
  }
  for (const auto& [resource, each] : limited) add(taken, {{resource, each * count}});
  return count;
}

}  // namespace lips::kubernetes
