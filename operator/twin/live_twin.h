// The invoice of the recent past beside those of other policies on the same work, from the journal of an operator that
// may still write it. Knows no command.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "base/result.h"
#include "model/twin_report.h"
#include "twin/regime.h"

namespace lips::twin {

struct TwinQuestion {
  std::string journal;  // its folder
  Duration window{};    // before its newest file
  std::vector<std::string> policies;
  std::size_t most_tasks = 100'000;  // kept in memory: of more of them, the later ones
  std::function<bool()> stop = {};   // true: end with `cancelled`; empty: never
  RunKubeScheduler alone = {};       // empty: policies of the simulator stand in for kube-scheduler
};

// invalid_input: there is nothing to compare yet.
Result<TwinReport> twin_report(const TwinQuestion& question);

}  // namespace lips::twin
