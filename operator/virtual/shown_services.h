// The pods of services in a virtual cluster: an object for each that is on a node. The simulated cluster places them;
// kube-scheduler and the operator see the room that they leave.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/ids.h"
#include "simulation/scenario.h"
#include "virtual/object_store.h"

namespace lips::virtual_cluster {

class ShownServices {
 public:
  // Both outlive it.
  ShownServices(const simulation::Scenario& scenario, ObjectStore& objects) : scenario_(scenario), objects_(objects) {}

  // The node has so many pods of each service, by the service's place in the scenario.
  void show(NodeId node, const std::map<std::uint32_t, std::uint32_t>& pods, TimePoint now);

 private:
  std::string make(std::uint32_t service, NodeId node, TimePoint now);

  const simulation::Scenario& scenario_;
  ObjectStore& objects_;
  std::map<std::pair<NodeId, std::uint32_t>, std::vector<std::string>> shown_;  // keys of pods, by node and service
  std::uint64_t made_ = 0;
};

}  // namespace lips::virtual_cluster
