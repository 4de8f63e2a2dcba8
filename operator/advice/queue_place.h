// A waiting task's place among all that wait, in the order in which the policy serves them. Decides nothing.
#pragma once

#include <cstdint>

#include "advice/question.h"

namespace lips::advice {

struct QueuePlace {
  std::uint64_t ahead = 0;    // waiting tasks that go before it; those that are equal to it do not count
  std::uint64_t waiting = 0;  // all that the plan leaves waiting, this one included
};

// lips serves small jobs first, then by priority and urgency; other policies are taken to go by priority and arrival.
QueuePlace place_in_queue(const Question& question, const Outcome& outcome, TaskId task);

}  // namespace lips::advice
