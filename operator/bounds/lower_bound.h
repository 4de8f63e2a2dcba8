// A lower bound on the cost of a whole run under any schedule. Solves one linear program; looks at no schedule.
#pragma once

#include "base/result.h"
#include "bounds/whole_run.h"

namespace lips {

struct LowerBound {
  Usd dollars;         // CPU and transfer; shuffle, moves of unread data and storage count as free
  Usd solver_optimum;  // as the solver reports it; differs only numerically
  std::size_t groups = 0, classes = 0;
};

// No schedule that finishes all jobs within the horizon costs less (the duals certify it, see solver/certificate.h).
// invalid_input when the cluster cannot do the work in that time.
Result<LowerBound> least_dollars(const WholeRun& run, Duration horizon);

}  // namespace lips
