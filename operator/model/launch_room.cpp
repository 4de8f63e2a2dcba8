#include "model/launch_room.h"

#include <algorithm>
#include <cmath>

namespace lips {

namespace {

constexpr double rounding = 1e-9;

double most_of(double room, double each) { return each > 0 ? std::floor(room / each * (1 + rounding)) : 1e18; }

}  // namespace

std::uint32_t LaunchLimit::most(const Resources& capacity) const {
  const double fit =
      std::min(most_of(cores.value(), capacity.cpu.value()), most_of(memory.value(), capacity.memory.value()));
  return static_cast<std::uint32_t>(std::clamp(fit, 0.0, double{1} * nodes));
}

void LaunchLimit::take(const Resources& capacity, std::uint32_t count) {
  if (nodes != any_number) nodes -= count;
  if (cores.value() < any_amount) cores -= capacity.cpu * count;
  if (memory.value() < any_amount) memory -= capacity.memory * count;
}

void LaunchLimit::give_back(const Resources& capacity, std::uint32_t count) {
  if (nodes != any_number) nodes += count;
  if (cores.value() < any_amount) cores += capacity.cpu * count;
  if (memory.value() < any_amount) memory += capacity.memory * count;
}

Resources machine_of(const ClusterSnapshot& cluster, const Offer& offer) {
  Resources machine = cluster.nodes[offer.like].capacity;
  if (offer.cores.value() > 0) machine.cpu = offer.cores, machine.memory = offer.memory;
  return machine;
}

std::uint32_t nodes_left(const ClusterSnapshot& cluster, const Offer& offer) {
  if (!offer.within.valid()) return offer.left;
  return std::min(offer.left, cluster.launch_limits[offer.within].most(machine_of(cluster, offer)));
}

double launchable_work_rate(const ClusterSnapshot& cluster) {
  struct Together {
    double all = 0, of_a_core = 0, of_a_node = 0;
  };
  double rate = 0;
  IdVector<LimitId, Together> together(cluster.launch_limits.size());
  for (const Offer& offer : cluster.offers) {
    const Node& node = cluster.nodes[offer.like];
    const double of_a_node = node.capacity.cpu.value() * node.speed, own = nodes_left(cluster, offer) * of_a_node;
    if (!offer.within.valid()) rate += own;
    if (!offer.within.valid() || own <= 0) continue;
    Together& within = together[offer.within];
    within = {within.all + own, std::max(within.of_a_core, node.speed), std::max(within.of_a_node, of_a_node)};
  }
  for (const LimitId id : cluster.launch_limits.ids()) {
    const LaunchLimit& limit = cluster.launch_limits[id];
    rate += std::min(
        {together[id].all, limit.cores.value() * together[id].of_a_core, limit.nodes * together[id].of_a_node});
  }
  return rate;
}

LaunchRoom::LaunchRoom(const ClusterSnapshot& cluster)
    : cluster_(&cluster), limits_(cluster.launch_limits), open_(cluster.offers.size(), 0.0) {
  left_.reserve(cluster.offers.size());
  for (const Offer& offer : cluster.offers) left_.push_back(offer.left);
}

std::uint32_t LaunchRoom::nodes(OfferId id, std::uint32_t taken, const LaunchLimits& limits) const {
  const Offer& offer = cluster_->offers[id];
  const std::uint32_t own = left_[id] - taken;
  if (!offer.within.valid()) return own;
  return std::min(own, limits[offer.within].most(machine_of(*cluster_, offer)));
}

void LaunchRoom::take(OfferId id, std::uint32_t nodes, LaunchLimits& limits) const {
  const Offer& offer = cluster_->offers[id];
  if (offer.within.valid()) limits[offer.within].take(machine_of(*cluster_, offer), nodes);
}

bool LaunchRoom::allowed(OfferId id) const {
  const Offer& offer = cluster_->offers[id];
  return !offer.within.valid() || limits_[offer.within].most(machine_of(*cluster_, offer)) > 0;
}

bool LaunchRoom::take_for(OfferId offer, const Resources& request) {
  const std::int64_t each = fit_count(request, cluster_->nodes[cluster_->offers[offer].like].capacity);
  if (each <= 0) return false;
  const double share = 1 / static_cast<double>(each);
  if (open_[offer] < share - rounding) {
    if (!allowed(offer)) return false;
    take(offer, 1, limits_);
    open_[offer] += 1;
  }
  open_[offer] -= share;
  return true;
}

}  // namespace lips
