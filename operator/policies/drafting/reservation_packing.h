// Reservation prices, and the nodes that are worth their price by them (Chang, Venkataraman: Eva, EuroSys 2025,
// Algorithm 1). Counts kinds of tasks; knows no task, job or plan.
#pragma once

#include <cstdint>
#include <map>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "model/snapshot.h"

namespace lips {

// Tasks with equal requests and constraints. Their reservation price is what the cheapest type that holds one of them
// costs: an hour of its work is worth that.
struct AlikeTasks {
  Resources request;
  ConstraintId constraint;
  std::uint32_t count = 0;
  UsdPerHour reservation;
};

// The load of a node: so many tasks of each kind.
struct Bundle {
  explicit Bundle(std::size_t kinds) : counts(kinds) {}
  std::vector<std::uint32_t> counts;
  Resources used{Cores(0), Mebibytes(0), 0};
  UsdPerHour worth;
  std::uint32_t tasks() const { return std::accumulate(counts.begin(), counts.end(), 0u); }
};

struct NodesToBuy {
  OfferId offer;
  std::uint32_t nodes = 0;
  Bundle each;
};

// An hour of a node in which a core does a CPU-second of work a second: a task's throughput is the speed of its node.
inline UsdPerHour price_at_speed_one(const Node& node) { return node.price / node.speed; }
// Says whether tasks with these reservation prices in all are.
bool is_worth_its_price(const Node& node, UsdPerHour reservations);

class ReservationPacking {
 public:
  explicit ReservationPacking(const ClusterSnapshot& cluster) : cluster_(cluster) {}

  // The least price among the types that could be launched; where none of these holds the task, among the nodes that
  // are there.
  UsdPerHour reservation_price(const Resources& request, ConstraintId constraint);

  // The kind that a node takes next when it has taken the bundle: the greatest reservation price, then the best
  // alignment of the request with the room that is left, then the first one.
  struct Pick {
    std::size_t kind = 0;
    double alignment = 0;
  };
  std::optional<Pick> pick(const std::vector<AlikeTasks>& waiting, const Bundle& taken, NodeId node,
                           const Resources& room);
  // As many as fit.
  Bundle fill(const std::vector<AlikeTasks>& waiting, NodeId node, const Resources& room);
  bool holds(const Bundle& bundle, const std::vector<AlikeTasks>& waiting, NodeId node, const Resources& room);

  // The dearest type first: as many nodes of it as are worth their price when they are full, each as the cheapest type
  // that holds the same tasks. A type that is not sold out has as many nodes as it takes.
  std::vector<NodesToBuy> buy(std::vector<AlikeTasks> waiting);

 private:
  bool eligible(ConstraintId constraint, NodeId node);
  bool holds(const AlikeTasks& tasks, NodeId node, const Resources& room) {
    return fits(tasks.request, room) && eligible(tasks.constraint, node);
  }
  std::vector<OfferId> by_falling_price() const;
  const Node& like(OfferId offer) const { return cluster_.nodes[cluster_.offers[offer].like]; }

  const ClusterSnapshot& cluster_;
  std::map<std::pair<ConstraintId, ProfileId>, bool> eligible_;
};

}  // namespace lips
