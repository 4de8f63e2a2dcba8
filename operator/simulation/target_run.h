// The targets of a simulated run: holds them, and measures what came of them at the true prices.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "controller/epoch_controller.h"
#include "simulation/run_result.h"
#include "simulation/scenario.h"
#include "targets/keeper.h"

namespace lips::simulation {

class TargetRun {
 public:
  explicit TargetRun(const Scenario& scenario);
  // Holds the scenario's targets, if there are any, and measures: for them, or in any case.
  void join(EpochController& controller, bool measure);
  std::vector<TargetOutcome> outcomes() const;
  std::vector<DayFigures> by_day() const;

 private:
  void add(const std::string& pool, const Targets& targets, std::vector<TargetOutcome>& outcomes) const;
  double reached(const std::string& pool, const Targets& targets, TargetKind kind, std::int64_t day) const;
  std::vector<std::int64_t> days() const;  // with arrivals
  void note(const TargetReport& report);

  const Scenario& scenario_;
  const IdVector<NodeId, Node> nodes_;  // at their true prices
  TargetLedger truth_;
  TargetKeeper keeper_;
  struct Refusal {
    Duration after{};
    std::string why;
  };
  std::map<std::pair<std::string, TargetKind>, Refusal> refusals_;  // the first of each target
};

}  // namespace lips::simulation
