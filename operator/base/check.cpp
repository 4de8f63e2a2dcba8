#include "base/check.h"

#include <cstdio>
#include <cstdlib>

namespace lips {

void check_failed(const char* file, int line, std::string_view condition, std::string_view message) {
  std::fprintf(stderr, "%s:%d: check failed: %.*s: %.*s\n", file, line, static_cast<int>(condition.size()),
               condition.data(), static_cast<int>(message.size()), message.data());
  std::abort();
}

}  // namespace lips
