#include "policies/drafting/cheapest_offers.h"

#include "model/launch_room.h"

namespace lips {

bool CheapestOffers::holds(const Job& job, const Offer& offer) const {
  return fits(job.request, cluster_.nodes[offer.like].capacity) && cluster_.eligible(job.constraint, offer.like);
}

OfferId CheapestOffers::among(const Job& job, ZoneSet zones) const {
  OfferId best;
  UsdPerCpuSecond least;
  for (const OfferId id : cluster_.offers.ids()) {
    const Offer& offer = cluster_.offers[id];
    const Node& node = cluster_.nodes[offer.like];
    if (nodes_left(cluster_, offer) == 0 || !zones.contains(node.zone)) continue;
    const UsdPerCpuSecond price = full_packing_price(node.price, node.capacity.cpu, node.speed);
    if ((best.valid() && price >= least) || !holds(job, offer)) continue;
    best = id;
    least = price;
  }
  return best;
}

ZoneSet CheapestOffers::zones(const Job& job) const {
  ZoneSet zones;
  for (const Offer& offer : cluster_.offers) {
    const ZoneId zone = cluster_.nodes[offer.like].zone;
    if (!zones.contains(zone) && holds(job, offer)) zones.insert(zone);
  }
  return zones;
}

}  // namespace lips
