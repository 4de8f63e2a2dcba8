// Computes a pod's requests from those of its containers and from in-place resizes, granted or pending, as
// kube-scheduler does. Knows no JSON.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "kubernetes/api/objects.h"

namespace lips::kubernetes {

// Requested and granted amounts of a container, or of the pod as a whole. An in-place resize changes the requests at
// once and the other two when the node acts on it.
struct Amounts {
  ResourceAmounts requests;   // of the spec
  ResourceAmounts allocated;  // admitted by the kubelet
  ResourceAmounts actual;     // set by the runtime
};

struct Container {
  std::string name;
  Amounts amounts;
  bool sidecar = false;  // an init container that keeps running
};

// The parts of a pod's requests.
struct Demand {
  std::vector<Container> containers, init_containers;
  ResourceAmounts overhead;
  Amounts pod_level;
  bool resize_infeasible = false;  // the kubelet will never grant the requests of the spec

  // Matches container statuses by name; the status may come before or after the spec.
  std::map<std::string, Amounts> given, given_to_init;
};

ResourceAmounts total(const Demand& demand);

}  // namespace lips::kubernetes
