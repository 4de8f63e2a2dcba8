#include "simulation/target_run.h"

#include <algorithm>

#include "model/days.h"

namespace lips::simulation {

namespace {

constexpr Duration whole_run = longest_span;

IdVector<NodeId, Node> priced(IdVector<NodeId, Node> nodes) {
  for (Node& node : nodes)
    if (node.cpu_price.value() == 0 && node.capacity.cpu.value() > 0)
      node.cpu_price = full_packing_price(node.price, node.capacity.cpu, node.speed);
  return nodes;
}

bool has_targets(const Scenario& scenario) {
  return scenario.settings.targets.any() || std::any_of(scenario.cluster.pools.begin(), scenario.cluster.pools.end(),
                                                        [](const Pool& pool) { return pool.targets.any(); });
}

}  // namespace

TargetRun::TargetRun(const Scenario& scenario)
    : scenario_(scenario),
      nodes_(priced(scenario.cluster.nodes)),
      truth_(
          scenario.billing, scenario.costs,
          [this](const ClusterSnapshot&, NodeId id) -> const Node& { return nodes_[id]; }, whole_run),
      keeper_({[this] { return scenario_.settings.targets; }, scenario.billing,
               [this](const TargetReport& report) { note(report); }},
              scenario.costs) {}

void TargetRun::join(EpochController& controller, bool measure) {
  const bool targets = has_targets(scenario_);
  if (targets) controller.price_waiting_by(keeper_);
  if (targets || measure) controller.observe(truth_);
}

std::vector<std::int64_t> TargetRun::days() const {
  const std::int64_t first = day_of(scenario_.cluster.now);
  std::int64_t last = first;
  if (!scenario_.jobs.empty()) last = std::max(first, day_of(scenario_.jobs.back().job.arrival - Duration(1)));
  std::vector<std::int64_t> result;
  for (std::int64_t day = first; day <= last; ++day) result.push_back(day);
  return result;
}

std::vector<DayFigures> TargetRun::by_day() const {
  std::vector<DayFigures> result;
  for (const std::int64_t day : days())
    result.push_back({truth_.day("", day).dollars, truth_.day("", day).mean_wait()});
  return result;
}

void TargetRun::note(const TargetReport& report) {
  if (report.state == TargetState::cannot)
    refusals_.try_emplace({report.pool, report.kind}, Refusal{truth_.now() - scenario_.cluster.now, report.why});
}

double TargetRun::reached(const std::string& pool, const Targets& targets, TargetKind kind, std::int64_t day) const {
  switch (kind) {
    case TargetKind::budget_per_day:
      return truth_.day(pool, day).dollars.value();
    case TargetKind::mean_wait:
      return truth_.day(pool, day).mean_wait();
    case TargetKind::complete_by:
      break;
  }
  const TimePoint by(one_day * day + targets.complete_by);
  return to_seconds(truth_.lateness(pool, by).value_or(Duration(0)));
}

void TargetRun::add(const std::string& pool, const Targets& targets, std::vector<TargetOutcome>& outcomes) const {
  const auto one = [&](TargetKind kind, double target) {
    if (target <= 0) return;
    TargetOutcome outcome;
    outcome.pool = pool, outcome.kind = kind, outcome.target = target;
    for (const std::int64_t day : days()) outcome.by_day.push_back(reached(pool, targets, kind, day));
    if (const auto refusal = refusals_.find({pool, kind}); refusal != refusals_.end())
      outcome.refused = refusal->second.after, outcome.why = refusal->second.why;
    outcomes.push_back(std::move(outcome));
  };
  one(TargetKind::budget_per_day, targets.budget_per_day.value());
  one(TargetKind::mean_wait, to_seconds(targets.mean_wait));
  one(TargetKind::complete_by, to_seconds(targets.complete_by));
}

std::vector<TargetOutcome> TargetRun::outcomes() const {
  std::vector<TargetOutcome> outcomes;
  add("", scenario_.settings.targets, outcomes);
  for (const Pool& pool : scenario_.cluster.pools) add(pool.name, pool.targets, outcomes);
  return outcomes;
}

}  // namespace lips::simulation
