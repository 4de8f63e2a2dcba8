// Text as gzip and back, in memory. Knows no file.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/result.h"

namespace lips {

// The most bytes to which compressed ones may expand.
inline constexpr std::size_t most_unpacked = std::size_t{1} << 30;

std::string gzipped(std::string_view text);
bool is_gzipped(std::string_view bytes);
// `name` is for the message. Refuses damaged bytes, and what expands to more than 1 GiB.
Result<std::string> gunzipped(const std::string& name, std::string_view bytes);

}  // namespace lips
