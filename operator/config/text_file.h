// Whole files as text; names that end in .gz are compressed. Knows no format.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace lips {

// Also reads a compressed file of another name. not_found or invalid_input, with the path in the message.
Result<std::string> read_text_file(const std::string& path);
// Replaces the file as a whole: a reader sees the old or the new one. unavailable when it cannot be written.
Result<void> write_text_file(const std::string& path, std::string_view text);

}  // namespace lips
