#include "virtual/printed_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "kubernetes/api/time_text.h"
#include "virtual/printed_kinds.h"

namespace lips::virtual_cluster {
namespace {

constexpr std::string_view none = "<none>";
constexpr std::string_view condition_word = "condition ";

std::string text_of(const Json& value) { return value.is_string() ? value.get<std::string>() : value.dump(); }

std::string condition_of(const Json& object, std::string_view type) {
  const Json conditions = object.value(Json::json_pointer("/status/conditions"), Json::array());
  const auto found = std::find_if(conditions.begin(), conditions.end(),
                                  [&](const Json& each) { return each.value("type", "") == type; });
  return found == conditions.end() ? std::string(none) : found->value("status", std::string(none));
}

std::string cell(const Json& object, std::string_view pointer) {
  if (pointer.starts_with(condition_word)) return condition_of(object, pointer.substr(condition_word.size()));
  const Json::json_pointer at{std::string(pointer)};
  return object.contains(at) ? text_of(object[at]) : std::string(none);
}

// One unit, rounded down, and from two of it on.
std::string age_of(const Json& object, TimePoint now) {
  const auto made = kubernetes::parse_time(object.value(Json::json_pointer("/metadata/creationTimestamp"), ""));
  if (!made) return "<unknown>";
  const auto seconds = std::max<std::int64_t>(0, std::chrono::duration_cast<std::chrono::seconds>(now - *made).count());
  constexpr std::int64_t minute = 60, hour = 60 * minute, day = 24 * hour;
  if (seconds < 2 * minute) return fmt::format("{}s", seconds);
  if (seconds < 2 * hour) return fmt::format("{}m", seconds / minute);
  if (seconds < 2 * day) return fmt::format("{}h", seconds / hour);
  return fmt::format("{}d", seconds / day);
}

Json column(const char* name, bool only_wide) {
  return {{"name", name}, {"type", "string"}, {"format", ""}, {"description", ""}, {"priority", only_wide ? 1 : 0}};
}

}  // namespace

Json printed_table(const std::string& collection, const std::vector<const Json*>& objects, TimePoint now) {
  const PrintedKind* kind = printed_kind(collection);
  const std::vector<PrintedColumn> between = kind ? kind->columns : std::vector<PrintedColumn>();
  Json columns = Json::array({column("Name", false)}), rows = Json::array();
  columns[0]["format"] = "name";
  for (const PrintedColumn& each : between) columns.push_back(column(each.name, each.only_wide));
  columns.push_back(column("Age", false));
  for (const Json* object : objects) {
    Json cells = Json::array({cell(*object, "/metadata/name")});
    for (const PrintedColumn& each : between) cells.push_back(cell(*object, each.pointer));
    cells.push_back(age_of(*object, now));
    rows.push_back({{"cells", std::move(cells)},
                    {"object",
                     {{"kind", "PartialObjectMetadata"},
                      {"apiVersion", "meta.k8s.io/v1"},
                      {"metadata", object->value("metadata", Json::object())}}}});
  }
  return {{"kind", "Table"},
          {"apiVersion", "meta.k8s.io/v1"},
          {"metadata", Json::object()},
          {"columnDefinitions", std::move(columns)},
          {"rows", std::move(rows)}};
}

}  // namespace lips::virtual_cluster
