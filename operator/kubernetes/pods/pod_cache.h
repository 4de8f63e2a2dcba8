// The pods of all schedulers: ours, and those that we steer, as records, others as what they take of their node. Knows
// what each pod of ours asks for and whether it may be placed; knows no ids of the model but the task that a record
// names.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "kubernetes/pods/anti_affinity.h"
#include "kubernetes/pods/claim_users.h"
#include "kubernetes/pods/node_cache.h"
#include "kubernetes/pods/pod_classes.h"
#include "kubernetes/pods/pod_record.h"
#include "kubernetes/pods/run_times.h"

namespace lips::kubernetes {

class PodCache {
 public:
  PodCache(std::string scheduler, const ClaimLookup& claims, NodeCache& nodes)
      : scheduler_(std::move(scheduler)), claims_(claims), nodes_(nodes), anti_affinity_(nodes) {}

  // What a new version of a pod changed for the model.
  enum class Change : std::uint8_t {
    none,
    arrived,       // to be told to the model: waiting, or already on a node
    placed,        // is on record->node
    ended,         // gave back what it took
    withdrawn,     // will not be placed by us any more
    spec_changed,  // asks for something else than before: first withdrawn, then arrived
  };
  struct Update {
    Change change = Change::none;
    PodRecord* record = nullptr;
    std::string elsewhere_than;  // the node that we had in mind, when it is on another one
  };
  Update update(const Pod& pod, TimePoint now);
  // A pod of another scheduler whose gate somebody else has taken away: to be forgotten before it is seen as others'.
  bool has_left(const Pod& pod);
  // Returns what the record was, so that the model can be told; nullptr: not ours.
  std::unique_ptr<PodRecord> forget(const ObjectMeta& meta, TimePoint now);

  PodRecord* find(const ObjectMeta& meta);  // the same uid
  // Binding began, was refused, or is certain.
  void begin_binding(PodRecord& record, const std::string& node);
  void end_binding(PodRecord& record, PodState then);
  void place(PodRecord& record, const std::string& node);
  // Its gate is gone, and its room is kept on the plan's node; nobody knows any more where it will go.
  void ungate(PodRecord& record);
  void give_up_room(PodRecord& record);
  // Asks the filters again, after claims or volumes changed; those that may be placed now.
  std::vector<PodRecord*> review_held();
  // Whether a claim that is for one pod at a time may have become free.
  bool take_claims_left() { return claim_users_.take_left(); }
  // Waiting pods that other pods' anti-affinity keeps out of other domains than when this was asked last.
  std::vector<PodRecord*> review_anti_affinity();
  // The least priority of those that wait; none: nobody does.
  std::optional<std::int32_t> least_waiting_priority() const;
  // A held pod that is to be tried again.
  bool release(PodRecord& record);
  void hold(PodRecord& record, UnschedulableReason reason, std::string text);

  // Classes of pods that are gone, once they are many. True: all classes have other ids now.
  bool forget_unused_classes();

  PodClasses& classes() { return classes_; }
  const PodClasses& classes() const { return classes_; }
  RunTimes& run_times() { return run_times_; }
  // Tasks that run longer than expected; `assumed`: where nothing is known.
  void review_run_times(TimePoint now, Duration assumed);
  const std::map<std::string, std::unique_ptr<PodRecord>>& ours() const { return ours_; }

 private:
  struct Other {
    std::string node;
    ResourceAmounts requests;  // with its volumes
    ResourceAmounts asked;     // without
    std::vector<std::string> claims;
    friend bool operator==(const Other&, const Other&) = default;
  };
  Update update_ours(const Pod& pod, TimePoint now);
  Update update_steered(const Pod& pod, TimePoint now);
  Update update_ungated(const Pod& pod, PodRecord& record);
  void begin(const Pod& pod, PodRecord& record, TimePoint now);
  void update_other(const Pod& pod);
  void update_nomination(const Pod& pod);
  void note_resize(const Pod& pod, PodRecord& record);
  void count_volumes_again();
  void check_claims(const Pod& pod, PodRecord& record, PodNeeds& needs) const;
  void read_spec(const Pod& pod, PodRecord& record);
  Change review(PodRecord& record, const Pod& pod);
  void learn(const Pod& pod, PodRecord& record);
  void learn(PodRecord& record, TimePoint end);
  void leave_node(PodRecord& record);

  const std::string scheduler_;
  const ClaimLookup& claims_;
  NodeCache& nodes_;
  PodClasses classes_;
  RunTimes run_times_;
  AntiAffinity anti_affinity_;
  std::uint64_t anti_affinity_seen_ = 0;
  ClaimUsers claim_users_;
  std::map<std::string, std::unique_ptr<PodRecord>> ours_;  // by namespace/name
  std::unordered_map<std::string, Other> others_;           // on a node; looked up only
  std::map<std::string, Pod> held_for_volumes_;             // as last seen
};

}  // namespace lips::kubernetes
