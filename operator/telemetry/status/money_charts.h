// Two charts of a running operator over the last day: its invoice, and what each pool has spent by use. Knows no
// server.
#pragma once

#include <string>
#include <vector>

#include "telemetry/metrics/money_history.h"

namespace lips {

// As HTML, each with its data as a table; empty when there is nothing to draw yet.
std::string render_money(const std::vector<MoneyPoint>& points);

}  // namespace lips
