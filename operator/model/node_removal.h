// The pace at which Karpenter removes empty nodes. It looks for nodes that have been empty for their NodePool's
// consolidateAfter every ten seconds, and removes those that are still so after another fifteen.
// Source: sigs.k8s.io/karpenter, pkg/controllers/disruption.
#pragma once

#include <chrono>

#include "base/units.h"

namespace lips {

struct NodeRemoval {
  Duration poll = std::chrono::seconds(10), validation = std::chrono::seconds(15);
  Duration termination{};  // of the machine, once its node is removed

  // In the mean, from the end of a node's last pod until its machine is off.
  constexpr Duration time_empty(Duration consolidate_after) const {
    return consolidate_after + poll / 2 + validation + termination;
  }
};

}  // namespace lips
