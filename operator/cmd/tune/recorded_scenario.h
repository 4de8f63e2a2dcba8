// The journal of an operator as a scenario: its jobs when they came, on its cluster as last seen. The assumptions say
// what a journal leaves open. Knows no command.
#pragma once

#include <functional>
#include <string>

#include "base/result.h"
#include "simulation/scenario.h"

namespace lips::cmd {

struct RecordReading {
  std::function<bool()> stop;                                 // true: end with `cancelled`
  std::function<void(std::size_t done, std::size_t all)> at;  // records
};

// `path`: the folder of a journal, one of its files, or what an operator serves at /state.
Result<simulation::Scenario> recorded_scenario(const std::string& path, const RecordReading& reading);

}  // namespace lips::cmd
