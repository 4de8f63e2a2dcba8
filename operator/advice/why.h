// Why a task waits, or what its place costs, and what would start a waiting one at once. Knows no words.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "advice/expected.h"
#include "advice/held.h"
#include "advice/place.h"
#include "advice/question.h"
#include "advice/queue_place.h"
#include "advice/remedies.h"
#include "advice/standing.h"
#include "base/enum_array.h"
#include "model/own_targets.h"

namespace lips::advice {

struct Explanation {
  TaskId task;
  Standing standing = Standing::no_capacity;
  std::optional<Place> place;          // where it runs or is planned to run
  std::optional<Place> cheapest;       // of the nodes that may take it and are not like its own, whatever runs there
  std::optional<Duration> left;        // of a running task
  std::optional<Deadline> deadline;    // of its job, until it is done
  std::optional<Deadline> last_start;  // by which its job's tasks have to start, while some wait
  std::optional<MadeRoom> made_room;   // of a pending one, whether it waits or not
  std::optional<HeldBack> held_back;   // of a pending one that waits

  // The place of a waiting task.
  std::optional<QueuePlace> queue;
  std::optional<Duration> starts_in;                // as forecast; none: later than the forecast reaches
  std::optional<std::pair<NodeId, Duration>> room;  // the first node with room for it, and when
  std::optional<Place> dearer;                      // the cheapest node with room that the plan leaves empty
  EnumArray<Mismatch, std::uint32_t> mismatches;    // nodes that do not take it, by the first reason
  std::uint32_t maps_left = 0;                      // of its job, if it is a reduce
  double waiting_price = 0;
  Usd waiting_hour;  // what an hour's wait of the task weighs in a plan
  std::vector<Remedy> remedies;
};

Result<Explanation> explain(const Question& question, TaskId task);

}  // namespace lips::advice
