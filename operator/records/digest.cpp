#include "records/digest.h"

#include <fmt/format.h>

namespace lips {

void Digest::add_text(std::string_view text) {
  add_word(text.size());
  const auto byte = [&](std::size_t i) { return std::uint64_t{static_cast<unsigned char>(text[i])}; };
  for (std::size_t i = 0; i < text.size(); i += 8) {
    std::uint64_t word = 0;
    for (std::size_t k = 0; k < 8 && i + k < text.size(); ++k) word |= byte(i + k) << (8 * k);
    add_word(word);
  }
}

std::string Digest::text() const { return fmt::format("{:016x}{:016x}", first_, second_); }

std::string plan_digest(const Plan& plan) {
  Digest digest;
  digest.add(plan);
  return digest.text();
}

// FNV-1a with 64 bits, twice with different starts, eight bytes a character.
std::string first_text_digest(std::string_view text) {
  constexpr std::uint64_t prime = 0x100000001b3;
  std::uint64_t first = 0xcbf29ce484222325, second = 0x84222325cbf29ce4;
  const auto add = [&](std::uint64_t value) {
    for (int byte = 0; byte < 8; ++byte) {
      const std::uint64_t bits = (value >> (8 * byte)) & 0xff;
      first = (first ^ bits) * prime;
      second = (second ^ (bits + 0x9e)) * prime;
    }
  };
  add(text.size());
  for (const char c : text) add(static_cast<unsigned char>(c));
  return fmt::format("{:016x}{:016x}", first, second);
}

}  // namespace lips
