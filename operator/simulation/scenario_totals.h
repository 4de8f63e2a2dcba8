// Limits of a scenario as a whole: a short file cannot ask for more memory than a machine has. Internal to the scenario
// reader.
#pragma once

#include <cstdint>
#include <string_view>

namespace lips::simulation {

struct ScenarioTotals {
  double nodes = 0, jobs = 0, tasks = 0, blocks = 0;  // blocks count once for each copy

  static constexpr double most_nodes = 1'000'000, most_jobs = 200'000, most_tasks = 10'000'000,
                          most_blocks = 20'000'000;
  static constexpr double most_failures = 10'000'000;  // of nodes
};

}  // namespace lips::simulation
