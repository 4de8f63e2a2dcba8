// Hadoop's default as Li, Lee and Hu describe it (Algorithm 1): local tasks, then remote ones, and last those that
// must decode their block, so all degraded reads meet at the end of the map phase.
#include "policies/papers/degraded/degraded_policies.h"
#include "policies/papers/degraded/node_answer.h"

namespace lips {

namespace {

void answer(Draft& draft, const std::vector<JobId>& jobs, NodeId node) {
  NodeAnswer other(draft);
  for (JobId job : jobs) {
    if (!draft.free.has_room(node)) return;
    while (draft.tasks.left(job) > 0 && draft.free.can_take(draft.free.kind_of(draft.cluster.jobs[job]), node)) {
      TaskId task = other.next(job, node);
      if (!task.valid()) task = draft.tasks.degraded(job);
      if (!task.valid()) break;
      draft.assign(task, node);
    }
  }
}

class LocalityFirst : public Policy {
 public:
  explicit LocalityFirst(const PolicySettings& settings) : settings_(settings) {}
  Cadence cadence() const override { return {Cadence::Trigger::heartbeats, settings_.heartbeat, Duration(0)}; }
  Result<Plan> decide(const PolicyInput& input) const override {
    Draft draft(input);
    draft.source_rule.choice = settings_.degraded.sources;
    if (input.cluster.pending_tasks > 0) {
      const std::vector<JobId> jobs = jobs_by_priority(input.cluster);
      for (NodeId node : input.reporting)
        if (draft.free.has_room(node)) answer(draft, jobs, node);
    }
    return draft.finish(DeferralReason::no_capacity);
  }

 private:
  PolicySettings settings_;
};

}  // namespace

std::unique_ptr<Policy> make_locality_first(const PolicySettings& settings) {
  return std::make_unique<LocalityFirst>(settings);
}

}  // namespace lips
