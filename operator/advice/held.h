// Room that a plan holds for others, where a task would start at once without it. Decides nothing, knows no words.
#pragma once

#include <optional>
#include <vector>

#include "advice/question.h"
#include "model/held_room.h"

namespace lips::advice {

struct HeldBack {
  std::vector<HeldRoom> rooms;  // of other jobs, in the zone where the task would start, the largest first
  NodeId starts_on;             // otherwise
};

// None: the task starts, or it would wait all the same if no room were held for tasks to come and for gangs.
Result<std::optional<HeldBack>> held_back(const Question& question, const Outcome& outcome, TaskId task);

}  // namespace lips::advice
