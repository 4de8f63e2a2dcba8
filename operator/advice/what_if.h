// The effects of changes: the figures of the policy's plan without and with them. Changes nothing outside of the
// question.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "advice/change.h"
#include "advice/question.h"
#include "model/costs.h"

namespace lips::advice {

struct Figures {
  std::uint64_t pending = 0, starting = 0;  // tasks, before the plan and with it
  Bill bill;                                // of the starting tasks, by use; moves: of the plan
  std::uint64_t remote_reads = 0;           // of starting tasks, from another zone
  Mebibytes across_zones;                   // that those read, and that the plan moves
  std::optional<double> cost;               // the model's, of all pending work with its waiting; none: no program
  double mean_wait = 0;                     // seconds, of the tasks that start within the forecast
  std::uint64_t beyond = 0;                 // pending tasks that start later than the forecast reaches
};

struct Comparison {
  Figures before, after;
};

Result<Figures> figures_of(const Question& question);
Result<Comparison> compare(const Question& question, const std::vector<Change>& changes);

}  // namespace lips::advice
