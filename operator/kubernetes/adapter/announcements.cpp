#include "kubernetes/adapter/announcements.h"

#include <fmt/format.h>

#include <utility>

#include "config/yaml_reader.h"
#include "kubernetes/api/time_text.h"

namespace lips::kubernetes {

namespace {

constexpr std::size_t most_entries = 10'000;
constexpr double most_work = 1e12;  // CPU-seconds

bool is_full_name(std::string_view name) {
  const std::size_t slash = name.find('/');
  return slash != std::string_view::npos && slash > 0 && slash + 1 < name.size() &&
         name.find('/', slash + 1) == std::string_view::npos;
}

std::string full_name(YamlMap& fields, std::string_view key) {
  std::string name = fields.text(key);
  if (fields.has(key) && !is_full_name(name)) fields.error(key, "'" + name + "'", "NAMESPACE/NAME");
  return name;
}

void read_times(YamlMap& fields, Announcement& entry) {
  if (fields.has("at") == fields.has("schedule"))
    fields.error("", fields.has("at") ? "at and schedule" : "neither at nor schedule", "one of the two");
  if (fields.has("at")) {
    const std::string text = fields.text("at");
    const Result<TimePoint> at = parse_time(text);
    if (at)
      entry.at = *at;
    else
      fields.error("at", "'" + text + "'", "a time such as 2026-01-31T06:00:00Z");
  }
  const std::string schedule = fields.text("schedule"), zone = fields.text("timeZone");
  if (fields.has("schedule")) {
    Result<CronSchedule> read = CronSchedule::parse(schedule);
    if (read && read->counts_from_last_start())
      fields.error("schedule", "'" + schedule + "'", "a schedule by the clock: nobody knows the last start");
    else if (read)
      entry.schedule = *read;
    else
      fields.error("schedule", "'" + schedule + "'", fmt::format("as in a CronJob ({})", read.error().message));
  }
  Result<TimeZone> read = TimeZone::named(zone);
  if (read)
    entry.zone = *std::move(read);
  else
    fields.error("timeZone", "'" + zone + "'", "a name of the time zone database, such as Europe/Paris");
}

Announcement read_entry(YamlMap& fields) {
  Announcement entry;
  if (fields.require("job")) entry.job = full_name(fields, "job");
  read_times(fields, entry);
  if (fields.require("cpuSeconds")) entry.work = CpuSeconds(fields.number("cpuSeconds", 0, {0, most_work}));
  entry.chance = fields.number("chance", 1, {0, 1});
  entry.data_set = full_name(fields, "dataSet");
  entry.fraction = fields.number("fraction", 1, {0, 1});
  entry.shuffle = fields.size("shuffle", Mebibytes(0));
  fields.finish();
  return entry;
}

}  // namespace

std::vector<TimePoint> Announcement::within(TimePoint from, TimePoint to) const {
  if (schedule) return schedule->within(from, to, zone);
  return at && *at >= from && *at < to ? std::vector{*at} : std::vector<TimePoint>();
}

Announcements parse_announcements(const std::string& file, const std::string& text) {
  Announcements result;
  const auto take = [&](const FileErrors& errors) {
    result.errors.insert(result.errors.end(), errors.messages.begin(), errors.messages.end());
    return errors.messages.empty();
  };
  const Result<YamlValue> root = parse_yaml(file, text);
  if (!root) {
    result.errors.push_back(root.error().message);
    return result;
  }
  if (root->kind == YamlValue::Kind::nothing) return result;
  const bool list = root->kind == YamlValue::Kind::list;
  if (!list || root->items.size() > most_entries) {
    result.errors.push_back(fmt::format("{}:{}: found {}; allowed: a list of at most {} announcements", file,
                                        root->line, list ? fmt::format("{}", root->items.size()) : "no list",
                                        most_entries));
    return result;
  }
  for (std::size_t i = 0; i < root->items.size(); ++i) {
    FileErrors errors{file, {}};
    YamlMap fields(root->items[i], fmt::format("{}", i), errors);
    Announcement entry = read_entry(fields);
    if (take(errors)) result.entries.push_back(std::move(entry));
  }
  return result;
}

}  // namespace lips::kubernetes
