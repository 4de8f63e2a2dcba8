// Linear programs as MPS: what is read, is written and reads as the same again.
#include "solver/mps.h"

#include "tests/fuzz/fuzz_target.h"

namespace lips::solver {

FUZZ_TARGET(mps, bytes) {
  const auto problem = parse_mps(input);
  if (!problem) {
    FUZZ_CHECK(!problem.error().empty());
    return false;
  }
  FUZZ_CHECK(problem->row_names.size() < 1'000'000);
  const std::string text = write_mps(problem->program);
  const auto again = parse_mps(text);
  FUZZ_CHECK(again);
  FUZZ_CHECK(write_mps(again->program) == text);
  return true;
}

}  // namespace lips::solver
