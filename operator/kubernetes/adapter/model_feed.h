// Feeds the model: holds the ids of the last listing, and the events since then that nobody has taken yet. Before the
// first listing, and while another replica leads, the feed is closed.
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

  // Starts again with new ids. Events that were not taken yet use the old ids and come first. The snapshot may be
  // completed until the events are taken.
  std::shared_ptr<ClusterSnapshot> list(const NodeCache& nodes, const PodClasses& classes, const DataView& data);
  bool listed() const { return listed_; }
  std::uint64_t listings() const { return listings_; }  // so far: ids of tasks are those of the last one
  std::size_t tasks() const { return task_pods_.size(); }
  void unlist() { listed_ = false; }
  // The limits of the offers of the last listing, in its order.
  void limit_launches(const LaunchLimits& now) {
    if (listed_ && !must_list_) index_.limit_launches(now, events_);
  }
  // Something has changed that only a full listing can express.
  void must_list() { must_list_ = true; }
  bool has_to_list() const { return must_list_ || over_ > many_over; }

  std::vector<ClusterEvent>& events() { return events_; }
  std::vector<ClusterEvent> take_events() { return std::exchange(events_, {}); }

  // This pod is the next task of the job that was added last, and reads so much.
  void add_task(PodRecord& pod, Mebibytes input);
  Mebibytes input_of(TaskId task) const { return task_inputs_[task]; }
  const ObjectMeta& pod_of(TaskId task) const { return task_pods_[task]; }

  // Reports an event of the pod's task; does nothing if the model has no such task.
  void started(const PodRecord& pod);
  void lost(const PodRecord& pod);
  // The pod is on its node, wherever the model expected it; if that node is unknown, it is no task any more.
  void found(PodRecord& pod, TimePoint now);
  // `finished`: the task ran; else it will not. Clears the record's task.
  void ended(PodRecord& pod, bool finished, TimePoint now);

 private:
  static constexpr std::uint64_t many_over = 20'000;  // ended tasks, before they are forgotten by a listing

  ModelIndex index_;
  std::vector<ClusterEvent> events_;
  IdVector<TaskId, ObjectMeta> task_pods_;
  IdVector<TaskId, Mebibytes> task_inputs_;
  std::uint64_t over_ = 0;  // tasks, since the listing
  std::uint64_t listings_ = 0;
  bool listed_ = false;
  bool must_list_ = true;
};

}  // namespace lips::kubernetes
