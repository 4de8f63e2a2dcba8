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
    const auto known =
        std::find_if(result.begin(), result.end(), [&](const auto& one) { return one.first == resource; });
    if (known == result.end())
      result.emplace_back(std::move(resource), amount);
    else
      known->second = smaller ? std::min(known->second, amount) : std::max(known->second, amount);
  });
  json::sort_by_key(result);
  return result;
}

void read_scopes(value json, std::vector<QuotaScope>& scopes) {
  if (json.is_null()) return;
  for (auto each : json.get_array()) scopes.push_back({std::string(json::text(each.value())), "Exists", {}});
}

void read_scope_selector(value json, std::vector<QuotaScope>& scopes) {
  if (json.is_null()) return;
  json::each_field(json, [&](std::string_view key, value list) {
    if (key != "matchExpressions" || list.is_null()) return;
    for (auto each : list.get_array()) {
      QuotaScope scope;
      json::each_field(each.value(), [&](std::string_view field, value content) {
        if (field == "scopeName") scope.name = json::text(content);
        if (field == "operator") scope.relation = json::text(content);
        if (field == "values" && !content.is_null())
          for (auto one : content.get_array()) scope.values.emplace_back(json::text(one.value()));
      });
      scopes.push_back(std::move(scope));
    }
  });
}

bool holds(const QuotaScope& scope, const PodToCome& pod) {
  const bool asks_for_nothing =
      std::all_of(pod.requests.begin(), pod.requests.end(), [](const auto& request) { return request.second <= 0; });
  if (scope.name == "NotTerminating") return true;
  if (scope.name == "BestEffort") return asks_for_nothing;
  if (scope.name == "NotBestEffort") return !asks_for_nothing;
  if (scope.name != "PriorityClass") return false;
  const bool named = std::find(scope.values.begin(), scope.values.end(), pod.priority_class) != scope.values.end();
  if (scope.relation == "In") return named;
  if (scope.relation == "NotIn") return !named;
  return (scope.relation == "Exists") == !pod.priority_class.empty();
}

}  // namespace

bool counts(const ResourceQuota& quota, const PodToCome& pod) {
  return std::all_of(quota.scopes.begin(), quota.scopes.end(),
                     [&](const QuotaScope& scope) { return holds(scope, pod); });
}

template <>
struct ObjectFields<ResourceQuota> {
  static constexpr std::string_view kind = "ResourceQuota";
  static void read(std::string_view key, value content, ResourceQuota& quota) {
    if (key == "metadata")
      json::each_field(content,
                       [&](std::string_view part, value inner) { json::names_object(part, inner, quota.meta); });
    if (key == "spec")
      json::each_field(content, [&](std::string_view part, value inner) {
        if (part == "scopes") read_scopes(inner, quota.scopes);
        if (part == "scopeSelector") read_scope_selector(inner, quota.scopes);
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

std::int64_t Quotas::Room::take(const std::string& name_space, const PodToCome& pod, std::int64_t count) {
  const auto own = quotas_.quotas_.find(name_space);
  if (own == quotas_.quotas_.end()) return count;
  const auto each_of = [&](const std::string& resource) {
    return resource == "pods" ? std::int64_t{1} : amount_of(pod.requests, resource);
  };
  for (const auto& [name, quota] : own->second) {
    if (!counts(quota, pod)) continue;
    const ResourceAmounts& taken = taken_[{name_space, name}];
    for (const auto& [resource, hard] : quota.hard) {
      const std::int64_t left = hard - amount_of(quota.used, resource) - amount_of(taken, resource);
      const std::int64_t each = each_of(resource);
      if (each > 0) count = std::min(count, std::max<std::int64_t>(0, left) / each);
    }
  }
  for (const auto& [name, quota] : own->second)
    if (counts(quota, pod))
      for (const auto& [resource, hard] : quota.hard)
        if (const std::int64_t each = each_of(resource); each > 0)
          add(taken_[{name_space, name}], {{resource, each * count}});
  return count;
}

}  // namespace lips::kubernetes
