// Where a pod's task reads its blocks, as text for lips.dev/input, from the model's ids and the data's resources. Pure.
#pragma once

#include <string>

#include "base/result.h"
#include "kubernetes/adapter/data_link.h"
#include "kubernetes/adapter/model_index.h"
#include "kubernetes/pods/pod_cache.h"
#include "model/plan.h"

namespace lips::kubernetes {

// `data`: nullptr if the cluster has no custom resources of ours.
struct ReadingContext {
  const ModelIndex& index;
  const DataLink* data = nullptr;
  std::string volumes_namespace;  // of the claims that stores name: a claim of the same name in another namespace is
                                  // another volume
};

// One line for each block that is in another file or place than the block before it; "" if the task reads nothing. An
// error: it is not known where it can read.
Result<std::string> input_text(const ReadingContext& context, const PodRecord& pod, const Assignment& assignment);

// Whether one of these pods reads that replica, or may begin to by a binding that is under way.
bool is_read(const PodCache& pods, const std::string& data_set, std::uint32_t block, const std::string& store);

}  // namespace lips::kubernetes
