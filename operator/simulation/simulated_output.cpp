// The output of a simulated cluster's jobs: which blocks a task writes, where their replicas go, who waited for them.
#include <algorithm>

#include "base/random.h"
#include "simulation/simulated_cluster.h"

namespace lips::simulation {

// Task i of W writers writes blocks i B / W to (i + 1) B / W.
void SimulatedCluster::write_output(const Assignment& assignment) {
  const JobId id = tasks_[assignment.task].job;
  const Job& of = job(id);
  const bool by_reduces = of.reduce_tasks > 0;
  if ((task(assignment.task).kind == TaskKind::reduce) != by_reduces) return;
  const std::uint32_t first = jobs_[id.index()].first_task.index() + (by_reduces ? of.map_tasks : 0);
  const std::uint64_t writer = assignment.task.index() - first;
  const std::uint64_t writers = by_reduces ? of.reduce_tasks : of.map_tasks;
  const DataSet& data = scenario_.cluster.data_sets[of.output];
  for (std::uint64_t block = writer * data.blocks / writers; block < (writer + 1) * data.blocks / writers; ++block)
    write_block(id, BlockId(data.first_block.index() + static_cast<std::uint32_t>(block)), assignment);
}

void SimulatedCluster::write_block(JobId id, BlockId block, const Assignment& assignment) {
  const std::vector<StoreId> stores = output_stores(block, assignment);
  if (stores.empty()) return end_job(id, false);  // no room anywhere
  // It is written from the node's own directory, or is where it goes at once when the node has none.
  StoreId from = stores.front();
  for (const StoreId store : scenario_.cluster.stores.ids())
    if (scenario_.cluster.stores[store].node == assignment.node) from = store;
  jobs_[id.index()].writes_left += static_cast<std::uint32_t>(stores.size());
  for (const StoreId to : stores) start_write(id, block, from, to);
}

// HDFS: the writer's node, a node of another rack, another one of that rack, then any. A place that the plan names
// comes first; the others then stay in its zone, on another rack where there is one.
std::vector<StoreId> SimulatedCluster::output_stores(BlockId block, const Assignment& assignment) const {
  const ClusterSnapshot& cluster = scenario_.cluster;
  const Mebibytes size = cluster.blocks[block].size;
  const auto usable = [&](StoreId store) {
    const NodeId holder = cluster.stores[store].node;
    return has_space(store, size) && (!holder.valid() || up_[holder.index()]);
  };
  std::vector<StoreId> stores;
  const bool named =
      scenario_.new_data == NewData::policy && assignment.write_to.valid() && usable(assignment.write_to);
  if (named) {
    stores.push_back(assignment.write_to);
  } else {
    for (const StoreId store : cluster.stores.ids())
      if (cluster.stores[store].node == assignment.node && usable(store)) stores.push_back(store);
  }
  if (stores.empty()) {
    const StoreId any = other_store(assignment.node, RackId::none(), false, block, stores);
    if (any.valid()) stores.push_back(any);
  }
  while (!stores.empty() && stores.size() < scenario_.new_data_replicas) {
    const NodeId before = cluster.stores[stores.back()].node;
    const RackId rack = before.valid() ? cluster.nodes[before].rack : RackId::none();
    const bool same_rack = stores.size() == 2;
    const NodeId zone_of = named ? before : NodeId::none();
    const StoreId next = other_store(zone_of, rack, same_rack, block, stores);
    if (!next.valid()) break;
    stores.push_back(next);
  }
  return stores;
}

// A node's directory with room, drawn by the block: on the rack, or on another one; where there is none so, any. With
// `zone_of`, only in that node's zone.
StoreId SimulatedCluster::other_store(NodeId zone_of, RackId rack, bool same_rack, BlockId block,
                                      const std::vector<StoreId>& taken) const {
  const ClusterSnapshot& cluster = scenario_.cluster;
  std::vector<StoreId> wanted, others;
  for (const StoreId store : cluster.stores.ids()) {
    const NodeId node = cluster.stores[store].node;
    if (!node.valid() || !up_[node.index()] || !has_space(store, cluster.blocks[block].size)) continue;
    if (std::find(taken.begin(), taken.end(), store) != taken.end()) continue;
    if (zone_of.valid() && cluster.nodes[node].zone != cluster.nodes[zone_of].zone) continue;
    ((cluster.nodes[node].rack == rack) == same_rack ? wanted : others).push_back(store);
  }
  const std::vector<StoreId>& from = wanted.empty() ? others : wanted;
  if (from.empty()) return StoreId::none();
  constexpr std::uint64_t stream = 0x6f757470;  // of places of new data
  Random random(derive_seed(derive_seed(scenario_.seed, stream), block.index() * 16ull + taken.size()));
  return from[random.below(from.size())];
}

void SimulatedCluster::start_write(JobId id, BlockId block, StoreId from, StoreId to) {
  Move move;
  move.what = {block, from, to};
  move.writer = id;
  move.start = move.end = now_;
  move.live = true;
  send(move);
  add_move(move);
}

// A write that is cut off is lost; the job fails when it was the block's only one.
void SimulatedCluster::end_write(std::uint32_t index, bool whole) {
  Move& move = moves_[index];
  const DataMove what = move.what;
  const JobId id = move.writer;
  move.live = false;
  --moves_live_;
  last_task_ = now_;
  Mebibytes copied = scenario_.cluster.blocks[what.block].size;
  stores_[what.to].reserved -= copied;
  if (move.flow.valid())
    copied -= network_.stop(move.flow, now_);
  else if (!whole && move.end > move.start)
    copied *= std::min(1.0, to_seconds(now_ - move.start) / to_seconds(move.end - move.start));
  if (what.from != what.to)
    listener_.on_copied(scenario_.cluster.stores[what.from].zone, scenario_.cluster.stores[what.to].zone, copied);
  if (whole) add_replica(what.block, {what.to, false, now_});
  JobRecord& record = jobs_[id.index()];
  --record.writes_left;
  if (record.ended) return;
  const bool others = std::any_of(moves_.begin(), moves_.end(), [&](const Move& other) {
    return other.live && other.writer == id && other.what.block == what.block;
  });
  if (!whole && !others && lost_for_good(what.block)) return end_job(id, false);
  end_if_done(id);
}

void SimulatedCluster::tell_waiting_jobs(JobId ended, bool finished) {
  if (waiting_for_me_.empty()) return;
  for (const JobId id : waiting_for_me_[ended.index()]) {
    --waits_for_[id.index()];
    if (!finished) doomed_[id.index()] = true;
    const bool here = id.index() < jobs_.size();  // has arrived
    if (!here || jobs_[id.index()].ended) continue;
    if (doomed_[id.index()])
      end_job(id, false);
    else if (waits_for_[id.index()] == 0)
      release_level(id);
  }
}

}  // namespace lips::simulation
