// Tasks that wait because room is kept for others: they find none beside it, and would find some without it. Their plan
// says that nothing is free for them, not that a later start is cheaper.
#pragma once

#include <vector>

#include "model/snapshot.h"
#include "policies/lips/gangs/kept_spot.h"

namespace lips {

// `free` is what the plan leaves beside the room that it keeps.
void defer_who_is_kept_out(const ClusterSnapshot& cluster, const IdVector<NodeId, Resources>& free,
                           const std::vector<KeptSpot>& kept, Plan& plan);

}  // namespace lips
