// The ways in which a gang can start, and what they cost. Internal to peers.cpp.
#pragma once

#include <limits>
#include <optional>
#include <vector>

#include "model/costs.h"
#include "policies/lips/gangs/gang.h"
#include "policies/lips/gangs/gang_orders.h"

namespace lips {

struct Start {
  double usd = std::numeric_limits<double>::infinity();
  double wait = 0;  // seconds
  ZoneId zone;      // none: several
  std::vector<Spot> spots;
  std::optional<GangOrder> order;    // of nodes for the other tasks
  bool some_zone_holds_all = false;  // now, later, or with new nodes
  bool beside_driver = false;
};

// In USD.
class StartPrice {
 public:
  // `waiting_price`: see PeersSettings. All of them outlive it.
  StartPrice(const ClusterSnapshot& cluster, const CostModel& costs, const NodeClasses& classes, double waiting_price)
      : cluster_(cluster), costs_(costs), classes_(classes), waiting_price_(waiting_price) {}

  double of(const Gang& gang, const Start& start) const;
  // Waiting, reads and exchange.
  double beside_cpu(const Gang& gang, const Start& start) const;
  // The cost of all nodes that it orders, used or not, from their launch until they have been idle.
  double of_nodes(const Gang& gang, const Start& start) const;

 private:
  // Calls `visit(spot, class)` for all tasks that it places, on nodes that are there and on ordered ones.
  template <class Visit>
  void each_place(const Start& start, const Visit& visit) const {
    for (const Spot& spot : start.spots) visit(spot, classes_.classes[classes_.class_of[spot.node]]);
    if (start.order)
      for (const NewSpot& spot : start.order->spots) visit(spot, classes_.classes[spot.on]);
  }
  // By interruptions of the nodes of the class.
  template <class AnySpot>
  double lost(const Gang& gang, const AnySpot& spot, const NodeClass& on) const {
    const GangPart& part = gang.parts[spot.part];
    return spot.tasks * part.work * price_of_interruptions(classes_, on, part);
  }

  const ClusterSnapshot& cluster_;
  const CostModel& costs_;
  const NodeClasses& classes_;
  const double waiting_price_;
};

}  // namespace lips
