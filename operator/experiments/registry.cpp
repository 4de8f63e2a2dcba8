#include <array>

#include "experiments/experiment.h"
#include "experiments/guo.h"
#include "experiments/li.h"
#include "experiments/lips_paper.h"
#include "experiments/modified_fair.h"
#include "experiments/policies_vs_bound.h"

namespace lips::experiments {

namespace {

// In the order in which `lips experiment all` runs and reports them.
constexpr auto table = std::to_array<Experiment>({
    {"lips-fig1", "LiPS", "Fig. 1", "when moving data to cheaper nodes pays off", 0.1, lips_fig1},
    {"lips-fig5", "LiPS", "Fig. 5", "the linear program against the ideal all-local schedule", 10, lips_fig5},
    {"lips-fig6", "LiPS", "Fig. 6", "dollars for J1-J9 on 20 nodes", 1, lips_fig6},
    {"lips-fig7", "LiPS", "Fig. 7", "execution time of the runs of Fig. 6", 0.1, lips_fig7},
    {"lips-fig8", "LiPS", "Fig. 8", "dollars and execution time against the epoch", 0.5, lips_fig8},
    {"lips-fig9", "LiPS", "Fig. 9", "dollars for 400 SWIM jobs on 100 nodes", 66, lips_fig9},
    {"lips-fig10", "LiPS", "Fig. 10", "execution time of the runs of Fig. 9", 0.1, lips_fig10},
    {"lips-fig11", "LiPS", "Fig. 11", "CPU time by node at epochs of 400 s and 600 s", 0.1, lips_fig11},
    {"lips-solve-time", "LiPS", "VI-A", "time of one plan", 1, lips_solve_time},
    {"guo-4.1", "Guo", "4.1", "time of the assignment solver", 6, guo_4_1},
    {"guo-4.2a", "Guo", "4.2a", "locality against the size of the cluster", 0.2, guo_4_2a},
    {"guo-4.2b", "Guo", "4.2b", "locality against the replication", 0.1, guo_4_2b},
    {"guo-4.2c", "Guo", "4.2c", "locality against the number of tasks", 0.1, guo_4_2c},
    {"guo-4.3a", "Guo", "4.3a", "locality cost of lsap-uniform, one cost for all non-local reads", 0.2, guo_4_3a},
    {"guo-4.3b", "Guo", "4.3b", "locality cost of lsap by levels, half of the slots idle", 6, guo_4_3b},
    {"guo-4.3c", "Guo", "4.3c", "locality cost of lsap by levels, a fifth of the slots idle", 2, guo_4_3c},
    {"guo-4.3d", "Guo", "4.3d", "locality cost against the replication", 0.6, guo_4_3d},
    {"guo-4.4", "Guo", "4.4", "fairness traded for locality", 0.1, guo_4_4},
    {"li-fig5", "Li", "Fig. 5", "degraded-first against locality-first by the analysis", 0.1, li_fig5},
    {"li-fig7a", "Li", "Fig. 7(a)", "degraded-first against locality-first by the code", 20, li_fig7a},
    {"li-fig7b", "Li", "Fig. 7(b)", "degraded-first against locality-first by native blocks", 10, li_fig7b},
    {"li-fig7c", "Li", "Fig. 7(c)", "degraded-first against locality-first by rack bandwidth", 8, li_fig7c},
    {"li-fig7d", "Li", "Fig. 7(d)", "degraded-first against locality-first by failure", 9, li_fig7d},
    {"li-fig7e", "Li", "Fig. 7(e)", "degraded-first against locality-first by map output", 4, li_fig7e},
    {"modified-fair-a", "Modified fair", "Tables 5, 6", "turnaround and locality of equal jobs", 30, modified_fair_a},
    {"modified-fair-b", "Modified fair", "Tables 7, 8", "turnaround and locality of mixed jobs, with FIFO", 12,
     modified_fair_b},
    {"modified-fair-mechanisms", "Modified fair", "Section 3", "the effect of each of the five mechanisms", 5,
     modified_fair_mechanisms},
    {"policies-vs-bound", "All policies", "table", "every policy against the lower bound on the same scenarios", 115,
     policies_vs_bound},
});

}  // namespace

std::span<const Experiment> experiment_registry() { return table; }

}  // namespace lips::experiments
