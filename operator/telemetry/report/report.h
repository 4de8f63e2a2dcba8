// The report page of one or more simulated runs, and the same figures as a table for a terminal.
// Knows nothing of the simulator, the policies, JSON or the file system.
#pragma once

#include <string>

#include "telemetry/report/report_data.h"

namespace lips {

// Returns a self-contained HTML page: no script, nothing fetched. Parts without data are left out. Equal data give
// equal bytes.
std::string render_report(const ReportData& data);

}  // namespace lips
