// The room that one pool gets by taking tasks back: what is free, what is about to become free for it, and what the
// cheapest tasks hold, those of pools above their shares and those of its own of lower priority. Internal to
// reclaim.cpp.
#pragma once

#include <functional>
#include <optional>
#include <queue>
#include <utility>
#include <vector>

#include "policies/lips/placing/reclaim_units.h"

namespace lips {

// The use of a pool, as units are taken from it.
struct PoolLoss {
  ResourceAmounts runs;         // of tasks that run and stay
  ResourceAmounts with_starts;  // and of those that the plan starts
};

// A pool that gets room.
struct ReclaimTurn {
  PoolId pool;
  bool borrows = false;  // from pools above their shares
  PriorityGap gap = {};  // in which it takes room from its own tasks
};

inline constexpr double part_of_task = 1e-6;  // that may be missing to a whole one

// A waiting task and its node.
using ReclaimPlace = std::pair<TaskId, NodeId>;
// Says whether the task may start on the node, at that price.
using MayStart = std::function<bool(TaskId, NodeId)>;

class ReclaimRoom {
 public:
  // Refers to all of these; `units` by the dollars that are lost with them.
  ReclaimRoom(const ClusterSnapshot& cluster, const PoolShares& shares, const std::vector<ReclaimUnit>& units,
              IdVector<PoolId, PoolLoss> losses, IdVector<NodeId, Resources> free);

  // From here on for that pool.
  void begin(const ReclaimTurn& turn, MayStart may_start);
  // Places the task where the least dollars are lost, and takes what keeps that room: within the pool's share, or
  // without more use of it. False: nowhere.
  bool place(TaskId task, ZoneId within);
  // A state to go back to: all that was placed since then is forgotten.
  struct Mark {
    std::vector<bool> taken;
    IdVector<PoolId, PoolLoss> losses;
    ResourceAmounts used;
    std::size_t places;
  };
  Mark mark() const { return {taken_, losses_, used_, places_.size()}; }
  void go_back(const Mark& mark);
  // Gives back units without which all places still have room, and finds the cheapest ones where there are few. False:
  // all stay.
  bool settle(bool may_move);

  const std::vector<ReclaimPlace>& places() const { return places_; }  // of the pool
  const ResourceAmounts& used() const { return used_; }                // by the pool, with its places
  // The numbers of the units that were taken for the pool.
  std::vector<std::size_t> taken() const;

 private:
  struct Choice {
    double usd = 0;
    std::vector<std::size_t> units;
  };
  const Resources& request(TaskId task) const { return cluster_.jobs[cluster_.tasks[task].job].request; }
  // Its pool keeps its share without it; or it is of this pool, and the job's tasks may take its room.
  bool may_take(std::size_t unit) const;
  // The request fits there, and the pool may use it.
  bool has_room(const Resources& request, const Resources& room) const;
  bool is_within_share(const Resources& request) const;
  // With the request the pool uses no more than at the beginning, or than its share.
  bool is_neutral(const Resources& request) const;
  void count(std::size_t unit, double times);
  void take(std::size_t unit);
  void untake(std::size_t unit);
  struct NodeChoices;
  // Units whose loss costs least and leaves room for the request; none: nothing does.
  std::optional<Choice> cheapest(NodeId node, const Resources& request);
  void choose(NodeChoices& choices, std::size_t next, const Resources& room, double usd);
  void queue(JobId job, ZoneId within, TaskId one);
  void offer(NodeId node, const Resources& request);
  bool all_fit() const;
  // Each of these that is the pool's own makes room for a task there.
  bool all_serve(const std::vector<std::size_t>& units, const std::vector<ReclaimPlace>& places) const;
  void find_cheaper();
  bool pack(std::vector<ReclaimPlace>& places, std::size_t next, IdVector<NodeId, Resources>& room, int& steps) const;

  const ClusterSnapshot& cluster_;
  const PoolShares& shares_;
  const std::vector<ReclaimUnit>& units_;
  IdVector<NodeId, std::vector<std::size_t>> units_on_;
  IdVector<PoolId, PoolLoss> losses_;
  IdVector<NodeId, Resources> free_;  // that all pools may use; where tasks end, those for which they end
  IdVector<NodeId, bool> ends_;       // tasks end there for some pool
  IdVector<NodeId, bool> closed_;     // for others than the pool
  std::vector<bool> taken_;
  ReclaimTurn turn_;
  ResourceAmounts used_;                  // by the pool
  double most_ = 0;                       // that it may use, of its dominant resource
  Cores most_cores_;                      // and of cores
  bool may_borrow_ = false;               // what is placed now
  std::optional<std::int32_t> preempts_;  // its own tasks below that priority
  MayStart may_start_;
  std::vector<bool> taken_before_;    // for other pools
  IdVector<NodeId, Resources> room_;  // free, and of units taken for the pool, without its places
  std::vector<ReclaimPlace> places_;

  // Nodes for tasks of one job, the cheapest first. Prices rise as room is used up, so one that is out of date is
  // looked up again when its turn comes.
  struct Nodes {
    JobId job;
    ZoneId within;
    using Offer = std::pair<double, NodeId>;
    std::priority_queue<Offer, std::vector<Offer>, std::greater<>> offers;
  };
  Nodes nodes_;
};

}  // namespace lips
