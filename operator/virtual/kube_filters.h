// The filters of kube-scheduler's default profile: why a node does not take a pod, in kube-scheduler's words. Pure.
// Left out: volumes, affinity and spread among pods, resource claims.
#pragma once

#include <string>
#include <vector>

#include "virtual/kube_objects.h"

namespace lips::virtual_cluster {

// Empty: the node is suitable.
using KubeReasons = std::vector<std::string>;
KubeReasons filter_unschedulable(const KubePod& pod, const KubeNode& node);
KubeReasons filter_taints(const KubePod& pod, const KubeNode& node);
KubeReasons filter_node_affinity(const KubePod& pod, const KubeNode& node);
KubeReasons filter_ports(const KubePod& pod, const KubeRoom& room);
KubeReasons filter_resources(const KubePod& pod, const KubeRoom& room);
// All reasons of the first filter of the profile that has one.
KubeReasons why_filtered(const KubePod& pod, const KubeRoom& room);

// Parts of filters, which scores use too.
bool meets(const KubeTerm& term, const KubeNode& node);
bool tolerates(const KubeToleration& toleration, const KubeTaint& taint);

}  // namespace lips::virtual_cluster
