#include "base/log.h"

#include <array>
#include <charconv>

namespace lips {

std::string LogField::shortest(double number) {
  std::array<char, 32> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), number).ptr;
  return {text.data(), end};
}

}  // namespace lips
