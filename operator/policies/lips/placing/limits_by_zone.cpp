#include "policies/lips/placing/limits_by_zone.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "model/launch_room.h"

namespace lips {

namespace {

constexpr double rounded = 1e-9;

}  // namespace

LimitsByZone::LimitsByZone(const ClusterSnapshot& cluster, const NodeClasses& classes,
                           const std::vector<WantedNodes>& offers)
    : cluster_(cluster),
      classes_(classes),
      parts_(cluster.launch_limits.size(), IdVector<ZoneId, double>(cluster.zones.size(), 0.0)) {
  IdVector<LimitId, double> sums(cluster.launch_limits.size(), 0.0);
  for (const WantedNodes& wanted : offers) {
    const NodeClass& group = classes.classes[wanted.offer];
    const Offer& offer = offer_of(group);
    if (!offer.within.valid()) continue;
    const double part = wanted.nodes * part_of_limit(offer);
    parts_[offer.within][group.zone] += part;
    sums[offer.within] += part;
  }
  for (const LimitId limit : parts_.ids())
    for (double& part : parts_[limit])
      part = sums[limit] > 1 ? part / sums[limit] : std::numeric_limits<double>::infinity();
}

double LimitsByZone::nodes(const WantedNodes& wanted) const {
  const NodeClass& group = classes_.classes[wanted.offer];
  const Offer& offer = offer_of(group);
  if (!offer.within.valid()) return wanted.nodes;
  return std::min(wanted.nodes, std::floor(parts_[offer.within][group.zone] / part_of_limit(offer) * (1 + rounded)));
}

void LimitsByZone::take(ClassId offer, double nodes) {
  const NodeClass& group = classes_.classes[offer];
  if (const Offer& of = offer_of(group); of.within.valid()) parts_[of.within][group.zone] -= nodes * part_of_limit(of);
}

// The part that one node takes.
double LimitsByZone::part_of_limit(const Offer& offer) const {
  const LaunchLimit& limit = cluster_.launch_limits[offer.within];
  const Resources machine = machine_of(cluster_, offer);
  return std::max({1 / std::max(1.0, double{1} * limit.nodes),
                   machine.cpu.value() / std::max(limit.cores.value(), machine.cpu.value()),
                   machine.memory.value() / std::max(limit.memory.value(), machine.memory.value())});
}

}  // namespace lips
