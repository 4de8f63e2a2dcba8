#include "advice/held.h"

#include <algorithm>

namespace lips::advice {

Result<std::optional<HeldBack>> held_back(const Question& question, const Outcome& outcome, TaskId task) {
  if (outcome.start_of(task) || outcome.plan.account.held.empty()) return std::nullopt;
  Question without = question;
  without.settings.lips.keep_room = Duration{};
  const Result<Outcome> otherwise = ask(without);
  if (!otherwise) return tl::unexpected(otherwise.error());
  const Assignment* start = otherwise->start_of(task);
  if (!start) return std::nullopt;
  HeldBack held{{}, start->node};
  const ZoneId zone = question.cluster.nodes[start->node].zone;
  for (const HeldRoom& room : outcome.plan.account.held)
    if (room.zone == zone && room.job != question.cluster.tasks[task].job && room.reason != HeldFor::large_task &&
        !room.spare)
      held.rooms.push_back(room);
  if (held.rooms.empty()) return std::nullopt;
  std::stable_sort(held.rooms.begin(), held.rooms.end(),
                   [](const HeldRoom& a, const HeldRoom& b) { return a.room.cpu > b.room.cpu; });
  return held;
}

}  // namespace lips::advice
