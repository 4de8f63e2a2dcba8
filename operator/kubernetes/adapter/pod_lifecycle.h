// The life of our pods between the API server and the model: they arrive, are bound, are refused and tried again, end.
// Decides nothing; one thread calls it, and answers come back through the inbox.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/log.h"
#include "controller/adapter_observer.h"
#include "kubernetes/adapter/inbox.h"
#include "kubernetes/adapter/known_jobs.h"
#include "kubernetes/adapter/model_feed.h"
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
    PodConditions& conditions;
    Inbox& inbox;
    AdapterObserver& telemetry;
    Log& log;
  };
  explicit PodLifecycle(const Surroundings& around) : around_(around) {}

  void handle(const PodCache::Update& update, TimePoint now);
  // The object has gone.
  void handle_deleted(const ObjectMeta& meta, TimePoint now);
  // Its gate has gone without a zone: it is another scheduler's.
  void handle_left(const ObjectMeta& meta, TimePoint now);
  // `requested_list`: the number of the last list of pods that was asked for.
  void handle(const BindReport& report, std::uint64_t requested_list, TimePoint now);
  // A list that began after that request is known: it settles what became of bindings that nobody answered before it.
  void handle_list(std::uint64_t request);

  void bind(PodRecord& record, const std::string& node);
  // A task that cannot be told where to read is not started, but looked at again soon.
  void wait_for_input(PodRecord& record, const std::string& why, TimePoint now);
  // A task whose input no container could start with waits until the data set changes.
  void refuse_input(PodRecord& record, std::string why, TimePoint now);
  // A pod that may be placed is to be told to the model.
  void arrive(PodRecord& record);
  // What it asks of nodes is otherwise than the model was told.
  void report_again(PodRecord& record, TimePoint now);
  // Those that arrived and are no task yet.
  std::vector<PodRecord*> take_arrived();
  // What is to be tried again by now. A binding in doubt is sent once more only by who knows what is on the nodes.
  void retry_due(TimePoint now, bool may_bind);

  // Pods of other schedulers: those that should not wait for us any longer are let go, and room that nobody came for is
  // given back. Call it about once a second.
  void review_steered(TimePoint now);

  std::size_t bindings_under_way() const { return under_way_; }

 private:
  void end_task(PodRecord& record, bool finished, TimePoint now);
  void send(const PodRecord& record);
  void report_bound(PodRecord& record, TimePoint now);
  void refused(PodRecord& record, const BindReport& report, TimePoint now);
  void retry_later(PodRecord& record, TimePoint now);
  void steer(PodSteering steering, bool released);
  void let_go(PodRecord& record, std::string why);
  void report_released(PodRecord& record, TimePoint now);
  void handle_release(PodRecord& record, const BindReport& report, TimePoint now);

  Surroundings around_;
  std::map<std::string, ObjectMeta> arrived_;  // by namespace/name
  std::multimap<TimePoint, ObjectMeta> retries_;
  std::size_t under_way_ = 0;
};

}  // namespace lips::kubernetes
