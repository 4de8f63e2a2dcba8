// ResourceQuotas of kube-apiserver and of the quota controller: a pod that would exceed one is refused, and quotas say
// what the pods of their namespace take. Counts the number of pods and their requests; quotas with scopes are left out.
#pragma once

#include <string>

#include "virtual/object_store.h"

namespace lips::virtual_cluster {

inline constexpr const char *quotas_path = "/api/v1/resourcequotas", *pods_of_quotas = "/api/v1/pods";

// Why the pod may not be made, in the words of kube-apiserver; empty: it may, and the quotas count it.
std::string admit_by_quotas(ObjectStore& objects, const Json& pod);

// The quotas of the namespace say what its pods take that have not ended, as the quota controller writes it.
void count_quotas(ObjectStore& objects, const std::string& name_space);

}  // namespace lips::virtual_cluster
