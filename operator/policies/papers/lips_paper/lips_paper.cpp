#include "policies/papers/lips_paper/lips_paper.h"

#include <fmt/format.h>

#include <algorithm>

#include "policies/lips/data/new_data.h"
#include "policies/papers/lips_paper/lips_paper_bound.h"
#include "policies/papers/lips_paper/lips_paper_greedy.h"
#include "policies/papers/lips_paper/lips_paper_plan.h"

namespace lips {

namespace {

class LipsPaper : public Policy {
 public:
  explicit LipsPaper(const PaperMode& mode) : mode_(mode) {}

  Cadence cadence() const override { return mode_.cadence; }

  Result<Plan> decide(const PolicyInput& input) const override {
    const Stopwatch none;
    const Stopwatch& watch = input.stopwatch ? *input.stopwatch : none;
    const double begin = watch.seconds();
    if (mode_.horizon.count() == 0) {
      Plan plan = paper::greedy(input);
      plan.account.seconds.total = watch.seconds() - begin;
      return plan;
    }
    const Duration epoch = horizon(input.cluster);
    const paper::SnapshotInstance snapshot =
        paper::paper_instance(input.cluster, input.costs, epoch, mode_.granularity);
    const double grouped = watch.seconds();
    Result<paper::Solution> solution = paper::Solution{};
    if (!snapshot.instance.parts.empty()) solution = paper::solve(snapshot.instance, mode_.model);
    if (!solution) return tl::unexpected<Error>(solution.error());
    const double solved = watch.seconds();
    Plan plan = paper::place(input, snapshot, *solution, mode_.least_task);
    account(snapshot, *solution, plan.account);
    certify(input.cluster, snapshot, *solution, plan);
    plan.account.seconds = {.group = grouped - begin,
                            .solve = solved - grouped,
                            .pack = watch.seconds() - solved,
                            .total = watch.seconds() - begin};
    if (mode_.adaptive == AdaptiveEpoch::on) plan.replan_after = epoch;
    place_new_data(input, epoch, plan);
    return plan;
  }

 private:
  Duration horizon(const ClusterSnapshot& cluster) const {
    if (mode_.adaptive == AdaptiveEpoch::off) return mode_.horizon;
    CpuSeconds pending, speed;
    for (JobId job : cluster.pending) pending += cluster.jobs[job].pending_work;
    for (const Node& node : cluster.nodes)
      if (node.schedulable) speed += node.work_per(std::chrono::seconds(1));
    return adapted_epoch(mode_.horizon, pending, speed);
  }

  void account(const paper::SnapshotInstance& snapshot, const paper::Solution& solution, PlanAccount& account) const {
    account.form = mode_.granularity == paper::Granularity::nodes ? ModelForm::nodes : ModelForm::classes;
    account.groups = static_cast<std::uint32_t>(solution.groups);
    account.classes = static_cast<std::uint32_t>(snapshot.instance.machines.size());
    account.rows = solution.rows;
    account.columns = solution.columns;
    for (std::size_t machine = 0; machine < solution.machine_shadow.size(); ++machine) {
      const double price = solution.machine_shadow[machine].value();
      if (price <= 0) continue;
      account.shadow_prices.push_back({name(snapshot, machine), price, "CPU-second"});
    }
  }

  static void certify(const ClusterSnapshot& cluster, const paper::SnapshotInstance& snapshot,
                      const paper::Solution& solution, Plan& plan) {
    PlanAccount& account = plan.account;
    account.objective = account.dollars() + account.waiting;
    account.lower_bound = paper::bound_for_whole_tasks(cluster, snapshot, solution, plan);
    if (account.lower_bound->value() > 0) account.gap = *account.objective / *account.lower_bound - 1;
  }

  static std::string name(const paper::SnapshotInstance& snapshot, std::size_t machine) {
    const paper::Machine& m = snapshot.instance.machines[machine];
    return fmt::format("{} nodes like node {}", m.count, snapshot.machine_nodes[machine].front().index());
  }

  PaperMode mode_;
};

}  // namespace

Duration adapted_epoch(Duration epoch, CpuSeconds pending, CpuSeconds cluster_per_second) {
  const Duration least = epoch / 4, most = epoch * 4;
  if (pending.value() <= 0) return least;
  const double needed = pending / (cluster_per_second * 0.8);
  if (!(needed < to_seconds(most))) return most;
  return std::max(least, seconds(needed));
}

std::unique_ptr<Policy> make_paper_policy(const PaperMode& mode) { return std::make_unique<LipsPaper>(mode); }

std::unique_ptr<Policy> make_lips_paper(const PolicySettings& settings) {
  PaperMode mode;
  mode.horizon = settings.paper.epoch;
  mode.adaptive = settings.paper.adaptive_epoch;
  mode.least_task = settings.paper.least_task;
  if (settings.paper.epoch.count() > 0)
    mode.cadence = {Cadence::Trigger::epoch, settings.paper.epoch, Duration(0)};
  else
    mode.cadence = {Cadence::Trigger::events, settings.replan_every, settings.replan_least};
  return make_paper_policy(mode);
}

}  // namespace lips
