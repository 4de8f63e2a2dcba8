// The room that one pool gets by taking tasks back: what is free, what is about to become free for it, and what the
// cheapest tasks of other pools hold. Internal to reclaim.cpp.
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
  void begin(PoolId pool, MayStart may_start);
  // Places the task where the least dollars are lost, and takes what keeps that room. False: nowhere.
  bool place(TaskId task, ZoneId within);
  // A state to go back to: all that was placed since then is forgotten.
  struct Mark {
    std::vector<bool> taken;
    IdVector<PoolId, PoolLoss> losses;
    std::size_t places;
  };
  Mark mark() const { return {taken_, losses_, places_.size()}; }
  void go_back(const Mark& mark);
  // Gives back units without which all places still have room, and finds the cheapest ones where there are few. False:
  // all stay.
  bool settle(bool may_move);

  const std::vector<ReclaimPlace>& places() const { return places_; }  // of the pool
  // The numbers of the units that were taken for the pool.
  std::vector<std::size_t> taken() const;

 private:
  struct Choice {
    double usd = 0;
    std::vector<std::size_t> units;
  };
  const Resources& request(TaskId task) const { return cluster_.jobs[cluster_.tasks[task].job].request; }
  // The pool keeps its share without the unit.
  bool may_take(std::size_t unit) const;
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
  void find_cheaper();
  bool pack(std::vector<ReclaimPlace>& places, std::size_t next, IdVector<NodeId, Resources>& room, int& steps) const;

  const ClusterSnapshot& cluster_;
  const PoolShares& shares_;
  const std::vector<ReclaimUnit>& units_;
  IdVector<NodeId, std::vector<std::size_t>> units_on_;
  IdVector<PoolId, PoolLoss> losses_;
  IdVector<NodeId, Resources> free_;  // that all pools may use; where tasks end, those for which they end
  IdVector<NodeId, bool> ends_;       // tasks end there for some pool
  std::vector<bool> taken_;
  PoolId pool_;
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
