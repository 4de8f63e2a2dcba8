#include "policies/lips/offer_classes.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

namespace lips {

namespace {

constexpr double longest_drain = 24 * 3600;

// USD per CPU-second of work on a node that is always full. Each interruption loses half of a task.
double full_price(const Node& node, const Offer& offer, double mean_task) {
  const double lost = offer.interruptions / 3600 * mean_task / 2;
  return full_packing_price(node.price, node.capacity.cpu, node.speed).value() * (1 + lost);
}

bool can_be_launched(const ClusterSnapshot& cluster, const Offer& offer) {
  return offer.left > 0 && cluster.nodes[offer.like].capacity.cpu.value() > 0;
}

// Without a node nobody has said what a CPU-second costs: the cheapest offers say it.
void state_prices(const ClusterSnapshot& cluster, double mean_task, NodeClasses& classes) {
  if (classes.cores.value() > 0) return;
  for (const Offer& offer : cluster.offers) {
    if (!can_be_launched(cluster, offer)) continue;
    const Node& node = cluster.nodes[offer.like];
    const UsdPerCpuSecond price(full_price(node, offer, mean_task));
    classes.mean_price = classes.mean_price.value() > 0 ? std::min(classes.mean_price, price) : price;
    classes.dearest = std::max(classes.dearest, price);
    classes.cores += node.capacity.cpu;
    classes.work_rate += node.capacity.cpu.value() * node.speed;
  }
}

}  // namespace

void add_offers(const ClusterSnapshot& cluster, const TimeSlotSettings& time_slots, double mean_task, NodeKinds& kinds,
                NodeClasses& classes) {
  state_prices(cluster, mean_task, classes);
  // The class form counts memory by core.
  using Kind = std::tuple<ZoneId, CapacityType, int, int, double>;
  std::map<Kind, OfferId> cheapest;
  for (const OfferId id : cluster.offers.ids()) {
    const Offer& offer = cluster.offers[id];
    if (!can_be_launched(cluster, offer)) continue;
    const Node& node = cluster.nodes[offer.like];
    const Kind kind{node.zone, node.capacity_type, kinds.by_profile(offer.like), kinds.by_capacity(node.capacity),
                    node.capacity.memory.value() / node.capacity.cpu.value()};
    const auto [known, added] = cheapest.try_emplace(kind, id);
    const Offer& best = cluster.offers[known->second];
    if (full_price(node, offer, mean_task) < full_price(cluster.nodes[best.like], best, mean_task)) known->second = id;
  }
  const double waiting = time_slots.waiting_price * classes.mean_price.value() / 3600;  // of a second
  for (const auto& [kind, id] : cheapest) {
    const Offer& offer = cluster.offers[id];
    const Node& node = cluster.nodes[offer.like];
    const double price = full_price(node, offer, mean_task), boot = to_seconds(offer.boot);
    const double unused = boot + to_seconds(offer.idle);
    const double best = waiting > 0 ? std::sqrt(2 * unused * price / waiting) : longest_drain;
    NodeClass added;
    added.offer = id;
    added.like = offer.like;
    added.zone = node.zone;
    added.speed = node.speed;
    added.shape = added.least = node.capacity;
    const double task = std::max(1.0, mean_task / node.speed);
    added.drain = std::clamp(best, task, longest_drain);
    added.price = UsdPerCpuSecond(price * (1 + unused / added.drain));
    const double nodes = offer.left * added.drain;
    classes.now_window.push_back(added.drain);
    classes.steps.push_back(
        {CapacityStep{node.capacity.cpu.value() * node.speed * nodes, node.capacity.memory.value() * nodes,
                      node.capacity.slots * nodes, waiting * (boot + (added.drain - task) / 2)}});
    classes.classes.push_back(std::move(added));
  }
}

}  // namespace lips
