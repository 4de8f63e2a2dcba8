// Where a pod's task reads its blocks, as lips.dev/input says it: between the model's ids and the data's resources.
// Pure.
#pragma once

#include <string>

#include "base/result.h"
#include "kubernetes/adapter/data_link.h"
#include "kubernetes/adapter/model_index.h"
#include "kubernetes/pods/pod_cache.h"
#include "model/plan.h"

namespace lips::kubernetes {

// `data`: none where the cluster has no custom resources of ours.
struct ReadingContext {
  const ModelIndex& index;
  const DataLink* data = nullptr;
  std::string volumes_namespace;  // of the claims that volumes name: one of the same name elsewhere is another volume
};

// A line for each block that stands elsewhere than the one before; "" where the task reads nothing. An error: nobody
// can tell.
Result<std::string> input_text(const ReadingContext& context, const PodRecord& pod, const Assignment& assignment);

// Whether a pod of these reads that replica, or may come to by a binding that is under way.
bool is_read(const PodCache& pods, const std::string& data_set, std::uint32_t block, const std::string& store);

}  // namespace lips::kubernetes
