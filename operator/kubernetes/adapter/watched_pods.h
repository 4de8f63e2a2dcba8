// Batch pods of other schedulers as if they were ours, for the journal of what those schedulers did. A cache of its
// own, because for the model proper they are room that is taken. Sends nothing.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "kubernetes/adapter/job_pods.h"
#include "kubernetes/adapter/job_tables.h"
#include "kubernetes/adapter/model_index.h"
#include "kubernetes/pods/node_cache.h"
#include "kubernetes/pods/pod_cache.h"
#include "model/cluster_event.h"
#include "model/watched_cluster.h"

namespace lips::kubernetes {

class WatchedPods {
 public:
  struct Rules {
    std::string scheduler;  // ours
    Frameworks frameworks;
    Duration default_run_time{60'000'000};
  };
  // All but the rules outlive it. `jobs`: by uid.
  WatchedPods(Rules rules, const ClaimLookup& claims, const PodGroups& groups,
              const std::map<std::string, BatchJob>& jobs);

  // Every node and every pod, whoever schedules it.
  void update(const Node& node) { nodes_.update(node); }
  void forget_node(const std::string& name) { nodes_.forget(name); }
  void update(const Namespace& name_space) { pods_.update(name_space); }
  void forget_namespace(const std::string& name) { pods_.forget_namespace(name); }
  void limit_volumes(const std::string& node, const ResourceAmounts& limits) { nodes_.limit_volumes(node, limits); }
  void update(const Pod& pod, TimePoint now);
  void forget(const ObjectMeta& pod, TimePoint now);
  void dependencies_changed() { dependencies_changed_ = true; }
  // Nobody watches from here on, or somebody does again: pods that are bound by then begin there.
  void interrupt();
  void resume();

  struct Surroundings {
    ModelSettings model;
    const DataView& data;
    std::function<Result<std::string>(const PodRecord& pod)> pool_of;
    MayRead may_read;
    PathLookup data_under;
  };
  // The cluster with these pods; none: there are none. A pod that has ended is in one look and then no more.
  std::optional<WatchedCluster> look(const Surroundings& around, TimePoint now);
  std::size_t kept() const { return pods_.ours().size() + gone_.size() + watched_.size(); }

 private:
  // Pods that were shown together first are jobs of the same arrival and the same expected work at every later look.
  struct Watched {
    std::uint64_t look = 0;  // that showed it first; 0: none
    TimePoint arrival{};     // of its job, then
    CpuSeconds expected;     // work, then
    Duration before{};       // for which it had run when it was found
    bool found = false;      // on its node before anybody watched
    bool over = false;       // its end was shown
    bool handed_on = false;  // its task has a vacancy, or a pod that takes its place
  };
  // A task whose pod was disrupted: the next pod of its Job and index is that task again.
  struct Vacancy {
    std::string job;                    // uid
    std::optional<std::int32_t> index;  // of an Indexed Job
    auto operator<=>(const Vacancy&) const = default;
  };
  bool is_disrupted(const PodRecord& pod) const;
  void hand_on(const PodRecord& pod);
  void take_over(const PodRecord& pod);
  bool is_watched(const Pod& pod) const;
  std::map<std::uint64_t, std::vector<PodRecord*>> take_records();  // by the look that showed them first
  bool is_of_interest(const PodRecord& pod);
  std::vector<GroupedJob> jobs_of(const std::vector<PodRecord*>& records, ModelIndex& index, const Surroundings& around,
                                  std::vector<ClusterEvent>& events);
  void remember(GroupedJob& job, TimePoint now);
  void put(const PodRecord& pod, TaskId task, const ModelIndex& index, WatchedCluster& cluster);

  const Rules rules_;
  const std::map<std::string, BatchJob>& jobs_;
  NodeCache nodes_;
  PodCache pods_;
  JobPods job_pods_;
  std::unordered_map<std::string, Watched> watched_;  // by uid
  std::map<Vacancy, std::vector<Watched>> vacancies_;
  std::vector<std::unique_ptr<PodRecord>> gone_;  // deleted since the last look
  std::uint64_t looks_ = 0;
  TimePoint learned_{};
  bool interrupted_ = true, anew_ = false, dependencies_changed_ = false;
};

}  // namespace lips::kubernetes
