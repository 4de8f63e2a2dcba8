#include "kubernetes/adapter/allocatable.h"

#include <algorithm>
#include <utility>

#include "kubernetes/pods/amounts.h"
#include "kubernetes/pods/node_pool.h"
#include "model/node_labels.h"
#include "model/resource_bounds.h"

namespace lips::kubernetes {
namespace {

// awslabs/amazon-eks-ami, bootstrap.sh: of the first core, the second, the third and fourth, and each beyond.
double kept_cores(double cores) {
  const auto between = [cores](double from, double to) { return std::clamp(cores, from, to) - from; };
  return 0.06 * between(0, 1) + 0.01 * between(1, 2) + 0.005 * between(2, 4) + 0.0025 * std::max(0.0, cores - 4);
}

// The same without what it keeps for each pod; and what virtualisation takes, by Karpenter's default.
double kept_mebibytes(double mebibytes) {
  constexpr double of_virtualisation = 0.075, eviction = 100, fixed = 255;
  return of_virtualisation * mebibytes + eviction + fixed;
}

const std::string& pool_of(const Node& node) {
  static const std::string none;
  const std::string* pool = find_text(node.labels, node_pool_label);
  return pool ? *pool : none;
}

// Keeps what is known of names that `now` lacks. True: something is new.
template <typename Map>
bool remember(const Map& now, Map& known) {
  bool news = false;
  for (const auto& [name, room] : now) {
    const auto [entry, added] = known.try_emplace(name, room);
    news |= added || entry->second != room;
    entry->second = room;
  }
  return news;
}

}  // namespace

Resources usual_allocatable(Resources machine) {
  const double cores = machine.cpu.value(), mebibytes = machine.memory.value();
  machine.cpu = Cores(cores - kept_cores(cores));
  machine.memory = Mebibytes(std::max(0.0, mebibytes - kept_mebibytes(mebibytes)));
  return machine;
}

bool Allocatable::see(const NodeCache& nodes) {
  if (std::exchange(seen_, nodes.version()) == nodes.version()) return false;
  const ResourceNames no_others;
  Rooms types, daemons;
  for (const auto& [name, record] : nodes.all()) {
    if (!record.node) continue;
    const Resources room = resources_of(record.node->allocatable, no_others);
    const std::string type = instance_type_of(*record.node);
    if (room.cpu.value() <= 0 || type.empty()) continue;  // its kubelet has not said it yet
    Resources& of_type = types.try_emplace(type, room).first->second;
    of_type = least_of_each(of_type, room);
    Resources& of_pool = daemons.try_emplace(pool_of(*record.node), Resources{Cores(0), Mebibytes(0), 0}).first->second;
    of_pool = most_of_each(of_pool, resources_of(record.daemons, no_others));
  }
  const bool other_types = remember(types, types_);
  return remember(daemons, daemons_) || other_types;
}

Resources Allocatable::of(const OfferEntry& offer) const {
  const auto seen = types_.find(offer.instance_type);
  Resources left = seen != types_.end() ? seen->second : offer.room.value_or(usual_allocatable(offer.capacity));
  if (const auto taken = daemons_.find(offer.pool); taken != daemons_.end())
    left = most_of_each(left - taken->second, {Cores(0), Mebibytes(0), 0});
  return left;
}

}  // namespace lips::kubernetes
