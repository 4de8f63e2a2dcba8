#include "policies/papers/degraded/rack_spacing.h"

#include <algorithm>
#include <limits>

#include "model/stripe.h"

namespace lips {

RackSpacing::RackSpacing(const Draft& draft, const PolicySettings& settings)
    : draft_(draft), fixed_seconds_(to_seconds(settings.degraded.read_time)) {
  const ClusterSnapshot& cluster = draft.cluster;
  since_.assign(cluster.racks.size() + cluster.zones.size(), std::numeric_limits<double>::infinity());
  used_.assign(since_.size(), false);
  for (NodeId node : cluster.nodes.ids())
    if (cluster.nodes[node].schedulable) used_[place(node)] = true;
  for (RackId rack : cluster.rack_degraded.ids())
    if (cluster.rack_degraded[rack]) since_[rack.index()] = to_seconds(cluster.now - *cluster.rack_degraded[rack]);
  for (ZoneId zone : cluster.zone_degraded.ids())
    if (cluster.zone_degraded[zone])
      since_[cluster.racks.size() + zone.index()] = to_seconds(cluster.now - *cluster.zone_degraded[zone]);
}

std::size_t RackSpacing::place(NodeId node) const {
  const Node& where = draft_.cluster.nodes[node];
  return where.rack.valid() ? where.rack.index() : draft_.cluster.racks.size() + where.zone.index();
}

double RackSpacing::read_seconds(NodeId node, TaskId id) const {
  if (fixed_seconds_ > 0) return fixed_seconds_;
  const ClusterSnapshot& cluster = draft_.cluster;
  const bool by_rack = cluster.nodes[node].rack.valid();
  const MebibytesPerSecond link = by_rack ? cluster.network.rack_link : cluster.network.zone_link;
  if (link.value() <= 0) return 0;
  const auto places = static_cast<double>(std::count(used_.begin(), used_.end(), true));
  const Task& task = cluster.tasks[id];
  const Stripe stripe = stripe_of(cluster.data_sets[cluster.blocks[task.block].data_set], task.block);
  return (places - 1) / places * stripe.natives * task.input.value() / link.value();
}

bool RackSpacing::allows(NodeId node, TaskId degraded) const {
  double sum = 0, places = 0;
  for (std::size_t i = 0; i < since_.size(); ++i)
    if (used_[i]) sum += since_[i], ++places;
  return since_[place(node)] >= std::min(sum / places, read_seconds(node, degraded));
}

void RackSpacing::launched(NodeId node) { since_[place(node)] = 0; }

}  // namespace lips
