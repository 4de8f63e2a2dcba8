// What a whole run must cost at least, whoever schedules it. Looks at no schedule; solves one linear program.
#pragma once

#include "base/result.h"
#include "bounds/whole_run.h"

namespace lips {

struct LowerBound {
  Usd dollars;         // CPU and transfer; shuffle, moves of unread data and storage are taken as free
  Usd solver_optimum;  // of the same program; the difference is numerical
  std::size_t groups = 0, classes = 0;
};

// No schedule that finishes all jobs within the horizon stays below it (duals certified, see solver/certificate.h).
// invalid_input when the cluster cannot do the work in that time.
Result<LowerBound> least_dollars(const WholeRun& run, Duration horizon);

}  // namespace lips
