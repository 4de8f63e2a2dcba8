// The experiments of Guo, Fox and Zhou, "Investigation of Data Locality and Fairness in MapReduce" (MapReduce 2012),
// section 4: the printed figures beside those of our policies, in every possible reading of the text.
#pragma once

#include "experiments/experiment.h"

namespace lips::experiments {

Result<ExperimentResult> guo_4_1(const ExperimentRun& run);
Result<ExperimentResult> guo_4_2a(const ExperimentRun& run);
Result<ExperimentResult> guo_4_2b(const ExperimentRun& run);
Result<ExperimentResult> guo_4_2c(const ExperimentRun& run);
Result<ExperimentResult> guo_4_3a(const ExperimentRun& run);
Result<ExperimentResult> guo_4_3b(const ExperimentRun& run);
Result<ExperimentResult> guo_4_3c(const ExperimentRun& run);
Result<ExperimentResult> guo_4_3d(const ExperimentRun& run);
Result<ExperimentResult> guo_4_4(const ExperimentRun& run);

}  // namespace lips::experiments
