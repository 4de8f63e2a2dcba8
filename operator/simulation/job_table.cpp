#include "simulation/job_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "config/csv_table.h"
#include "config/quantities.h"

namespace lips::simulation {

namespace {

std::optional<double> seconds_of(const std::string& cell) {
  if (const std::optional<double> number = parse_number(cell))
    return not_negative.contains(*number) ? number : std::nullopt;
  const std::optional<Duration> span = parse_duration(cell);
  return span ? std::optional(to_seconds(*span)) : std::nullopt;
}

// By row. Durations beside the seconds of a clock would be decades apart.
std::vector<double> arrivals_of(CsvTable& table) {
  std::vector<double> arrivals;
  std::optional<bool> by_clock;
  for (std::size_t row = 0; row < table.size(); ++row) {
    const std::string& cell = table.text(row, "arrival");
    const std::optional<double> at = seconds_of(cell);
    if (!at) table.problem(row, "arrival", "seconds by any clock, or a duration such as 90s, 10m or 1h30m");
    const bool number = parse_number(cell).has_value();
    if (at && *at > 0 && number != by_clock.value_or(number))
      table.problem(row, "arrival",
                    number ? "a duration, as in earlier rows" : "seconds by a clock, as in earlier rows");
    if (at && *at > 0 && !by_clock) by_clock = number;
    arrivals.push_back(at.value_or(0));
  }
  if (arrivals.empty()) return arrivals;
  const double first = *std::min_element(arrivals.begin(), arrivals.end());
  for (double& arrival : arrivals) arrival -= first;
  return arrivals;
}

YamlValue scalar(int line, std::string text) {
  YamlValue value;
  value.kind = YamlValue::Kind::scalar;
  value.line = line;
  value.scalar = std::move(text);
  return value;
}

// A column `extended.NAME` holds what the field `extended` has under that name.
constexpr std::string_view extended = "extended";

std::string_view extended_name(std::string_view column) {
  const bool dotted = column.starts_with(extended) && column.substr(extended.size()).starts_with('.');
  return dotted ? column.substr(extended.size() + 1) : std::string_view{};
}

void add_cell(const std::string& column, const std::string& cell, YamlValue& job) {
  const std::string_view name = extended_name(column);
  if (name.empty()) return job.entries.push_back({column, scalar(job.line, cell)});
  const auto known = std::find_if(job.entries.begin(), job.entries.end(),
                                  [](const YamlEntry& entry) { return entry.key == extended; });
  YamlValue& amounts =
      known != job.entries.end() ? known->value : job.entries.emplace_back(std::string(extended), YamlValue{}).value;
  amounts.kind = YamlValue::Kind::map;
  amounts.line = job.line;
  amounts.entries.push_back({std::string(name), scalar(job.line, cell)});
}

}  // namespace

Result<std::vector<YamlValue>> parse_job_table(const std::string& file, const std::string& text) {
  CsvTable table(file, text, {"arrival"});
  const std::vector<std::string>& columns = table.columns();
  if (std::set<std::string>(columns.begin(), columns.end()).size() < columns.size())
    return fail(ErrorCode::invalid_input, fmt::format("{}:1: found a column twice; allowed: every name once", file));
  if (std::find(columns.begin(), columns.end(), extended) != columns.end())
    return fail(ErrorCode::invalid_input,
                fmt::format("{}:1: extended: found no name of a resource; allowed: a column for each resource, such as "
                            "extended.nvidia.com/gpu",
                            file));
  if (!table.is_sound()) return table.as_error();
  const std::vector<double> arrivals = arrivals_of(table);
  if (!table.is_sound()) return table.as_error();
  if (table.size() == 0)
    return fail(ErrorCode::invalid_input, fmt::format("{}: found no jobs; allowed: at least one row", file));
  std::set<std::string> names;
  std::vector<YamlValue> rows;
  for (std::size_t row = 0; row < table.size(); ++row) {
    const auto line = static_cast<int>(table.line(row));
    YamlValue& job = rows.emplace_back();
    job.kind = YamlValue::Kind::map;
    job.line = line;
    std::string name = table.text(row, "name");
    if (name.empty() || names.contains(name)) name = fmt::format("{}-{}", name.empty() ? "job" : name, line);
    names.insert(name);
    job.entries.push_back({"name", scalar(line, std::move(name))});
    job.entries.push_back({"arrival", scalar(line, fmt::format("{:.6f}s", arrivals[row]))});
    for (const std::string& column : columns)
      if (const std::string& cell = table.text(row, column); column != "name" && column != "arrival" && !cell.empty())
        add_cell(column, cell, job);
  }
  return rows;
}

}  // namespace lips::simulation
