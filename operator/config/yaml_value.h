// YAML text as a value with line numbers. Knows no fields and no types but text.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace lips {

struct YamlEntry;

// A parsed YAML value. `line` counts from 1; 0 for a value from an override.
struct YamlValue {
  enum class Kind : std::uint8_t { nothing, scalar, list, map };
  Kind kind = Kind::nothing;
  int line = 0;
  std::string scalar;
  std::vector<YamlValue> items;    // of a list
  std::vector<YamlEntry> entries;  // of a map, as written
  const YamlValue* find(std::string_view key) const;
};

struct YamlEntry {
  std::string key;
  YamlValue value;
};

// Aliases are expanded; a key given twice is an error.
Result<YamlValue> parse_yaml(const std::string& file, const std::string& text);
Result<YamlValue> parse_yaml_file(const std::string& file);

}  // namespace lips
