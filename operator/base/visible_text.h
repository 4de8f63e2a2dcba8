// Makes untrusted text safe to print: characters that control a terminal or change the direction of writing are
// escaped.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace lips {

// Length in bytes of the control character (line ends and tabs excepted) or Unicode bidirectional control at that
// position; 0 when there is neither.
std::size_t control_length(std::string_view text, std::size_t at);

// Writes such characters as \u001b, \u202e and so on, as JSON does.
std::string visible(std::string_view text);

}  // namespace lips
