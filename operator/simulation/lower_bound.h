// What a whole run must cost at least, whoever schedules it. Looks at the scenario only; solves one linear program.
#pragma once

#include "base/result.h"
#include "simulation/scenario.h"

namespace lips::simulation {

struct LowerBound {
  Usd dollars;         // CPU and transfer; shuffle, moves of unread data and storage are taken as free
  Usd solver_optimum;  // of the same program; the difference is numerical
  std::size_t groups = 0, classes = 0;
};

// No schedule that finishes all jobs within the horizon stays below it (duals certified, see solver/certificate.h).
// invalid_input when the cluster cannot do the work in that time.
Result<LowerBound> least_dollars(const Scenario& scenario, Duration horizon);

}  // namespace lips::simulation
