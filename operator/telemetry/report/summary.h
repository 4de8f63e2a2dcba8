// The top of the report: the sentence that says how it went, what to be careful about, the key figures, the comparison.
#pragma once

#include <string>
#include <vector>

#include "telemetry/page/html.h"
#include "telemetry/report/report_data.h"

namespace lips::page {

// Null if there is none.
const ReportRun* subject_of(const ReportData& data);
// Dollars of the run on the bill that the lower bound refers to.
double bounded_dollars(const ReportData& data, const ReportRun& run);
// A name as a heading: "By use"; the fallback if there is none.
std::string headed(const std::string& name, const char* fallback);
const ReportRun* baseline_of(const ReportData& data);

struct Headline {
  std::string sentence, support;
};

Headline headline(const ReportData& data);

// The reasons why the runs cannot be compared, one sentence each.
std::vector<std::string> cautions(const ReportData& data);

std::string render_key_figures(const ReportData& data);

Table comparison(const ReportData& data);

}  // namespace lips::page
