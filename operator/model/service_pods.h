// Pods that LiPS does not place and that are on no node by themselves, such as those of services: load beside the
// tasks. A value.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/units.h"
#include "model/nodes.h"

namespace lips {

// Those of one workload that ask for the same. A controller replaces a pod that it loses by another one, so they are
// counted and have no names.
struct ServicePods {
  std::string workload;
  Resources request{Cores(0), Mebibytes(0), 1};          // without extended ones
  std::vector<std::pair<std::string, double>> extended;  // by name
  PlacementConstraint constraint;
  TimePoint newest{};                                     // when the youngest of them came
  std::uint32_t waiting = 0;                              // for a node
  std::vector<std::pair<std::string, std::uint32_t>> on;  // node, pods there

  std::uint32_t leaving = 0;  // of those on nodes: about to end, and replaced already where they are wanted

  std::uint32_t pods() const {
    std::uint32_t sum = waiting;
    for (const auto& [node, count] : on) sum += count;
    return sum - std::min(sum, leaving);
  }
  friend bool operator==(const ServicePods&, const ServicePods&) = default;
};

}  // namespace lips
