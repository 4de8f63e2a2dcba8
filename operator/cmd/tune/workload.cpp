#include "cmd/tune/workload.h"

#include <fmt/format.h>

#include <filesystem>

#include "config/text_file.h"
#include "simulation/scenario_reader.h"
#include "twin/scenario_file.h"

namespace lips::cmd {

namespace {

using simulation::Scenario;

Result<Scenario> read_file(const WorkloadSource& source, const std::string& file, const FieldChanges& set) {
  simulation::ScenarioOptions reading;
  reading.config_folder = source.config_folder;
  reading.set = set;
  const Result<std::string> path = simulation::find_scenario(file, reading);
  if (!path) return tl::unexpected(path.error());
  return twin::read_scenario(*path, reading);
}

// Any text as a scalar of YAML.
std::string yaml_text(const std::string& text) {
  std::string quoted = "'";
  for (const char letter : text) quoted += letter == '\'' ? "''" : std::string(1, letter);
  return quoted + "'";
}

// The rules that the scenario has for a trace also hold for this one.
Result<Scenario> read_on_cluster(const WorkloadSource& source, WorkloadKind kind, const FieldChanges& set) {
  if (source.cluster.empty())
    return fail(
        ErrorCode::invalid_input,
        fmt::format("{}: a {} of jobs needs --cluster: a scenario with nodes and prices, whose jobs it replaces",
                    source.file, to_string(kind)));
  const std::string path = std::filesystem::absolute(source.file).string();
  FieldChanges all{{"jobs", "~"}, {"synthetic", "~"}};
  if (kind == WorkloadKind::table)
    all.insert(all.end(), {{"trace", "~"}, {"load", "~"}, {"jobsFile", yaml_text(path)}});
  else
    all.insert(all.end(), {{"jobsFile", "~"}, {"trace.file", yaml_text(path)}});
  all.insert(all.end(), set.begin(), set.end());
  return read_file(source, source.cluster, all);
}

Result<Scenario> read_journal(const WorkloadSource& source, const FieldChanges& set, const RecordReading& reading) {
  Result<twin::RecordedDay> day = twin::recorded_day(source.file, reading);
  if (!day) return tl::unexpected(day.error());
  if (const Result<void> changed = twin::change_settings(source.file, set, day->scenario); !changed)
    return tl::unexpected(changed.error());
  return std::move(day->scenario);
}

void leave_targets_out(Scenario& scenario) {
  bool any = scenario.settings.targets.any();
  scenario.settings.targets = {};
  for (Pool& pool : scenario.cluster.pools) {
    any |= pool.targets.any();
    pool.targets = {};
  }
  if (any) scenario.assumptions.push_back({"targets", "left out", "they would move the price of waiting themselves"});
}

}  // namespace

WorkloadKind workload_kind(const std::string& file) {
  std::error_code ignored;
  if (std::filesystem::is_directory(file, ignored)) return WorkloadKind::journal;
  if (const Result<std::string> text = read_text_file(file); text && twin::is_recorded_scenario(*text))
    return WorkloadKind::scenario;
  std::filesystem::path name(file);
  if (name.extension() == ".gz") name.replace_extension();
  if (name.extension() == ".json" || name.extension() == ".zst") return WorkloadKind::journal;
  if (name.extension() == ".csv") return WorkloadKind::table;
  return name.extension() == ".tsv" ? WorkloadKind::trace : WorkloadKind::scenario;
}

Result<Scenario> read_workload(const WorkloadSource& source, const FieldChanges& set, const RecordReading& reading) {
  const WorkloadKind kind = workload_kind(source.file);
  const bool on_cluster = kind == WorkloadKind::table || kind == WorkloadKind::trace;
  if (!on_cluster && !source.cluster.empty())
    return fail(ErrorCode::invalid_input,
                fmt::format("--cluster: expected for a .csv or a .tsv of jobs, found it with a {}", to_string(kind)));
  Result<Scenario> scenario = on_cluster                      ? read_on_cluster(source, kind, set)
                              : kind == WorkloadKind::journal ? read_journal(source, set, reading)
                                                              : read_file(source, source.file, set);
  if (!scenario) return scenario;
  if (scenario->jobs.empty())
    return fail(ErrorCode::invalid_input, fmt::format("{}: found no jobs; allowed: at least one", source.file));
  leave_targets_out(*scenario);
  return scenario;
}

}  // namespace lips::cmd
