// Limits on new nodes that are less than what is wanted: each is divided among zones by what is wanted there. If the
// zone where a node saves most had all of it, that would be another zone in each plan, and tasks would run beside the
// data of others.
#pragma once

#include <vector>

#include "base/ids.h"
#include "model/snapshot.h"
#include "policies/lips/market/node_classes.h"

namespace lips {

struct WantedNodes {
  ClassId offer;
  double rent;   // USD a CPU-second, at most 0
  double nodes;  // that have not been asked for
};

class LimitsByZone {
 public:
  // Both outlive it.
  LimitsByZone(const ClusterSnapshot& cluster, const NodeClasses& classes, const std::vector<WantedNodes>& offers);

  // All that is wanted of the offer, or the whole nodes that the zone's part of the limit leaves.
  double nodes(const WantedNodes& wanted) const;
  void take(ClassId offer, double nodes);

 private:
  const Offer& offer_of(const NodeClass& group) const { return cluster_.offers[group.offer]; }
  double part_of_limit(const Offer& offer) const;

  const ClusterSnapshot& cluster_;
  const NodeClasses& classes_;
  IdVector<LimitId, IdVector<ZoneId, double>> parts_;  // of each limit; infinite where it suffices
};

}  // namespace lips
