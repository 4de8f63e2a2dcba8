// The work that announcements of any kind say will come, and the announcements that cannot be read.
#pragma once

#include <compare>
#include <string>
#include <vector>

#include "model/expected_work.h"

namespace lips::kubernetes {

struct ExpectedJobs {
  std::vector<ExpectedWork> work;
  struct Problem {
    std::string kind, why;  // why: a sentence that names the object
    friend auto operator<=>(const Problem&, const Problem&) = default;
  };
  std::vector<Problem> problems;  // announcements that cannot be read
};

}  // namespace lips::kubernetes
