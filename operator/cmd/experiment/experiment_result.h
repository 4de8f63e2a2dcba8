// The results of reproduced experiments in four forms: text, JSON, Markdown and a page. Knows no option and no
// experiment.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "experiments/experiment.h"

namespace lips::cmd {

struct ExperimentOutcome {
  const experiments::Experiment* experiment = nullptr;
  experiments::ExperimentResult result;
  double seconds = 0;
};

struct ExperimentOutcomes {
  std::uint32_t seeds = 0;
  std::vector<ExperimentOutcome> outcomes;
  std::vector<std::string> not_run;  // left out because of an interrupt
};

// A figure's points as a table: a row of titles, then one row for each x.
std::vector<std::vector<std::string>> chart_rows(const experiments::Chart& chart);
// "12 claims: 9 agree, 2 differ, 1 cannot be compared"
std::string verdicts_text(std::span<const ExperimentOutcome> outcomes);
std::string experiment_text(const ExperimentOutcome& outcome);
std::string experiments_json(const ExperimentOutcomes& all);
// The claims and the points of every figure as tables.
std::string experiments_markdown(const ExperimentOutcomes& all);
// One self-contained HTML page with every figure.
std::string experiments_page(const ExperimentOutcomes& all);

}  // namespace lips::cmd
