// The workloads that lips tune can simulate: a scenario, a table or a trace of jobs on the cluster of a scenario, or
// the journal of an operator. Knows no options.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/enum_array.h"
#include "base/result.h"
#include "simulation/scenario.h"
#include "twin/recorded_scenario.h"
#include "twin/settings_changes.h"

namespace lips::cmd {

// A recorded scenario is a scenario; else by the name: a folder, .zst or .json(.gz) is a journal, .csv(.gz) a table of
// jobs, .tsv(.gz) a trace in SWIM's format.
enum class WorkloadKind : std::uint8_t { scenario, table, trace, journal };
constexpr std::string_view to_string(WorkloadKind kind) {
  constexpr EnumArray<WorkloadKind, std::string_view> names{"scenario", "table", "trace", "journal"};
  return names[kind];
}
WorkloadKind workload_kind(const std::string& file);

using twin::FieldChanges;
using twin::RecordReading;

struct WorkloadSource {
  std::string file;
  std::string cluster;  // a scenario, whose jobs are replaced; for a table or a trace
  std::string config_folder;
};

// Targets are left out: they would move the price of waiting. Of a journal, `set` can change settings only.
Result<simulation::Scenario> read_workload(const WorkloadSource& source, const FieldChanges& set,
                                           const RecordReading& reading);

}  // namespace lips::cmd
