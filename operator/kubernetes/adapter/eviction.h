// Which of our pods Karpenter must not evict: those whose loss costs more than their node does for them. Pure.
#pragma once

#include "kubernetes/adapter/model_index.h"
#include "kubernetes/pods/node_cache.h"
#include "kubernetes/pods/pod_record.h"
#include "kubernetes/pods/task_work.h"

namespace lips::kubernetes {

// Before Karpenter has waited (consolidateAfter), looked again, and had a replacement boot, such a task has as good as
// ended: there is nothing to save.
inline constexpr Duration too_short_to_move = std::chrono::minutes(10);

// A mark ends after twice the pod's expected run, but not before the first, for a run time may be unknown, nor after the
// second: then nodes are replaced, also with security updates.
inline constexpr Duration least_kept = std::chrono::hours(24), most_kept = std::chrono::hours(7 * 24);

struct EvictionContext {
  const NodeCache& nodes;
  const ModelIndex& index;
  const WorkHistory history;
};

// By the request that binds it to its node, or sends it off to where one may be launched.
bool is_kept_from_start(const PodRecord& pod, const EvictionContext& context);
// The time from its start on for which its mark lasts.
Duration kept_for(const PodRecord& pod, const EvictionContext& context);
// The pod runs. Its loss grows, and what its node costs for it shrinks: until its mark has ended it is marked at
// most once.
bool is_kept_by_now(const PodRecord& pod, const EvictionContext& context, TimePoint now);

}  // namespace lips::kubernetes
