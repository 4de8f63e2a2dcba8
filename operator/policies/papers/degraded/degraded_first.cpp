// Degraded-first scheduling (Li, Lee and Hu, Algorithms 2 and 3): degraded tasks are paced over the map phase, so that
// their reads use links that local tasks leave idle. The enhanced version also minds the node's and the rack's load.
#include <optional>

#include "policies/papers/degraded/degraded_policies.h"
#include "policies/papers/degraded/local_load.h"
#include "policies/papers/degraded/node_answer.h"
#include "policies/papers/degraded/pacing.h"
#include "policies/papers/degraded/rack_spacing.h"

namespace lips {

namespace {

enum class Version : std::uint8_t { basic, enhanced };

class Heartbeats {
 public:
  Heartbeats(Draft& draft, Version version, const PolicySettings& settings)
      : draft_(draft), jobs_(jobs_by_priority(draft.cluster)), answer_(draft) {
    if (version == Version::basic) return;
    load_.emplace(draft, settings);
    racks_.emplace(draft, settings);
  }

  void answer(NodeId node) {
    if (!draft_.free.has_room(node)) return;
    answer_.begin();
    bool degraded_given = false;
    for (JobId job : jobs_) {
      if (!draft_.free.has_room(node)) return;
      if (draft_.tasks.left(job) == 0) continue;
      if (!degraded_given) degraded_given = give_degraded(job, node);
      while (draft_.free.can_take(draft_.free.kind_of(draft_.cluster.jobs[job]), node)) {
        const TaskId task = answer_.next(job, node);
        if (!task.valid()) break;
        assign(task, node);
      }
    }
  }

 private:
  bool give_degraded(JobId job, NodeId node) {
    const TaskId task = draft_.tasks.degraded(job);
    if (!task.valid() || !draft_.free.can_take(draft_.free.kind_of(draft_.cluster.jobs[job]), node)) return false;
    if (!map_progress(draft_, job).degraded_due()) return false;
    if (racks_ && !racks_->allows(node, task)) return false;
    if (load_ && !load_->allows(node)) return false;
    assign(task, node);
    if (racks_) racks_->launched(node);
    return true;
  }

  void assign(TaskId task, NodeId node) {
    draft_.assign(task, node);
    if (load_) load_->took(task);
  }

  Draft& draft_;
  std::vector<JobId> jobs_;
  NodeAnswer answer_;
  std::optional<LocalLoad> load_;
  std::optional<RackSpacing> racks_;
};

class DegradedFirst : public Policy {
 public:
  DegradedFirst(Version version, const PolicySettings& settings) : version_(version), settings_(settings) {}
  Cadence cadence() const override { return {Cadence::Trigger::heartbeats, settings_.heartbeat, Duration(0)}; }
  Result<Plan> decide(const PolicyInput& input) const override {
    Draft draft(input);
    draft.source_rule.choice = settings_.degraded.sources;
    if (input.cluster.pending_tasks > 0) {
      Heartbeats heartbeats(draft, version_, settings_);
      for (NodeId node : input.reporting) heartbeats.answer(node);
    }
    return draft.finish(DeferralReason::no_capacity);
  }

 private:
  Version version_;
  PolicySettings settings_;
};

}  // namespace

std::unique_ptr<Policy> make_degraded_first_basic(const PolicySettings& settings) {
  return std::make_unique<DegradedFirst>(Version::basic, settings);
}

std::unique_ptr<Policy> make_degraded_first(const PolicySettings& settings) {
  return std::make_unique<DegradedFirst>(Version::enhanced, settings);
}

}  // namespace lips
