#include "model/cluster_state.h"

#include <algorithm>
#include <set>
#include <utility>

#include "base/check.h"
#include "model/degraded_read.h"
#include "model/pending_tasks.h"
#include "model/stripe.h"

namespace lips {

namespace {

constexpr Duration longest_report{10'000'000};  // until a new job is reported

void state_price(Node& node) {
  if (node.cpu_price.value() == 0 && node.capacity.cpu.value() > 0)
    node.cpu_price = full_packing_price(node.price, node.capacity.cpu, node.speed);
}

// In their order, as when the job came with this work: rounding must not depend on the history.
void sum_up_work(ClusterSnapshot& cluster, JobId id) {
  Job& job = cluster.jobs[id];
  job.work = CpuSeconds(0);
  for (std::uint32_t i = 0; i < job.tasks(); ++i) job.work += cluster.tasks[TaskId(job.first_task.index() + i)].cpu;
}

}  // namespace

void derive(ClusterSnapshot& snapshot) {
  snapshot.free.resize(snapshot.nodes.size());
  snapshot.node_store.resize(snapshot.nodes.size());
  snapshot.pool_cores.resize(snapshot.pools.size());
  LIPS_CHECK(snapshot.zones.size() <= ZoneSet::max_zones, "too many zones");
  for (NodeId id : snapshot.nodes.ids()) {
    snapshot.free[id] = snapshot.nodes[id].capacity - snapshot.nodes[id].others;
    state_price(snapshot.nodes[id]);
  }
  for (StoreId id : snapshot.stores.ids())
    if (snapshot.stores[id].node.valid()) snapshot.node_store[snapshot.stores[id].node] = id;
  for (DataSet& data_set : snapshot.data_sets) data_set.size = Mebibytes(0);
  for (DataStore& store : snapshot.stores) store.used = Mebibytes(0);
  for (BlockId id : snapshot.blocks.ids()) {
    Block& block = snapshot.blocks[id];
    if (block.data_set.valid() && !is_parity(snapshot.data_sets[block.data_set], id))
      snapshot.data_sets[block.data_set].size += block.size;
    std::sort(block.replicas.begin(), block.replicas.end(),
              [](const Replica& a, const Replica& b) { return a.store < b.store; });
    block.zones = ZoneSet();
    for (const Replica& replica : block.replicas) {
      block.zones.insert(snapshot.stores[replica.store].zone);
      snapshot.stores[replica.store].used += block.size;
    }
    block.coming = {};
  }
  for (const MoveInFlight& move : snapshot.moves) {
    Block& block = snapshot.blocks[move.block];
    block.coming = (block.coming | ZoneSet::of(snapshot.stores[move.to].zone)) - block.zones;
  }
}

ClusterState::ClusterState(ClusterSnapshot start) : snapshot_(std::move(start)), readers_(snapshot_.blocks.size()) {
  derive(snapshot_);
  if (snapshot_.arrivals.any()) arrivals_counted_ = snapshot_.arrivals.until;
  sort_expected(snapshot_.expected);
  LIPS_CHECK(snapshot_.jobs.empty() && snapshot_.tasks.empty(), "jobs come as events");
}

void ClusterState::apply(const ClusterEvent& event) {
  struct Visitor {
    ClusterState& state;
    void operator()(const NodeChanged& e) const { state.change_node(e); }
    void operator()(const NodeLost& e) const { state.lose_node(e); }
    void operator()(const NodeBack& e) const { state.snapshot_.nodes[e.node].schedulable = true; }
    void operator()(const JobArrived& e) const { state.add_job(e); }
    void operator()(const JobReleased& e) const { state.release_job(e.job); }
    void operator()(const TaskStarted& e) const {
      Task& task = state.snapshot_.tasks[e.task];
      if (task.state != TaskState::bound || task.node != e.node) return;
      task.state = TaskState::running;
      RunningTask& run = state.snapshot_.running[state.running_index_[e.task]];
      // The estimate assumed an immediate start.
      run.expected_end = std::max(run.expected_end, state.snapshot_.now);
    }
    void operator()(const TaskFound& e) const { state.find(e); }
    void operator()(const TaskFinished& e) const { state.finish(e); }
    void operator()(const TaskWithdrawn& e) const { state.withdraw(e.task); }
    void operator()(const TaskLost& e) const { state.requeue(e.task); }
    void operator()(const TaskStays& e) const {
      const TaskState now = state.snapshot_.tasks[e.task].state;
      if (now != TaskState::bound && now != TaskState::running) return;
      RunningTask& run = state.snapshot_.running[state.running_index_[e.task]];
      run.reclaimed_for = PoolId::none(), run.stays_until = e.until;
    }
    void operator()(const ReplicaAdded& e) const {
      for (std::uint32_t i = 0; i < e.blocks; ++i) state.add_replica(BlockId(e.block.index() + i), e.replica);
    }
    void operator()(const ReplicaRemoved& e) const { state.remove_replicas(e); }
    void operator()(const MoveEnded& e) const { state.end_move(e.move); }
    void operator()(const Heartbeat&) const {}
    void operator()(const ClusterListed& e) const { state.list(e); }
    void operator()(const ConstraintAdded& e) const { state.snapshot_.constraints.push_back(e.constraint); }
    void operator()(const PoolAdded& e) const {
      state.snapshot_.pools.push_back(e.pool);
      state.snapshot_.pool_cores.push_back(Cores(0));
      state.unpaid_.enter(state.snapshot_);
    }
    void operator()(const ProfileAdded& e) const { state.snapshot_.profiles.push_back(e.profile); }
    void operator()(const OffersChanged& e) const {
      for (const OfferId offer : state.snapshot_.offers.ids()) state.snapshot_.offers[offer].left = e.left[offer];
      state.snapshot_.launch_limits = e.limits;
    }
    void operator()(const NoMorePeers& e) const { state.wholes_.await_nobody(state.snapshot_, e.job); }
    void operator()(const MapsMissing& e) const { state.miss_maps(e); }
    void operator()(const WorkExpected& e) const {
      state.snapshot_.expected = e.work;
      sort_expected(state.snapshot_.expected);
    }
    void operator()(const TasksMarked& e) const { state.mark(e); }
    void operator()(const WorkLearned& e) const {
      std::set<JobId> jobs;
      for (const auto& [task, work] : e.tasks) {
        state.learn(task, work);
        jobs.insert(state.snapshot_.tasks[task].job);
      }
      for (const JobId job : jobs) sum_up_work(state.snapshot_, job);
    }
    void operator()(const ResourceAdded& e) const { state.snapshot_.extended_names.push_back(e.name); }
  };
  std::visit(Visitor{*this}, event);
}

// A job that came since the listing before may be reported with this one for the first time. One that came earlier, and
// that the state does not know, had gone and is there again.
void ClusterState::list(const ClusterListed& listed) {
  ClusterState fresh(*listed.start);
  fresh.snapshot_.now = fresh.listed_ = snapshot_.now;
  fresh.snapshot_.copies_reviewed = snapshot_.copies_reviewed;
  fresh.snapshot_.arrivals = snapshot_.arrivals;
  fresh.arrivals_counted_ = arrivals_counted_;
  if (snapshot_.arrivals.any() && listed_ != TimePoint::min())
    fresh.arrivals_counted_ = std::max(arrivals_counted_, listed_ - longest_report);
  for (const Job& job : snapshot_.jobs) {
    TimePoint& last = fresh.counted_jobs_.try_emplace(job.name, job.arrival).first->second;
    last = std::max(last, job.arrival);
  }
  unpaid_.leave(snapshot_);
  fresh.unpaid_ = std::move(unpaid_);
  fresh.unpaid_.enter(fresh.snapshot_);
  *this = std::move(fresh);
}

bool ClusterState::is_counted(const Job& job) const {
  const auto known = counted_jobs_.find(job.name);
  return job.arrival <= arrivals_counted_ || (known != counted_jobs_.end() && job.arrival <= known->second);
}

void ClusterState::mark(const TasksMarked& marked) {
  for (RunningTask& run : snapshot_.running) run.marked_until = TimePoint{};
  for (const auto& [task, until] : marked.tasks)
    if (const TaskState now = snapshot_.tasks[task].state; now == TaskState::bound || now == TaskState::running)
      snapshot_.running[running_index_[task]].marked_until = until;
}

void ClusterState::learn(TaskId id, CpuSeconds work) {
  Task& task = snapshot_.tasks[id];
  if (task.state == TaskState::finished || task.cpu == work) return;
  const bool waits = task.state == TaskState::pending;
  const bool placed = task.state == TaskState::bound || task.state == TaskState::running;
  const Locality level = task.block.valid() ? Locality::zone : Locality::none;  // as of one that was found on its node
  const Duration before = placed ? expected_duration(snapshot_, task, task.node, level) : Duration(0);
  if (waits) unlink(id);
  wholes_.learn(snapshot_, id, work);
  task.cpu = work;
  if (waits) make_pending(id);
  if (!placed) return;
  TimePoint& end = snapshot_.running[running_index_[id]].expected_end;
  end = std::max(snapshot_.now, end + expected_duration(snapshot_, task, task.node, level) - before);
}

bool ClusterState::begin_reclaim(const Reclaim& reclaim) {
  if (snapshot_.tasks[reclaim.task].state != TaskState::running) return false;
  RunningTask& run = snapshot_.running[running_index_[reclaim.task]];
  if (run.leaves()) return false;
  run.reclaimed_for = reclaim.pool;
  return true;
}

void ClusterState::change_node(const NodeChanged& changed) {
  Node& node = snapshot_.nodes[changed.node];
  const Resources used = node.capacity - node.others - snapshot_.free[changed.node];
  node = changed.now;
  state_price(node);
  snapshot_.free[changed.node] = node.capacity - node.others - used;
}

void ClusterState::add_job(const JobArrived& arrived) {
  Job job = arrived.job;
  LIPS_CHECK(arrived.tasks.size() == job.tasks(), "a job's tasks are its maps and its reduces");
  const JobId id(static_cast<std::uint32_t>(snapshot_.jobs.size()));
  job.first_task = TaskId(static_cast<std::uint32_t>(snapshot_.tasks.size()));
  job.work = CpuSeconds(0);
  if (job.shuffle.value() > 0 && job.reduce_tasks > 0 && job.map_output.empty())
    job.map_output.assign(snapshot_.zones.size(), Mebibytes(0));
  for (const Task& task : arrived.tasks) job.work += task.cpu;
  if (!is_counted(job)) snapshot_.arrivals.count(job.work, job.arrival);
  std::erase_if(snapshot_.expected, [&](const ExpectedWork& expected) { return expected.job == job.name; });
  snapshot_.jobs.push_back(std::move(job));
  snapshot_.groups.push_back({});
  JobLocality locality;
  for (const Task& given : arrived.tasks) {
    Task task = given;
    task.job = id;
    task.state = TaskState::blocked;
    const TaskId task_id = snapshot_.tasks.push_back(task);
    running_index_.push_back(0);
    if (!task.block.valid()) continue;
    readers_[task.block].push_back(task_id);
    for (const Replica& replica : snapshot_.blocks[task.block].replicas)
      if (const NodeId node = snapshot_.stores[replica.store].node; node.valid())
        locality.at_arrival.emplace_back(node, task_id);
  }
  std::sort(locality.at_arrival.begin(), locality.at_arrival.end());
  snapshot_.locality.push_back(std::move(locality));
  wholes_.join(snapshot_, id, arrived.maps_before);
  if (snapshot_.jobs[id].map_tasks > 0)
    for (const JobId part : wholes_.parts(snapshot_, id)) block_reduces(part);
  if (snapshot_.jobs[id].held)
    snapshot_.held.push_back(id);
  else
    release_maps(id);
}

void ClusterState::release_maps(JobId id) {
  const Job& job = snapshot_.jobs[id];
  const std::uint32_t first = job.first_task.index();
  for (std::uint32_t i = 0; i < job.map_tasks; ++i) make_pending(TaskId(first + i));
  release_reduces(id);
  update_active(id);
}

// Its wait counts from now.
void ClusterState::release_job(JobId id) {
  Job& job = snapshot_.jobs[id];
  if (!job.held) return;
  job.held = false;
  job.arrival = std::max(job.arrival, snapshot_.now);
  wholes_.released(snapshot_, id);
  std::erase(snapshot_.held, id);
  release_maps(id);
}

bool ClusterState::assume(const Assignment& assignment) {
  Task& task = snapshot_.tasks[assignment.task];
  Job& job = snapshot_.jobs[task.job];
  const Node& node = snapshot_.nodes[assignment.node];
  if (task.state != TaskState::pending || !node.schedulable || !snapshot_.eligible(job.constraint, assignment.node) ||
      !fits(job.request, snapshot_.free[assignment.node]))
    return false;
  unlink(assignment.task);
  task.state = TaskState::bound;
  if (!assignment.sources.empty()) note_degraded(assignment.task, assignment.node, snapshot_.now);
  const Locality level = locality_of(snapshot_, assignment);
  occupy(assignment.task, assignment.node, level, snapshot_.now);
  if (level != Locality::none) job.memory.last_locality = level;
  if (assignment.read_from.valid()) {
    for (Replica& replica : snapshot_.blocks[task.block].replicas)
      if (replica.store == assignment.read_from) replica.last_read = snapshot_.now;
  }
  update_active(task.job);
  return true;
}

void ClusterState::occupy(TaskId id, NodeId node, Locality level, TimePoint since) {
  Task& task = snapshot_.tasks[id];
  Job& job = snapshot_.jobs[task.job];
  task.node = node;
  snapshot_.free[node] = snapshot_.free[node] - job.request;
  snapshot_.pool_cores[job.pool] += job.request.cpu;
  ++job.running;
  running_index_[id] = static_cast<std::uint32_t>(snapshot_.running.size());
  snapshot_.running.push_back({.task = id,
                               .job = task.job,
                               .node = node,
                               .expected_end = since + expected_duration(snapshot_, task, node, level)});
  if (job.coordinates) wholes_.driver_started(snapshot_, task.job, since);
}

void ClusterState::find(const TaskFound& found) {
  Task& task = snapshot_.tasks[found.task];
  if (task.state == TaskState::finished) return;
  const bool placed = task.state == TaskState::bound || task.state == TaskState::running;
  if (placed && task.node != found.node) {
    release(found.task);
    if (std::exchange(task.degraded, false)) --snapshot_.jobs[task.job].degraded_launched;
  }
  if (task.state == TaskState::pending) unlink(found.task);
  if (!placed || task.node != found.node) {
    const Locality level = task.block.valid() ? Locality::zone : Locality::none;
    if (found.degraded) note_degraded(found.task, found.node, found.since);
    occupy(found.task, found.node, level, found.since);
  }
  task.state = TaskState::running;
  RunningTask& run = snapshot_.running[running_index_[found.task]];
  run.expected_end = std::max(run.expected_end, snapshot_.now);
  if (found.leaves_for.valid()) run.reclaimed_for = found.leaves_for;
  update_active(task.job);
}

void ClusterState::withdraw(TaskId id) {
  Task& task = snapshot_.tasks[id];
  if (task.state == TaskState::finished) return;
  if (task.state == TaskState::bound || task.state == TaskState::running) release(id);
  if (task.state == TaskState::pending) unlink(id);
  task.state = TaskState::finished;
  Job& job = snapshot_.jobs[task.job];
  ++(task.kind == TaskKind::reduce ? job.finished_reduces : job.finished_maps);
  wholes_.task_ended(snapshot_, task.job);
  if (task.kind == TaskKind::map) end_map(task.job, ZoneId::none());
  complete_if_finished(task.job);
}

void ClusterState::note_degraded(TaskId id, NodeId node, TimePoint when) {
  Task& task = snapshot_.tasks[id];
  if (!std::exchange(task.degraded, true)) ++snapshot_.jobs[task.job].degraded_launched;
  const Node& where = snapshot_.nodes[node];
  const auto note = [when](auto& times, auto place) {
    if (!times.contains(place)) times.resize(place.index() + 1);
    times[place] = std::max(times[place].value_or(when), when);
  };
  if (where.rack.valid())
    note(snapshot_.rack_degraded, where.rack);
  else if (where.zone.valid())
    note(snapshot_.zone_degraded, where.zone);
}

void ClusterState::remember(const Remembered& remembered) {
  snapshot_.jobs[remembered.job].memory = remembered.memory;
  for (const JobId part : wholes_.parts(snapshot_, remembered.job)) {
    JobMemory& memory = snapshot_.jobs[part].memory;
    memory.home = remembered.memory.home;
    memory.home_decided = remembered.memory.home_decided;
  }
}

void ClusterState::release(TaskId id) {
  const Task& task = snapshot_.tasks[id];
  Job& job = snapshot_.jobs[task.job];
  snapshot_.free[task.node] = snapshot_.free[task.node] + job.request;
  snapshot_.pool_cores[job.pool] -= job.request.cpu;
  --job.running;
  const std::uint32_t hole = running_index_[id];
  snapshot_.running[hole] = snapshot_.running.back();
  running_index_[snapshot_.running[hole].task] = hole;
  snapshot_.running.pop_back();
}

void ClusterState::finish(const TaskFinished& finished) {
  const TaskId id = finished.task;
  Task& task = snapshot_.tasks[id];
  if (task.state != TaskState::bound && task.state != TaskState::running) return;
  if (task.node != finished.node) return;  // an abandoned run: the task runs elsewhere by now
  release(id);
  task.state = TaskState::finished;
  Job& job = snapshot_.jobs[task.job];
  wholes_.task_ended(snapshot_, task.job);
  if (task.kind == TaskKind::reduce) {
    ++job.finished_reduces;
  } else {
    ++job.finished_maps;
    end_map(task.job, finished.failed ? ZoneId::none() : snapshot_.nodes[task.node].zone);
  }
  complete_if_finished(task.job);
}

// `where` is the zone of its output; none: it left no output.
void ClusterState::end_map(JobId id, ZoneId where) {
  Job& job = snapshot_.jobs[id];
  if (job.whole.id.valid())
    wholes_.map_ended(snapshot_, id, where);
  else if (where.valid() && !job.map_output.empty())
    job.map_output[where.index()] += job.shuffle / job.map_tasks;
  if (wholes_.maps_under_way(job)) return;
  for (const JobId part : wholes_.parts(snapshot_, id)) {
    release_reduces(part);
    update_active(part);
  }
}

void ClusterState::complete_if_finished(JobId id) {
  Job& job = snapshot_.jobs[id];
  if (job.finished()) {
    job.completed = snapshot_.now;
    snapshot_.locality[id] = {};
    snapshot_.groups[id] = {};
    group_index_.forget(id);
    wholes_.part_ended(job, id);
  }
  update_active(id);
}

void ClusterState::miss_maps(const MapsMissing& event) {
  for (const JobId part : wholes_.miss_maps(event.job, event.maps)) {
    if (wholes_.maps_under_way(snapshot_.jobs[part])) {
      block_reduces(part);
      continue;
    }
    release_reduces(part);
    update_active(part);
  }
}

// Does nothing while a map of the whole job is under way.
void ClusterState::release_reduces(JobId id) {
  const Job& job = snapshot_.jobs[id];
  if (job.held || wholes_.maps_under_way(job)) return;
  const std::uint32_t first = job.first_task.index() + job.map_tasks;
  for (std::uint32_t i = 0; i < job.reduce_tasks; ++i)
    if (snapshot_.tasks[TaskId(first + i)].state == TaskState::blocked) make_pending(TaskId(first + i));
}

// More maps have arrived: reduces that do not run yet wait again.
void ClusterState::block_reduces(JobId id) {
  const Job& job = snapshot_.jobs[id];
  const std::uint32_t first = job.first_task.index() + job.map_tasks;
  for (std::uint32_t i = 0; i < job.reduce_tasks; ++i) {
    const TaskId reduce(first + i);
    if (snapshot_.tasks[reduce].state != TaskState::pending) continue;
    unlink(reduce);
    snapshot_.tasks[reduce].state = TaskState::blocked;
  }
  update_active(id);
}

void ClusterState::requeue(TaskId id) {
  Task& task = snapshot_.tasks[id];
  if (task.state != TaskState::bound && task.state != TaskState::running) return;
  release(id);
  if (std::exchange(task.degraded, false)) --snapshot_.jobs[task.job].degraded_launched;
  task.node = NodeId::none();
  if (task.kind == TaskKind::reduce && wholes_.maps_under_way(snapshot_.jobs[task.job]))
    task.state = TaskState::blocked;
  else
    make_pending(id);
  update_active(task.job);
}

void ClusterState::lose_node(const NodeLost& event) {
  const NodeId node = event.node;
  snapshot_.nodes[node].schedulable = false;
  std::vector<TaskId> lost;
  for (const RunningTask& run : snapshot_.running)
    if (run.node == node) lost.push_back(run.task);
  std::sort(lost.begin(), lost.end());
  for (TaskId task : lost) requeue(task);
  if (const StoreId store = snapshot_.node_store[node]; event.data_lost && store.valid())
    remove_replicas({BlockId(0), store, static_cast<std::uint32_t>(snapshot_.blocks.size())});
}

std::uint32_t ClusterState::group_of(const Task& task) {
  return group_index_.find_or_add(task.job, snapshot_.groups[task.job], group_for(snapshot_, task));
}

void ClusterState::make_pending(TaskId id) { link_pending(snapshot_, id, group_of(snapshot_.tasks[id])); }

void ClusterState::unlink(TaskId id) { unlink_pending(snapshot_, id); }

std::vector<JobId>::iterator ClusterState::active_position(JobId job) {
  const auto before = [&](JobId a, JobId b) {
    const TimePoint left = snapshot_.jobs[a].arrival, right = snapshot_.jobs[b].arrival;
    return left != right ? left < right : a < b;
  };
  return std::lower_bound(snapshot_.pending.begin(), snapshot_.pending.end(), job, before);
}

void ClusterState::update_active(JobId job) {
  const auto position = active_position(job);
  const bool listed = position != snapshot_.pending.end() && *position == job;
  const bool wanted = snapshot_.jobs[job].pending > 0;
  if (wanted && !listed) snapshot_.pending.insert(position, job);
  if (!wanted && listed) snapshot_.pending.erase(position);
}

}  // namespace lips
