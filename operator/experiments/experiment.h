// A reproduced experiment: a name, the paper's figure, and a function that returns printed claims beside our figures.
// To add one, write a function and a line in registry.cpp. Knows no clock, file or option.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "experiments/claim.h"
#include "policies/policy.h"

namespace lips::experiments {

class SimulatedRuns;  // experiments/simulated_runs.h

struct ExperimentRun {
  std::uint32_t seeds = 15;
  std::uint32_t threads = 1;  // results do not depend on it
  bool quick = false;         // only the smallest sizes of every sweep, for tests
  std::string config_folder;  // of the shipped scenarios; empty: found beside the program
  const Stopwatch* stopwatch = nullptr;
  std::function<void(double)> progress;      // the share that is done, 0..1; called from several threads
  std::function<bool()> stop;                // true: end now
  std::shared_ptr<SimulatedRuns> simulated;  // runs that several figures share; none: no sharing

  bool stopped() const { return stop && stop(); }
  void report(double share) const {
    if (progress) progress(share);
  }
};

// Runs piece(0), piece(1), ... on the run's threads, each once, in any order, with progress; `cancelled` if stopped
// before all of them ran. Each piece writes its result to its own place.
Result<void> each_piece(const ExperimentRun& run, std::size_t count, const std::function<void(std::size_t)>& piece);

// The assumptions of a result.
struct Setting {
  std::vector<std::string> fixed;   // by the paper
  std::vector<std::string> chosen;  // by us, where the paper is silent or ambiguous
};

// The part of a run's progress between two shares of it.
ExperimentRun part_of(const ExperimentRun& run, double from, double to);

struct ChartPoint {
  double x = 0, y = 0;
};

struct Curve {
  std::string name;
  std::vector<ChartPoint> points;  // by x; of bars: x is the place in Chart::categories
};

struct Chart {
  std::string title, note;
  std::string x_title, unit;  // unit of y
  std::vector<Curve> curves;
  std::vector<std::string> categories = {};  // bars instead of lines: one group of bars each
  bool logarithmic_x = false;
};

// Adds a bar to that curve, in the last category; begins the curve if there is none yet.
void add_bar(Chart& chart, std::size_t curve, std::string_view name, double value);

struct ExperimentResult {
  Setting setting;
  std::vector<Claim> claims;
  std::vector<Chart> charts;
  std::vector<std::string> notes;  // remarks on the result
};

struct Experiment {
  std::string_view name;     // "lips-fig6"
  std::string_view paper;    // "LiPS"
  std::string_view figure;   // "Fig. 6"
  std::string_view summary;  // one line
  double seconds;            // approximate time with 15 seeds on two cores, for estimates
  Result<ExperimentResult> (*run)(const ExperimentRun& run);
};

std::span<const Experiment> experiment_registry();
// "all", a name, or the first part of one ("lips", "guo-4.2"), in the order of the table; empty when there is none.
std::vector<const Experiment*> find_experiments(std::string_view name);

}  // namespace lips::experiments
