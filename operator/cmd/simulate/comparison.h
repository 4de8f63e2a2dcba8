// Several runs of one scenario, and their forms: text, JSON and the report's data. Reads no options.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "simulation/run_result.h"
#include "simulation/scenario.h"
#include "telemetry/report/report.h"

namespace lips::cmd {

struct Bound {
  double dollars = 0;
  double horizon_seconds = 0;
};

struct EpochRun {
  Duration epoch{};
  simulation::RunResult result;
};

struct Comparison {
  const simulation::Scenario* scenario = nullptr;
  std::string baseline;  // empty: the first run beside the subject
  std::vector<simulation::RunResult> runs;
  std::vector<EpochRun> epochs;
  std::optional<Bound> bound;
  std::vector<std::optional<double>> waiting_bounds;  // dollars of each run's; empty: not asked for
  std::vector<std::string> not_run;                   // policies left out because of an interrupt
};

// "12 of 40 jobs unfinished"; empty when all is well.
std::string caution(const simulation::RunResult& run);

ReportData report_data(const Comparison& comparison);
std::string comparison_text(const Comparison& comparison, std::size_t width);
std::string comparison_json(const Comparison& comparison);

}  // namespace lips::cmd
