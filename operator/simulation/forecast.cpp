#include "simulation/forecast.h"

#include <algorithm>
#include <utility>

#include "model/degraded_read.h"
#include "simulation/fleet.h"

namespace lips::simulation {

Forecast::Forecast(const Scenario& scenario)
    : scenario_(scenario),
      idle_(idle_time(scenario.fleet.autoscaler)),
      lives_(scenario.cluster.nodes.size(), Life{scenario.cluster.now, TimePoint::max(), false}),
      last_end_(scenario.cluster.now) {
  for (const NodeOffer& offer : scenario.fleet.offers)
    for (const NodeId node : offer.places()) lives_[node] = {TimePoint::max(), {}, true, offer.boot};
}

void Forecast::on_launch(NodeId node, TimePoint now) {
  Life& life = lives_[node];
  life.launched = now;
  life.until = now + life.boot + idle_;
}

void Forecast::on_node(NodeId node, bool up, TimePoint now) {
  Life& life = lives_[node];
  if (up) {
    if (life.launched == TimePoint::max()) life.launched = now, life.until = TimePoint::max();
  } else {
    end_life(node, life.elastic ? life.until : now);
  }
}

void Forecast::end_life(NodeId id, TimePoint end) {
  const TimePoint launched = std::exchange(lives_[id].launched, TimePoint::max());
  if (launched >= end) return;
  const Node& node = scenario_.cluster.nodes[id];
  usage_.nodes.push_back({node.instance_type, node.zone, node.capacity_type, node.price, launched, end});
}

void Forecast::on_plan(const ClusterSnapshot& cluster, const Plan& plan) {
  for (const DataMove& move : plan.moves)
    usage_.copy(cluster.stores, move.from, move.to, cluster.blocks[move.block].size);
}

void Forecast::on_bind(const ClusterSnapshot& cluster, const Assignment& assignment) {
  const Task& task = cluster.tasks[assignment.task];
  const Job& job = cluster.jobs[task.job];
  const ZoneId here = cluster.nodes[assignment.node].zone;
  if (task.kind == TaskKind::reduce)
    for (std::uint32_t zone = 0; zone < job.map_output.size(); ++zone)
      usage_.send(ZoneId(zone), here, job.map_output[zone] / job.all_reduces());
  else if (assignment.read_from.valid())
    usage_.read(cluster.stores, assignment.read_from, here, task.input);
  for (const StripeSource& source : assignment.sources)
    usage_.read(cluster.stores, source.store, here, source_read(cluster, task, source));

  const TimePoint end =
      cluster.now + expected_duration(cluster, task, assignment.node, locality_of(cluster, assignment));
  last_end_ = std::max(last_end_, end);
  Life& life = lives_[assignment.node];
  if (life.elastic) life.until = std::max(life.until, end + idle_);
}

Usage Forecast::finish(const Usage& counted) {
  const bool beyond = scenario_.fleet.autoscaler.bills_nodes_left;
  for (const NodeId node : lives_.ids()) {
    const Life& life = lives_[node];
    end_life(node, beyond && life.elastic ? life.until : std::min(life.until, last_end_));
  }
  usage_.span = last_end_ - scenario_.cluster.now;
  usage_.mebibyte_hours = counted.mebibyte_hours;
  return std::move(usage_);
}

}  // namespace lips::simulation
