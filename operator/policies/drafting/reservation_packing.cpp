#include "policies/drafting/reservation_packing.h"

#include <algorithm>
#include <limits>

#include "model/launch_room.h"

namespace lips {

namespace {

double alignment_of(const Resources& request, const Resources& room, const Resources& capacity) {
  const auto term = [](double asked, double left, double all) { return all > 0 ? asked / all * (left / all) : 0; };
  double sum = term(request.cpu.value(), room.cpu.value(), capacity.cpu.value()) +
               term(request.memory.value(), room.memory.value(), capacity.memory.value());
  for (const auto& [resource, amount] : request.extended)
    sum += term(amount, room.extended[resource], capacity.extended[resource]);
  return sum;
}

// How many nodes in a row take the same bundle.
std::uint32_t repeats(const Bundle& bundle, const std::vector<AlikeTasks>& waiting) {
  std::uint32_t most = std::numeric_limits<std::uint32_t>::max();
  for (std::size_t kind = 0; kind < waiting.size(); ++kind)
    if (bundle.counts[kind] > 0) most = std::min(most, waiting[kind].count / bundle.counts[kind]);
  return most;
}

}  // namespace

bool is_worth_its_price(const Node& node, UsdPerHour reservations) {
  constexpr double rounding = 1e-9;
  return reservations >= price_at_speed_one(node) * (1 - rounding);
}

bool ReservationPacking::eligible(ConstraintId constraint, NodeId node) {
  const auto [found, added] = eligible_.try_emplace({constraint, cluster_.nodes[node].profile}, false);
  if (added) found->second = cluster_.eligible(constraint, node);
  return found->second;
}

UsdPerHour ReservationPacking::reservation_price(const Resources& request, ConstraintId constraint) {
  constexpr UsdPerHour none(std::numeric_limits<double>::infinity());
  UsdPerHour least = none;
  const AlikeTasks tasks{request, constraint, 1, {}};
  const auto look_at = [&](NodeId node) {
    if (holds(tasks, node, cluster_.nodes[node].capacity))
      least = std::min(least, price_at_speed_one(cluster_.nodes[node]));
  };
  for (const Offer& offer : cluster_.offers)
    if (nodes_left(cluster_, offer) > 0) look_at(offer.like);
  if (least == none)
    for (const NodeId node : cluster_.nodes.ids()) look_at(node);
  return least == none ? UsdPerHour(0) : least;
}

std::optional<ReservationPacking::Pick> ReservationPacking::pick(const std::vector<AlikeTasks>& waiting,
                                                                 const Bundle& taken, NodeId node,
                                                                 const Resources& room) {
  std::optional<Pick> best;
  for (std::size_t kind = 0; kind < waiting.size(); ++kind) {
    const AlikeTasks& tasks = waiting[kind];
    if (tasks.count == taken.counts[kind] || !holds(tasks, node, room)) continue;
    const double alignment = alignment_of(tasks.request, room, cluster_.nodes[node].capacity);
    if (best && std::pair(tasks.reservation, alignment) <= std::pair(waiting[best->kind].reservation, best->alignment))
      continue;
    best = Pick{kind, alignment};
  }
  return best;
}

Bundle ReservationPacking::fill(const std::vector<AlikeTasks>& waiting, NodeId node, const Resources& room) {
  Bundle bundle(waiting.size());
  while (const std::optional<Pick> next = pick(waiting, bundle, node, room - bundle.used)) {
    ++bundle.counts[next->kind];
    bundle.worth += waiting[next->kind].reservation;
    bundle.used += waiting[next->kind].request;
  }
  return bundle;
}

bool ReservationPacking::holds(const Bundle& bundle, const std::vector<AlikeTasks>& waiting, NodeId node,
                               const Resources& room) {
  if (!fits(bundle.used, room)) return false;
  for (std::size_t kind = 0; kind < waiting.size(); ++kind)
    if (bundle.counts[kind] > 0 && !eligible(waiting[kind].constraint, node)) return false;
  return true;
}

// Without those that are sold out.
std::vector<OfferId> ReservationPacking::by_falling_price() const {
  std::vector<OfferId> offers;
  for (const OfferId offer : cluster_.offers.ids())
    if (nodes_left(cluster_, cluster_.offers[offer]) > 0) offers.push_back(offer);
  std::stable_sort(offers.begin(), offers.end(),
                   [&](OfferId a, OfferId b) { return price_at_speed_one(like(a)) > price_at_speed_one(like(b)); });
  return offers;
}

std::vector<NodesToBuy> ReservationPacking::buy(std::vector<AlikeTasks> waiting) {
  std::vector<NodesToBuy> bought;
  const std::vector<OfferId> offers = by_falling_price();
  for (const OfferId dearest : offers)
    for (;;) {
      const Bundle bundle = fill(waiting, cluster_.offers[dearest].like, like(dearest).capacity);
      if (bundle.tasks() == 0 || !is_worth_its_price(like(dearest), bundle.worth)) break;
      OfferId cheapest = dearest;
      for (const OfferId offer : offers)
        if (price_at_speed_one(like(offer)) < price_at_speed_one(like(cheapest)) &&
            holds(bundle, waiting, cluster_.offers[offer].like, like(offer).capacity))
          cheapest = offer;
      const std::uint32_t nodes = repeats(bundle, waiting);
      for (std::size_t kind = 0; kind < waiting.size(); ++kind) waiting[kind].count -= nodes * bundle.counts[kind];
      bought.push_back({cheapest, nodes, bundle});
    }
  return bought;
}

}  // namespace lips
