#include "policies/lips/placing/offers.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

#include "policies/lips/prices/price_terms.h"

namespace lips {

namespace {

constexpr std::size_t few_classes = 250;
constexpr double unlimited = std::numeric_limits<double>::infinity();

bool full(const Resources& free) { return free.slots <= 0 && free.cpu.value() <= 0; }

}  // namespace

Offers::Offers(const ClusterSnapshot& cluster, const NodeClasses& classes, IdVector<NodeId, Resources>& free,
               PromisedRoom& promised)
    : cluster_(cluster),
      classes_(classes),
      free_(free),
      eligible_(cluster, classes),
      later_(cluster, classes, free),
      promised_(promised),
      open_(classes.classes.size()) {
  for (const ClassId c : classes.classes.ids()) {
    for (const NodeId node : classes.classes[c].nodes)
      if (!full(free[node])) open_[c].nodes.push_back(node);
    if (classes.classes[c].whole)
      std::stable_sort(open_[c].nodes.begin(), open_[c].nodes.end(),
                       [&](NodeId a, NodeId b) { return classes.paid_until[a] > classes.paid_until[b]; });
  }
  if (classes.classes.size() > few_classes) order_by_floor();
}

void Offers::order_by_floor() {
  for (const ClassId c : classes_.classes.ids()) by_floor_.push_back(c);
  std::stable_sort(by_floor_.begin(), by_floor_.end(), [&](ClassId a, ClassId b) { return floor(a) < floor(b); });
}

double Offers::floor(ClassId c) const {
  const NodeClass& group = classes_.classes[c];
  return group.price.value() * (group.whole ? price_of_paid_capacity : 1);
}

bool Offers::may_take(const Commodity& commodity, const Resources& request, ClassId c) {
  return commodity.any_class ? fits(request, classes_.classes[c].shape) : eligible_.contain(c, commodity);
}

NodeId Offers::open_node(ClassId c, const Resources& request, double end) {
  auto& [nodes, first] = open_[c];
  while (first < nodes.size() && full(free_[nodes[first]])) ++first;
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
  return price - paid * (1 - price_of_paid_capacity) * group.price.value();
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
    for (const NodeId node : open_[c].nodes) {
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

std::optional<PlaceOffer> Offers::cheapest(const Commodity& commodity, const Resources& request, double work) {
  std::optional<PlaceOffer> best;
  const auto consider = [&](const PlaceOffer& offer) {
    if (!best || std::tie(offer.price, offer.of_class) < std::tie(best->price, best->of_class)) best = offer;
  };
  const double zone = *std::min_element(commodity.non_cpu_cost.begin(), commodity.non_cpu_cost.end());
  for (std::uint32_t i = 0; i < classes_.classes.size(); ++i) {
    const ClassId c = by_floor_.empty() ? ClassId(i) : by_floor_[i];
    if (!by_floor_.empty() && best && floor(c) + zone > best->price) break;
    const NodeClass& group = classes_.classes[c];
    if (!may_take(commodity, request, c)) continue;
    if (group.offer.valid()) {
      const double price = price_in(classes_, group, commodity) + classes_.steps[c].front().waiting_price;
      if ((best && price >= best->price) || classes_.room.nodes(group.offer) == 0) continue;
      const double wait = wait_for_twins(commodity, request, group);
      if (std::isfinite(wait))
        consider(
            {c, NodeId::none(), wait + to_seconds(cluster_.offers[group.offer].boot), price + classes_.waiting * wait});
      continue;
    }
    if (const NodeId node = open_node(c, request, end_now(c, commodity, request, work)); node.valid()) {
      consider({c, node, 0, price_on(c, commodity, node)});
      continue;
    }
    const double price = price_in(classes_, group, commodity);
    if (best && price >= best->price) continue;
    const double before = best && !by_floor_.empty() ? (best->price - price) / classes_.waiting : unlimited;
    if (const auto later = later_.earliest(c, request, before))
      consider({c, later->node, later->at, price + classes_.waiting * later->at, later->room});
  }
  return best;
}

std::optional<PlaceOffer> Offers::cheapest_now(const Commodity& commodity, const Resources& request, double work) {
  std::optional<PlaceOffer> best;
  for (const ClassId c : classes_.classes.ids()) {
    if (classes_.classes[c].offer.valid() || !may_take(commodity, request, c)) continue;
    const NodeId node = open_node(c, request, end_now(c, commodity, request, work));
    if (!node.valid()) continue;
    const double price = price_on(c, commodity, node);
    if (!best || price < best->price) best = PlaceOffer{c, node, 0, price};
  }
  return best;
}

bool Offers::any_now(const Resources& request) {
  for (const ClassId c : classes_.classes.ids())
    if (open_node(c, request, 0).valid()) return true;
  return false;
}

void Offers::take(const PlaceOffer& offer, const Resources& request, double seconds) {
  if (!offer.node.valid()) return;
  if (offer.start > 0) {
    // A node that takes another task now, before this one in turn, may do so in the next plan as well.
    if (free_[offer.node] == cluster_.free[offer.node]) promised_.give(offer.node, offer.start, offer.room - request);
    return later_.reserve(offer.node, request);
  }
  free_[offer.node] -= request;
  promised_.take(offer.node, request, seconds, 1);
  later_.add_end(seconds, offer.node, request);
}

}  // namespace lips
