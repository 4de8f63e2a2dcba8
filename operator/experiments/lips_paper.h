// The figures of the LiPS paper (Ehsan, Chen, Kang, Sion, Wong: LiPS, HiPC 2013): the printed figures beside those of
// its model, its policy and ours, in both readings of its prices. docs/lips-experiments.md discusses the results.
#pragma once

#include "experiments/experiment.h"

namespace lips::experiments {

Result<ExperimentResult> lips_fig1(const ExperimentRun& run);        // break-even of moving data
Result<ExperimentResult> lips_fig5(const ExperimentRun& run);        // the linear program against all-local
Result<ExperimentResult> lips_fig6(const ExperimentRun& run);        // dollars on 20 nodes
Result<ExperimentResult> lips_fig7(const ExperimentRun& run);        // execution time of the same runs
Result<ExperimentResult> lips_fig8(const ExperimentRun& run);        // epoch against dollars and time
Result<ExperimentResult> lips_fig9(const ExperimentRun& run);        // dollars on 100 nodes
Result<ExperimentResult> lips_fig10(const ExperimentRun& run);       // execution time of the same runs
Result<ExperimentResult> lips_fig11(const ExperimentRun& run);       // CPU time by node at two epochs
Result<ExperimentResult> lips_solve_time(const ExperimentRun& run);  // VI-A: time of the linear program

}  // namespace lips::experiments
