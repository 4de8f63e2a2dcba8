// How a command prints its results.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/enum_array.h"

namespace lips::cmd {

enum class OutputFormat : std::uint8_t { text, json, markdown };

constexpr std::string_view to_string(OutputFormat format) {
  constexpr EnumArray<OutputFormat, std::string_view> names{"text", "json", "markdown"};
  return names[format];
}

}  // namespace lips::cmd
