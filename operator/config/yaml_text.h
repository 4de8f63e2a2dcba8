// Values as YAML writes them.
#pragma once

#include <string>

namespace lips {

// In double quotes, on one line.
std::string quoted(const std::string& text);

}  // namespace lips
