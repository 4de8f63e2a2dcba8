// Room for one task on a node that is yet to be launched.
#pragma once

#include <compare>
#include <string>

#include "kubernetes/api/objects.h"
#include "kubernetes/pods/pod_classes.h"

namespace lips::kubernetes {

struct NodeOrder {
  TextMap place;  // labels that the node must have
  PodNeeds needs;
  friend auto operator<=>(const NodeOrder&, const NodeOrder&) = default;
};

// The job for which a node is ordered.
struct OrderOwner {
  std::string name_space, job;  // the job as people know it, without the number of its run
  std::string priority_class;   // of its pods
  friend auto operator<=>(const OrderOwner&, const OrderOwner&) = default;
};

struct OwnedOrder {
  NodeOrder order;
  OrderOwner owner;
  friend auto operator<=>(const OwnedOrder&, const OwnedOrder&) = default;
};

}  // namespace lips::kubernetes
