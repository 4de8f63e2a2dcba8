#include "model/held_room.h"

#include <algorithm>

namespace lips {

std::string_view to_string(HeldFor reason) {
  switch (reason) {
    case HeldFor::workers_to_come:
      return "workers-to-come";
    case HeldFor::driver_to_come:
      return "driver-to-come";
    case HeldFor::rest_of_gang:
      return "rest-of-gang";
    case HeldFor::large_task:
      return "large-task";
    case HeldFor::marked_tasks:
      return "marked-tasks";
  }
  return "workers-to-come";
}

void add_held(std::vector<HeldRoom>& all, const HeldRoom& more) {
  const auto same = std::find_if(all.begin(), all.end(), [&](const HeldRoom& one) {
    return one.reason == more.reason && one.job == more.job && one.zone == more.zone && one.spare == more.spare;
  });
  if (same == all.end()) return all.push_back(more);
  same->tasks += more.tasks;
  same->room += more.room;
}

}  // namespace lips
