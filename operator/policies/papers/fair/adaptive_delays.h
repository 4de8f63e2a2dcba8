// Mechanism 4 of the modified fair scheduler (section 3.4): jobs wait for locality as long as the mean wait of
// launches that found it. Pure.
#pragma once

#include "model/snapshot.h"

namespace lips::fair {

struct Delays {
  Duration node{}, rack{};
};

// (7), (8): means over all launches of all jobs that the snapshot knows; the default where there was none yet.
Delays mean_waits(const ClusterSnapshot& cluster, const Delays& defaults);

}  // namespace lips::fair
