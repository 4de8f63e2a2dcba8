#include "policies/lips/placing/offers.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

#include "model/resource_bounds.h"
#include "policies/lips/prices/price_terms.h"

namespace lips {

namespace {

constexpr double rounding = 1e-12;
constexpr double unlimited = std::numeric_limits<double>::infinity();

bool full(const Resources& free) { return free.slots <= 0 && free.cpu.value() <= 0; }

}  // namespace

Offers::Offers(const ClusterSnapshot& cluster, const NodeClasses& classes, IdVector<NodeId, Resources>& free,
               PromisedRoom& promised)
    : cluster_(cluster),
      classes_(classes),
      free_(free),
      later_(cluster, classes, free),
      promised_(promised),
      open_(classes.classes.size()),
      most_(classes.classes.size(), most_of_all_) {
  for (const ClassId c : classes.classes.ids()) {
    for (const NodeId node : classes.classes[c].nodes)
      if (!full(free[node])) {
        open_[c].push_back(node);
        most_[c] = most_of_each(most_[c], free[node]);
      }
    most_of_all_ = most_of_each(most_of_all_, most_[c]);
    if (classes.classes[c].whole)
      std::stable_sort(open_[c].begin(), open_[c].end(),
                       [&](NodeId a, NodeId b) { return classes.paid_until[a] > classes.paid_until[b]; });
  }
}

bool Offers::may_take(const Commodity& commodity, const Resources& request, ClassId c) {
  return commodity.any_class ? fits(request, classes_.classes[c].shape)
                             : classes_.takes(c, commodity.constraint, commodity.request);
}

Offers::Looks& Offers::looks_for(const Commodity& commodity, const Resources& request) {
  const ConstraintId constraint = commodity.any_class ? ConstraintId::none() : commodity.constraint;
  const auto [known, added] = looks_.try_emplace({request, commodity.any_class, constraint, commodity.urgency});
  Looks& looks = known->second;
  if (!added) return looks;
  looks.in = IdVector<ClassId, Look>(classes_.classes.size());
  looks.order = IdVector<ZoneId, std::vector<ClassId>>(cluster_.zones.size());
  for (const ClassId c : classes_.classes.ids()) {
    const NodeClass& group = classes_.classes[c];
    if (!may_take(commodity, request, c)) continue;
    const double price = group.price.value() / commodity.urgency;
    if (group.offer.valid())
      looks.in[c].least = price + classes_.steps[c].front().waiting_price;
    else
      looks.in[c].least = price * (group.whole ? price_of_paid_capacity : 1);
    looks.order[group.zone].push_back(c);
  }
  for (std::vector<ClassId>& classes : looks.order) std::make_heap(classes.begin(), classes.end(), Dearer{looks});
  return looks;
}

Offers::Open& Offers::open_for(const Commodity& commodity, const Resources& request) {
  const ConstraintId constraint = commodity.any_class ? ConstraintId::none() : commodity.constraint;
  const auto [known, added] = open_for_.try_emplace({request, commodity.any_class, constraint});
  if (!added) return known->second;
  for (const ClassId c : classes_.classes.ids())
    if (fits(request, most_[c]) && !classes_.classes[c].offer.valid() && may_take(commodity, request, c))
      known->second.emplace_back(c, 0);
  return known->second;
}

NodeId Offers::open_node(ClassId c, const Resources& request, double end, std::size_t& first) {
  const std::vector<NodeId>& nodes = open_[c];
  while (first < nodes.size() && !fits(request, free_[nodes[first]])) ++first;
  for (std::size_t i = first; i < nodes.size(); ++i)
    if (fits(request, free_[nodes[i]]) && promised_.tasks(nodes[i], request, end, 1) > 0) return nodes[i];
  return NodeId::none();
}

// An elastic node that is paid for anyway costs next to nothing until then.
double Offers::price_on(ClassId c, const Commodity& commodity, NodeId node) const {
  const NodeClass& group = classes_.classes[c];
  const double price = price_in(classes_, group, commodity);
  if (!group.whole || commodity.longest <= 0) return price;
  const double paid = std::min(1.0, classes_.paid_until[node] * group.speed / commodity.longest);
  return price - paid * (1 - price_of_paid_capacity) * group.price.value() / commodity.urgency;
}

// Seconds. An autoscaler launches nothing for a task that fits a node which is there, of the same zone and capacity
// type: the task would wait until that node is gone, and an empty one stays as long as somebody asks for it.
double Offers::wait_for_twins(const Commodity& commodity, const Resources& request, const NodeClass& offer) {
  double wait = 0;
  for (const ClassId c : classes_.classes.ids()) {
    const NodeClass& group = classes_.classes[c];
    if (group.offer.valid() || group.zone != offer.zone ||
        cluster_.nodes[group.like].capacity_type != cluster_.nodes[offer.like].capacity_type ||
        !may_take(commodity, request, c))
      continue;
    for (const NodeId node : open_[c]) {
      if (!fits(request, free_[node])) continue;
      if (fits(cluster_.nodes[node].capacity, free_[node])) return unlimited;
      wait = std::max(wait, classes_.paid_until[node]);
    }
  }
  return wait;
}

double Offers::end_now(ClassId c, const Commodity& commodity, const Resources& request, double work) const {
  return promised_.none() ? 0 : run_seconds(cluster_, commodity, classes_.classes[c], request, work);
}

std::optional<PlaceOffer> Offers::launch(ClassId c, const Asked& asked, double most) {
  const NodeClass& group = classes_.classes[c];
  const double price = price_in(classes_, group, asked.commodity) + classes_.steps[c].front().waiting_price;
  if (price > most || classes_.room.nodes(group.offer) == 0) return std::nullopt;
  const double wait = wait_for_twins(asked.commodity, asked.request, group);
  if (!std::isfinite(wait)) return std::nullopt;
  const double start = wait + to_seconds(cluster_.offers[group.offer].boot);
  return PlaceOffer{c, NodeId::none(), start, price + classes_.waiting * wait};
}

std::optional<PlaceOffer> Offers::place(ClassId c, const Asked& asked, double most, Look& look) {
  const auto& [commodity, request, work] = asked;
  if (const NodeId node = open_node(c, request, end_now(c, commodity, request, work), look.first); node.valid())
    return PlaceOffer{c, node, 0, price_on(c, commodity, node)};
  const double price = price_in(classes_, classes_.classes[c], commodity);
  if (price > most) return std::nullopt;
  const double latest = most < unlimited ? (most - price) / classes_.waiting * (1 + rounding) : unlimited;
  const auto later = later_.earliest(c, request, latest, look.later);
  if (look.first == open_[c].size())
    look.least = classes_.classes[c].price.value() / commodity.urgency + classes_.waiting * later_.least(c, look.later);
  if (!later) return std::nullopt;
  return PlaceOffer{c, later->node, later->at, price + classes_.waiting * later->at, later->room};
}

std::optional<PlaceOffer> Offers::cheapest(const Commodity& commodity, const Resources& request, double work) {
  Looks& looks = looks_for(commodity, request);
  std::vector<std::pair<double, ZoneId>> zones;
  for (const ZoneId zone : looks.order.ids())
    if (!looks.order[zone].empty())
      zones.emplace_back(looks.in[looks.order[zone].front()].least + commodity.non_cpu_cost[zone], zone);
  std::sort(zones.begin(), zones.end());
  std::optional<PlaceOffer> best;
  std::vector<ClassId> seen;
  for (const auto& [least, zone] : zones) {
    std::vector<ClassId>& order = looks.order[zone];
    seen.clear();
    while (!order.empty()) {
      const ClassId c = order.front();
      if (best && looks.in[c].least + commodity.non_cpu_cost[zone] > best->price) break;
      std::pop_heap(order.begin(), order.end(), Dearer{looks});
      order.pop_back();
      seen.push_back(c);
      if (!may_take(commodity, request, c)) continue;
      const double most = best ? best->price : unlimited;
      const std::optional<PlaceOffer> offer = classes_.classes[c].offer.valid()
                                                  ? launch(c, {commodity, request, work}, most)
                                                  : place(c, {commodity, request, work}, most, looks.in[c]);
      if (offer && (!best || std::tie(offer->price, c) < std::tie(best->price, best->of_class))) best = offer;
    }
    for (const ClassId c : seen) {
      order.push_back(c);
      std::push_heap(order.begin(), order.end(), Dearer{looks});
    }
  }
  return best;
}

std::optional<PlaceOffer> Offers::cheapest_now(const Commodity& commodity, const Resources& request, double work) {
  std::optional<PlaceOffer> best;
  if (!fits(request, most_of_all_)) return best;
  for (auto& [c, first] : open_for(commodity, request)) {
    const NodeId node = open_node(c, request, end_now(c, commodity, request, work), first);
    if (!node.valid()) continue;
    const double price = price_on(c, commodity, node);
    if (!best || price < best->price) best = PlaceOffer{c, node, 0, price};
  }
  return best;
}

bool Offers::any_now(const Commodity& commodity, const Resources& request) {
  if (!fits(request, most_of_all_)) return false;
  for (const ClassId c : open_.ids()) {
    if (!fits(request, most_[c]) || !may_take(commodity, request, c)) continue;
    for (const NodeId node : open_[c])
      if (fits(request, free_[node]) && promised_.tasks(node, request, 0, 1) > 0) return true;
  }
  return false;
}

bool Offers::take(const PlaceOffer& offer, const Resources& request, double seconds) {
  if (!offer.node.valid()) return false;
  if (offer.start > 0) {
    // A node that takes another task now, before this one in turn, may do so in the next plan as well.
    later_.reserve(offer.node, request);
    return free_[offer.node] == cluster_.free[offer.node] &&
           promised_.give(offer.node, offer.start, offer.room - request);
  }
  free_[offer.node] -= request;
  promised_.take(offer.node, request, seconds, 1);
  later_.add_end(seconds, offer.node, request);
  return false;
}

}  // namespace lips
