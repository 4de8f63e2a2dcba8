// The zone form: the class form's optimum by a transportation problem of commodities against zones, each zone with the
// convex cost of its classes' capacity steps. Exact when every commodity may go to any class and only CPU binds.
#pragma once

#include "policies/lips/market/amounts.h"
#include "policies/lips/market/workload.h"
#include "solver/linear_program.h"

namespace lips {

// True when the form is exact for these commodities (and pools and links have no rows) and the solver accepts this
// number of zones.
bool zone_form_holds(const Workload& workload);

Amounts solve_zone_form(const ClusterSnapshot& cluster, const CostModel& costs, const NodeClasses& classes,
                        const Workload& workload);

// The same as a linear program, for other solvers.
solver::LinearProgram zone_form_program(const ClusterSnapshot& cluster, const NodeClasses& classes,
                                        const Workload& workload);

}  // namespace lips
