// The nodes that Karpenter would launch and remove, as a pure function of its inputs: requests and constraints of
// pending pods, nodes, offers and prices. Knows no policy, job, plan or clock.
#pragma once

#include <cstdint>
#include <vector>

#include "base/ids.h"
#include "model/nodes.h"
#include "model/snapshot.h"

namespace lips::simulation {

// Identical pods. `like` restricts them to nodes of its zone and capacity type; none: any node.
struct PodsAlike {
  Resources request;
  ConstraintId constraint;
  NodeId like;
  std::uint64_t count = 0;
};

// A node that exists or is on its way, and its free room.
struct NodeRoom {
  NodeId node;
  Resources free;
};

// Nodes of an offer that could still be launched; `like` is any of its places.
struct OfferRoom {
  NodeId like;
  std::uint32_t left = 0;
  LimitId within = {};
};

struct Purchase {
  std::vector<std::uint32_t> launches;  // for each node, an index into the offers
  std::vector<NodeId> nominated;        // rooms that pods are expected to take
};

class Packing {
 public:
  // The cluster describes nodes and offers and must outlive this.
  explicit Packing(const ClusterSnapshot& cluster) : cluster_(cluster) {}

  // First fit decreasing: first the rooms in their order, then new nodes. A new node takes as much as the largest type
  // can hold and becomes the cheapest type that holds it, and that the limits allow beside those before it.
  Purchase buy(std::vector<PodsAlike> pods, std::vector<NodeRoom> rooms, std::vector<OfferRoom> offers,
               LaunchLimits limits) const;
  // Says whether all pods fit into the rooms.
  bool fit(std::vector<PodsAlike> pods, std::vector<NodeRoom> rooms) const;

 private:
  struct Claim;
  bool may_take(const PodsAlike& group, NodeId node) const;
  std::uint64_t place(const PodsAlike& group, std::vector<NodeRoom>& rooms, std::vector<NodeId>* taken) const;
  void claim(const PodsAlike& group, std::uint64_t count, const std::vector<OfferRoom>& offers,
             std::vector<Claim>& claims) const;

  const ClusterSnapshot& cluster_;
};

}  // namespace lips::simulation
