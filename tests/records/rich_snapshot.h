// One small cluster that has something of everything that a snapshot can say.
#pragma once

#include <utility>

#include "model/cluster_state.h"
#include "tests/policies/degraded/coded_cluster.h"

namespace lips::testing {

inline ClusterSnapshot rich_start() {
  ClusterBuilder builder(2);
  builder.pool(2, 3, 6);
  builder.start.pools[PoolId(1)].shortfall_price = UsdPerCpuSecond(0.25);
  builder.start.pools[PoolId(1)].targets = {Usd(500), seconds(600), std::chrono::hours(6)};
  builder.start.pools[PoolId(1)].waiting_factor = 0.5;
  builder.start.pools[PoolId(1)].unpaid_room = CpuSeconds(12.5);
  builder.start.pools[PoolId(1)].reclaim = ReclaimRule::from_borrowers;
  const RackId racks[] = {builder.rack(ZoneId(0)), builder.rack(ZoneId(1))};
  builder.start.racks[racks[1]].name = "other rack";
  ClusterSnapshot& start = builder.start;
  const ResourceId gpu = start.extended_names.push_back("nvidia.com/gpu");
  const ResourceId storage = start.extended_names.push_back("ephemeral-storage");
  start.profiles.push_back({{{"disk", "ssd"}}, {{"dedicated", "batch", "NoSchedule"}}});
  const LabelRequirement ssd{"disk", LabelRequirement::Operator::in, {"ssd", "nvme"}};
  start.constraints.push_back({{ssd}, {{ssd}, {ssd, ssd}}, {{"dedicated", "batch", "", true}}, {{{ssd}}, {{ssd}}}});
  start.constraints.push_back({});
  for (std::uint32_t i = 0; i < 6; ++i) {
    Node& node = start.nodes[builder.node({.zone = ZoneId(i % 2), .price = 0.5 + i, .slots = 9, .cpu = 9})];
    node.rack = i < 4 ? racks[i % 2] : RackId::none();
    node.profile = ProfileId(i % 2);
    node.instance_type = i % 2 ? "m5.large" : "c5.large";
    node.capacity_type = i % 2 ? CapacityType::spot : CapacityType::on_demand;
    node.capacity.extended = {{gpu, 4}, {storage, 30.5}};
    node.others = {Cores(0.1), Mebibytes(3), 2, {{gpu, 1}}};
    node.price = UsdPerHour(0.1 + i), node.speed = 1 + i, node.schedulable = i != 5;
    node.preference = i == 2 ? 1.05 : 1;
  }
  start.launch_limits.push_back({3, Cores(12.5), Mebibytes(70'000.5)});
  start.offers.push_back(
      {NodeId(5), 7, Duration(40'000'001), Duration(31'000'002), 0.25, LimitId(0), Cores(4.125), Mebibytes(1025)});
  start.stores[builder.volume(ZoneId(1))].capacity = Mebibytes(1000);
  start.stores[StoreId(6)].price = UsdPerMebibyteHour(0.001);
  start.network = {MebibytesPerSecond(1), MebibytesPerSecond(2), MebibytesPerSecond(3),
                   MebibytesPerSecond(4), MebibytesPerSecond(5), MebibytesPerSecond(6)};
  for (std::uint32_t i = 0; i < 4; ++i) builder.block({NodeId(i), NodeId((i + 1) % 4)}, 64.1 + i);
  start.blocks[BlockId(0)].replicas[0].extra = true;
  // Two native blocks and one of parity, each on a node of its own; the first is lost.
  start.data_sets.push_back({"coded", BlockId(4), 2, {}, {3, 2}});
  for (std::uint32_t i = 0; i < 3; ++i)
    start.blocks.push_back({DataSetId(1), Mebibytes(32), {}, {{StoreId(i), false, {}}}});
  start.blocks[BlockId(4)].replicas.clear();
  start.extra_copies = {{BlockId(0), StoreId(0)}, {BlockId(1), StoreId(2)}};
  start.copies_reviewed = TimePoint(seconds(17));
  start.target_debts = {{"", 0.01, -0.02}, {"pool-1", 0.25, 0}};
  start.data_sets[DataSetId(1)].pool = PoolId(1);
  start.expected = {{"nightly", TimePoint(seconds(4000)), 0.75, CpuSeconds(321.5), DataSetId(0), 0.5, {}, PoolId(1)},
                    {"hourly", TimePoint(seconds(200)), 1, CpuSeconds(20), {}, 1, {}, {}}};
  return start;
}

inline ClusterState rich_state() {
  ClusterState state(rich_start());
  state.advance(TimePoint(seconds(100)));
  JobSpec spec{.name = "reads", .pool = PoolId(1), .arrival = 3, .priority = 2};
  for (std::uint32_t i = 0; i < 4; ++i) spec.blocks.emplace_back(i);
  spec.reduces = 2, spec.shuffle = 33.3, spec.constraint = ConstraintId(0);
  JobArrived reads = job(state.snapshot(), spec);
  reads.job.inputs = {{DataSetId(0), 0.5}, {DataSetId(1), 0.25}};
  reads.job.output = DataSetId(0);
  reads.job.due = {TimePoint(seconds(500)), TimePoint(seconds(60)), TimePoint(seconds(700))};
  reads.job.whole = {WholeJobId(1), 9, 5, 1, CpuSeconds(44)};
  reads.job.request.extended = {{ResourceId(0), 1}, {ResourceId(1), 0.5}};
  state.apply(reads);
  state.apply(job(state.snapshot(), {.name = "decodes", .blocks = {BlockId(4), BlockId(5), BlockId(4)}, .maps = 2}));
  JobArrived held = job(state.snapshot(), {.name = "waits", .maps = 2});
  held.job.held = true, held.job.preempts = false;
  state.apply(held);
  state.apply(job(state.snapshot(), {.name = "done", .maps = 1}));
  state.apply(TaskFound{TaskId(0), NodeId(0), TimePoint(seconds(90))});
  state.apply(TaskFinished{TaskId(0), NodeId(0)});
  state.assume({TaskId(1), NodeId(1), StoreId(1), {}});
  state.apply(TaskFound{TaskId(2), NodeId(2), TimePoint(seconds(95))});
  state.begin_reclaim({TaskId(2), PoolId(0), Usd(1)});
  state.assume(first_degraded(state.snapshot(), NodeId(2)));
  state.assume(first_degraded(state.snapshot(), NodeId(4)));
  state.apply(TaskWithdrawn{TaskId(static_cast<std::uint32_t>(state.snapshot().tasks.size() - 1))});
  state.apply(TaskStays{TaskId(1), TimePoint(seconds(400))});
  state.apply(TasksMarked{{{TaskId(2), TimePoint(seconds(86'400))}}});
  state.apply(ReplicaAdded{BlockId(3), {StoreId(6), true, TimePoint(seconds(8))}});
  state.apply(ReplicaAdded{BlockId(3), {StoreId(1), true, {}}});
  state.begin_move({MoveId(3), BlockId(1), StoreId(1), StoreId(6)});
  JobMemory memory;
  memory.home = ZoneId(1), memory.home_decided = memory.launched = true;
  memory.passed_over_since = TimePoint(seconds(7)), memory.last_locality = Locality::remote;
  memory.refused_for = Duration(1234), memory.refused_at = TimePoint(seconds(8));
  memory.node_waits = {Duration(3), 5}, memory.rack_waits = {Duration(4), 6};
  memory.priority = std::int8_t{-2}, memory.opportunities = 9;
  state.remember({JobId(0), memory});
  state.remember(ShareMemory{TimePoint(seconds(1)), 4, true, {0.5, 1.5, 2.5}});
  return state;
}

}  // namespace lips::testing
