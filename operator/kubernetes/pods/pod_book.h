// The pods of all schedulers: ours as records, others as what they take of their node. Knows what each pod of ours asks
// for and whether it may be placed; knows no ids of the model but the task that a record names.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "kubernetes/pods/node_book.h"
#include "kubernetes/pods/pod_kinds.h"
#include "kubernetes/pods/pod_record.h"
#include "kubernetes/pods/run_times.h"

namespace lips::kubernetes {

class PodBook {
 public:
  PodBook(std::string scheduler, const ClaimLookup& claims, NodeBook& nodes)
      : scheduler_(std::move(scheduler)), claims_(claims), nodes_(nodes) {}

  // What a new version of a pod changed for the model.
  enum class Change : std::uint8_t {
    none,
    arrived,    // to be told to the model: waiting, or already on a node
    placed,     // is on record->node
    ended,      // gave back what it took
    withdrawn,  // will not be placed by us any more
    reworded,   // asks for something else than before: first withdrawn, then arrived
  };
  struct Seen {
    Change change = Change::none;
    PodRecord* record = nullptr;
    std::string elsewhere_than;  // the node that we had in mind, when it is on another one
  };
  Seen see(const Pod& pod, TimePoint now);
  // Returns what the record was, so that the model can be told; nullptr: not ours.
  std::unique_ptr<PodRecord> forget(const ObjectMeta& meta, TimePoint now);

  PodRecord* find(const ObjectMeta& meta);  // the same uid
  // Binding began, was refused, or is certain.
  void begin_binding(PodRecord& record, const std::string& node);
  void end_binding(PodRecord& record, PodState then);
  void place(PodRecord& record, const std::string& node);
  // Asks the filters again, after claims or volumes changed; those that may be placed now.
  std::vector<PodRecord*> review_held();
  // A held pod that is to be tried again.
  bool release(PodRecord& record);
  void hold(PodRecord& record, std::string_view reason, std::string text);

  // Kinds of pods that are gone, once they are many. True: all kinds have other ids now.
  bool forget_unused_kinds();

  PodKinds& kinds() { return kinds_; }
  const PodKinds& kinds() const { return kinds_; }
  RunTimes& run_times() { return run_times_; }
  // Tasks that run longer than expected; `assumed`: where nothing is known.
  void review_run_times(TimePoint now, Duration assumed);
  const std::map<std::string, std::unique_ptr<PodRecord>>& ours() const { return ours_; }

 private:
  struct Other {
    std::string node;
    ResourceAmounts requests;
  };
  Seen see_ours(const Pod& pod, TimePoint now);
  void see_other(const Pod& pod);
  void read_wishes(const Pod& pod, PodRecord& record);
  Change review(PodRecord& record, const Pod& pod);
  void learn(const Pod& pod, PodRecord& record);
  void learn(PodRecord& record, TimePoint end);
  void leave_node(PodRecord& record);
  static NodeBook::Whose whose(const PodRecord& record);

  const std::string scheduler_;
  const ClaimLookup& claims_;
  NodeBook& nodes_;
  PodKinds kinds_;
  RunTimes run_times_;
  std::map<std::string, std::unique_ptr<PodRecord>> ours_;  // by namespace/name
  std::unordered_map<std::string, Other> others_;           // on a node; looked up only
  std::map<std::string, Pod> held_for_volumes_;             // as last seen
};

}  // namespace lips::kubernetes
