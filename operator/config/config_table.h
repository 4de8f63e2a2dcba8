// The keys of the operator's configuration as a table in Markdown, for docs/operator.md.
#pragma once

#include <string>

namespace lips {

// The table of docs/operator.md.
std::string config_table();

}  // namespace lips
