// Converts YAML values to typed ones. Each error has file, line, path of the field, what was found and what is allowed.
// Collects all errors of a file. Knows no meaning of fields.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/units.h"
#include "config/file_errors.h"
#include "config/ranges.h"
#include "config/yaml_value.h"

namespace lips {

// Sets the field at a path (settings.epoch, nodes.0.count, or nodes.workers.count by the name of the item) to a value
// in YAML. Creates missing maps on the way.
Result<void> override_yaml(YamlValue& root, const std::string& path, const std::string& value);

// Reads one mapping. Ask for all fields, then call finish(), which reports fields that nobody asked for.
class YamlMap {
 public:
  // If the value is not a mapping, reports an error and treats all fields as absent.
  YamlMap(const YamlValue& value, std::string path, FileErrors& errors);

  bool has(std::string_view key);
  // Reports a missing field.
  bool require(std::string_view key);

  std::string text(std::string_view key, std::string_view fallback = "");
  double number(std::string_view key, double fallback, NumberRange range = any_number);
  std::int64_t integer(std::string_view key, std::int64_t fallback, std::int64_t least, std::int64_t most);
  bool flag(std::string_view key, bool fallback);
  Duration duration(std::string_view key, Duration fallback);
  Duration time_of_day(std::string_view key, Duration fallback);  // since midnight; 0 for empty text
  Mebibytes size(std::string_view key, Mebibytes fallback);
  MebibytesPerSecond bandwidth(std::string_view key, MebibytesPerSecond fallback);
  // A price: a number, alone or with the unit behind it.
  double amount(std::string_view key, double fallback, std::string_view unit);
  // The index of the name found.
  std::size_t choice(std::string_view key, std::span<const std::string_view> names, std::size_t fallback);
  std::vector<std::string> texts(std::string_view key);  // a single value is a list of one
  std::vector<double> numbers(std::string_view key, NumberRange range = any_number);
  std::vector<Duration> durations(std::string_view key);
  std::vector<std::pair<std::string, std::string>> text_map(std::string_view key);
  std::vector<std::pair<std::string, double>> number_map(std::string_view key, NumberRange range = any_number);

  bool is_map(std::string_view key);
  bool is_list(std::string_view key);
  std::optional<YamlMap> map(std::string_view key);
  std::vector<YamlMap> maps(std::string_view key);  // a list of mappings
  // A list of texts and mappings: each as the text, or empty with the mapping.
  std::vector<std::pair<std::string, std::optional<YamlMap>>> texts_or_maps(std::string_view key);

  // An error about a field, or about the mapping itself when the key is empty.
  void error(std::string_view key, std::string_view found, std::string_view allowed);
  void finish();
  const std::string& path() const { return path_; }

 private:
  const YamlValue* ask(std::string_view key);
  const std::string* scalar(std::string_view key, std::string_view allowed);
  void report(const YamlValue& at, const std::string& path, std::string_view found, std::string_view allowed);
  std::string path_of(std::string_view key) const;
  double checked(const YamlValue& at, const std::string& path, NumberRange range, double fallback);

  const YamlValue* value_;
  std::string path_;
  FileErrors* errors_;
  std::vector<std::string> asked_;
};

}  // namespace lips
