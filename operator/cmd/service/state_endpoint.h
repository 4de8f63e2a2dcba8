// Answers requests for the state of a running operator: all inputs of its next plan, for `lips why` and the like. The
// controller's thread makes a copy only if somebody has asked; others write it as text.
#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "cmd/service/live_policy.h"
#include "records/epoch_record.h"
#include "telemetry/status/status_server.h"

namespace lips::cmd {

class StateEndpoint {
 public:
  struct Questions {  // from any thread
    std::function<bool()> leads;
    std::function<std::vector<JobDay>()> ledger;
    std::function<std::vector<TargetReport>()> targets;
    std::function<std::vector<OwnTargetReport>()> own_targets;
    std::function<TwinState()> twin;
  };
  // With `lists_absent` the snapshots list every node that may be launched (model/offered_nodes).
  StateEndpoint(Questions questions, bool lists_absent)
      : questions_(std::move(questions)), lists_absent_(lists_absent) {}

  // On the controller's thread, after each plan.
  void planned(const NamedPolicy& by, const PolicyInput& input, const Plan& plan, double seconds);
  // On the controller's thread between two changes of the state, at least once a second. `name_pods` adds the names.
  using NamePods = std::function<void(LiveFacts&)>;
  void look(const ClusterSnapshot& cluster, TimePoint now, const NamePods& name_pods);
  // The controller has ended: nobody looks any more.
  void close();

  // From any thread; both wait for a look that comes after the question, so that nobody gets an old state.
  StateAnswer answer();
  std::shared_ptr<const EpochRecord> record();  // null: the operator is busy, stands by or has made no plan yet

 private:
  struct Copy {
    double made_at = 0;  // seconds of a stopwatch
    std::mutex mutex;
    std::shared_ptr<EpochRecord> record;  // none: `text` has it
    bool complete = false;                // the record has what other threads know
    std::string text;                     // written by the first who needs it
  };
  void complete(Copy& copy) const;
  std::shared_ptr<Copy> wait_for_copy();

  const Questions questions_;
  const bool lists_absent_;
  std::atomic<bool> wanted_{false};
  // Members of the controller's thread alone:
  std::optional<EpochRecord> inputs_;  // of the last plan, without its snapshot
  std::deque<PastPlan> plans_;         // oldest first
  double next_copy_ = 0;               // not before; seconds of a stopwatch

  std::mutex mutex_;
  std::condition_variable arrived_;
  std::shared_ptr<Copy> copy_;
  int waiting_ = 0;
  bool closed_ = false;
};

}  // namespace lips::cmd
