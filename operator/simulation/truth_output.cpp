#include "simulation/truth_output.h"

#include <algorithm>

#include "base/random.h"
#include "simulation/truth_data.h"
#include "simulation/truth_jobs.h"

namespace lips::simulation {

// Task i of W writers writes blocks i B / W to (i + 1) B / W.
void TruthOutput::write_output(const Assignment& assignment) {
  const JobId id = world_.tasks[assignment.task].job;
  const Job& of = world_.job(id);
  const bool by_reduces = of.reduce_tasks > 0;
  if ((world_.task(assignment.task).kind == TaskKind::reduce) != by_reduces) return;
  const std::uint32_t first = world_.jobs[id.index()].first_task.index() + (by_reduces ? of.map_tasks : 0);
  const std::uint64_t writer = assignment.task.index() - first;
  const std::uint64_t writers = by_reduces ? of.reduce_tasks : of.map_tasks;
  const DataSet& data = world_.scenario.cluster.data_sets[of.output];
  for (std::uint64_t block = writer * data.blocks / writers; block < (writer + 1) * data.blocks / writers; ++block)
    write_block(id, BlockId(data.first_block.index() + static_cast<std::uint32_t>(block)), assignment);
}

void TruthOutput::write_block(JobId id, BlockId block, const Assignment& assignment) {
  const std::vector<StoreId> stores = output_stores(block, assignment);
  if (stores.empty()) return peers_.jobs.end_job(id, false);  // no room anywhere
  // A write starts in the node's own directory, or in its first store when the node has none.
  StoreId from = stores.front();
  for (const StoreId store : world_.scenario.cluster.stores.ids())
    if (world_.scenario.cluster.stores[store].node == assignment.node) from = store;
  world_.jobs[id.index()].writes_left += static_cast<std::uint32_t>(stores.size());
  for (const StoreId to : stores) start_write(id, block, from, to);
}

// As in HDFS: the node of the writer, a node of another rack, another one of that rack, then any. A place that the plan
// names comes first; the others then stay in its zone, on another rack where there is one.
std::vector<StoreId> TruthOutput::output_stores(BlockId block, const Assignment& assignment) const {
  const ClusterSnapshot& cluster = world_.scenario.cluster;
  const Mebibytes size = cluster.blocks[block].size;
  const auto usable = [&](StoreId store) {
    const NodeId holder = cluster.stores[store].node;
    return peers_.data.has_space(store, size) && (!holder.valid() || world_.up[holder.index()]);
  };
  std::vector<StoreId> stores;
  const bool named =
      world_.scenario.new_data == NewData::policy && assignment.write_to.valid() && usable(assignment.write_to);
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
  while (!stores.empty() && stores.size() < world_.scenario.new_data_replicas) {
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

// A node directory with room, drawn by the block: on the rack, or off it; any if there is none. With `zone_of`, only in
// the zone of that node.
StoreId TruthOutput::other_store(NodeId zone_of, RackId rack, bool same_rack, BlockId block,
                                 const std::vector<StoreId>& taken) const {
  const ClusterSnapshot& cluster = world_.scenario.cluster;
  std::vector<StoreId> wanted, others;
  for (const StoreId store : cluster.stores.ids()) {
    const NodeId node = cluster.stores[store].node;
    if (!node.valid() || !world_.up[node.index()] || !peers_.data.has_space(store, cluster.blocks[block].size))
      continue;
    if (std::find(taken.begin(), taken.end(), store) != taken.end()) continue;
    if (zone_of.valid() && cluster.nodes[node].zone != cluster.nodes[zone_of].zone) continue;
    ((cluster.nodes[node].rack == rack) == same_rack ? wanted : others).push_back(store);
  }
  const std::vector<StoreId>& from = wanted.empty() ? others : wanted;
  if (from.empty()) return StoreId::none();
  constexpr std::uint64_t stream = 0x6f757470;  // draws places of new data
  Random random(derive_seed(derive_seed(world_.scenario.seed, stream), block.index() * 16ull + taken.size()));
  return from[random.below(from.size())];
}

void TruthOutput::start_write(JobId id, BlockId block, StoreId from, StoreId to) {
  Move move;
  move.what = {block, from, to};
  move.writer = id;
  move.start = move.end = world_.now;
  move.live = true;
  peers_.data.send(move);
  peers_.data.add_move(move);
}

// A write that is cut off is lost. The job fails if it was the only one of its block.
void TruthOutput::end_transfer(std::uint32_t index, bool whole) {
  if (world_.moves[index].writer.valid())
    end_write(index, whole);
  else
    peers_.data.end_move(index, whole);
}

void TruthOutput::end_write(std::uint32_t index, bool whole) {
  Move& move = world_.moves[index];
  const DataMove what = move.what;
  const JobId id = move.writer;
  move.live = false;
  --world_.moves_live;
  world_.last_task = world_.now;
  Mebibytes copied = world_.scenario.cluster.blocks[what.block].size;
  world_.stores[what.to].reserved -= copied;
  if (move.flow.valid())
    copied -= world_.network.stop(move.flow, world_.now);
  else if (!whole && move.end > move.start)
    copied *= std::min(1.0, to_seconds(world_.now - move.start) / to_seconds(move.end - move.start));
  if (what.from != what.to) world_.listener.on_copied(what.from, what.to, copied);
  if (whole) peers_.data.add_replica(what.block, {what.to, false, world_.now});
  JobRecord& record = world_.jobs[id.index()];
  --record.writes_left;
  if (record.ended) return;
  const bool others = std::any_of(world_.moves.begin(), world_.moves.end(), [&](const Move& other) {
    return other.live && other.writer == id && other.what.block == what.block;
  });
  if (!whole && !others && peers_.data.lost_for_good(what.block)) return peers_.jobs.end_job(id, false);
  peers_.jobs.end_if_done(id);
}

}  // namespace lips::simulation
