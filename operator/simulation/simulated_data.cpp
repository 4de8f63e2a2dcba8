// The replicas of a simulated cluster: what is where, moves, losses.
#include <algorithm>

#include "model/stripe.h"
#include "simulation/simulated_cluster.h"

namespace lips::simulation {

namespace {
constexpr Duration move_refusal_time = std::chrono::seconds(1);

auto holds(StoreId store) {
  return [store](const Replica& replica) { return replica.store == store; };
}
}  // namespace

bool SimulatedCluster::has_space(StoreId store, Mebibytes size) const {
  const Mebibytes capacity = scenario_.cluster.stores[store].capacity;
  const StoreRecord& record = stores_[store];
  return capacity.value() <= 0 || record.used + record.reserved + size <= capacity * (1 + 1e-9);
}

void SimulatedCluster::change_extra(StoreId store, Mebibytes by) {
  StoreRecord& record = stores_[store];
  if (record.extra.value() > 0 && now_ > record.extra_since)
    listener_.on_extra_kept(store, record.extra, now_ - record.extra_since);
  record.extra += by;
  record.extra_since = now_;
}

void SimulatedCluster::add_replica(BlockId block, const Replica& replica) {
  std::vector<Replica>& replicas = replicas_[block];
  if (std::any_of(replicas.begin(), replicas.end(), holds(replica.store))) return;
  const auto position = std::lower_bound(replicas.begin(), replicas.end(), replica,
                                         [](const Replica& a, const Replica& b) { return a.store < b.store; });
  replicas.insert(position, replica);
  const Mebibytes size = scenario_.cluster.blocks[block].size;
  stores_[replica.store].used += size;
  if (replica.extra) change_extra(replica.store, size);
  if (!scenario_.failures.empty()) held_[replica.store].push_back(block);
  emit(ReplicaAdded{block, replica});
}

void SimulatedCluster::remove_replica(BlockId block, StoreId store) {
  std::vector<Replica>& replicas = replicas_[block];
  const auto found = std::find_if(replicas.begin(), replicas.end(), holds(store));
  if (found == replicas.end()) return;
  const Mebibytes size = scenario_.cluster.blocks[block].size;
  stores_[store].used -= size;
  if (found->extra) change_extra(store, -size);
  replicas.erase(found);
  emit(ReplicaRemoved{block, store});
}

void SimulatedCluster::start_move(MoveId id, const DataMove& what) {
  const std::vector<Replica>& replicas = replicas_[what.block];
  const Mebibytes size = scenario_.cluster.blocks[what.block].size;
  const NodeId target = scenario_.cluster.stores[what.to].node;
  Move move;
  move.id = id;
  move.what = what;
  move.start = move.end = now_;
  move.live = true;
  move.needless = std::any_of(replicas.begin(), replicas.end(), holds(what.to));
  move.refused = !move.needless && (std::none_of(replicas.begin(), replicas.end(), holds(what.from)) ||
                                    !has_space(what.to, size) || (target.valid() && !up_[target.index()]));
  if (move.refused) {
    move.end = now_ + move_refusal_time;
  } else if (!move.needless) {
    send(move);
  }
  add_move(move);
}

// Its bytes set out; add_move has to follow at once.
void SimulatedCluster::send(Move& move) {
  const DataMove& what = move.what;
  const Mebibytes size = scenario_.cluster.blocks[what.block].size;
  last_progress_ = now_;
  stores_[what.to].reserved += size;
  if (what.from == what.to) return;
  const Path path = paths_.copy(what.from, what.to);
  if (path.count > 0 && size.value() > 0)
    move.flow = start_flow(path, size, {FlowUse::move, static_cast<std::uint32_t>(moves_.size()), 0});
  else if (path.limit.value() > 0)
    move.end = now_ + size / path.limit;
}

void SimulatedCluster::add_move(const Move& move) {
  if (!move.flow.valid()) queue_.add(move.end, {Kind::move_end, static_cast<std::uint32_t>(moves_.size()), 0});
  ++moves_live_;
  moves_.push_back(move);
}

void SimulatedCluster::end_move(std::uint32_t index, bool whole) {
  if (moves_[index].writer.valid()) return end_write(index, whole);
  Move& move = moves_[index];
  const DataMove what = move.what;
  move.live = false;
  --moves_live_;
  if (!move.refused && !move.needless) {
    Mebibytes copied = scenario_.cluster.blocks[what.block].size;
    stores_[what.to].reserved -= copied;
    bool extra = true;
    for (const Replica& replica : replicas_[what.block])
      if (replica.store == what.from && what.drop_source) extra = replica.extra;
    if (move.flow.valid()) {
      copied -= network_.stop(move.flow, now_);
    } else if (!whole && move.end > move.start) {
      copied *= std::min(1.0, to_seconds(now_ - move.start) / to_seconds(move.end - move.start));
    }
    listener_.on_copied(scenario_.cluster.stores[what.from].zone, scenario_.cluster.stores[what.to].zone, copied);
    if (whole) add_replica(what.block, {what.to, extra, now_});
  }
  emit(MoveEnded{move.id, whole});
  if (whole && what.drop_source && what.from != what.to) remove_replica(what.block, what.from);
}

void SimulatedCluster::drop(const ReplicaDrop& drop) {
  if (replicas_[drop.block].size() <= 1) return;  // the last one stays
  const bool being_copied = moves_live_ > 0 && std::any_of(moves_.begin(), moves_.end(), [&](const Move& move) {
                              return move.live && move.what.block == drop.block && move.what.from == drop.store;
                            });
  if (!being_copied) remove_replica(drop.block, drop.store);
}

void SimulatedCluster::lose_store(StoreId store, bool comes_back, std::uint32_t failure) {
  for (std::uint32_t i = 0; i < moves_.size(); ++i)
    if (moves_[i].live && (moves_[i].what.from == store || moves_[i].what.to == store)) end_move(i, false);
  std::vector<BlockId> blocks = std::move(held_[store]);
  held_[store].clear();
  std::sort(blocks.begin(), blocks.end());
  blocks.erase(std::unique(blocks.begin(), blocks.end()), blocks.end());
  for (BlockId block : blocks) {
    const auto found = std::find_if(replicas_[block].begin(), replicas_[block].end(), holds(store));
    if (found == replicas_[block].end()) continue;
    if (comes_back) {
      away_[failure].emplace_back(block, *found);
      ++copies_away_[block.index()];
    }
    remove_replica(block, store);
  }
  for (std::uint32_t i = 0; i < attempts_.size(); ++i) {
    const Attempt& attempt = attempts_[i];
    if (attempt.live && !attempt.refused && reads_from(attempt, store)) lose_attempt(i, true);
  }
}

bool SimulatedCluster::lost_for_good(BlockId block) const {
  if (!gone_for_good(block)) return false;
  const DataSetId id = scenario_.cluster.blocks[block].data_set;
  if (!id.valid() || !is_coded(scenario_.cluster.data_sets[id])) return true;
  const Stripe stripe = stripe_of(scenario_.cluster.data_sets[id], block);
  std::uint32_t left = 0;
  for (std::uint32_t member = 0; member < stripe.size(); ++member) left += gone_for_good(stripe.block(member)) ? 0 : 1;
  return left < stripe.natives;
}

bool SimulatedCluster::needs_lost_data(JobId id) const {
  const JobRecord& record = jobs_[id.index()];
  const std::vector<Task>& tasks = scenario_.jobs[id.index()].tasks;
  for (std::uint32_t i = 0; i < tasks.size(); ++i) {
    const TaskRecord& task = tasks_[TaskId(record.first_task.index() + i)];
    const bool to_run = task.state == TaskTruth::waiting || task.state == TaskTruth::blocked ||
                        (task.state == TaskTruth::attempted && attempts_[task.attempt].refused);
    if (to_run && tasks[i].block.valid() && lost_for_good(tasks[i].block)) return true;
  }
  return false;
}

void SimulatedCluster::fail_jobs_without_data() {
  for (std::uint32_t i = 0; i < jobs_.size(); ++i)
    if (!jobs_[i].ended && !jobs_[i].held && needs_lost_data(JobId(i))) end_job(JobId(i), false);
}

}  // namespace lips::simulation
