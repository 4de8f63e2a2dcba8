#include "policies/lips/supply/offer_classes.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <tuple>
#include <vector>

#include "model/launch_room.h"
#include "policies/lips/prices/interruptions.h"

namespace lips {

namespace {

constexpr double longest_drain = 24 * 3600;

// USD per CPU-second of work on a node that is always full. Each interruption loses half of a task; a task in which
// they are not rare pays for its own (interruptions.h).
double full_price(const Node& node, const Offer& offer, double mean_task, const UsableRoom& usable) {
  const double lost = std::min(interruptions_a_second(offer) * mean_task, rare_interruptions) / 2;
  return full_packing_price(node.price, usable.of(node.capacity.cpu), node.speed).value() * (1 + lost);
}

bool can_be_launched(const ClusterSnapshot& cluster, const Offer& offer, const UsableRoom& usable) {
  return nodes_left(cluster, offer) > 0 && usable.of(cluster.nodes[offer.like].capacity.cpu).value() > 0;
}

// The needs of tasks that are pending, or that are expected as peers: more is as good.
struct Need {
  double cores = 0;                          // of all
  double longest = 0;                        // of one, seconds at speed 1
  double memory = 0, slots = 0;              // beside a core, of the hungriest
  std::map<ResourceId, double> extended;     // the same
  std::map<WholeJobId, Resources> of_peers;  // of one that is expected

  explicit Need(const ClusterSnapshot& cluster) {
    for (const JobId id : cluster.pending) {
      const Job& job = cluster.jobs[id];
      add(job.request, job.pending);
      for (const TaskGroup& group : cluster.groups[id])
        longest = std::max(longest, group.cpu.value() / cores_of(job.request));
      expect(job.whole);
    }
    for (const RunningTask& run : cluster.running) expect(cluster.jobs[run.job].whole);
  }
  // The amount of each resource beside the cores that the hungriest could use; and how safe the longest is there.
  std::vector<double> a_core(const Offer& offer, const Node& node, const UsableRoom& usable) const {
    const Resources& capacity = node.capacity;
    const double of_use = usable.of(capacity.cpu).value();
    std::vector<double> amounts{std::min(usable.of(capacity.memory).value() / of_use, memory),
                                std::min(capacity.slots / of_use, slots),
                                -std::max(interruptions_a_second(offer) * longest / node.speed, rare_interruptions)};
    for (const auto& [resource, most] : extended)
      amounts.push_back(std::min(capacity.extended[resource] / of_use, most));
    return amounts;
  }
  std::vector<bool> peers_that_fit(const Resources& capacity) const {
    std::vector<bool> fit;
    for (const auto& [whole, each] : of_peers) fit.push_back(fits(each, capacity));
    return fit;
  }

 private:
  void add(const Resources& request, double count) {
    cores += count * request.cpu.value();
    memory = std::max(memory, request.memory.value() / cores_of(request));
    slots = std::max(slots, request.slots / cores_of(request));
    for (const auto& [resource, amount] : request.extended)
      extended[resource] = std::max(extended[resource], amount / cores_of(request));
  }
  void expect(const WholeJob& whole) {
    if (whole.peers && (whole.expected > 0 || whole.lacks_driver) && of_peers.try_emplace(whole.id, whole.each).second)
      add(whole.each, whole.expected + whole.lacks_driver);
  }
};

// Leaves out each offer beside which others of its place and limit take the same tasks, have as much of all that is of
// use a core, cost no more, and are enough for all: of the hundreds of types that a NodePool may allow a few are left.
std::vector<OfferId> worth_launching(const ClusterSnapshot& cluster, double mean_task, const UsableRoom& usable,
                                     NodeKinds& kinds) {
  struct Choice {
    double price = 0, cores = 0;  // of a node
    OfferId id;
    std::vector<double> a_core;  // of all else that is of use
    double room = 0;             // cores of all its nodes
    bool is_as_good_as(const Choice& other) const {
      return std::equal(a_core.begin(), a_core.end(), other.a_core.begin(), std::greater_equal<>{});
    }
  };
  using Kind = std::tuple<ZoneId, CapacityType, LimitId, int, int, std::vector<bool>>;
  if (cluster.offers.empty()) return {};
  const Need need(cluster);
  std::map<Kind, std::vector<Choice>> choices;
  for (const OfferId id : cluster.offers.ids()) {
    const Offer& offer = cluster.offers[id];
    if (!can_be_launched(cluster, offer, usable)) continue;
    const Node& node = cluster.nodes[offer.like];
    const double cores = usable.of(node.capacity.cpu).value();
    choices[{node.zone, node.capacity_type, offer.within, kinds.by_profile(offer.like),
             kinds.by_capacity(node.capacity), need.peers_that_fit(node.capacity)}]
        .push_back({full_price(node, offer, mean_task, usable), cores, id, need.a_core(offer, node, usable),
                    cores * nodes_left(cluster, offer)});
  }
  std::vector<OfferId> kept;
  for (auto& [kind, all] : choices) {
    std::sort(all.begin(), all.end(), [](const Choice& a, const Choice& b) {
      return std::tuple(a.price, a.cores, a.id) < std::tuple(b.price, b.cores, b.id);
    });
    const LimitId within = std::get<LimitId>(kind);
    const double most = within.valid() ? cluster.launch_limits[within].cores.value() : need.cores;
    std::vector<Choice> front;
    for (const Choice& choice : all) {
      double room = 0;
      for (const Choice& better : front)
        if (better.is_as_good_as(choice)) room += better.room;
      if (room <= 0 || room < std::min(need.cores, most)) front.push_back(choice);
    }
    for (const Choice& choice : front) kept.push_back(choice.id);
  }
  return kept;
}

// Without a node nobody has said what a CPU-second costs: the cheapest offers say it.
void state_prices(const ClusterSnapshot& cluster, double mean_task, NodeClasses& classes) {
  if (classes.cores.value() > 0) return;
  for (const Offer& offer : cluster.offers) {
    if (!can_be_launched(cluster, offer, classes.usable)) continue;
    const Node& node = cluster.nodes[offer.like];
    const UsdPerCpuSecond price(full_price(node, offer, mean_task, classes.usable));
    classes.mean_price = classes.mean_price.value() > 0 ? std::min(classes.mean_price, price) : price;
    classes.dearest = std::max(classes.dearest, price);
    classes.cores += node.capacity.cpu;
    classes.work_rate += node.capacity.cpu.value() * node.speed;
  }
}

}  // namespace

void add_offers(const ClusterSnapshot& cluster, const TimeSlotSettings& time_slots, double mean_task, NodeKinds& kinds,
                NodeClasses& classes) {
  classes.room = LaunchRoom(cluster);
  state_prices(cluster, mean_task, classes);
  const double waiting = time_slots.waiting_price * classes.mean_price.value() / 3600;  // of a second
  for (const OfferId id : worth_launching(cluster, mean_task, classes.usable, kinds)) {
    const Offer& offer = cluster.offers[id];
    const Node& node = cluster.nodes[offer.like];
    const double price = full_price(node, offer, mean_task, classes.usable), boot = to_seconds(offer.boot);
    const double unused = share_of_unused_time * (boot + to_seconds(offer.idle));
    NodeClass added;
    added.offer = id;
    added.like = offer.like;
    added.zone = node.zone;
    added.whole = true;
    added.speed = node.speed;
    added.interruptions = interruptions_a_second(offer);
    added.shape = added.least = node.capacity;
    added.drain = waiting > 0 ? std::min(longest_drain, std::sqrt(2 * unused * price / waiting)) : longest_drain;
    const double task = std::max(1.0, mean_task / node.speed), drain = std::max(added.drain, task);
    added.price = UsdPerCpuSecond(price * (1 + unused / drain));
    const double nodes = nodes_left(cluster, offer) * drain;
    classes.now_window.push_back(drain);
    classes.steps.push_back({CapacityStep{classes.usable.of(node.capacity.cpu).value() * node.speed * nodes,
                                          classes.usable.of(node.capacity.memory).value() * nodes,
                                          node.capacity.slots * nodes, waiting * (boot + (drain - task) / 2)}});
    classes.classes.push_back(std::move(added));
  }
}

}  // namespace lips
