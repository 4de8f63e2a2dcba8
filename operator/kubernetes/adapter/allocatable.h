// The room that a node yet to be launched will leave to pods. Its machine has more: a kubelet keeps a part for itself
// (a node's `allocatable` is the rest), and pods of DaemonSets are on every node.
//
// Nodes of the same type say how much that is, and are remembered when they are gone. For a type that has not been seen
// it is what is kept at least on EKS, so that no pod is taken for too large before Karpenter has tried.
#pragma once

#include <map>
#include <string>

#include "kubernetes/adapter/model_index.h"
#include "kubernetes/pods/node_cache.h"

namespace lips::kubernetes {

// The usual room on a machine of that size.
Resources usual_allocatable(Resources machine);

class Allocatable {
 public:
  // True: nodes say something else than before.
  bool see(const NodeCache& nodes);
  // The room on a node of the offer's type and NodePool.
  Resources of(const OfferEntry& offer) const;

 private:
  using Rooms = std::map<std::string, Resources, std::less<>>;

  std::uint64_t seen_ = 0;  // version of the nodes
  Rooms types_;             // the least of their nodes
  Rooms daemons_;           // by NodePool, the most on one node
};

}  // namespace lips::kubernetes
