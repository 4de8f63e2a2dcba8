// The answer of `lips why` as text and as JSON. Plans nothing.
#pragma once

#include <string>

#include "advice/why.h"

namespace lips::cmd {

std::string why_text(const advice::Question& question, const advice::Explanation& explanation, const std::string& name);
std::string why_json(const advice::Question& question, const advice::Explanation& explanation, const std::string& name);
// The text of a pod that is no task.
std::string held_text(const std::string& name, const std::string& why);
std::string held_json(const std::string& name, const std::string& why);

}  // namespace lips::cmd
