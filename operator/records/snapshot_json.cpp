#include "records/snapshot_json.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace lips::json_tables {

void Problems::add(const std::string& path, const std::string& found, const std::string& allowed) {
  if (messages.size() < 20)
    messages.push_back(fmt::format("{}: {}: found {}; allowed: {}", file, path, found, allowed));
}

std::string shown(const Json& value) {
  if (value.is_structured()) return value.is_array() ? "a list" : "an object";
  const std::string text = value.dump(-1, ' ', false, Json::error_handler_t::replace);
  return text.size() <= 60 ? text : text.substr(0, 57) + "...";
}

std::string Whole::allowed() const { return fmt::format("a whole number from {} to {}", least, most); }

std::string Real::allowed() const { return fmt::format("a number of {} or more", least); }

std::size_t View::rows(std::size_t cells) const {
  const std::size_t count = list();
  for (std::size_t i = 0; i < count; ++i) {
    const Json& row = (*json_)[i];
    if (row.is_array() && row.size() == cells) continue;
    problem(fmt::format("/{}", i), row.is_array() ? fmt::format("{} cells", row.size()) : shown(row),
            fmt::format("a list of {} cells", cells));
    return 0;
  }
  return count;
}

void View::known(std::initializer_list<std::string_view> keys) const {
  if (!json_->is_object()) return problem("", shown(*json_), "an object");
  for (const auto& [key, ignored] : json_->items())
    if (std::find(keys.begin(), keys.end(), key) == keys.end()) {
      const std::string_view alike = most_alike(key, keys);
      problem("/" + key,
              alike.empty() ? "an unknown field" : fmt::format("an unknown field (did you mean '{}'?)", alike),
              fmt::format("{}", fmt::join(keys, ", ")));
    }
}

View View::item(std::size_t index) const {
  return View((*json_)[index], fmt::format("{}/{}", path_, index), *problems_);
}

std::size_t View::list() const {
  if (json_->is_array()) return json_->size();
  if (!json_->is_null()) problem("", shown(*json_), "a list");
  return 0;
}

}  // namespace lips::json_tables
