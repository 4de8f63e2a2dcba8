// The page at / of a running operator: its current state, in one HTML text that may reload itself. Knows no server.
#pragma once

#include <string>

#include "telemetry/metrics/operator_figures.h"

namespace lips {

std::string render_status_page(const OperatorFigures& figures, bool reloads);

}  // namespace lips
