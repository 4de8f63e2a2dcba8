// Room that a plan leaves empty on nodes, for tasks that wait for others or have not come.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/fields.h"
#include "base/ids.h"
#include "model/nodes.h"

namespace lips {

enum class HeldFor : std::uint8_t {
  workers_to_come,  // of a job that runs or is about to start
  driver_to_come,   // of workers that run without one
  rest_of_gang,     // tasks that wait until the others find room too
  large_task,       // that will get a whole node's room when tasks there end; others start there if they end before
  marked_tasks,     // that autoscalers do not evict (marks.h): in no plan, anybody may start there
};
std::string_view to_string(HeldFor reason);
// They are not here. Others wait for room beside somebody else.
constexpr bool is_for_tasks_to_come(HeldFor reason) {
  return reason == HeldFor::workers_to_come || reason == HeldFor::driver_to_come;
}

struct HeldRoom {
  HeldFor reason = HeldFor::workers_to_come;
  JobId job;  // that asks for it; one of several of an application
  ZoneId zone;
  std::uint32_t tasks = 0;
  Resources room;      // of all of them
  bool spare = false;  // that nobody whose turn comes before wants: it may be above the pool's share
  static constexpr auto fields = field_names("reason", "job", "zone", "tasks", "room", "spare");

  // Its pool pays for it (unpaid_room.h). Others use the room of a large task until it starts, and nobody whose turn
  // comes before wants the spare room of a gang.
  bool is_paid_for() const { return reason != HeldFor::large_task && (!spare || is_for_tasks_to_come(reason)); }
};

// One entry for each reason, job and zone, and for spare room.
void add_held(std::vector<HeldRoom>& all, const HeldRoom& more);

}  // namespace lips
