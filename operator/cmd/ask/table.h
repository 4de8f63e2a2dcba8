// Rows of text in columns as wide as they need: the first to the left, the others to the right. Knows no meaning.
#pragma once

#include <string>
#include <vector>

namespace lips::cmd {

std::string render_table(const std::vector<std::vector<std::string>>& rows);

}  // namespace lips::cmd
