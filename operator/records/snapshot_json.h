// Reading JSON tables with errors that name the place: one value, a row, or a column (one value for all, runs, or a
// list). Bounds what a damaged or hostile file can ask for. Knows nothing of snapshots.
#pragma once

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/ids.h"
#include "base/result.h"
#include "base/units.h"
#include "config/quantities.h"
#include "records/problems.h"

namespace lips::json_tables {

using Json = nlohmann::json;
inline constexpr std::int64_t most_ids = Id<struct AnyTag>::none_value;
// A few bytes can ask for many rows (runs, counts). No cluster has more than these.
inline constexpr std::int64_t most_rows = 10'000'000;  // of blocks and of tasks
inline constexpr std::int64_t most_names = 2'000'000;  // of every other table
inline constexpr std::int64_t any_time = std::int64_t{1} << 61;
inline constexpr double most_real = 1e18;                    // products and sums stay finite
inline constexpr double most_total = most_real * most_rows;  // of what all tasks have

// The error names the line; `allowed` describes a valid file.
Result<Json> parse_json(const std::string& file, std::string_view text, std::string_view allowed);

std::string shown(const Json& value);

struct Whole {
  std::int64_t least, most;
  using Value = std::int64_t;
  std::optional<Value> read(const Json& json) const {
    if (!json.is_number_integer()) return std::nullopt;
    if (json.is_number_unsigned() && json.get<std::uint64_t>() > static_cast<std::uint64_t>(any_time))
      return std::nullopt;
    const auto value = json.get<std::int64_t>();
    return value >= least && value <= most ? std::optional(value) : std::nullopt;
  }
  std::string allowed() const;
};
struct Natural {  // of 64 bits
  using Value = std::uint64_t;
  std::optional<Value> read(const Json& json) const {
    return json.is_number_unsigned() ? std::optional(json.get<std::uint64_t>()) : std::nullopt;
  }
  std::string allowed() const { return "a whole number of 0 or more"; }
};
struct Real {
  double least, most = most_real;
  using Value = double;
  std::optional<Value> read(const Json& json) const {
    if (!json.is_number()) return std::nullopt;
    const auto value = json.get<double>();
    return value >= least && value <= most ? std::optional(value) : std::nullopt;
  }
  std::string allowed() const;
};
inline constexpr Real any_real{-most_real};
struct Flag {
  using Value = bool;
  std::optional<Value> read(const Json& json) const {
    return json.is_boolean() ? std::optional(json.get<bool>()) : std::nullopt;
  }
  std::string allowed() const { return "true or false"; }
};
struct Text {
  using Value = std::string;
  std::optional<Value> read(const Json& json) const {
    return json.is_string() ? std::optional(json.get<std::string>()) : std::nullopt;
  }
  std::string allowed() const { return "text"; }
};

// -1 for none.
inline Whole id_below(std::size_t count) { return {-1, static_cast<std::int64_t>(count) - 1}; }
inline Whole index_below(std::size_t count) { return {0, static_cast<std::int64_t>(count) - 1}; }

template <class IdType>
IdType id(std::int64_t value) {
  return value < 0 ? IdType::none() : IdType(static_cast<std::uint32_t>(value));
}
inline TimePoint time(std::int64_t value) { return TimePoint(Duration(value)); }

// Converts a value that was read to the type of a member of the model.
template <class T, class Value>
T from_cell(const Value& value) {
  if constexpr (std::is_same_v<T, Value>)
    return value;
  else if constexpr (requires(T member) { member.valid(); })
    return id<T>(value);
  else if constexpr (requires(T member) { member.time_since_epoch(); })
    return T(typename T::duration(value));
  else if constexpr (std::is_arithmetic_v<T> || std::is_enum_v<T>)
    return static_cast<T>(value);
  else
    return T(value);
}

inline const Json nothing;

// One object or list of the file and where it is.
class View {
 public:
  View(const Json& json, std::string path, Problems& problems)
      : json_(&json), path_(std::move(path)), problems_(&problems) {}

  View at(const std::string& key) const {
    const auto found = json_->find(key);
    if (json_->is_object() && found != json_->end() && !found->is_null())
      return View(*found, path_ + "/" + key, *problems_);
    problem("/" + key, "nothing", "a value: the field is required");
    return View(nothing, path_ + "/" + key, *problems_);
  }
  // Says whether an optional field is present.
  bool has(const std::string& key) const { return json_->is_object() && json_->contains(key); }
  View item(std::size_t index) const;
  std::size_t size() const { return json_->size(); }
  // The length of a list; reports anything else.
  std::size_t list() const;
  // The length of a list whose rows have that many cells, or that many at most.
  std::size_t rows(std::size_t cells) const { return rows(cells, cells); }
  std::size_t rows(std::size_t least, std::size_t most) const;
  template <class Kind>
  typename Kind::Value cell(std::size_t index, const Kind& kind) const {
    return checked((*json_)[index], kind, [&] { return "/" + std::to_string(index); });
  }
  template <class Kind>
  typename Kind::Value value(const Kind& kind) const {
    if (json_->is_null()) return typename Kind::Value{};  // reported by at()
    return checked(*json_, kind, [] { return std::string(); });
  }
  // A column of that many rows: one value for all, a list, or runs.
  template <class Kind>
  std::vector<typename Kind::Value> column(const std::string& key, std::size_t rows, const Kind& kind) const {
    const View field = at(key);
    const Json& json = *field.json_;
    std::vector<typename Kind::Value> result;
    if (json.is_null()) return std::vector<typename Kind::Value>(rows);
    if (!json.is_structured()) return std::vector<typename Kind::Value>(rows, field.value(kind));
    if (json.is_object()) {
      const View runs = field.at("runs");
      for (std::size_t i = 0, count = runs.rows(2); i < count; ++i) {
        const View run = runs.item(i);
        const std::int64_t length = run.cell(0, Whole{0, most_ids});
        if (result.size() + static_cast<std::size_t>(length) > rows) {
          field.problem("", "more than " + std::to_string(rows) + " rows", std::to_string(rows) + " rows");
          break;
        }
        result.insert(result.end(), static_cast<std::size_t>(length), run.cell(1, kind));
      }
    } else {
      result.reserve(json.size());
      for (std::size_t i = 0; i < json.size(); ++i) result.push_back(field.cell(i, kind));
    }
    if (result.size() != rows)
      field.problem("", std::to_string(result.size()) + " rows", std::to_string(rows) + " rows");
    result.resize(rows);
    return result;
  }
  void known(std::initializer_list<std::string_view> keys) const;
  void problem(const std::string& below, const std::string& found, const std::string& allowed) const {
    const std::string path = path_ + below;
    problems_->add(path.empty() ? "/" : path, found, allowed);
  }
  const Json& json() const { return *json_; }

 private:
  template <class Kind, class Where>
  typename Kind::Value checked(const Json& json, const Kind& kind, Where where) const {
    if (std::optional<typename Kind::Value> value = kind.read(json)) return std::move(*value);
    problem(where(), json.is_null() ? "nothing" : shown(json), kind.allowed());
    return typename Kind::Value{};
  }

  const Json* json_;
  std::string path_;
  Problems* problems_;
};

// The column "name" of a table, which is as long as its names.
std::vector<std::string> names_of(const View& table);

}  // namespace lips::json_tables
