// Machines over time: a bar for each task if that stays readable, else a strip of shades that shows how busy a row was.
// Draws at most 40 rows; more machines are put together by class and zone.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "telemetry/report/report.h"

namespace lips::page {

struct GanttChart {
  std::string description;
  const std::vector<ReportMachine>& machines;
  double span = 0;                 // the run's makespan
  double axis_end = 0;             // of the axis, so that several charts compare
  std::vector<std::string> pools;  // in the order of their colours
  std::size_t most_bars = 1000;
};

struct Strip {
  std::string name;
  std::vector<double> level;  // 0..1 busy, in equal bins of the makespan
  double mean = 0;
};

std::string render_gantt(const GanttChart& chart);

bool drawn_as_tasks(const GanttChart& chart);

// One per machine, or one per class and zone if there are more than 40 machines.
std::vector<Strip> strips(const std::vector<ReportMachine>& machines, double span);

}  // namespace lips::page
