// The pages of a running operator: its current state, and one job's, each one HTML text that may keep itself current.
// Knows no server.
#pragma once

#include <string>

#include "telemetry/metrics/operator_figures.h"
#include "telemetry/status/overview.h"

namespace lips {

struct PageMode {
  bool live = true;   // it keeps itself current
  std::string nonce;  // of the script, as the Content-Security-Policy has it; empty: the page has no script
};

// Without an overview the page shows counters alone.
std::string render_status_page(const OperatorFigures& figures, const Overview* overview, const PageMode& mode);
std::string render_job_page(const OperatorFigures& figures, const JobView& job, const PageMode& mode);
// In place of a job's page: why there is none.
std::string render_no_job(const OperatorFigures& figures, const std::string& why, const PageMode& mode);

}  // namespace lips
