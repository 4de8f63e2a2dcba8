#include "policies/lips/supply/classes.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "model/resource_bounds.h"
#include "model/wanted_price.h"
#include "policies/lips/prices/interruptions.h"
#include "policies/lips/prices/length_price.h"
#include "policies/lips/prices/whole_room.h"
#include "policies/lips/supply/capacity_steps.h"
#include "policies/lips/supply/node_kinds.h"
#include "policies/lips/supply/offer_classes.h"
#include "policies/lips/supply/queue_charge.h"

namespace lips {

namespace {

// Above this number, nodes of different sizes share classes although some pending task fits only some of them: the
// bound stays valid, and packing checks each node.
constexpr std::size_t most_exact_classes = 128;

// Mean seconds that a pending task keeps a core of speed 1 busy.
double mean_task_seconds(const ClusterSnapshot& cluster) {
  double work = 0, tasks = 0;
  for (JobId id : cluster.pending) {
    const Job& job = cluster.jobs[id];
    work += job.pending_work.value() / cores_of(job.request);
    tasks += job.pending;
  }
  return ratio(work, tasks);
}

// Beside nodes that could be launched within a minute, a wait of minutes is not nothing: the first time slot is one
// wave of tasks, and each further one twice as long until the second edge.
void split_first_slot(double mean_task, TimeSlotSettings& time_slots) {
  const double end = to_seconds(time_slots.edges[1]);
  std::vector<Duration> edges{Duration(0)};
  for (double edge = std::max(mean_task, 1.0); edge < end; edge *= 2) edges.push_back(seconds(edge));
  edges.insert(edges.end(), time_slots.edges.begin() + 1, time_slots.edges.end());
  time_slots.edges = std::move(edges);
  time_slots.least_window = Duration(0);
  time_slots.wait_to_middle = true;
}

// The increase of the bill per additional CPU-second on the node. The hours of a fixed node are paid in any case.
UsdPerCpuSecond marginal_price(const Node& node, Billing billing) {
  if (billing == Billing::use) return wanted_price(node);
  return wanted_price(node) * (node.fleet == FleetKind::fixed ? price_of_paid_capacity : 1);
}

// The properties that nodes of one class share.
struct Alike {
  ZoneId zone;
  UsdPerCpuSecond price;
  double speed = 1, interruptions = 0;
  int by_profile = 0, by_capacity = 0;
  double memory_per_core = 0, slots_per_core = 0;
  friend bool operator==(const Alike&, const Alike&) = default;
};

struct AlikeHash {
  std::size_t operator()(const Alike& alike) const {
    // The fields that tell most nodes apart; -0.0 hashes like 0.0.
    const std::uint64_t ids = std::uint64_t{alike.zone.index()} << 32 | static_cast<std::uint32_t>(alike.by_profile);
    std::uint64_t hash = (std::bit_cast<std::uint64_t>(alike.price.value() + 0.0) ^ ids) * 0x9e3779b97f4a7c15u;
    hash ^= hash >> 32;
    return hash;
  }
};

NodeClass class_of(const ClusterSnapshot& cluster, Billing billing, const Alike& alike, std::vector<NodeId> nodes) {
  NodeClass made;
  made.zone = alike.zone, made.price = alike.price, made.speed = alike.speed;
  made.interruptions = alike.interruptions;
  made.shape = made.least = cluster.nodes[nodes.front()].capacity;
  made.like = nodes.front();
  made.whole = billing == Billing::invoice && cluster.nodes[made.like].fleet == FleetKind::elastic;
  made.nodes = std::move(nodes);
  for (const NodeId node : made.nodes) {
    const Resources& capacity = cluster.nodes[node].capacity;
    made.cores += capacity.cpu;
    if (capacity == made.shape && capacity == made.least) continue;
    made.shape = most_of_each(made.shape, capacity);
    made.least = least_of_each(made.least, capacity);
  }
  return made;
}

void group_nodes(const ClusterSnapshot& cluster, Billing billing, bool by_capacity, NodeKinds& kinds,
                 NodeClasses& result) {
  const InterruptionRates rates(cluster);
  std::unordered_map<Alike, std::size_t, AlikeHash> place_of;  // looked up only
  std::vector<std::pair<Alike, std::vector<NodeId>>> groups;
  for (const NodeId id : cluster.nodes.ids()) {
    const Node& node = cluster.nodes[id];
    const double cores = node.capacity.cpu.value();
    if (!node.schedulable || cores <= 0) continue;
    const Alike alike{.zone = node.zone,
                      .price = marginal_price(node, billing),
                      .speed = node.speed,
                      .interruptions = billing == Billing::invoice ? rates.of(node) : 0,
                      .by_profile = kinds.by_profile(id),
                      .by_capacity = by_capacity ? kinds.by_capacity(node.capacity) : 0,
                      .memory_per_core = node.capacity.memory.value() / cores,
                      .slots_per_core = node.capacity.slots / cores};
    const auto [place, added] = place_of.try_emplace(alike, groups.size());
    if (added) groups.emplace_back(alike, std::vector<NodeId>{});
    groups[place->second].second.push_back(id);
  }
  // Classes of equal price come by their least node.
  std::sort(groups.begin(), groups.end(), [](const auto& a, const auto& b) {
    return std::tuple(a.first.zone, a.first.price, a.first.speed, a.second.front()) <
           std::tuple(b.first.zone, b.first.price, b.first.speed, b.second.front());
  });
  result.classes = {};
  result.class_of = IdVector<NodeId, ClassId>(cluster.nodes.size());
  for (auto& [alike, nodes] : groups) {
    for (const NodeId node : nodes) result.class_of[node] = ClassId(static_cast<std::uint32_t>(result.classes.size()));
    result.classes.push_back(class_of(cluster, billing, alike, std::move(nodes)));
  }
}

void add_totals(const ClusterSnapshot& cluster, NodeClasses& result) {
  for (const NodeClass& group : result.classes) {
    result.cores += group.cores;
    result.work_rate += group.cores.value() * group.speed;
    const UsdPerCpuSecond by_use = cluster.nodes[group.like].cpu_price;
    result.mean_price += group.cores.value() * by_use;
    result.dearest = std::max(result.dearest, by_use);
  }
  result.mean_price = UsdPerCpuSecond(ratio(result.mean_price.value(), result.cores.value()));
}

}  // namespace

NodeClasses make_classes(const ClusterSnapshot& cluster, const TimeSlotSettings& given) {
  TimeSlotSettings time_slots = given;
  if (time_slots.edges.size() < 2) time_slots.edges = {Duration(0), time_slots.least_window};
  NodeClasses result;
  result.eligible = EligibleNodes(cluster);
  NodeKinds kinds(cluster, result.eligible);
  result.usable = UsableRoom(cluster);
  group_nodes(cluster, given.billing, true, kinds, result);
  if (result.classes.size() > most_exact_classes) group_nodes(cluster, given.billing, false, kinds, result);
  add_totals(cluster, result);
  if (given.charge_queue) result.queue_charge = queue_charge(cluster, result.work_rate, given.expected);
  time_slots.waiting_price *= result.queue_charge;
  const double mean_task = mean_task_seconds(cluster);
  if (given.billing == Billing::invoice && given.stretch_first && !cluster.offers.empty())
    split_first_slot(mean_task, time_slots);
  fill_steps(cluster, time_slots, mean_task, result);
  if (given.billing == Billing::invoice) add_offers(cluster, time_slots, mean_task, kinds, result);
  find_most_interrupted(result);
  find_rest(cluster, result);
  if (given.billing == Billing::invoice) find_room_waits(cluster, result);
  result.waiting = time_slots.waiting_price * result.mean_price.value() / 3600;
  return result;
}

}  // namespace lips
