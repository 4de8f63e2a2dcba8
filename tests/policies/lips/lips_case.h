// The default planner's pieces on one cluster: classes, commodities and the model's settings, as commodity and property
// tests want them.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "policies/lips/demand/commodities.h"
#include "policies/lips/placing/packing.h"
#include "policies/lips/placing/rounding.h"
#include "policies/lips/placing/task_selection.h"
#include "policies/lips/program/class_form.h"
#include "policies/lips/program/zone_form.h"
#include "policies/lips/supply/classes.h"
#include "tests/policies/case.h"

namespace lips::testing {

// One time slot of that many seconds, exactly.
inline TimeSlotSettings one_time_slot(double span = 600) {
  TimeSlotSettings time_slots;
  time_slots.edges = {Duration(0), seconds(span)};
  time_slots.stretch_first = false;
  return time_slots;
}

struct Model {
  explicit Model(const ClusterSnapshot& snapshot, const CostModel& prices,
                 const CommoditySettings& commodity_settings = {}, const TimeSlotSettings& time_slots = one_time_slot())
      : cluster(snapshot),
        costs(prices),
        classes(make_classes(snapshot, time_slots)),
        workload(make_commodities(snapshot, prices, classes, commodity_settings)) {
    settings.good_enough = 0;
  }
  ClassFormInput input() const { return {cluster, costs, classes, workload, settings}; }
  Amounts by_class() const { return solve_class_form(input()); }
  Amounts by_zone() const { return solve_zone_form(cluster, costs, classes, workload); }
  PackingSettings packing(double window = 600, bool strict = true) const {
    PackingSettings packing;
    packing.window = window;
    packing.strict = strict;
    packing.pools = PoolRoom(cluster, cluster.pool_cores);
    return packing;
  }
  std::vector<Placement> pack_all(const Amounts& amounts, const PackingSettings& packing) const {
    IdVector<NodeId, Resources> free = cluster.free;
    return pack(PackingFacts({cluster, classes, workload, amounts}, costs),
                round_amounts(cluster, workload, amounts, classes), packing, free)
        .placements;
  }

  const ClusterSnapshot& cluster;
  const CostModel& costs;
  NodeClasses classes;
  Workload workload;
  ClassFormSettings settings;
};

// The fault in time when each placement runs for as long as its task takes: nothing, or one sentence.
inline std::string overcommitted(const Model& model, const std::vector<Placement>& placements) {
  struct Change {
    double at;
    Resources free;  // added; negative: taken
  };
  const ClusterSnapshot& cluster = model.cluster;
  IdVector<NodeId, std::vector<Change>> changes(cluster.nodes.size());
  const auto times = [](const Resources& one, double count) {
    return Resources{one.cpu * count, one.memory * count, static_cast<std::int32_t>(one.slots * count)};
  };
  for (const RunningTask& run : cluster.running)
    changes[run.node].push_back(
        {std::max(0.0, to_seconds(run.expected_end - cluster.now)), cluster.jobs[cluster.tasks[run.task].job].request});
  for (const Placement& placement : placements) {
    const Portion& portion = model.workload.portions[placement.portion];
    const Commodity& commodity = model.workload.commodities[portion.commodity];
    const NodeClass& group = model.classes.classes[model.classes.class_of[placement.node]];
    const Resources& request = cluster.jobs[portion.job].request;
    const double span = portion.work * occupancy(cluster, commodity, group) / (cores_of(request) * group.speed);
    changes[placement.node].push_back({placement.start, times(request, -static_cast<double>(placement.tasks))});
    changes[placement.node].push_back({placement.start + span, times(request, placement.tasks)});
  }
  for (NodeId node : cluster.nodes.ids()) {
    std::stable_sort(changes[node].begin(), changes[node].end(), [](const Change& a, const Change& b) {
      return a.at != b.at ? a.at < b.at : a.free.slots > b.free.slots;
    });
    Resources free = cluster.free[node];
    for (const Change& change : changes[node]) {
      free = free + change.free;
      if (free.cpu.value() < -1e-5 || free.memory.value() < -1e-3 || free.slots < 0)
        return "node " + std::to_string(node.index()) + " at " + std::to_string(change.at) + " s";
    }
  }
  return "";
}

}  // namespace lips::testing
