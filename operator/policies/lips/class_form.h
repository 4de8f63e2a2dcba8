// The class form: one linear program of units against classes where a selector, memory, a pool, a link or shared data
// binds, and units against zones where nothing does. Columns are generated from a greedy start; the bound counts those
// left out.
#pragma once

#include "policies/lips/amounts.h"
#include "policies/lips/class_form_program.h"

namespace lips {

// More units than settings.most_units are first merged into coarse ones of nearly equal costs; the coarse program's
// prices then give every true unit's bound, and its amounts are dealt to the true units. Falls back to a greedy plan
// when the solver gives none; amounts.fell_back says so.
Amounts solve_class_form(const ClassFormInput& input);

// A lower bound of the program without copies, valid for every vector of duals, one a row.
double class_form_bound(const ClassFormInput& input, const std::vector<double>& row_dual);

// Each unit in turn to the cheapest room left.
Amounts greedy_amounts(const ClusterSnapshot& cluster, const NodeClasses& classes, const Units& units);

}  // namespace lips
