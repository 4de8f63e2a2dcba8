// A NodeClaim of Karpenter (karpenter.sh/v1): the parts that say which node it launches, and whether that is up. A
// value.
#pragma once

#include <string>

#include "kubernetes/api/object_decoder.h"
#include "kubernetes/api/objects.h"

namespace lips::kubernetes {

struct NodeClaim {
  ObjectMeta meta;
  TimePoint created{};
  bool deleting = false;
  bool initialized = false;     // pods can start on the node
  std::string provider_id;      // the node's
  TextMap labels;               // of the node, once it is launched
  ResourceAmounts allocatable;  // likewise
  friend bool operator==(const NodeClaim&, const NodeClaim&) = default;
};

using NodeClaimDecoder = ObjectDecoder<NodeClaim>;

}  // namespace lips::kubernetes
