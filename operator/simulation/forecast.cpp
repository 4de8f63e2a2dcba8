#include "simulation/forecast.h"

#include <algorithm>
#include <cmath>
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
  life.interrupted = TimePoint::max();
}

void Forecast::on_gone(NodeId node, RunListener::Gone why, TimePoint now) {
  if (why == RunListener::Gone::interrupted) lives_[node].interrupted = now;
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
  if (lives_[id].elastic) elastic_.emplace_back(usage_.nodes.size(), lives_[id].interrupted);
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

// The autoscaler removes empty nodes in rounds, in each no more than its budget allows.
void Forecast::keep_within_budget() {
  const AutoscalerSettings& autoscaler = scenario_.fleet.autoscaler;
  std::vector<TimePoint> launches;
  for (const auto& [node, interrupted] : elastic_) launches.push_back(usage_.nodes[node].launched);
  std::sort(launches.begin(), launches.end());
  std::stable_sort(elastic_.begin(), elastic_.end(), [&](const auto& a, const auto& b) {
    return usage_.nodes[a.first].ended < usage_.nodes[b.first].ended;
  });
  TimePoint round = TimePoint::min();
  std::ptrdiff_t gone = 0, left = 0;
  const auto begin_round = [&](TimePoint at) {
    round = at;
    const auto there = std::upper_bound(launches.begin(), launches.end(), at) - launches.begin() - gone;
    left = std::max<std::ptrdiff_t>(1, std::lround(std::ceil(autoscaler.budget * static_cast<double>(there))));
  };
  const Duration next = autoscaler.poll + autoscaler.validation;
  for (const auto& [node, interrupted] : elastic_) {
    TimePoint& ended = usage_.nodes[node].ended;
    if (round == TimePoint::min() || ended >= round + next) begin_round(ended);
    const TimePoint removed = std::max(ended, left > 0 ? round : round + next);
    ended = std::min({removed, interrupted, autoscaler.bills_nodes_left ? std::max(ended, last_end_) : last_end_});
    ++gone;
    if (interrupted < removed) continue;
    if (left == 0) begin_round(round + next);
    --left;
  }
}

Usage Forecast::finish(const Usage& counted) {
  const bool beyond = scenario_.fleet.autoscaler.bills_nodes_left;
  for (const NodeId node : lives_.ids()) {
    const Life& life = lives_[node];
    end_life(node, beyond && life.elastic ? life.until : std::min(life.until, last_end_));
  }
  keep_within_budget();
  usage_.span = last_end_ - scenario_.cluster.now;
  usage_.mebibyte_hours = counted.mebibyte_hours;
  return std::move(usage_);
}

}  // namespace lips::simulation
