#include "model/last_starts.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "model/launch_room.h"
#include "model/work_left.h"

namespace lips {

// The lengths of tasks at the highest speed, in seconds.
struct LastStarts::Lengths {
  std::vector<std::pair<double, double>> tasks;  // length, and how many; the shortest first
  double count = 0, sum = 0;

  // The sum of the shortest so many.
  double of_shortest(double number) const {
    double total = 0;
    for (const auto& [length, many] : tasks) {
      const double taken = std::min(number, many);
      if (taken <= 0) break;
      total += taken * length, number -= taken;
    }
    return total;
  }
};

LastStarts::LastStarts(const ClusterSnapshot& cluster) : cluster_(cluster), fastest_(fastest_node(cluster)) {}

LastStarts::Rooms LastStarts::find_rooms(const Job& job) {
  if (ends_.empty()) ends_ = task_ends<NodeId>(cluster_, cluster_.nodes.size(), [](NodeId node) { return node; });
  IdVector<ProfileId, std::optional<bool>> known(cluster_.profiles.size());
  const auto takes = [&](NodeId node) {
    std::optional<bool>& eligible = known[cluster_.nodes[node].profile];
    if (!eligible) eligible = cluster_.eligible(job.constraint, node);
    return *eligible;
  };
  std::map<double, double> by_time;
  for (const NodeId node : cluster_.nodes.ids()) {
    if (!cluster_.nodes[node].schedulable || !takes(node)) continue;
    Resources free = cluster_.free[node];
    std::int64_t room = fit_count(job.request, free);
    if (room > 0) by_time[0] += static_cast<double>(room);
    for (const TaskEnd& end : ends_[node]) {
      free += *end.request;
      const std::int64_t more = fit_count(job.request, free) - room;
      if (more > 0) by_time[end.at] += static_cast<double>(more), room += more;
    }
  }
  for (const Offer& offer : cluster_.offers) {
    if (!takes(offer.like)) continue;
    const std::int64_t each = fit_count(job.request, cluster_.nodes[offer.like].capacity);
    if (const std::uint32_t nodes = nodes_left(cluster_, offer); each > 0 && nodes > 0)
      by_time[to_seconds(offer.boot)] += static_cast<double>(each) * nodes;
  }
  Rooms rooms;
  for (const auto& [from, tasks] : by_time) rooms.push_back({from, tasks});
  return rooms;
}

const LastStarts::Rooms& LastStarts::rooms_of(const Job& job) {
  const auto [found, added] = rooms_.try_emplace(Like{job.request, job.constraint});
  if (added) found->second = find_rooms(job);
  return found->second;
}

// Says whether nothing rules it out: each place takes no more tasks than the shortest allows, one after the other, and
// all that do not run at that time have been done there.
bool LastStarts::can_have_started(const Rooms& rooms, const Lengths& tasks, double by) {
  const double shortest = tasks.tasks.front().first;
  double places = 0, seconds = 0, starts = 0;
  for (const auto& [from, here] : rooms) {
    if (from > by) break;
    places += here, seconds += here * (by - from);
    starts += shortest > 0 ? here * (1 + std::floor((by - from) / shortest)) : tasks.count;
  }
  return places >= tasks.count || (starts >= tasks.count && seconds >= tasks.of_shortest(tasks.count - places));
}

double LastStarts::last_start(const Rooms& rooms, const Lengths& tasks) {
  if (rooms.empty()) return std::numeric_limits<double>::infinity();
  // Bisected: at `after` one task after the other can have started in one place.
  double before = rooms.front().from, after = before + tasks.sum;
  if (can_have_started(rooms, tasks, before)) return before;
  while (after - before > 1e-6 * std::max(1.0, after))
    if (const double middle = (before + after) / 2; can_have_started(rooms, tasks, middle))
      after = middle;
    else
      before = middle;
  return before;
}

void LastStarts::add(const Waiting& waiting, Lengths& tasks) const {
  std::vector<std::pair<double, double>> shortest;
  for (const TaskGroup& group : cluster_.groups[waiting.part])
    if (group.count > 0)
      shortest.emplace_back(seconds_alone(cluster_.jobs[waiting.part], group) / fastest_, group.count);
  std::sort(shortest.begin(), shortest.end());
  double left = static_cast<double>(waiting.tasks);
  for (const auto& [length, many] : shortest) {
    const double taken = std::min(many, left);
    if (taken <= 0) break;
    tasks.tasks.emplace_back(length, taken);
    tasks.count += taken, tasks.sum += taken * length, left -= taken;
  }
}

LastStarts::Last LastStarts::of(std::span<const Waiting> waiting) {
  std::map<Like, std::pair<JobId, Lengths>> alike;
  for (const Waiting& some : waiting) {
    const Job& job = cluster_.jobs[some.part];
    const auto [known, added] = alike.try_emplace(Like{job.request, job.constraint}, some.part, Lengths{});
    add(some, known->second.second);
  }
  Last last;
  for (auto& [like, found] : alike) {
    auto& [part, tasks] = found;
    if (tasks.count <= 0) continue;
    std::sort(tasks.tasks.begin(), tasks.tasks.end());
    const double start = last_start(rooms_of(cluster_.jobs[part]), tasks);
    last.start = std::max(last.start, start);
    last.end = std::max(last.end, start + tasks.tasks.front().first);
  }
  return last;
}

}  // namespace lips
