// The services of a simulated cluster: places each pod as kube-scheduler would, and again when its node goes. Knows no
// policy; policies see the room that services leave.
#pragma once

#include <cstdint>
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
  bool any_wait() const { return waiting_ > 0; }
  bool over() const { return left_ == 0; }  // all have ended
  std::vector<PodsAlike> that_wait() const;
  void add_those_on(NodeId node, std::vector<PodsAlike>& pods) const;
  // As an operator counts them: those of one name and one request together.
  std::vector<ServicePods> seen_pods() const;
  // The node as policies see it.
  Node seen(NodeId node) const;

 private:
  struct Pod {
    std::uint32_t service = 0;
    NodeId node;  // none: it waits
  };
  const Service& service(const Pod& pod) const { return world_.scenario.services[pod.service]; }
  NodeId best_for(const Service& service) const;
  void take(Pod& pod, NodeId node);
  void give_back(Pod& pod);
  void count(NodeId node);

  World& world_;
  const ServiceScore score_;
  IdVector<NodeId, Node> nodes_;         // as policies see them, without services; empty: there are no services
  IdVector<NodeId, Resources> on_node_;  // of services
  std::vector<Pod> pods_;                // that are there, by arrival
  std::size_t waiting_ = 0;              // of these
  std::size_t left_ = 0;                 // services that have not ended
};

}  // namespace lips::simulation
