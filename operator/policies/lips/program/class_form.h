// The class form: one linear program of commodities against classes where a selector, memory, a pool, a link or shared
// data binds, and commodities against zones where nothing does. Columns are generated from a greedy start; the bound
// covers the others too.
#pragma once

#include "policies/lips/market/amounts.h"
#include "policies/lips/program/class_form_program.h"

namespace lips {

// Above the numbers of the settings, commodities of nearly equal costs are merged, then, where there are still too
// many, those that go the same way (gathering.h), and nearly equal classes (class_merging.h). The merged program's
// prices then bound every true commodity in every true class, and its amounts are dealt to the true ones. Falls back to
// a greedy plan if the solver returns none, and sets amounts.fell_back.
Amounts solve_class_form(const ClassFormInput& input);

// A lower bound of the program without copies, valid for any vector of duals, one per row.
double class_form_bound(const ClassFormInput& input, const std::vector<double>& row_dual);

// Each commodity in turn to the cheapest room left.
Amounts greedy_amounts(const ClusterSnapshot& cluster, const NodeClasses& classes, const Workload& workload);

}  // namespace lips
