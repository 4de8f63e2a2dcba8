#include "policies/papers/fair/fair_round.h"

#include <algorithm>

#include "base/random.h"
#include "policies/papers/fair/priority_change.h"

namespace lips::fair {

namespace {

constexpr double cores_slack = 1e-6;  // of sums of cores

// The text breaks ties between pools at random; here with a new draw at every moment.
std::uint64_t lot(std::uint64_t seed, TimePoint now, std::size_t pool) {
  return derive_seed(derive_seed(seed, static_cast<std::uint64_t>(now.time_since_epoch().count())), pool);
}

}  // namespace

std::vector<PoolLoad> pool_loads(const Draft& draft, const StageSlots& slots, TaskKind stage,
                                 const ShareMemory* small_pool) {
  const ClusterSnapshot& cluster = draft.cluster;
  const std::size_t small = cluster.pools.size();
  std::vector<PoolLoad> loads(small + 1);
  const auto counts = [&](const Job& job) { return !slots.separate() || stage_of(job) == stage; };
  const auto pool_of = [&](const Job& job) {
    return small_pool && is_small(job, *small_pool) ? small : std::size_t{job.pool.index()};
  };
  for (std::size_t pool = 0; pool < small; ++pool) {
    const Pool& configured = cluster.pools[PoolId(static_cast<std::uint32_t>(pool))];
    loads[pool].minimum = configured.minimum.value();
    loads[pool].weight = configured.weight;
    if (!small_pool && !slots.separate())
      loads[pool].workload = cluster.pool_cores[PoolId(static_cast<std::uint32_t>(pool))].value();
  }
  if (small_pool || slots.separate())
    for (const RunningTask& run : cluster.running) {
      const Job& job = cluster.jobs[run.job];
      if (counts(job)) loads[pool_of(job)].workload += job.request.cpu.value();
    }
  for (const JobId id : cluster.pending) {
    const Job& job = cluster.jobs[id];
    if (counts(job)) loads[pool_of(job)].demand += draft.tasks.left(id) * job.request.cpu.value();
  }
  return loads;
}

FairRound::FairRound(Draft& draft, StageSlots& slots, TaskKind stage, const Mechanisms& mechanisms,
                     const PolicyInput& input, Duration heartbeat)
    : draft_(draft), cluster_(draft.cluster), slots_(slots), stage_(stage), on_(mechanisms), seed_(input.seed) {
  const auto asking = static_cast<std::int64_t>(std::max<std::size_t>(1, draft.free.open().size()));
  const auto reporting = static_cast<std::int64_t>(std::max<std::size_t>(1, input.reporting.size()));
  counted_ = heartbeat * std::min(asking, reporting) / asking;
}

std::size_t FairRound::pool_of(const Job& job) const {
  return on_.small_pool && is_small(job, *on_.small_pool) ? cluster_.pools.size() : job.pool.index();
}

JobKey FairRound::key(const PoolQueue& pool, JobId id) const {
  const Job& job = cluster_.jobs[id];
  JobLoad load{id, static_cast<double>(job.priority), static_cast<double>(draft_.tasks.left(id)), 0, job.arrival};
  load.running = job.running + job.pending - load.pending;
  if (on_.moving_priority) load.priority = draft_.memory(id).priority.value_or(priority_level(job.priority));
  if (pool.fifo) return fifo_job_key(load);
  return on_.resource_order ? modified_job_key(load, on_.readings.pending_first) : fair_job_key(load);
}

void FairRound::fill() {
  filled_ = true;
  const std::vector<PoolLoad> loads = pool_loads(draft_, slots_, stage_, on_.small_pool);
  const std::vector<PoolLoad> configured =
      on_.small_pool ? pool_loads(draft_, slots_, stage_, nullptr) : std::vector<PoolLoad>();
  for (const PoolId pool : cluster_.pools.ids())
    used_.push_back((on_.small_pool ? configured : loads)[pool.index()].workload);
  pools_.resize(loads.size());
  for (std::size_t pool = 0; pool < pools_.size(); ++pool) {
    PoolQueue& queue = pools_[pool];
    queue.load = loads[pool];
    queue.load.tie = on_.resource_order ? lot(seed_, cluster_.now, pool) : pool;
    queue.fifo = pool == cluster_.pools.size();
    if (on_.shares && (!slots_.separate() || stage_ == TaskKind::map)) {
      queue.limit = std::max(on_.shares->slots[pool], cores_slack);
      if (queue.fifo) queue.load.minimum = queue.limit;
    }
  }
  for (const JobId id : cluster_.pending) {
    const Job& job = cluster_.jobs[id];
    if (!of_this_stage(job) || draft_.tasks.left(id) == 0) continue;
    PoolQueue& pool = pools_[pool_of(job)];
    pool.jobs.insert(key(pool, id));
  }
}

FairRound::PoolQueue* FairRound::next_pool() {
  PoolQueue* best = nullptr;
  PoolKey least;
  for (PoolQueue& pool : pools_) {
    if (pool.closed || pool.jobs.empty()) continue;
    const PoolKey key =
        on_.resource_order ? modified_pool_key(pool.load, on_.readings.empty_ratio) : fair_pool_key(pool.load);
    if (best && !(key < least)) continue;
    best = &pool;
    least = key;
  }
  return best;
}

void FairRound::answer(NodeId node) {
  if (!draft_.free.has_room(node)) return;
  if (!filled_) fill();
  for (PoolQueue& pool : pools_) pool.closed = false;
  std::vector<std::pair<PoolQueue*, JobKey>> visited;
  std::set<JobId> launched;
  while (draft_.free.has_room(node)) {
    PoolQueue* pool = next_pool();
    if (!pool) break;
    // A pool at its limit gets nothing more, whichever job asks.
    if (pool->limit > 0 && pool->load.workload >= pool->limit - cores_slack) {
      pool->closed = reached_limit_ = true;
      continue;
    }
    const JobKey entry = *pool->jobs.begin();
    const JobId id = std::get<JobId>(entry);
    pool->jobs.erase(pool->jobs.begin());
    const Outcome outcome = offer(id, node);
    if (outcome == Outcome::launched) {
      launched.insert(id);
      pool->load.workload += cluster_.jobs[id].request.cpu.value();
      used_[cluster_.jobs[id].pool] += cluster_.jobs[id].request.cpu.value();
      pool->load.demand -= cluster_.jobs[id].request.cpu.value();
      if (draft_.tasks.left(id) > 0) pool->jobs.insert(key(*pool, id));
      continue;
    }
    visited.emplace_back(pool, entry);
    if (outcome != Outcome::refused || launched.contains(id)) continue;
    JobMemory memory = settled(id);
    memory.refused_at = cluster_.now;
    draft_.remember(id, memory);
    refused_ = true;
  }
  for (const auto& [pool, entry] : visited) pool->jobs.insert(entry);
}

bool FairRound::within_maximum(const Job& job) const {
  const double maximum = cluster_.pools[job.pool].maximum.value();
  return maximum <= 0 || used_[job.pool] + job.request.cpu.value() <= maximum + cores_slack;
}

// Hadoop adds the time from a heartbeat that skipped the job to the next heartbeat of any node with room.
JobMemory FairRound::settled(JobId id) const {
  JobMemory memory = draft_.memory(id);
  if (!memory.refused_at || *memory.refused_at == cluster_.now) return memory;
  memory.refused_for += std::min(cluster_.now - *memory.refused_at, counted_);
  memory.refused_at.reset();
  return memory;
}

FairRound::Outcome FairRound::offer(JobId id, NodeId node) {
  const Job& job = cluster_.jobs[id];
  if (!within_maximum(job)) {
    reached_limit_ = true;
    return Outcome::nothing;
  }
  if (!slots_.has_slot(stage_of(job), draft_.free.kind_of(job), node)) return Outcome::nothing;
  if (const TaskId task = draft_.tasks.on_node(id, node); task.valid()) {
    launch(task, node, Locality::node);
    return Outcome::launched;
  }
  for (const TaskId task : {draft_.tasks.without_input(id), draft_.tasks.reduce(id)})
    if (task.valid()) {
      start(task, node);
      return Outcome::launched;
    }
  const JobMemory memory = settled(id);
  const Level level =
      allowed_level(memory.launched ? level_of(memory.last_locality, cluster_.nodes[node]) : Level::node,
                    memory.refused_for, on_.delays.node, on_.delays.rack);
  if (level >= Level::rack)
    if (const TaskId task = draft_.tasks.near(id, node); task.valid()) {
      launch(task, node, cluster_.nodes[node].rack.valid() ? Locality::rack : Locality::zone);
      return Outcome::launched;
    }
  const TaskId task = draft_.tasks.anywhere(id);
  if (!task.valid()) return Outcome::nothing;
  if (level != Level::none) return Outcome::refused;
  launch(task, node, nearest_replica(cluster_, draft_.costs, cluster_.tasks[task].block, node).locality);
  return Outcome::launched;
}

void FairRound::start(TaskId task, NodeId node) {
  slots_.take(cluster_.tasks[task].kind, node);
  draft_.assign(task, node);
}

void FairRound::launch(TaskId task, NodeId node, Locality locality) {
  const JobId id = cluster_.tasks[task].job;
  const Job& job = cluster_.jobs[id];
  JobMemory memory = settled(id);
  const Node& where = cluster_.nodes[node];
  const Level level = level_of(locality, where);
  if (on_.adaptive_delays && level != Level::none) {
    WaitSum& waits = level == Level::node ? memory.node_waits : memory.rack_waits;
    waits.sum += on_.readings.delay_sample == DelaySample::refused ? memory.refused_for : cluster_.now - job.arrival;
    ++waits.count;
  }
  if (on_.moving_priority && memory.launched)
    memory.priority = moved_priority(memory.priority.value_or(priority_level(job.priority)),
                                     level_of(memory.last_locality, where), level, on_.readings);
  memory.refused_for = Duration(0);
  memory.refused_at.reset();
  memory.launched = true;
  memory.last_locality = locality;
  draft_.remember(id, memory);
  start(task, node);
}

}  // namespace lips::fair
