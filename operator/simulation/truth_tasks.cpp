#include "simulation/truth_tasks.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "model/degraded_read.h"
#include "simulation/true_work.h"
#include "simulation/truth_data.h"
#include "simulation/truth_jobs.h"
#include "simulation/truth_output.h"
#include "simulation/truth_shuffle.h"

namespace lips::simulation {

namespace {

// A refusal takes a moment, so an insistent policy does not stop the clock.
constexpr Duration refusal_time = std::chrono::seconds(1);

double share_done(TimePoint start, TimePoint end, TimePoint now) {
  return end <= now || end <= start ? 1 : std::max(0.0, to_seconds(now - start) / to_seconds(end - start));
}

}  // namespace

void TruthTasks::bind(const PreparedBinding& binding) {
  const Assignment& assignment = binding.assignment;
  // The loss of the node is not reported yet; it will make the task pending again.
  if (!world_.up[assignment.node.index()] || world_.loss_unreported(assignment.node)) return;
  TaskRecord& record = world_.tasks[assignment.task];
  LIPS_CHECK(record.state == SimTaskState::waiting, "only a waiting task can be bound");
  const Resources& request = world_.job(record.job).request;
  const bool refused = !fits(request, world_.free[assignment.node]) || !readable(assignment);
  const std::uint32_t index = new_attempt(assignment);
  record.state = SimTaskState::attempted;
  record.attempt = index;
  world_.change_waiting(record.job, -1);
  Attempt& attempt = world_.attempts[index];
  attempt.refused = refused;
  if (refused) {
    world_.queue.add(world_.now + refusal_time, {SimEvent::Kind::refusal, index, attempt.generation});
    return;
  }
  world_.last_progress = world_.last_task = world_.now;
  ++world_.running;
  world_.free[assignment.node] = world_.free[assignment.node] - request;
  world_.count_pod(assignment.node, 1);
  world_.update_heartbeat(assignment.node);
  world_.emit(TaskStarted{assignment.task, assignment.node});
  world_.listener.on_start(assignment.task, record.job, assignment.node, world_.now);
  if (attempt.degraded()) {
    read_stripe(index);
  } else if (assignment.read_from.valid()) {
    read_block(index);
  } else {
    if (world_.task(assignment.task).kind == TaskKind::reduce) peers_.shuffle.read_shuffle(index);
    if (!peers_.shuffle.waits_for_pushes(index)) compute(index);
  }
}

std::uint32_t TruthTasks::new_attempt(const Assignment& assignment) {
  std::uint32_t index = static_cast<std::uint32_t>(world_.attempts.size());
  if (free_attempts_.empty()) {
    world_.attempts.emplace_back();
  } else {
    index = free_attempts_.back();
    free_attempts_.pop_back();
  }
  Attempt& attempt = world_.attempts[index];
  const Task& what = world_.task(assignment.task);
  const Node& node = world_.scenario.cluster.nodes[assignment.node];
  attempt.assignment = assignment;
  if (!what.block.valid()) attempt.assignment.read_from = attempt.assignment.keep_in = StoreId::none();
  attempt.job = world_.tasks[assignment.task].job;
  attempt.start = attempt.compute_from = attempt.compute_end = attempt.read_end = world_.now;
  attempt.pace = world_.job(attempt.job).request.cpu.value() * node.speed;
  attempt.work = what.cpu * true_work_factor(world_.scenario, assignment.task);
  attempt.level = locality_of(world_.scenario.cluster, attempt.assignment);
  attempt.live = true;
  attempt.copying = attempt.reclaimed = false;
  attempt.flows_left = 0;
  attempt.flows.clear();
  attempt.shuffled.clear();
  attempt.decoded.clear();
  return index;
}

bool TruthTasks::readable(const Assignment& assignment) const {
  const BlockId block = world_.task(assignment.task).block;
  if (!block.valid()) return true;
  const auto holds = [&](BlockId what, StoreId store) {
    return std::any_of(world_.replicas[what].begin(), world_.replicas[what].end(),
                       [store](const Replica& replica) { return replica.store == store; });
  };
  if (assignment.sources.empty()) return holds(block, assignment.read_from);
  return std::all_of(assignment.sources.begin(), assignment.sources.end(),
                     [&](const StripeSource& source) { return holds(source.block, source.store); });
}

void TruthTasks::read_block(std::uint32_t index) {
  Attempt& attempt = world_.attempts[index];
  const Mebibytes size = world_.task(attempt.assignment.task).input;
  const Path path = world_.paths.read(attempt.assignment.read_from, attempt.assignment.node);
  attempt.copying = world_.scenario.remote_read == RemoteRead::copy_first && attempt.level != Locality::node;
  if (path.count > 0 && size.value() > 0) {
    attempt.flows.push_back(world_.start_flow(path, size, {FlowUse::attempt, index, 0}));
    attempt.flows_left = 1;
  } else if (path.limit.value() > 0) {
    attempt.read_end = world_.now + size / path.limit;
  }
  if (!attempt.copying) {
    compute(index);
  } else if (attempt.flows_left == 0) {
    world_.queue.add(attempt.read_end, {SimEvent::Kind::copied, index, attempt.generation});
  }
}

// All sources at once; computing begins when the block is decoded from them.
void TruthTasks::read_stripe(std::uint32_t index) {
  Attempt& attempt = world_.attempts[index];
  const StripeSources& sources = attempt.assignment.sources;
  attempt.copying = true;
  attempt.decoded.assign(sources.size(), Mebibytes(0));
  attempt.flows.assign(sources.size(), FlowId::none());
  for (std::uint32_t i = 0; i < sources.size(); ++i) {
    const Mebibytes size = source_read(world_.scenario.cluster, world_.task(attempt.assignment.task), sources[i]);
    if (size.value() <= 0) continue;
    attempt.decoded[i] = size;
    const Path path = world_.paths.read(sources[i].store, attempt.assignment.node);
    if (path.count > 0) {
      attempt.flows[i] = world_.start_flow(path, size, {FlowUse::attempt, index, i});
      ++attempt.flows_left;
    } else if (path.limit.value() > 0) {
      attempt.read_end = std::max(attempt.read_end, world_.now + size / path.limit);
    }
  }
  if (attempt.flows_left == 0) decode(index);
}

void TruthTasks::decode(std::uint32_t index) {
  Attempt& attempt = world_.attempts[index];
  attempt.read_end = std::max(attempt.read_end, world_.now);
  Mebibytes read;
  for (const Mebibytes size : attempt.decoded) read += size;
  const MebibytesPerSecond pace = world_.scenario.decoding;
  const Duration span = pace.value() > 0 ? read / pace : Duration(0);
  world_.queue.add(attempt.read_end + span, {SimEvent::Kind::copied, index, attempt.generation});
}

// Says whether the attempt still reads from that store.
bool TruthTasks::reads_from(const Attempt& attempt, StoreId store) const {
  if (!attempt.degraded())
    return attempt.assignment.read_from == store && (attempt.flows_left > 0 || attempt.read_end > world_.now) &&
           attempt.compute_from <= attempt.start;
  if (!attempt.copying) return false;
  for (std::size_t i = 0; i < attempt.flows.size(); ++i)
    if (attempt.assignment.sources[i].store == store && (attempt.flows[i].valid() || attempt.read_end > world_.now))
      return true;
  return false;
}

// Computing begins: at once, or when the copy is whole and is read from the node itself.
void TruthTasks::compute(std::uint32_t index) {
  Attempt& attempt = world_.attempts[index];
  if (attempt.copying && !attempt.assignment.read_from.valid()) {
    attempt.copying = false;  // decoded or shuffled input is in memory
  } else if (attempt.copying) {
    attempt.copying = false;
    const MebibytesPerSecond local = world_.scenario.cluster.network.local_read;
    attempt.read_end = local.value() > 0 ? world_.now + world_.task(attempt.assignment.task).input / local : world_.now;
  }
  attempt.compute_from = world_.now;
  attempt.compute_end = attempt.pace > 0 ? world_.now + seconds(attempt.work.value() / attempt.pace) : world_.now;
  schedule_end(index);
}

void TruthTasks::schedule_end(std::uint32_t index) {
  const Attempt& attempt = world_.attempts[index];
  if (attempt.flows_left > 0) return;
  world_.queue.add(std::max({world_.now, attempt.compute_end, attempt.read_end}),
                   {SimEvent::Kind::attempt_end, index, attempt.generation});
}

void TruthTasks::flow_ended(const FlowOwner& owner) {
  world_.last_progress = world_.now;
  if (owner.use == FlowUse::push) {
    for (const auto& [index, generation] : peers_.shuffle.push_ended(JobId(owner.index)))
      if (world_.attempts[index].live && world_.attempts[index].generation == generation) compute(index);
    return;
  }
  if (owner.use == FlowUse::move) {
    world_.moves[owner.index].flow = FlowId::none();
    peers_.output.end_transfer(owner.index, true);
    return;
  }
  Attempt& attempt = world_.attempts[owner.index];
  attempt.flows[owner.part] = FlowId::none();
  if (--attempt.flows_left > 0) return;
  attempt.read_end = std::max(attempt.read_end, world_.now);
  if (!attempt.copying) return schedule_end(owner.index);
  attempt.degraded() ? decode(owner.index) : compute(owner.index);
}

void TruthTasks::end_attempt(std::uint32_t index, AttemptEnd::Outcome outcome) {
  Attempt& attempt = world_.attempts[index];
  ++attempt.generation;
  attempt.live = false;
  free_attempts_.push_back(index);
  if (attempt.refused) return;
  const Assignment& what = attempt.assignment;
  const bool finished = outcome == AttemptEnd::Outcome::finished;
  AttemptEnd end{what.task, attempt.job,  what.node,     attempt.start,  world_.now,   world_.task(what.task).kind,
                 outcome,   attempt.work, attempt.level, ZoneId::none(), Mebibytes(0), attempt.shuffled};
  if (!finished) {
    const double done =
        attempt.copying ? 0
                        : std::min(attempt.work.value(), to_seconds(world_.now - attempt.compute_from) * attempt.pace);
    end.work = CpuSeconds(done);
  }
  end.reclaimed = attempt.reclaimed && outcome == AttemptEnd::Outcome::lost;
  cut_reads(attempt, end);
  --world_.running;
  world_.free[what.node] = world_.free[what.node] + world_.job(attempt.job).request;
  world_.count_pod(what.node, -1);
  world_.update_heartbeat(what.node);
  world_.listener.on_end(end);
}

// Stops open flows and records how much was read.
void TruthTasks::cut_reads(Attempt& attempt, AttemptEnd& end) {
  const Assignment& what = attempt.assignment;
  const bool finished = end.outcome == AttemptEnd::Outcome::finished;
  const double share = share_done(attempt.start, attempt.read_end, world_.now);
  const auto cut = [&](std::vector<Mebibytes>& parts) {
    for (std::size_t part = 0; part < attempt.flows.size(); ++part) {
      if (attempt.flows[part].valid())
        parts[part] -= world_.network.stop(attempt.flows[part], world_.now);
      else if (!finished)
        parts[part] *= share;
    }
  };
  if (attempt.degraded()) {
    cut(attempt.decoded);
    end.sources = what.sources;
    end.decoded = attempt.decoded;
  } else if (what.read_from.valid()) {
    end.source = world_.scenario.cluster.stores[what.read_from].zone;
    end.store = what.read_from;
    end.read = world_.task(what.task).input;
    const bool flowing = !attempt.flows.empty() && attempt.flows[0].valid();
    if (flowing) {
      end.read -= world_.network.stop(attempt.flows[0], world_.now);
    } else if (!finished && attempt.compute_from == attempt.start) {
      end.read *= share;
    }
  } else {
    cut(attempt.shuffled);
  }
}

void TruthTasks::finish_attempt(std::uint32_t index) {
  const Assignment what = world_.attempts[index].assignment;
  const JobId id = world_.attempts[index].job;
  end_attempt(index, AttemptEnd::Outcome::finished);
  world_.tasks[what.task].state = SimTaskState::finished;
  world_.emit(TaskFinished{what.task, what.node});
  keep_copy(what);
  JobRecord& record = world_.jobs[id.index()];
  if (world_.task(what.task).kind == TaskKind::map) {
    peers_.shuffle.count_map_output(id, what.node);
    peers_.shuffle.push_map_output(id, what.node);
    if (--record.maps_left == 0) peers_.jobs.release(id, TaskKind::reduce);
  } else {
    --record.reduces_left;
  }
  if (world_.job(id).output.valid()) peers_.output.write_output(what);
  peers_.jobs.end_if_done(id);
}

void TruthTasks::lose_attempt(std::uint32_t index, bool say_so) {
  const TaskId id = world_.attempts[index].assignment.task;
  const JobId owner = world_.attempts[index].job;
  end_attempt(index, AttemptEnd::Outcome::lost);
  world_.tasks[id].state = SimTaskState::waiting;
  world_.change_waiting(owner, 1);
  if (say_so) world_.emit(TaskLost{id});
  if (const BlockId block = world_.task(id).block; block.valid() && peers_.data.lost_for_good(block))
    peers_.jobs.end_job(owner, false);
}

void TruthTasks::reclaim(TaskId task) {
  const TaskRecord& record = world_.tasks[task];
  if (record.state != SimTaskState::attempted) return;  // it has ended, and the event is on its way
  Attempt& attempt = world_.attempts[record.attempt];
  if (attempt.refused || std::exchange(attempt.reclaimed, true)) return;
  world_.queue.add(world_.now + graceful_end, {SimEvent::Kind::reclaim, record.attempt, attempt.generation});
}

// A block that was read whole over the network stays where the plan wants it, if there is room.
void TruthTasks::keep_copy(const Assignment& assignment) {
  const StoreId store = assignment.keep_in;
  if (!store.valid() || store == assignment.read_from) return;
  const Task& reader = world_.task(assignment.task);
  const Mebibytes size = world_.scenario.cluster.blocks[reader.block].size;
  const NodeId holder = world_.scenario.cluster.stores[store].node;
  if (holder.valid() && !world_.up[holder.index()]) return;
  if (reader.input < size * (1 - 1e-9) || !peers_.data.has_space(store, size)) return;
  peers_.data.add_replica(reader.block, {store, true, world_.now});
}

}  // namespace lips::simulation
