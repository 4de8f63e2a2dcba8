// The parts of the report below its summary, each as HTML; empty if there is no data for it.
#pragma once

#include <string>

#include "telemetry/report/report_data.h"

namespace lips::page {

std::string cost_figures(const ReportData& data);
std::string time_figures(const ReportData& data);
std::string locality_figures(const ReportData& data);
std::string pool_figures(const ReportData& data);
std::string machine_figures(const ReportData& data);
std::string epoch_figures(const ReportData& data);
std::string planning_table(const ReportData& data);
std::string assumptions_table(const ReportData& data);

}  // namespace lips::page
