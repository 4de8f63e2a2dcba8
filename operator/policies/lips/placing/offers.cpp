#include "policies/lips/placing/offers.h"

#include <algorithm>

#include "policies/lips/prices/price_terms.h"

namespace lips {

Offers::Offers(const ClusterSnapshot& cluster, const NodeClasses& classes, IdVector<NodeId, Resources>& free)
    : cluster_(cluster),
      classes_(classes),
      free_(free),
      eligible_(cluster, classes),
      later_(cluster, classes, free),
      open_(classes.classes.size()) {
  for (const ClassId c : classes.classes.ids()) {
    for (const NodeId node : classes.classes[c].nodes)
      if (free[node].cpu > Cores(0) || free[node].slots > 0) open_[c].push_back(node);
    if (classes.classes[c].whole)
      std::stable_sort(open_[c].begin(), open_[c].end(),
                       [&](NodeId a, NodeId b) { return classes.paid_until[a] > classes.paid_until[b]; });
  }
}

bool Offers::may_take(const Commodity& commodity, const Resources& request, ClassId c) {
  return commodity.any_class ? fits(request, classes_.classes[c].shape) : eligible_.contain(c, commodity);
}

NodeId Offers::open_node(ClassId c, const Resources& request) {
  for (const NodeId node : open_[c])
    if (fits(request, free_[node])) return node;
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

// An autoscaler launches nothing for a task that fits a node which is there, of the same zone and capacity type.
bool Offers::beside_open_twin(const Commodity& commodity, const Resources& request, const NodeClass& offer) {
  for (const ClassId c : classes_.classes.ids()) {
    const NodeClass& group = classes_.classes[c];
    if (group.offer.valid() || group.zone != offer.zone ||
        cluster_.nodes[group.like].capacity_type != cluster_.nodes[offer.like].capacity_type)
      continue;
    if (may_take(commodity, request, c) && open_node(c, request).valid()) return true;
  }
  return false;
}

std::optional<PlaceOffer> Offers::cheapest(const Commodity& commodity, const Resources& request) {
  std::optional<PlaceOffer> best;
  const auto consider = [&](const PlaceOffer& offer) {
    if (!best || offer.price < best->price) best = offer;
  };
  for (const ClassId c : classes_.classes.ids()) {
    const NodeClass& group = classes_.classes[c];
    if (!may_take(commodity, request, c)) continue;
    if (group.offer.valid()) {
      const double price = price_in(classes_, group, commodity) + classes_.steps[c].front().waiting_price;
      if ((!best || price < best->price) && classes_.room.nodes(group.offer) > 0 &&
          !beside_open_twin(commodity, request, group))
        consider({c, NodeId::none(), to_seconds(cluster_.offers[group.offer].boot), price});
      continue;
    }
    if (const NodeId node = open_node(c, request); node.valid()) {
      consider({c, node, 0, price_on(c, commodity, node)});
      continue;
    }
    const double price = price_in(classes_, group, commodity);
    if (best && price >= best->price) continue;
    if (const auto later = later_.earliest(c, request))
      consider({c, later->node, later->at, price + classes_.waiting * later->at});
  }
  return best;
}

bool Offers::any_now(const Commodity& commodity, const Resources& request) {
  for (const ClassId c : classes_.classes.ids())
    if (!classes_.classes[c].offer.valid() && may_take(commodity, request, c) && open_node(c, request).valid())
      return true;
  return false;
}

void Offers::take(const PlaceOffer& offer, const Resources& request, double seconds) {
  if (!offer.node.valid()) return;
  if (offer.start > 0) return later_.reserve({offer.start, offer.node}, request);
  free_[offer.node] -= request;
  later_.add_end(seconds, offer.node, request);
}

}  // namespace lips
