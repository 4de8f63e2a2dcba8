// Runs one storm and says what must not happen and did. Equal storms are equal runs.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "tests/virtual/storms/storm_case.h"

namespace lips::virtual_cluster::storms {

struct StormOutcome {
  std::vector<std::string> violations;
  std::size_t jobs = 0;
  std::uint64_t taken_back = 0;     // tasks that ran
  std::size_t strangers_ended = 0;  // pods of the strange tenant that ran to their end
};
// `log`: of the operator; null: it says nothing.
StormOutcome run_storm(const StormCase& storm, Log* log = nullptr);

}  // namespace lips::virtual_cluster::storms
