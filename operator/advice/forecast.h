// When waiting tasks start if nothing else arrives and running tasks end when they are expected to: the policy plans
// again as capacity becomes free. Decides nothing.
#pragma once

#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "advice/question.h"

namespace lips::advice {

struct Forecast {
  std::vector<std::pair<TaskId, Duration>> starts;  // from now, in order
  bool complete = false;                            // every task that was pending has started
  std::optional<Duration> start_of(TaskId task) const;
};

// Stops when the task `until` has started, if there is one, or after a number of plans that takes seconds. Leaves out
// the reduces of jobs whose maps end meanwhile, and moves of data.
// Asks `goes_on`, if there is one, before each plan.
Result<Forecast> forecast(Question question, TaskId until = TaskId::none(), const std::function<bool()>& goes_on = {});

}  // namespace lips::advice
