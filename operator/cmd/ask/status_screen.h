// One screen of text for the JSON of a running operator's /status. Asks nobody.
#pragma once

#include <string>

#include "base/result.h"

namespace lips::cmd {

// The answer of another replica may say more: this one does not lead, and another is known to.
bool should_ask_leader(const std::string& json);
Result<std::string> status_screen(const std::string& json);

}  // namespace lips::cmd
