// The lifecycle of our pods between the API server and the model: they arrive, are bound, are refused and retried, and
// end. Decides nothing; answers come back through the inbox.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/log.h"
#include "controller/adapter_observer.h"
#include "kubernetes/adapter/eviction_marks.h"
#include "kubernetes/adapter/inbox.h"
#include "kubernetes/adapter/known_jobs.h"
#include "kubernetes/adapter/model_feed.h"
#include "kubernetes/adapter/untaken_pods.h"
#include "kubernetes/adapter/volume_binding.h"
#include "kubernetes/api/event_loop.h"
#include "kubernetes/api/turns.h"
#include "kubernetes/pods/binding.h"
#include "kubernetes/pods/pod_cache.h"
#include "kubernetes/pods/pod_conditions.h"

namespace lips::kubernetes {

class PodLifecycle {
 public:
  struct Surroundings {  // all outlive it
    PodCache& pods;
    NodeCache& nodes;
    KnownJobs& jobs;
    ModelFeed& model;
    Binder& binder;
    VolumeBinding& volumes;
    PodConditions& conditions;
    Inbox& inbox;
    const EventLoop& loop;
    AdapterObserver& telemetry;
    Log& log;
    std::function<void()> relist;  // requests a new list of the pods
    Duration default_run_time{60'000'000};
  };
  explicit PodLifecycle(Surroundings around) : around_(std::move(around)) {}

  void handle(const PodCache::Update& update, TimePoint now);
  // The object was deleted.
  void handle_deleted(const ObjectMeta& meta, TimePoint now);
  // Somebody else removed its gate: the pod is the other scheduler's now.
  void handle_left(const ObjectMeta& meta, TimePoint now);
  // `requested_list`: the number of the last list of pods that was requested.
  void handle(const BindReport& report, std::uint64_t requested_list, TimePoint now);
  // A list that began after that request has arrived. It shows what became of earlier bindings without an answer.
  void handle_list(std::uint64_t request);

  // Waits for the volumes of claims that are bound on first use.
  void bind(PodRecord& record, const std::string& node, TimePoint now);
  // Continues with pods whose volumes have come, and gives up where none comes.
  void review_volumes(TimePoint now);
  // Lets pods use nodes again on which they got no volumes long ago. Call it about once a second.
  void review_avoided(TimePoint now);
  // Some of its claims get no volume on that node: it tries others first.
  void refuse_volumes(PodRecord& record, const std::string& node, std::string why, TimePoint now);
  // Sends a gated pod to the place that its selector names, where a node is to be launched. It is no task until it is
  // on a node.
  void send_ahead(PodRecord& record, TimePoint now);
  // Does not start a task while it is unknown where it can read, but tries again soon.
  void wait_for_input(PodRecord& record, const std::string& why, TimePoint now);
  // The list of its input is too long for any container to start: the task waits until the data set changes.
  void refuse_input(PodRecord& record, std::string why, TimePoint now);
  // Passes a pod that may be placed on to the model.
  void arrive(PodRecord& record);
  // The pod's needs are no longer those that the model knows: removes and adds it.
  void report_again(PodRecord& record, TimePoint now);
  // Pods that arrived and are not a task yet; those of one job together.
  std::vector<PodRecord*> take_arrived();
  // True: when these were taken last, further pods of its job were about to come.
  bool awaits_others(const PodRecord& record) const { return arrived_.contains(full_name(record.meta)); }
  // Retries everything that is due. Sends a binding in doubt again only if `may_bind`: the caches are complete.
  void retry_due(TimePoint now, bool may_bind);

  // For pods of other schedulers: releases those that should not wait for us any longer, and frees room that was kept
  // for a pod that did not come. Call it about once a second.
  void review_steered(TimePoint now);

  // Keeps autoscalers from evicting pods that by now would lose more than their nodes cost, and lets them evict those
  // that were kept long enough. Call it about once a second.
  void review_evictions(TimePoint now);
  // A plan was made of that cluster (EvictionMarks::note_debts).
  void note_debts(const ClusterSnapshot& cluster, Duration budget) {
    marks_.note_debts(cluster, budget, around_.model);
  }

  const UntakenPods& untaken() const { return untaken_; }
  std::size_t bindings_under_way() const { return under_way_; }

 private:
  void end_task(PodRecord& record, bool finished, TimePoint now);
  void send(const PodRecord& record);
  void report_bound(PodRecord& record, TimePoint now);
  void refused(PodRecord& record, const BindReport& report, TimePoint now);
  void refused_in_doubt(PodRecord& record, std::uint64_t requested_list, TimePoint now);
  void retry_later(PodRecord& record, TimePoint at);
  void wait_for_volumes(PodRecord& record, std::string why, TimePoint now);
  TextMap annotations_of(const PodRecord& record) const;
  EvictionContext eviction() const;
  void steer(PodSteering steering, bool released);
  PodSteering steering_of(const PodRecord& record) const;
  void report_untaken(TimePoint now);
  void let_go(PodRecord& record, std::string why);
  void report_released(PodRecord& record, TimePoint now);
  void handle_sent_ahead(PodRecord& record, const BindReport& report, TimePoint now);
  void handle_release(PodRecord& record, const BindReport& report, TimePoint now);

  Surroundings around_;
  std::map<std::string, ObjectMeta> arrived_;  // by namespace/name
  std::multimap<TimePoint, ObjectMeta> retries_;
  std::map<std::string, ObjectMeta> awaiting_;  // pods that await volumes, by namespace/name
  std::size_t under_way_ = 0;
  std::string last_refusal_;  // that was logged
  EvictionMarks marks_;
  UntakenPods untaken_;
  static constexpr std::size_t most_released = 200;                    // per review
  Turns<std::pair<PodRecord*, std::string>> released_{most_released};  // of one review, with why
};

}  // namespace lips::kubernetes
