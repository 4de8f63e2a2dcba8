#include <array>

#include "experiments/experiment.h"
#include "experiments/guo.h"

namespace lips::experiments {

namespace {

// In the order in which `lips experiment all` runs and reports them.
constexpr auto table = std::to_array<Experiment>({
    {"guo-4.1", "Guo", "4.1", "time of the assignment solver", 1, guo_4_1},
    {"guo-4.2a", "Guo", "4.2a", "locality against the size of the cluster", 2, guo_4_2a},
    {"guo-4.2b", "Guo", "4.2b", "locality against the replication", 1, guo_4_2b},
    {"guo-4.2c", "Guo", "4.2c", "locality against the number of tasks", 1, guo_4_2c},
    {"guo-4.3a", "Guo", "4.3a", "locality cost of lsap-uniform, one cost for all that is not local", 2, guo_4_3a},
    {"guo-4.3b", "Guo", "4.3b", "locality cost of lsap by levels, half of the slots idle", 10, guo_4_3b},
    {"guo-4.3c", "Guo", "4.3c", "locality cost of lsap by levels, a fifth of the slots idle", 5, guo_4_3c},
    {"guo-4.3d", "Guo", "4.3d", "locality cost against the replication", 3, guo_4_3d},
    {"guo-4.4", "Guo", "4.4", "fairness traded for locality", 4, guo_4_4},
});

}  // namespace

std::span<const Experiment> experiment_registry() { return table; }

}  // namespace lips::experiments
