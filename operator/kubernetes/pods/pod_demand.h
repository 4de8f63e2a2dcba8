// What a pod asks for, of its containers' requests and what a resize in place has given or will give: as kube-scheduler
// counts. Knows no JSON.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "kubernetes/api/objects.h"

namespace lips::kubernetes {

// What a container, or the pod as a whole, asks for and has been given. A resize in place changes the first at once and
// the others when the node gets to it.
struct Amounts {
  ResourceAmounts requests;   // of the spec
  ResourceAmounts allocated;  // that the kubelet has admitted
  ResourceAmounts actual;     // that the runtime has set
};

struct Container {
  std::string name;
  Amounts amounts;
  bool sidecar = false;  // an init container that keeps running
};

// What the pod's requests are made of.
struct Demand {
  std::vector<Container> containers, init_containers;
  ResourceAmounts overhead;
  Amounts pod_level;
  bool resize_infeasible = false;  // the kubelet will not give what the spec asks for

  // Status comes by name, before or after the spec.
  std::map<std::string, Amounts> given, given_to_init;
};

ResourceAmounts total(const Demand& demand);

}  // namespace lips::kubernetes
