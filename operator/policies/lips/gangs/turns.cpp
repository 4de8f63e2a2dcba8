#include "policies/lips/gangs/turns.h"

#include <algorithm>
#include <limits>
#include <string_view>
#include <tuple>
#include <utility>

namespace lips {

namespace {

using Turn = std::tuple<bool, std::int64_t, TimePoint, std::string_view, WholeJobId>;  // the least goes first

std::vector<WholeJobId> sorted(std::vector<Turn> turns) {
  std::sort(turns.begin(), turns.end());
  std::vector<WholeJobId> wholes;
  for (const Turn& turn : turns) wholes.push_back(std::get<WholeJobId>(turn));
  return wholes;
}

}  // namespace

bool keeps_room(const ClusterSnapshot& cluster, const PeersThatRun& running, WholeJobId whole, TimePoint arrived,
                Duration keep_room) {
  return running.contains(whole) && cluster.now - arrived < keep_room;
}

std::vector<WholeJobId> pending_in_turn(const ClusterSnapshot& cluster, const PendingPeers& pending,
                                        const PeersThatRun& running, Duration keep_room) {
  std::vector<Turn> turns;
  for (const auto& [whole, jobs] : pending) {
    std::int32_t priority = std::numeric_limits<std::int32_t>::min();
    TimePoint arrival = TimePoint::max();
    std::string_view name = cluster.jobs[jobs.front()].name;
    for (const JobId id : jobs) {
      priority = std::max(priority, cluster.jobs[id].priority);
      arrival = std::min(arrival, cluster.jobs[id].arrival);
      name = std::min<std::string_view>(name, cluster.jobs[id].name);
    }
    const bool kept = keeps_room(cluster, running, whole, cluster.jobs[jobs.front()].whole.arrived, keep_room);
    turns.emplace_back(!kept, -std::int64_t{priority}, arrival, name, whole);
  }
  return sorted(std::move(turns));
}

std::vector<WholeJobId> running_in_turn(const ClusterSnapshot& cluster, const PendingPeers& pending,
                                        const PeersThatRun& running) {
  std::vector<Turn> turns;
  for (const auto& [whole, peers] : running) {
    if (pending.contains(whole)) continue;
    const Job& one = cluster.jobs[cluster.tasks[peers.one].job];
    turns.emplace_back(false, 0, one.whole.arrived, one.name, whole);
  }
  return sorted(std::move(turns));
}

Duration turn_left(Duration since, Duration first) {
  Duration turn = first;
  for (; turn > Duration{} && since >= 2 * turn; turn *= 2) since -= 2 * turn;
  return std::max(Duration{}, turn - since);
}

}  // namespace lips
