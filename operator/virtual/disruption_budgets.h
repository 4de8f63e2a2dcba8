// PodDisruptionBudgets as kube-apiserver's eviction heeds them: by what their status says. Nobody computes the status.
#pragma once

#include <optional>

#include "virtual/api_response.h"
#include "virtual/object_store.h"

namespace lips::virtual_cluster {

inline constexpr const char* budgets_path = "/apis/policy/v1/poddisruptionbudgets";

// Why the pod may not be evicted now; none: it may, and its budget counts it.
std::optional<ApiResponse> forbidden_by_budgets(ObjectStore& objects, const Json& pod);

}  // namespace lips::virtual_cluster
