#include "policies/papers/lsap/lsap_policy.h"

#include "policies/drafting/draft.h"
#include "policies/papers/lsap/task_costs.h"

namespace lips {

namespace {

enum class Variant : std::uint8_t { bandwidth, uniform, fair };

std::vector<std::uint64_t> running_by_pool(const ClusterSnapshot& cluster) {
  std::vector<std::uint64_t> running(cluster.pools.size(), 0);
  for (const RunningTask& run : cluster.running) ++running[cluster.jobs[run.job].pool.index()];
  return running;
}

class Lsap : public Policy {
 public:
  Lsap(const PolicySettings& settings, Variant variant) : settings_(settings), variant_(variant) {}

  Cadence cadence() const override { return {}; }

  // More than one round only where tasks ask for different amounts: slots are counted by the smallest, so what a round
  // puts together may not fit together, or may leave room beside it. The rest is assigned again to what is left.
  Result<Plan> decide(const PolicyInput& input) const override {
    Draft draft(input);
    const lsap::LevelCosts levels = variant_ == Variant::uniform ? lsap::uniform_level_costs()
                                                                 : lsap::level_costs(input.cluster.network, settings_);
    std::vector<std::uint64_t> running = running_by_pool(input.cluster);
    for (bool again = true; again;) again = assign_wave(draft, levels, running);
    return draft.finish(DeferralReason::no_capacity);
  }

 private:
  // Says whether another round may find more.
  bool assign_wave(Draft& draft, const lsap::LevelCosts& levels, std::vector<std::uint64_t>& running) const {
    const bool by_rack = levels.cost[Locality::rack] != levels.cost[Locality::zone];
    const lsap::Wave wave = lsap::gather_wave(draft, by_rack, variant_ == Variant::fair ? 2 : 1);
    if (wave.tasks.empty() || wave.slots == 0) return false;
    std::vector<lsap::TaskCost> costs = variant_ == Variant::fair
                                            ? lsap::fair_costs(draft.cluster, wave, levels, running, settings_)
                                            : lsap::locality_costs(draft.cluster, wave, levels);
    lsap::add_credit(draft.cluster, wave, settings_.lsap.patience, costs);
    const lsap::Placing placing = lsap::solve_placement(draft.cluster, wave, levels, costs, lsap::most_dense_pairs);
    bool assigned = false;
    for (const lsap::Placed& placed : placing.placed) {
      const lsap::WaitingTask& task = wave.tasks[placed.task];
      const NodeId node = wave.nodes[placed.node].node;
      if (!draft.free.can_take(task.kind, node)) continue;
      draft.assign(task.task, node);
      assigned = true;
      ++running[draft.cluster.jobs[draft.cluster.tasks[task.task].job].pool.index()];
    }
    return assigned;
  }

  const PolicySettings settings_;
  const Variant variant_;
};

}  // namespace

std::unique_ptr<Policy> make_lsap(const PolicySettings& settings) {
  return std::make_unique<Lsap>(settings, Variant::bandwidth);
}
std::unique_ptr<Policy> make_lsap_uniform(const PolicySettings& settings) {
  return std::make_unique<Lsap>(settings, Variant::uniform);
}
std::unique_ptr<Policy> make_lsap_fair(const PolicySettings& settings) {
  return std::make_unique<Lsap>(settings, Variant::fair);
}

}  // namespace lips
