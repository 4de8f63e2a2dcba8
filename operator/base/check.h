// A broken promise of the code ends the program and prints the values.
#pragma once

#include <string_view>

namespace lips {
[[noreturn]] void check_failed(const char* file, int line, std::string_view condition, std::string_view message);
}  // namespace lips

#define LIPS_CHECK(condition, message)                                               \
  do {                                                                               \
    if (!(condition)) ::lips::check_failed(__FILE__, __LINE__, #condition, message); \
  } while (false)
