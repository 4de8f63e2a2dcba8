// Extra copies that nobody reads any more are dropped; the last replica never is.
#pragma once

#include <vector>

#include "policies/policy.h"

namespace lips {

// Looks through the extra copies only when the last look is `review_every` ago; says so in plan.copies_reviewed.
void drop_idle_copies(const ClusterSnapshot& cluster, Duration idle, Plan& plan);

}  // namespace lips
