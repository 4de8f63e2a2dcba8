// The fair scheduler of Hadoop 1.2.1 and the modified one as policies. Neither preempts: nothing in the plan can end a
// running task.
#include "policies/papers/fair/fair.h"

#include <algorithm>

#include "policies/drafting/draft.h"
#include "policies/papers/fair/fair_round.h"
#include "policies/papers/fair/share_update.h"

namespace lips {

namespace {

class Fair : public Policy {
 public:
  Fair(const PolicySettings& settings, const ModifiedFairSettings& mechanisms)
      : settings_(settings), mechanisms_(mechanisms) {}

  Cadence cadence() const override { return {Cadence::Trigger::heartbeats, settings_.heartbeat, Duration(0)}; }

  Result<Plan> decide(const PolicyInput& input) const override {
    Draft draft(input);
    if (input.cluster.pending_tasks == 0) return draft.finish(DeferralReason::no_capacity);
    fair::StageSlots slots(draft, settings_.reduce_slots, fair::LoadCounts::within_maxima);
    std::optional<ShareMemory> shares;
    if (mechanisms_.small_pool || mechanisms_.demand_shares) shares = fair::current_shares(draft, slots, mechanisms_);
    const fair::Mechanisms on = mechanisms(input.cluster, shares ? &*shares : nullptr);
    fair::FairRound maps(draft, slots, TaskKind::map, on, input, settings_.heartbeat);
    fair::FairRound reduces(draft, slots, TaskKind::reduce, on, input, settings_.heartbeat);
    for (const NodeId node : input.reporting) {
      maps.answer(node);
      if (slots.separate()) reduces.answer(node);
    }
    Plan plan = draft.finish(maps.refused()         ? DeferralReason::waits_for_locality
                             : maps.reached_limit() ? DeferralReason::pool_maximum
                                                    : DeferralReason::no_capacity);
    if (shares && shares != input.cluster.shares) plan.remember_shares = std::move(shares);
    return plan;
  }

 private:
  fair::Mechanisms mechanisms(const ClusterSnapshot& cluster, const ShareMemory* shares) const {
    fair::Mechanisms on;
    on.resource_order = mechanisms_.resource_order;
    on.moving_priority = mechanisms_.moving_priority;
    on.adaptive_delays = mechanisms_.adaptive_delays;
    if (mechanisms_.small_pool && shares->small_pool) on.small_pool = shares;
    if (mechanisms_.demand_shares) on.shares = shares;
    const fair::Delays configured{settings_.delay.node, settings_.delay.rack};
    on.delays = mechanisms_.adaptive_delays ? fair::mean_waits(cluster, configured) : configured;
    on.readings = mechanisms_;
    return on;
  }

  const PolicySettings settings_;
  const ModifiedFairSettings mechanisms_;
};

}  // namespace

std::unique_ptr<Policy> make_modified_fair(const PolicySettings& settings) {
  return std::make_unique<Fair>(settings, settings.modified_fair);
}

std::unique_ptr<Policy> make_fair(const PolicySettings& settings) {
  ModifiedFairSettings none = settings.modified_fair;
  none.small_pool = none.demand_shares = none.resource_order = none.adaptive_delays = none.moving_priority = false;
  return std::make_unique<Fair>(settings, none);
}

}  // namespace lips
