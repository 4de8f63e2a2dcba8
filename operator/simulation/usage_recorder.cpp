#include "simulation/usage_recorder.h"

#include <algorithm>
#include <utility>

#include "invoice/node_hours.h"

namespace lips::simulation {

UsageRecorder::UsageRecorder(const Scenario& scenario)
    : scenario_(scenario),
      launched_(scenario.cluster.nodes.size(), scenario.cluster.now),
      last_end_(scenario.cluster.nodes.size(), scenario.cluster.now) {
  for (const NodeOffer& offer : scenario.fleet.offers)
    for (const NodeId node : offer.places()) launched_[node] = TimePoint::max();
}

// The disk of a node comes with the node; volumes and buckets bill by the byte.
bool UsageRecorder::billed_by_bytes(StoreId store) const {
  return scenario_.cluster.stores[store].kind != StoreKind::node_directory;
}

void UsageRecorder::on_end(const AttemptEnd& end) {
  last_end_[end.node] = end.end;
  const ZoneId here = scenario_.cluster.nodes[end.node].zone;
  const auto& stores = scenario_.cluster.stores;
  if (end.store.valid()) usage_.read(stores, end.store, here, end.read);
  for (std::size_t i = 0; i < end.sources.size(); ++i) usage_.read(stores, end.sources[i].store, here, end.decoded[i]);
  for (std::uint32_t zone = 0; zone < end.shuffled.size(); ++zone) usage_.send(ZoneId(zone), here, end.shuffled[zone]);
}

void UsageRecorder::on_copied(StoreId from, StoreId to, Mebibytes size) {
  usage_.copy(scenario_.cluster.stores, from, to, size);
}

void UsageRecorder::on_kept(StoreId store, Mebibytes size, Duration span) {
  if (billed_by_bytes(store)) usage_.keep(store, size, span);
}

// Nobody else needed that room on the disk of the node.
void UsageRecorder::on_extra_kept(StoreId store, Mebibytes size, Duration span) {
  if (!billed_by_bytes(store)) usage_.keep(store, size, span);
}

void UsageRecorder::end_life(NodeId id, TimePoint now) {
  const TimePoint launched = std::exchange(launched_[id], TimePoint::max());
  if (launched >= now) return;
  const Node& node = scenario_.cluster.nodes[id];
  core_hours_ += node.capacity.cpu.value() * to_hours(billed_time(now - launched, scenario_.tariff.least_life));
  usage_.nodes.push_back({node.instance_type, node.zone, node.capacity_type, node.price, launched, now});
}

// A machine that is interrupted is off at once.
void UsageRecorder::on_gone(NodeId node, Gone why, TimePoint now) {
  end_life(node, why == Gone::interrupted ? now : now + scenario_.fleet.autoscaler.termination);
}

void UsageRecorder::on_node(NodeId node, bool up, TimePoint now) {
  if (!up) return end_life(node, now);
  last_end_[node] = now;
  if (launched_[node] == TimePoint::max()) launched_[node] = now;
}

Usage UsageRecorder::finish(TimePoint end) {
  if (scenario_.fleet.autoscaler.bills_nodes_left)
    for (const NodeOffer& offer : scenario_.fleet.offers)
      for (const NodeId node : offer.places())
        end_life(node, std::max(end, last_end_[node] + idle_time(scenario_.fleet.autoscaler)));
  for (NodeId node : launched_.ids()) end_life(node, end);
  usage_.span = std::max(Duration(0), end - scenario_.cluster.now);
  return std::move(usage_);
}

}  // namespace lips::simulation
