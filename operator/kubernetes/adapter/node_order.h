// Room for one task on a node that is yet to be launched.
#pragma once

#include <compare>

#include "kubernetes/api/objects.h"
#include "kubernetes/pods/pod_classes.h"

namespace lips::kubernetes {

struct NodeOrder {
  TextMap place;  // labels that the node must have
  PodNeeds needs;
  friend auto operator<=>(const NodeOrder&, const NodeOrder&) = default;
};

}  // namespace lips::kubernetes
