// Where a pod's task reads its blocks, as text for lips.dev/input, from the model's ids and the data's resources. Pure.
#pragma once

#include <string>

#include "base/result.h"
#include "kubernetes/adapter/data_link.h"
#include "kubernetes/adapter/model_index.h"
#include "kubernetes/adapter/readable_data.h"
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

struct ReplicaAsked {
  const std::string& data_set;
  std::uint32_t block = 0;
  const std::string& store;
};
// True: one of these pods reads that replica, or may begin to by a binding that is under way. A pod of which nobody
// knows what it reads counts for data that its namespace may read, and for a day: what it names may be made up.
bool is_read(const PodCache& pods, const ReplicaAsked& replica, const MayRead& may_read, TimePoint now);

}  // namespace lips::kubernetes
