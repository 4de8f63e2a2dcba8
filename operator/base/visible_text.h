// Text of others on its way to a reader: what would steer a terminal or turn the direction of writing is spelled out.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace lips {

// How many bytes at that place are a control character (line ends and tabs are none) or one that turns the direction
// of writing (Unicode's bidirectional controls); 0 when it is neither.
std::size_t control_length(std::string_view text, std::size_t at);

// Such characters as \u001b, \u202e and so on, which is also how JSON spells them.
std::string visible(std::string_view text);

}  // namespace lips
