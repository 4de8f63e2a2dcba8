// All that is held for somebody at one moment: room that the plan keeps empty, room that it leaves to expected work,
// room beside tasks that are marked against eviction, extra copies of data. Decides nothing, knows no words.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "advice/question.h"

namespace lips::advice {

struct Hold {
  std::string reason;                              // as to_string(HeldFor) says it, or `expected-run`, `extra-copies`
  std::string job;                                 // or the data set
  std::string pool;                                // empty: not known
  std::string zone, store;                         // store: of copies alone
  std::uint32_t tasks = 0;                         // of copies blocks
  Resources room;                                  // of copies their size
  CpuSeconds work;                                 // of an expected run, which it should do there
  std::optional<Duration> age;                     // none: not known
  std::optional<Duration> ends_in = std::nullopt;  // at the latest; none: not known
  bool spare = false;                              // nobody whose turn comes before wants it
  std::vector<JobId> waiting = {};                 // would start there at once if no room were kept empty, by id
};

Result<std::vector<Hold>> holds(const Question& question, const Outcome& outcome);

}  // namespace lips::advice
