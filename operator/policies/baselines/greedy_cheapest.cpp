// LiPS's greedy algorithm (section IV): job by job, each task to the free slot of the lowest CPU plus transfer cost.
#include "policies/baselines/baselines.h"
#include "policies/drafting/cheapest_nodes.h"
#include "policies/drafting/cheapest_with_data.h"
#include "policies/drafting/draft.h"

namespace lips {

namespace {

class GreedyCheapest : public Policy {
 public:
  Cadence cadence() const override { return {}; }
  Result<Plan> decide(const PolicyInput& input) const override {
    Draft draft(input);
    if (draft.free.open_left() > 0) {
      CheapestNodes nodes(input.cluster, draft.free);
      for (JobId job : input.cluster.pending) {
        if (draft.free.open_left() == 0) break;
        const std::vector<TaskGroup>& groups = input.cluster.groups[job];
        for (std::uint32_t group = 0; group < groups.size(); ++group)
          if (can_run(groups[group])) place(draft, nodes, job, group);
      }
    }
    Plan plan = draft.finish(DeferralReason::no_capacity);
    plan.account.form = ModelForm::greedy;
    return plan;
  }

 private:
  static void place(Draft& draft, CheapestNodes& nodes, JobId job, std::uint32_t group) {
    const FreeCapacity::Kind kind = draft.free.kind_of(draft.cluster.jobs[job]);
    const CheapestWithData cheapest(draft, job, group);
    assign_group(draft, job, group, [&] { return cheapest.node(nodes, kind); });
  }
};

}  // namespace

std::unique_ptr<Policy> make_greedy_cheapest(const PolicySettings&) { return std::make_unique<GreedyCheapest>(); }

}  // namespace lips
