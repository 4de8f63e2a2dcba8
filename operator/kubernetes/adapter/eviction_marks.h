// The marks that keep autoscalers from evicting pods: sets them, ends them, and tells the model of them. A pool that
// owes more for held room than its budget (model/unpaid_room.h) gets none for pods that keep more room empty than they
// use.
#pragma once

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "kubernetes/adapter/every.h"
#include "kubernetes/adapter/eviction.h"
#include "kubernetes/adapter/model_feed.h"
#include "kubernetes/pods/binding.h"
#include "kubernetes/pods/pod_cache.h"
#include "model/marks_of_owing.h"

namespace lips::kubernetes {

class EvictionMarks {
 public:
  // A plan was made of that cluster.
  void note_debts(const ClusterSnapshot& cluster, Duration budget, const ModelFeed& model);
  bool owes(const std::string& pool) const { return owing_.contains(pool); }

  // Marks pods that by now would lose more than their nodes cost, and takes away marks that have ended, and those of
  // pools that owe. Tells the model which tasks are marked. Call it about once a second.
  void review(const PodCache& pods, const EvictionContext& context, Binder& binder, ModelFeed& model, TimePoint now);

 private:
  // If others are marked than when it was told last.
  void tell(const PodCache& pods, ModelFeed& model);

  OwingPools owing_;
  std::set<std::string> to_end_;  // namespace/name of pods
  std::vector<std::pair<TaskId, TimePoint>> told_;
  std::uint64_t told_of_ = 0;  // the listing whose ids they are
  Every review_{Duration(10'000'000)};
};

}  // namespace lips::kubernetes
