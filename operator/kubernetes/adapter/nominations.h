// Says on each pod that waits for others to end where that is (status.nominatedNodeName), as kube-scheduler does:
// people see where the pod goes, and Karpenter launches no node for it.
#pragma once

#include <map>
#include <string>

#include "kubernetes/pods/binding.h"
#include "kubernetes/pods/pod_cache.h"

namespace lips::kubernetes {

// `nodes`: of the waiting pods, by full name, as of the last plan. All others are named no node any more.
void nominate(const std::map<std::string, std::string>& nodes, const PodCache& pods, Binder& binder);

}  // namespace lips::kubernetes
