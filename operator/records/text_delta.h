// A text as its difference from the text before it: one frame of zstd, with the text before as the dictionary. Knows
// nothing of the texts and of files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace lips {

// With an empty `before`, the frame holds the whole text.
std::string text_delta(std::string_view before, std::string_view text);
// `name` is for the message. Refuses a damaged frame, a frame after another text, and one of more than most_unpacked.
Result<std::string> text_after(const std::string& name, std::string_view before, std::string_view frame);

// The frame with which the bytes begin. cut: the bytes end before it does.
struct LeadingFrame {
  enum class State : std::uint8_t { whole, cut, damaged };
  State state = State::cut;
  std::size_t bytes = 0;  // of a whole one
};
LeadingFrame leading_frame(std::string_view bytes);

}  // namespace lips
