// The nodes that an autoscaler could launch, for plans that choose the place of the next node. Knows prices, no data.
#pragma once

#include "model/snapshot.h"

namespace lips {

class CheapestOffers {
 public:
  explicit CheapestOffers(const ClusterSnapshot& cluster) : cluster_(cluster) {}

  // The offer in these zones whose full node costs least by the CPU-second, least id among equals; none where no node
  // of an offer that is left holds a task of the job.
  OfferId among(const Job& job, ZoneSet zones) const;
  OfferId anywhere(const Job& job) const { return among(job, ZoneSet(~std::uint64_t{0})); }
  // The zones with an offer that holds a task of the job, sold out or not.
  ZoneSet zones(const Job& job) const;

 private:
  bool holds(const Job& job, const Offer& offer) const;

  const ClusterSnapshot& cluster_;
};

}  // namespace lips
