#include "virtual/disruption_budgets.h"

#include <algorithm>
#include <string>
#include <vector>

namespace lips::virtual_cluster {
namespace {

bool holds(const Json& rule, const Json& labels) {
  const std::string key = text_in(rule, "key"), how = text_in(rule, "operator");
  const bool there = labels.is_object() && labels.contains(key);
  if (how == "Exists") return there;
  if (how == "DoesNotExist") return !there;
  const Json& values = look_in(rule, "values");
  const bool listed = there && std::find(values.begin(), values.end(), labels[key]) != values.end();
  return how == "In" ? listed : !listed;
}

bool selects(const Json& selector, const Json& labels) {
  if (!selector.is_object()) return false;
  if (const Json& wanted = look_in(selector, "matchLabels"); wanted.is_object())
    for (const auto& [key, value] : wanted.items())
      if (!labels.is_object() || labels.value(key, Json()) != value) return false;
  const Json& rules = look_in(selector, "matchExpressions");
  return std::all_of(rules.begin(), rules.end(), [&](const Json& rule) { return holds(rule, labels); });
}

// A pod that runs nothing disturbs nobody.
bool is_free(const Json& pod) {
  const std::string phase = text_in(look_in(pod, "status"), "phase");
  return phase == "Pending" || phase == "Succeeded" || phase == "Failed" ||
         !text_in(look_in(pod, "metadata"), "deletionTimestamp").empty();
}

bool is_ready(const Json& pod) {
  const Json& conditions = look_in(look_in(pod, "status"), "conditions");
  return std::any_of(conditions.begin(), conditions.end(), [](const Json& one) {
    return text_in(one, "type") == "Ready" && text_in(one, "status") == "True";
  });
}

std::int64_t number(const Json& object, const char* field) {
  const Json& value = look_in(object, field);
  return value.is_number_integer() ? value.get<std::int64_t>() : 0;
}

ApiResponse not_now() {
  return refusal(429, "TooManyRequests", "Cannot evict pod as it would violate the pod's disruption budget.");
}

}  // namespace

std::optional<ApiResponse> forbidden_by_budgets(ObjectStore& objects, const Json& pod) {
  if (is_free(pod) || !objects.serves(budgets_path)) return std::nullopt;
  const std::string name_space = text_in(look_in(pod, "metadata"), "namespace");
  std::vector<std::string> budgets;
  for (const auto& [key, stored] : objects.all(budgets_path))
    if (key.starts_with(name_space + '/') &&
        selects(look_in(look_in(*stored.json, "spec"), "selector"), look_in(look_in(pod, "metadata"), "labels")))
      budgets.push_back(key);
  if (budgets.empty()) return std::nullopt;
  if (budgets.size() > 1)
    return refusal(500, "",
                   "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.");
  Json budget = *objects.find(budgets_path, budgets.front())->json;
  const Json& status = look_in(budget, "status");
  // A pod that is not ready counts for nothing as long as enough others are.
  const std::int64_t healthy = number(status, "currentHealthy"), wanted = number(status, "desiredHealthy");
  const std::string policy = text_in(look_in(budget, "spec"), "unhealthyPodEvictionPolicy");
  if (!is_ready(pod) && (policy == "AlwaysAllow" || (healthy >= wanted && wanted > 0))) return std::nullopt;
  const std::int64_t allowed = number(status, "disruptionsAllowed");
  if (number(status, "observedGeneration") < number(look_in(budget, "metadata"), "generation") || allowed == 0)
    return not_now();
  budget["status"]["disruptionsAllowed"] = allowed - 1;
  objects.put(budgets_path, budgets.front(), std::move(budget));
  return std::nullopt;
}

}  // namespace lips::virtual_cluster
