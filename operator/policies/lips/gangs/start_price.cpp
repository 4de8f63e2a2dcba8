#include "policies/lips/gangs/start_price.h"

#include <algorithm>

namespace lips {

double StartPrice::of(const Gang& gang, const Start& start) const {
  double usd = beside_cpu(gang, start);
  each_place(start, [&](const auto& spot, const NodeClass& on) {
    usd += spot.tasks * gang.parts[spot.part].work * on.price.value() + lost(gang, spot, on);
  });
  return usd;
}

double StartPrice::of_nodes(const Gang& gang, const Start& start) const {
  double longest = 0, usd = 0;
  for (const NewSpot& spot : start.order->spots) {
    const GangPart& part = gang.parts[spot.part];
    const NodeClass& on = classes_.classes[spot.on];
    longest = std::max(longest, part.work / (cores_of(part.request) * on.speed));
    usd += lost(gang, spot, on);
  }
  for (const auto& [c, nodes] : start.order->nodes) {
    const Offer& offer = cluster_.offers[classes_.classes[c].offer];
    const double paid = to_seconds(offer.boot + offer.idle) + longest;
    usd += nodes * cluster_.nodes[offer.like].price.value() * paid / 3600;
  }
  return usd;
}

double StartPrice::beside_cpu(const Gang& gang, const Start& start) const {
  PeersByZone in_zone = gang.running;
  const double wait = std::max(start.wait, start.order ? start.order->boot : 0.0);
  double usd = waiting_price_ * gang.urgency * classes_.mean_price.value() * gang.work() * wait / 3600;
  each_place(start, [&](const auto& spot, const NodeClass& on) {
    const GangPart& part = gang.parts[spot.part];
    usd += spot.tasks * part.read_usd[on.zone];
    in_zone[on.zone] += part.weight * spot.tasks;
  });
  return usd + exchange_cost(costs_, gang.exchange, in_zone).value();
}

}  // namespace lips
