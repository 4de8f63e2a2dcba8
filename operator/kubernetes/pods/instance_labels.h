// The labels by which NodePools choose among instance types, as far as name and size of a type decide them. Pure.
#pragma once

#include <string>
#include <string_view>

#include "base/units.h"
#include "kubernetes/api/objects.h"

namespace lips::kubernetes {

inline constexpr const char* arch_label = "kubernetes.io/arch";
inline constexpr const char* os_label = "kubernetes.io/os";

// Karpenter's label of that name on AWS: of family, category, size, generation, cpu, memory.
std::string aws_label(std::string_view provider, std::string_view name);
inline constexpr std::string_view karpenter_on_aws = "karpenter.k8s.aws", eks_auto_mode = "eks.amazonaws.com";

// The key under which instance_labels() has the label, or the key itself: older names and those of EKS Auto Mode are
// other words for the same.
std::string plain_key(const std::string& key);
// Says whether instance_labels() of every type of EC2 has a label of that key.
bool tells_types_apart(std::string_view plain_key);

// The labels of a Linux node, sorted. A name that is not like EC2's leaves only the labels that every node has: its
// type and its operating system.
TextMap instance_labels(const std::string& instance_type, Cores cpu, Mebibytes memory);

}  // namespace lips::kubernetes
