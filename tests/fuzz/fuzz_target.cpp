#include "tests/fuzz/fuzz_target.h"

namespace lips::fuzz {

std::vector<Target>& targets() {
  static std::vector<Target> list;
  return list;
}

}  // namespace lips::fuzz
