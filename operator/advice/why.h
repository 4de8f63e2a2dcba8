// Why a task waits, or what its place costs, and what would start a waiting one at once. Knows no words.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "advice/place.h"
#include "advice/question.h"
#include "advice/queue_place.h"
#include "advice/remedies.h"
#include "base/enum_array.h"

namespace lips::advice {

enum class Standing : std::uint8_t {
  runs,
  ended,
  starts_now,
  next_on_node,     // planned for a node whose room is about to be free
  maps_unfinished,  // its job's maps have not ended
  inputs_missing,   // its job's inputs do not exist yet
  waits_for_node,   // a node was requested for it
  waits_for_data,   // a replica is on its way
  waits_for_locality,
  waits_for_peers,  // tasks that start together with it have not all come, or find no room together
  pool_maximum,
  not_eligible,   // no node may take it, or none is large enough
  cheaper_later,  // a node has room, and waiting is cheaper
  behind_others,  // what is free goes to tasks before it
  no_capacity,    // nothing that fits is free
  plan_refused,
};
std::string_view to_string(Standing standing);
// Whether it is pending and does not start at once.
constexpr bool waits(Standing standing) { return standing > Standing::starts_now; }

// Why a node does not take a task even if none of our tasks runs there.
enum class Mismatch : std::uint8_t { not_schedulable, labels, volumes, taint, too_small };
std::string_view to_string(Mismatch mismatch);

struct Explanation {
  TaskId task;
  Standing standing = Standing::no_capacity;
  std::optional<Place> place;     // where it runs or is planned to run
  std::optional<Place> cheapest;  // of the nodes that may take it and are not like its own, whatever runs there
  std::optional<Duration> left;   // of a running task

  // Of a waiting task.
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
