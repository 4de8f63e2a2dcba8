// How tasks stand after a plan: whether they run, start, or wait, and for what. Decides nothing, knows no words.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "advice/question.h"
#include "base/enum_array.h"
#include "model/entitlements.h"

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
  pool_share,     // its pool has what it is entitled to, and others want the rest
  not_eligible,   // no node may take it, or none is large enough even if it is empty
  cheaper_later,  // a node has room, and waiting is cheaper
  room_kept,      // what it could take is kept for others, who have not come or wait for the rest of their room
  behind_others,  // what is free goes to tasks before it
  no_capacity,    // nothing that fits is free
  plan_refused,
};
std::string_view to_string(Standing standing);
// Says whether it is pending and does not start at once.
constexpr bool waits(Standing standing) { return standing > Standing::starts_now; }

// Why a node does not take a task even if none of our tasks runs there.
enum class Mismatch : std::uint8_t { not_schedulable, labels, volumes, taint, too_small, full_of_others };
std::string_view to_string(Mismatch mismatch);

// The standing of a task that is not pending; none: it is, and a plan decides.
std::optional<Standing> standing_unless_pending(const ClusterSnapshot& cluster, TaskId task);

// The standings under one outcome, which they do not copy; cluster and outcome outlive it.
class Standings {
 public:
  Standings(const ClusterSnapshot& cluster, const Outcome& outcome);

  Standing of(TaskId task) const;  // in any state
  // The room that is free after the tasks that start at once.
  const IdVector<NodeId, Resources>& free() const { return free_; }
  // Nodes that would take the task if nothing of ours ran there, with room for it.
  std::vector<NodeId> with_room(TaskId task, const IdVector<NodeId, Resources>& free) const;
  // Nodes that would not take it even if they were empty, by the first reason. Offered nodes do not count.
  EnumArray<Mismatch, std::uint32_t> mismatches(TaskId task) const;

 private:
  // The same for all tasks of one constraint and request.
  struct Room {
    bool any_node = false;               // would take it, now or once it is launched
    bool before = false, after = false;  // of this plan there is room
  };
  const Room& room(TaskId task) const;
  Standing waiting(TaskId task) const;
  bool is_at_maximum(const Job& job) const;
  bool is_at_share(const Job& job) const;
  std::optional<Mismatch> mismatch(const Job& job, NodeId node) const;

  const ClusterSnapshot& cluster_;
  const Outcome& outcome_;
  IdVector<NodeId, Resources> free_;
  IdVector<NodeId, bool> offered_;
  IdVector<PoolId, Cores> cores_;  // of the pools, with what starts
  PoolShares shares_;              // before the plan; `claims` with what starts
  std::unordered_map<TaskId, const Assignment*> planned_;
  std::unordered_set<TaskId> starts_;
  std::unordered_map<TaskId, DeferralReason> deferred_;
  mutable std::map<std::pair<ConstraintId, Resources>, Room> rooms_;
};

}  // namespace lips::advice
