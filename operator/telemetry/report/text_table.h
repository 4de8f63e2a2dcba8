// The comparison of the runs as plain text for a terminal. Knows nothing of HTML.
#pragma once

#include <string>

#include "telemetry/report/report.h"

namespace lips {

// Lines of at most `width` columns; where all columns do not fit, the least important are left out. Ends with a newline
// unless there is no run, when it is empty.
std::string render_text_table(const ReportData& data, std::size_t width = 100);

}  // namespace lips
