#include "telemetry/metrics/node_meter.h"

#include <vector>

namespace lips {

void NodeMeter::count_until(TimePoint now) {
  if (!counted_ || now <= *counted_) return;
  const Duration span = now - *counted_;
  counted_ = now;
  for (const auto& [of, rate] : rates_) {
    const auto& [zone, capacity_type] = of;
    registry_.add("lips_node_dollars_total", {zone, to_string(capacity_type)}, (rate.dollars * span).value());
    dollars_ += rate.dollars * span;
    registry_.add("lips_node_core_seconds_total", {zone, to_string(capacity_type)},
                  rate.cores.value() * to_seconds(span));
  }
  if (held_.value() > 0) registry_.add("lips_task_core_seconds_total", {}, held_.value() * to_seconds(span));
}

// The node that describes an offer is none.
void NodeMeter::look(const ClusterSnapshot& cluster, TimePoint now) {
  count_until(now);
  if (!counted_) counted_ = now;
  std::vector<bool> described(cluster.nodes.size(), false);
  for (const Offer& offer : cluster.offers) described[offer.like.index()] = true;
  rates_.clear();
  for (const NodeId id : cluster.nodes.ids()) {
    const Node& node = cluster.nodes[id];
    if (described[id.index()] || !cluster.zones.contains(node.zone)) continue;
    Rate& rate = rates_[{cluster.zones[node.zone].name, node.capacity_type}];
    rate.dollars += node.price;
    rate.cores += node.capacity.cpu;
  }
  held_ = Cores(0);
  for (const Cores cores : cluster.pool_cores) held_ += cores;
}

void NodeMeter::stop(TimePoint now) {
  count_until(now);
  counted_.reset();
  rates_.clear();
  held_ = Cores(0);
}

}  // namespace lips
