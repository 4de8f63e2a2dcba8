#include "policies/lips/gangs/gang_orders.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace lips {

namespace {

// Ordered nodes with equal room left.
struct NewNodes {
  ClassId on;
  Resources free;
  std::uint32_t nodes = 0;
};

// Fills nodes one by one, each with as many tasks as it holds; `alike` is divided where they fill only some.
std::uint32_t fill_nodes(const Resources& request, std::uint32_t most, std::size_t index,
                         std::vector<NewNodes>& alike) {
  const NewNodes before = alike[index];
  const auto each = static_cast<std::uint32_t>(std::clamp<std::int64_t>(fit_count(request, before.free), 0, most));
  if (each == 0) return 0;
  const std::uint32_t full = std::min(before.nodes, most / each);
  const std::uint32_t rest = full < before.nodes ? most % each : 0;
  const auto less = [&](std::uint32_t tasks) { return before.free - request * static_cast<std::int32_t>(tasks); };
  alike[index] = {before.on, less(each), full};
  if (rest > 0) alike.push_back({before.on, less(rest), 1});
  if (const std::uint32_t untouched = before.nodes - full - (rest > 0); untouched > 0)
    alike.push_back({before.on, before.free, untouched});
  return full * each + rest;
}

}  // namespace

// A node that is dearer because it is safer should be small: what the part leaves of it is dearer for the others too.
std::vector<ClassId> OrderRoom::cheapest_first(ZoneId zone, const GangPart& part) const {
  std::vector<std::pair<double, ClassId>> offers;
  double cheapest = std::numeric_limits<double>::infinity();
  for (const ClassId c : offers_[zone]) {
    const NodeClass& offer = classes_.classes[c];
    if (fit_count(part.request, offer.shape) <= 0 || !cluster_.eligible(cluster_.jobs[part.job].constraint, offer.like))
      continue;
    offers.emplace_back(offer.price.value() + price_of_interruptions(classes_, offer, part), c);
    cheapest = std::min(cheapest, offer.price.value());
  }
  if (part.stake > 1)
    for (auto& [price, c] : offers) {
      const NodeClass& offer = classes_.classes[c];
      const double used = cores_of(part.request) * part.tasks, left = std::max(0.0, offer.shape.cpu.value() - used);
      price += (offer.price.value() - cheapest) * left / used;
    }
  std::stable_sort(offers.begin(), offers.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<ClassId> classes;
  for (const auto& [price, c] : offers) classes.push_back(c);
  return classes;
}

OrderRoom::OrderRoom(const ClusterSnapshot& cluster, const NodeClasses& classes)
    : cluster_(cluster), classes_(classes), offers_(cluster.zones.size()) {
  for (const ClassId c : classes.classes.ids()) {
    const NodeClass& offer = classes.classes[c];
    if (!offer.offer.valid()) continue;
    offers_[offer.zone].push_back(c);
  }
  for (std::vector<ClassId>& offers : offers_)
    std::stable_sort(offers.begin(), offers.end(),
                     [&](ClassId a, ClassId b) { return classes.classes[a].price < classes.classes[b].price; });
}

std::optional<GangOrder> OrderRoom::order(const Gang& gang, ZoneId zone, std::span<const Spot> placed) const {
  GangOrder order;
  LaunchLimits limits = classes_.room.limits();
  std::vector<NewNodes> alike;
  for (std::size_t i = 0; i < gang.parts.size(); ++i) {
    const GangPart& part = gang.parts[i];
    std::uint32_t left = part.tasks;
    for (const Spot& spot : placed)
      if (spot.part == i) left -= spot.tasks;
    const ConstraintId constraint = cluster_.jobs[part.job].constraint;
    const auto place = [&](std::size_t index) {
      const ClassId on = alike[index].on;
      const std::uint32_t tasks = fill_nodes(part.request, left, index, alike);
      if (tasks > 0) order.spots.push_back({i, tasks, on});
      left -= tasks;
    };
    for (std::size_t index = 0, known = alike.size(); index < known && left > 0; ++index)
      if (cluster_.eligible(constraint, classes_.classes[alike[index].on].like)) place(index);
    for (const ClassId c : cheapest_first(zone, part)) {
      const NodeClass& offer = classes_.classes[c];
      const std::int64_t each = fit_count(part.request, offer.shape);
      if (left == 0) break;
      std::uint32_t& ordered = order.nodes[c];
      const auto needed = static_cast<std::uint32_t>((left - 1) / std::min<std::int64_t>(each, left) + 1);
      const std::uint32_t nodes = std::min(needed, classes_.room.nodes(offer.offer, ordered, limits));
      if (nodes == 0) continue;
      ordered += nodes;
      classes_.room.take(offer.offer, nodes, limits);
      alike.push_back({c, offer.shape, nodes});
      place(alike.size() - 1);
    }
    if (left > 0) return std::nullopt;
  }
  for (const auto& [c, nodes] : order.nodes)
    if (nodes > 0) order.boot = std::max(order.boot, to_seconds(cluster_.offers[classes_.classes[c].offer].boot));
  return order;
}

OfferId OrderRoom::like(NodeId id, const GangPart& part) const {
  const Node& node = cluster_.nodes[id];
  if (node.fleet != FleetKind::elastic) return OfferId::none();
  for (const ClassId c : offers_[node.zone]) {
    const NodeClass& offer = classes_.classes[c];
    if (nodes_left(cluster_, cluster_.offers[offer.offer]) > 0 &&
        cluster_.nodes[offer.like].capacity_type == node.capacity_type && fit_count(part.request, offer.shape) > 0 &&
        cluster_.eligible(cluster_.jobs[part.job].constraint, offer.like))
      return offer.offer;
  }
  return OfferId::none();
}

}  // namespace lips
