#include "records/snapshot_json.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace lips::json_tables {

namespace {

constexpr std::ptrdiff_t most_values = 50'000'000;  // each takes at least sixteen bytes
constexpr std::ptrdiff_t most_keys = 5'000'000;     // each takes at least a hundred bytes

// Finds where reading stops, and at which text.
struct FirstFault : nlohmann::json_sax<Json> {
  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(number_integer_t) override { return true; }
  bool number_unsigned(number_unsigned_t) override { return true; }
  bool number_float(number_float_t, const string_t&) override { return true; }
  bool string(string_t&) override { return true; }
  bool binary(binary_t&) override { return true; }
  bool start_object(std::size_t) override { return true; }
  bool key(string_t&) override { return true; }
  bool end_object() override { return true; }
  bool start_array(std::size_t) override { return true; }
  bool end_array() override { return true; }
  bool parse_error(std::size_t position, const std::string&, const Json::exception& error) override {
    byte = position;
    too_large = dynamic_cast<const Json::out_of_range*>(&error) != nullptr;
    return false;
  }
  std::size_t byte = 0;
  bool too_large = false;
};

}  // namespace

Result<Json> parse_json(const std::string& file, std::string_view text, std::string_view allowed) {
  const auto count = [&](char c) { return std::count(text.begin(), text.end(), c); };
  if (const auto values = count(',') + count('[') + count('{'); values > most_values)
    return fail(ErrorCode::invalid_input,
                fmt::format("{}: found {} values; allowed: at most {}", file, values, most_values));
  if (const auto keys = count(':'); keys > most_keys)
    return fail(ErrorCode::invalid_input,
                fmt::format("{}: found {} fields; allowed: at most {}", file, keys, most_keys));
  Json json = Json::parse(text, nullptr, false);
  if (!json.is_discarded()) return json;
  FirstFault fault;
  Json::sax_parse(text, &fault);
  const std::size_t byte = std::min(fault.byte, text.size());
  return fail(ErrorCode::invalid_input,
              fmt::format("{}:{}: found {} (byte {}); allowed: {}", file,
                          std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(byte), '\n') + 1,
                          fault.too_large ? "a number that is too large" : "text that is not JSON", byte, allowed));
}

std::string shown(const Json& value) {
  if (value.is_structured()) return value.is_array() ? "a list" : "an object";
  const std::string text = value.dump(-1, ' ', false, Json::error_handler_t::replace);
  return text.size() <= 60 ? text : text.substr(0, 57) + "...";
}

std::string Whole::allowed() const { return fmt::format("a whole number from {} to {}", least, most); }

std::string Real::allowed() const { return fmt::format("a number from {} to {}", least, most); }

std::size_t View::rows(std::size_t least, std::size_t most) const {
  const std::size_t count = list();
  for (std::size_t i = 0; i < count; ++i) {
    const Json& row = (*json_)[i];
    if (row.is_array() && row.size() >= least && row.size() <= most) continue;
    problem(fmt::format("/{}", i), row.is_array() ? fmt::format("{} cells", row.size()) : shown(row),
            least == most ? fmt::format("a list of {} cells", least)
                          : fmt::format("a list of {} to {} cells", least, most));
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

std::vector<std::string> names_of(const View& table) {
  const View field = table.at("name");
  const Json& json = field.json();
  std::size_t rows = json.is_array() ? json.size() : json.is_string() ? 1 : 0;
  if (json.is_object() && json.contains("runs"))
    for (std::size_t i = 0, count = field.at("runs").rows(2); i < count; ++i)
      rows += static_cast<std::size_t>(field.at("runs").item(i).cell(0, Whole{0, most_names}));
  if (rows > static_cast<std::size_t>(most_names)) {
    field.problem("", fmt::format("{} rows", rows), fmt::format("at most {}", most_names));
    return {};
  }
  return table.column("name", rows, Text{});
}

}  // namespace lips::json_tables
