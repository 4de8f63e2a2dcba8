// A NodePool of Karpenter (karpenter.sh/v1): the parts that say which nodes it launches, and how many. A value.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "kubernetes/api/object_decoder.h"
#include "kubernetes/api/objects.h"

namespace lips::kubernetes {

inline constexpr const char* node_pool_label = "karpenter.sh/nodepool";  // of its nodes

struct NodePool {
  ObjectMeta meta;
  bool deleting = false;
  bool ready = false;
  bool fixed = false;                          // has spec.replicas: it launches no node for pods that wait
  std::vector<LabelRequirement> requirements;  // of the template, without its labels
  std::map<std::string, std::int64_t> min_values;  // of requirements, by key: Karpenter launches nothing with fewer values left
  TextMap labels;
  std::vector<Taint> taints;                               // that stay: startupTaints go before pods come
  std::string provider;                                    // API group of its node class
  std::int32_t weight = 0;                                 // the greatest is used first
  ResourceAmounts limits;                                  // of all its nodes; "nodes" is their number
  std::optional<Duration> consolidate_after{Duration(0)};  // none: Never
  friend bool operator==(const NodePool&, const NodePool&) = default;
};

// Something that a NodePool allows, or may allow, and that plans do not ask for.
struct PoolProblem {
  std::string pool, reason;  // the reason in one word
  std::string why;
  friend auto operator<=>(const PoolProblem&, const PoolProblem&) = default;
};

// Refuses operators that it does not know.
using NodePoolDecoder = ObjectDecoder<NodePool>;

}  // namespace lips::kubernetes
