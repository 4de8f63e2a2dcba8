// Every policy against the lower bound on the same scenarios: the table of docs/experiments.md.
#pragma once

#include "experiments/experiment.h"

namespace lips::experiments {

Result<ExperimentResult> policies_vs_bound(const ExperimentRun& run);

}  // namespace lips::experiments
