#include "base/visible_text.h"

#include <array>
#include <cstdint>

namespace lips {

namespace {

struct Character {
  std::uint32_t code = 0;
  std::size_t length = 1;
};

// Decodes sequences of two or three bytes only: no character that matters here is longer.
Character character_at(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) {
    return at + i < text.size() ? static_cast<std::uint32_t>(static_cast<unsigned char>(text[at + i])) : 0;
  };
  if ((byte(0) & 0xE0) == 0xC0 && (byte(1) & 0xC0) == 0x80) return {(byte(0) & 0x1F) << 6 | (byte(1) & 0x3F), 2};
  if ((byte(0) & 0xF0) == 0xE0 && (byte(1) & 0xC0) == 0x80 && (byte(2) & 0xC0) == 0x80)
    return {(byte(0) & 0x0F) << 12 | (byte(1) & 0x3F) << 6 | (byte(2) & 0x3F), 3};
  return {byte(0), 1};
}

bool is_control(std::uint32_t code, std::size_t length) {
  if (length == 1) return (code < 0x20 && code != '\n' && code != '\t') || code == 0x7F;
  return (code >= 0x80 && code <= 0x9F) || code == 0x061C || code == 0x200E || code == 0x200F ||
         (code >= 0x2028 && code <= 0x202E) || (code >= 0x2066 && code <= 0x2069);
}

}  // namespace

std::size_t control_length(std::string_view text, std::size_t at) {
  const Character character = character_at(text, at);
  return is_control(character.code, character.length) ? character.length : 0;
}

std::string visible(std::string_view text) {
  static constexpr std::string_view digits = "0123456789abcdef";
  std::string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const Character character = character_at(text, at);
    if (is_control(character.code, character.length)) {
      out += "\\u";
      for (const int shift : {12, 8, 4, 0}) out += digits[character.code >> shift & 0xF];
    } else {
      out += text.substr(at, character.length);
    }
    at += character.length;
  }
  return out;
}

}  // namespace lips
