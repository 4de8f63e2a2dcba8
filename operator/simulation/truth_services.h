// The services of a simulated cluster: places each pod as kube-scheduler would, and again when its node goes. Knows no
// policy; policies see the room that services leave.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "model/service_pods.h"
#include "simulation/autoscaler.h"
#include "simulation/services.h"
#include "simulation/world.h"

namespace lips::simulation {

class TruthServices {
 public:
  TruthServices(World& world, ServiceScore score);

  void handle(const SimEvent& event);
  // Call at the end of every instant: places those that wait, where they fit now.
  void place();
  // The node is gone. Its pods wait for another one.
  void lose(NodeId node);
  bool any_wait() const { return !waiting_.empty(); }
  bool over() const { return left_ == 0; }  // all have ended
  const std::map<std::uint32_t, std::uint32_t>& pods_on(NodeId node) const;
  std::vector<PodsAlike> that_wait() const;
  void add_those_on(NodeId node, std::vector<PodsAlike>& pods) const;
  // The counts that an operator has: those of one name and one request together.
  std::vector<ServicePods> seen_pods() const;
  // The node as policies see it.
  Node seen(NodeId node) const;

 private:
  const Service& service(std::uint32_t index) const { return world_.scenario.services[index]; }
  NodeId best_for(const Service& service) const;
  void take(std::uint32_t index, NodeId node);
  void give_back(std::uint32_t index, NodeId node, std::uint32_t pods);
  void count(NodeId node);

  World& world_;
  const ServiceScore score_;
  IdVector<NodeId, Node> nodes_;  // as policies see them, without services; empty: there are no services
  IdVector<NodeId, std::map<std::uint32_t, std::uint32_t>> pods_on_;  // by service
  IdVector<NodeId, Resources> room_on_;                               // of these
  std::map<std::uint32_t, std::uint32_t> waiting_;                    // pods by service, in the order of the scenario
  std::size_t left_ = 0;                                              // services that have not ended
};

}  // namespace lips::simulation
