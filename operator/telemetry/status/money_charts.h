// Two charts of a running operator: what each pool has spent over the last day, and what was saved against each
// baseline. Knows no server.
#pragma once

#include <string>
#include <vector>

#include "telemetry/metrics/money_history.h"

namespace lips {

// As HTML, each with its data as a table; empty when there is nothing to draw yet.
std::string render_money(const std::vector<MoneyPoint>& points);

}  // namespace lips
