// The analysis and the simulations of Li, Lee and Hu, "Degraded-First Scheduling for MapReduce in Erasure-Coded Storage
// Clusters" (DSN 2014), sections IV-B and V-B: the printed figures beside those of our simulator and policies.
#pragma once

#include "experiments/experiment.h"

namespace lips::experiments {

Result<ExperimentResult> li_fig5(const ExperimentRun& run);   // analysis
Result<ExperimentResult> li_fig7a(const ExperimentRun& run);  // codes
Result<ExperimentResult> li_fig7b(const ExperimentRun& run);  // native blocks
Result<ExperimentResult> li_fig7c(const ExperimentRun& run);  // rack bandwidth
Result<ExperimentResult> li_fig7d(const ExperimentRun& run);  // failures
Result<ExperimentResult> li_fig7e(const ExperimentRun& run);  // shuffle

}  // namespace lips::experiments
