// The linear programs of LiPS (Figs. 2, 3 and 4), mended where the printed ones do not hold together:
// docs/paper-model.md names every mend and every reading. Knows no snapshot, policy or clock.
#pragma once

#include "base/result.h"
#include "policies/papers/lips_paper/paper_instance.h"

namespace lips::paper {

// Optimal, or not feasible. An Error only when the solver fails or the instance contradicts itself.
Result<Solution> solve(const Instance& instance, const Options& options = {});

}  // namespace lips::paper
