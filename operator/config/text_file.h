// Whole files as text; names that end in .gz are compressed. Knows no format.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace lips {

// Also recognises compressed files under other names. Fails with not_found or invalid_input and names the path.
Result<std::string> read_text_file(const std::string& path);
// Replaces the file atomically: a reader sees the old or the new one. Fails with unavailable when it cannot be written.
Result<void> write_text_file(const std::string& path, std::string_view text);

}  // namespace lips
