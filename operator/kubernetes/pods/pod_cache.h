// The pods of all schedulers: records of ours and of those that we steer; of others only the room they take. Knows the
// needs of each pod of ours and whether it may be placed. Of the model's ids it knows only the task in a record.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "kubernetes/pods/anti_affinity.h"
#include "kubernetes/pods/claim_users.h"
#include "kubernetes/pods/node_cache.h"
#include "kubernetes/pods/pod_classes.h"
#include "kubernetes/pods/pod_groups.h"
#include "kubernetes/pods/pod_record.h"
#include "kubernetes/pods/run_times.h"
#include "kubernetes/pods/service_counts.h"
#include "kubernetes/pods/spark_properties.h"
#include "kubernetes/pods/type_speeds.h"
#include "kubernetes/pods/unplaced_pods.h"

namespace lips::kubernetes {

class PodCache {
 public:
  PodCache(std::string scheduler, const ClaimLookup& claims, const PodGroups& groups, NodeCache& nodes,
           Frameworks frameworks = {})
      : scheduler_(std::move(scheduler)),
        claims_(claims),
        groups_(groups),
        nodes_(nodes),
        frameworks_(std::move(frameworks)),
        anti_affinity_(nodes) {}

  // The effect of a pod's new version on the model.
  enum class Change : std::uint8_t {
    none,
    arrived,       // new to the model: waiting, or already on a node
    placed,        // is on record->node
    ended,         // its room is free again
    withdrawn,     // will not be placed by us any more
    spec_changed,  // has different needs than before: first withdrawn, then arrived
  };
  struct Update {
    Change change = Change::none;
    PodRecord* record = nullptr;
    std::string elsewhere_than;  // the node that we had planned, if it is on another one
  };
  Update update(const Pod& pod, TimePoint now);
  // Between these two calls the server's word counts, even where the answer to a binding said otherwise.
  void store_went_back() { went_back_ = true; }
  void listed() { went_back_ = false; }
  // Says whether somebody else removed the gate of this pod of another scheduler. If so, forget() it before update().
  bool has_left(const Pod& pod);
  // Returns its last record, for the model; nullptr: it was not ours.
  std::unique_ptr<PodRecord> forget(const ObjectMeta& meta, TimePoint now);

  PodRecord* find(const ObjectMeta& meta);  // the same uid
  // A binding began, failed, or is confirmed.
  void begin_binding(PodRecord& record, const std::string& node);
  void end_binding(PodRecord& record, PodState then);
  void place(PodRecord& record, const std::string& node);
  // For a pod whose gate is gone. ungate() keeps room on the plan's node; give_up_room() releases it once its
  // destination is unknown.
  void ungate(PodRecord& record);
  void give_up_room(PodRecord& record);
  // Runs the filters again after claims, volumes or PodGroups have changed, on pods that are held for them or whose
  // claims are bound on first use.
  std::vector<Update> review_dependencies();
  // Says whether any PodGroup has changed since then.
  bool groups_changed() const { return groups_seen_ != groups_.version(); }
  // Says whether the PodGroup of a pod on a node says something else than before.
  bool take_regrouped() { return std::exchange(regrouped_, false); }
  // Says whether a ReadWriteOncePod claim may have become free.
  bool take_claims_left() { return claim_users_.take_left(); }
  void update(const Namespace& name_space) { anti_affinity_.update(name_space); }
  void forget_namespace(const std::string& name) { anti_affinity_.forget_namespace(name); }
  // Waiting pods whose domains, as excluded by the anti-affinity of other pods, have changed since the last call.
  std::vector<PodRecord*> review_anti_affinity();
  // Waiting pods whose driver has said something new for all of its pods since the last call.
  std::vector<PodRecord*> review_applications();
  // Takes the size of a driver's workers from its properties; its annotations come first.
  void set_size(PodRecord& driver, const SparkExecutors& size);
  // The lowest priority among waiting pods; none: no pod waits.
  std::optional<std::int32_t> least_waiting_priority() const;
  // Nodes that the pod is to keep away from. True: its needs have changed.
  bool avoid(PodRecord& record, std::vector<std::string> nodes, TimePoint now);
  // Lets a held pod be tried again.
  bool release(PodRecord& record);
  void hold(PodRecord& record, UnschedulableReason reason, std::string text);

  // Drops the classes of pods that are gone, once there are many. True: all classes have new ids.
  bool forget_unused_classes();

  PodClasses& classes() { return classes_; }
  const PodClasses& classes() const { return classes_; }
  const ServiceCounts& services() const { return services_; }  // of other schedulers, and not steered
  RunTimes& run_times() { return run_times_; }                 // on a core of speed 1
  TypeSpeeds& type_speeds() { return type_speeds_; }
  // Learns from tasks that run longer than expected; `assumed` is the run time where nothing is known.
  void review_run_times(TimePoint now, Duration assumed);
  const std::map<std::string, std::unique_ptr<PodRecord>>& ours() const { return ours_; }
  // Full names of those of ours that have a nominated node.
  const std::set<std::string>& nominated() const { return nominated_; }
  // Parts of ours(), in the same order: reviews once a second look at these alone, for most pods run or have ended.
  using Part = UnplacedPods::Part;
  UnplacedPods& unplaced() { return unplaced_; }
  const Part& placed() const { return placed_; }            // by a binding that is confirmed, and not ended
  const Part& steered() const { return steered_; }          // of other schedulers
  const Part& with_claims() const { return with_claims_; }  // of persistent volumes

 private:
  struct Other {
    std::string node;
    ResourceAmounts requests;  // volumes included
    ResourceAmounts declared;  // without volumes
    std::vector<std::string> claims;
    NodeCache::Whose whose = NodeCache::Whose::others;
    friend bool operator==(const Other&, const Other&) = default;
  };
  Update update_ours(const Pod& pod, TimePoint now);
  Update update_steered(const Pod& pod, TimePoint now);
  Update update_ungated(const Pod& pod, PodRecord& record);
  void begin(const Pod& pod, PodRecord& record, TimePoint now);
  void update_other(const Pod& pod);
  void forget_other(const ObjectMeta& meta);
  void update_nomination(const Pod& pod);
  void note_nomination(const Pod& pod, PodRecord& record);
  void note_resize(const Pod& pod, PodRecord& record);
  void count_volumes_again();
  void check_claims(const Pod& pod, PodRecord& record, PodNeeds& needs) const;
  void read_spec(const Pod& pod, PodRecord& record);
  static void add_size(PodRecord& record);
  void join_group(PodRecord& record);
  void review_groups();
  void join_application(PodRecord& record);
  bool has_first_use(const Pod& pod) const;
  std::vector<LabelRequirement> excluded_for(const PodRecord& record);
  Change review(PodRecord& record, const Pod& pod);
  static bool has_gone_back(const PodRecord& record, const Pod& pod);
  Update begin_again(const Pod& pod, PodRecord& record, TimePoint now);
  void learn(const Pod& pod, PodRecord& record);
  void learn(PodRecord& record, TimePoint end);
  std::string type_under(const PodRecord& record) const;
  void leave_node(PodRecord& record);
  void set_state(PodRecord& record, PodState state);
  void set_class(PodRecord& record, const PodNeeds& needs);

  const std::string scheduler_;
  const ClaimLookup& claims_;
  const PodGroups& groups_;
  NodeCache& nodes_;
  const Frameworks frameworks_;
  PodClasses classes_;
  RunTimes run_times_;
  TypeSpeeds type_speeds_;
  AntiAffinity anti_affinity_;
  ClaimUsers claim_users_;
  ServiceCounts services_;
  std::map<std::string, std::unique_ptr<PodRecord>> ours_;  // by namespace/name
  std::set<std::string> nominated_;
  UnplacedPods unplaced_;
  Part placed_, steered_, with_claims_;            // of ours_, by the same texts
  std::unordered_map<std::string, Other> others_;  // on a node; looked up only
  std::map<std::string, Pod> depends_on_others_;   // their last version
  struct Driver {
    std::string uid;
    PodAnnotations says;
  };
  std::map<std::string, Driver> drivers_;  // by namespace and application
  std::set<std::string> rejoined_;         // pods of review_applications()
  std::uint64_t groups_seen_ = 0;
  bool regrouped_ = false;
  bool went_back_ = false;
};

}  // namespace lips::kubernetes
