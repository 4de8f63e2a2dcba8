// What the model has been told of the cluster: the ids that the last listing gave, and the events since that nobody has
// taken yet. Before the first listing, and while another copy leads, there is nobody to tell.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "kubernetes/adapter/model_index.h"
#include "kubernetes/pods/pod_record.h"
#include "model/cluster_event.h"

namespace lips::kubernetes {

class ModelFeed {
 public:
  explicit ModelFeed(ModelSettings settings) : index_(std::move(settings)) {}

  ModelIndex& index() { return index_; }
  const ModelIndex& index() const { return index_; }

  // A new beginning, of ids too: what is still to be told names the ids of before, and comes first. The start can be
  // added to until the events are taken.
  std::shared_ptr<ClusterSnapshot> list(const NodeCache& nodes, const PodClasses& classes, const DataView& data);
  bool listed() const { return listed_; }
  void unlist() { listed_ = false; }
  // Where only a listing can say what has changed.
  void must_list() { must_list_ = true; }
  bool has_to_list() const { return must_list_ || over_ > many_over; }

  std::vector<ClusterEvent>& events() { return events_; }
  std::vector<ClusterEvent> take_events() { return std::exchange(events_, {}); }

  // The next task of the job that was said last is this pod.
  void add_task(PodRecord& pod);
  const ObjectMeta& pod_of(TaskId task) const { return task_pods_[task]; }

  // Of a pod's task; nothing where the model knows none.
  void started(const PodRecord& pod);
  void lost(const PodRecord& pod);
  // It is on its node, wherever the model thought; on a node that is not there it is no task any more.
  void found(PodRecord& pod, TimePoint now);
  // `finished`: it ran; else it will not. The record has no task any more.
  void ended(PodRecord& pod, bool finished, TimePoint now);

 private:
  static constexpr std::uint64_t many_over = 20'000;  // ended tasks, before they are forgotten by a listing

  ModelIndex index_;
  std::vector<ClusterEvent> events_;
  IdVector<TaskId, ObjectMeta> task_pods_;
  std::uint64_t over_ = 0;  // tasks, since the listing
  bool listed_ = false;
  bool must_list_ = true;
};

}  // namespace lips::kubernetes
