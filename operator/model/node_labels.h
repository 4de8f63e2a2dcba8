// Labels of nodes that Kubernetes and Karpenter define, and the names that they had before.
#pragma once

namespace lips::node_label {

inline constexpr const char* zone = "topology.kubernetes.io/zone";
inline constexpr const char* region = "topology.kubernetes.io/region";
inline constexpr const char* instance_type = "node.kubernetes.io/instance-type";
inline constexpr const char* capacity_type = "karpenter.sh/capacity-type";  // "on-demand" or "spot"

inline constexpr const char* old_zone = "failure-domain.beta.kubernetes.io/zone";
inline constexpr const char* old_region = "failure-domain.beta.kubernetes.io/region";
inline constexpr const char* old_instance_type = "beta.kubernetes.io/instance-type";

}  // namespace lips::node_label
