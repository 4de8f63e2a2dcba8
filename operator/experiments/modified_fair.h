// The experiments of the modified fair scheduler's paper (section 4): original fair, modified fair and FIFO on eight
// nodes in two racks, over random arrivals.
#pragma once

#include "experiments/experiment.h"

namespace lips::experiments {

Result<ExperimentResult> modified_fair_a(const ExperimentRun& run);           // Tables 5 and 6
Result<ExperimentResult> modified_fair_b(const ExperimentRun& run);           // Tables 7 and 8
Result<ExperimentResult> modified_fair_mechanisms(const ExperimentRun& run);  // the effect of each of the five, in B

}  // namespace lips::experiments
