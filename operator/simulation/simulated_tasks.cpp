// The attempts of a simulated cluster: reading, computing, ending.
#include <algorithm>

#include "base/check.h"
#include "model/degraded_read.h"
#include "simulation/simulated_cluster.h"
#include "simulation/true_work.h"

namespace lips::simulation {

namespace {

// A refusal takes a moment, so that a policy that insists does not stop the clock.
constexpr Duration refusal_time = std::chrono::seconds(1);

double share_done(TimePoint start, TimePoint end, TimePoint now) {
  return end <= now || end <= start ? 1 : std::max(0.0, to_seconds(now - start) / to_seconds(end - start));
}

Locality level_of(const ClusterSnapshot& cluster, const Assignment& assignment) {
  if (!assignment.sources.empty()) return locality_of(cluster, assignment.sources, assignment.node);
  return assignment.read_from.valid() ? locality_of(cluster, assignment.read_from, assignment.node) : Locality::none;
}

}  // namespace

const Task& SimulatedCluster::task(TaskId id) const {
  const JobId owner = tasks_[id].job;
  return scenario_.jobs[owner.index()].tasks[id.index() - jobs_[owner.index()].first_task.index()];
}

void SimulatedCluster::bind(const PreparedBinding& binding) {
  const Assignment& assignment = binding.assignment;
  // That the node is lost is still to be said, and makes the task pending again.
  if (!up_[assignment.node.index()] || loss_not_yet_said(assignment.node)) return;
  TaskRecord& record = tasks_[assignment.task];
  LIPS_CHECK(record.state == TaskTruth::waiting, "only a waiting task can be bound");
  const Resources& request = job(record.job).request;
  const bool refused = !fits(request, free_[assignment.node]) || !readable(assignment);
  const std::uint32_t index = new_attempt(assignment);
  record.state = TaskTruth::attempted;
  record.attempt = index;
  change_waiting(record.job, -1);
  Attempt& attempt = attempts_[index];
  attempt.refused = refused;
  if (refused) {
    queue_.add(now_ + refusal_time, {Kind::refusal, index, attempt.generation});
    return;
  }
  last_progress_ = last_task_ = now_;
  ++running_;
  free_[assignment.node] = free_[assignment.node] - request;
  update_heartbeat(assignment.node);
  emit(TaskStarted{assignment.task, assignment.node});
  listener_.on_start(assignment.task, record.job, assignment.node, now_);
  if (attempt.degraded()) {
    read_stripe(index);
  } else if (assignment.read_from.valid()) {
    read_block(index);
  } else {
    if (task(assignment.task).kind == TaskKind::reduce) read_shuffle(index);
    if (!waits_for_pushes(index)) compute(index);
  }
}

std::uint32_t SimulatedCluster::new_attempt(const Assignment& assignment) {
  std::uint32_t index = static_cast<std::uint32_t>(attempts_.size());
  if (free_attempts_.empty()) {
    attempts_.emplace_back();
  } else {
    index = free_attempts_.back();
    free_attempts_.pop_back();
  }
  Attempt& attempt = attempts_[index];
  const Task& what = task(assignment.task);
  const Node& node = scenario_.cluster.nodes[assignment.node];
  attempt.assignment = assignment;
  if (!what.block.valid()) attempt.assignment.read_from = attempt.assignment.keep_in = StoreId::none();
  attempt.job = tasks_[assignment.task].job;
  attempt.start = attempt.compute_from = attempt.compute_end = attempt.read_end = now_;
  attempt.pace = job(attempt.job).request.cpu.value() * node.speed;
  attempt.work = what.cpu * true_work_factor(scenario_, assignment.task);
  attempt.level = level_of(scenario_.cluster, attempt.assignment);
  attempt.live = true;
  attempt.copying = false;
  attempt.flows_left = 0;
  attempt.flows.clear();
  attempt.shuffled.clear();
  attempt.decoded.clear();
  return index;
}

bool SimulatedCluster::readable(const Assignment& assignment) const {
  const BlockId block = task(assignment.task).block;
  if (!block.valid()) return true;
  const auto holds = [&](BlockId what, StoreId store) {
    return std::any_of(replicas_[what].begin(), replicas_[what].end(),
                       [store](const Replica& replica) { return replica.store == store; });
  };
  if (assignment.sources.empty()) return holds(block, assignment.read_from);
  return std::all_of(assignment.sources.begin(), assignment.sources.end(),
                     [&](const StripeSource& source) { return holds(source.block, source.store); });
}

FlowId SimulatedCluster::start_flow(const Path& path, Mebibytes size, const FlowOwner& owner) {
  const FlowId flow = network_.start(path, size, now_);
  if (flow_owner_.size() <= flow.index()) flow_owner_.resize(flow.index() + 1);
  flow_owner_[flow.index()] = owner;
  return flow;
}

void SimulatedCluster::read_block(std::uint32_t index) {
  Attempt& attempt = attempts_[index];
  const Mebibytes size = task(attempt.assignment.task).input;
  const Path path = paths_.read(attempt.assignment.read_from, attempt.assignment.node);
  attempt.copying = scenario_.remote_read == RemoteRead::copy_first && attempt.level != Locality::node;
  if (path.count > 0 && size.value() > 0) {
    attempt.flows.push_back(start_flow(path, size, {FlowUse::attempt, index, 0}));
    attempt.flows_left = 1;
  } else if (path.limit.value() > 0) {
    attempt.read_end = now_ + size / path.limit;
  }
  if (!attempt.copying) {
    compute(index);
  } else if (attempt.flows_left == 0) {
    queue_.add(attempt.read_end, {Kind::copied, index, attempt.generation});
  }
}

// All sources at once; computing begins when the block is decoded from them.
void SimulatedCluster::read_stripe(std::uint32_t index) {
  Attempt& attempt = attempts_[index];
  const StripeSources& sources = attempt.assignment.sources;
  attempt.copying = true;
  attempt.decoded.assign(sources.size(), Mebibytes(0));
  attempt.flows.assign(sources.size(), FlowId::none());
  for (std::uint32_t i = 0; i < sources.size(); ++i) {
    const Mebibytes size = source_read(scenario_.cluster, task(attempt.assignment.task), sources[i]);
    if (size.value() <= 0) continue;
    attempt.decoded[i] = size;
    const Path path = paths_.read(sources[i].store, attempt.assignment.node);
    if (path.count > 0) {
      attempt.flows[i] = start_flow(path, size, {FlowUse::attempt, index, i});
      ++attempt.flows_left;
    } else if (path.limit.value() > 0) {
      attempt.read_end = std::max(attempt.read_end, now_ + size / path.limit);
    }
  }
  if (attempt.flows_left == 0) decode(index);
}

void SimulatedCluster::decode(std::uint32_t index) {
  Attempt& attempt = attempts_[index];
  attempt.read_end = std::max(attempt.read_end, now_);
  Mebibytes read;
  for (const Mebibytes size : attempt.decoded) read += size;
  const MebibytesPerSecond pace = scenario_.decoding;
  const Duration span = pace.value() > 0 ? read / pace : Duration(0);
  queue_.add(attempt.read_end + span, {Kind::copied, index, attempt.generation});
}

// Whether something is still to be read there.
bool SimulatedCluster::reads_from(const Attempt& attempt, StoreId store) const {
  if (!attempt.degraded())
    return attempt.assignment.read_from == store && (attempt.flows_left > 0 || attempt.read_end > now_) &&
           attempt.compute_from <= attempt.start;
  if (!attempt.copying) return false;
  for (std::size_t i = 0; i < attempt.flows.size(); ++i)
    if (attempt.assignment.sources[i].store == store && (attempt.flows[i].valid() || attempt.read_end > now_))
      return true;
  return false;
}

// Computing begins: at once, or when the copy is whole and is read from the node itself.
void SimulatedCluster::compute(std::uint32_t index) {
  Attempt& attempt = attempts_[index];
  if (attempt.copying && !attempt.assignment.read_from.valid()) {
    attempt.copying = false;  // what was decoded or shuffled is in memory
  } else if (attempt.copying) {
    attempt.copying = false;
    const MebibytesPerSecond local = scenario_.cluster.network.local_read;
    attempt.read_end = local.value() > 0 ? now_ + task(attempt.assignment.task).input / local : now_;
  }
  attempt.compute_from = now_;
  attempt.compute_end = attempt.pace > 0 ? now_ + seconds(attempt.work.value() / attempt.pace) : now_;
  schedule_end(index);
}

void SimulatedCluster::schedule_end(std::uint32_t index) {
  const Attempt& attempt = attempts_[index];
  if (attempt.flows_left > 0) return;
  queue_.add(std::max({now_, attempt.compute_end, attempt.read_end}), {Kind::attempt_end, index, attempt.generation});
}

void SimulatedCluster::flow_ended(const FlowOwner& owner) {
  last_progress_ = now_;
  if (owner.use == FlowUse::push) return push_ended(JobId(owner.index));
  if (owner.use == FlowUse::move) {
    moves_[owner.index].flow = FlowId::none();
    end_move(owner.index, true);
    return;
  }
  Attempt& attempt = attempts_[owner.index];
  attempt.flows[owner.part] = FlowId::none();
  if (--attempt.flows_left > 0) return;
  attempt.read_end = std::max(attempt.read_end, now_);
  if (!attempt.copying) return schedule_end(owner.index);
  attempt.degraded() ? decode(owner.index) : compute(owner.index);
}

void SimulatedCluster::end_attempt(std::uint32_t index, AttemptEnd::Outcome outcome) {
  Attempt& attempt = attempts_[index];
  ++attempt.generation;
  attempt.live = false;
  free_attempts_.push_back(index);
  if (attempt.refused) return;
  const Assignment& what = attempt.assignment;
  const bool finished = outcome == AttemptEnd::Outcome::finished;
  AttemptEnd end{what.task, attempt.job,  what.node,     attempt.start,  now_,         task(what.task).kind,
                 outcome,   attempt.work, attempt.level, ZoneId::none(), Mebibytes(0), attempt.shuffled};
  if (!finished) {
    const double done =
        attempt.copying ? 0 : std::min(attempt.work.value(), to_seconds(now_ - attempt.compute_from) * attempt.pace);
    end.work = CpuSeconds(done);
  }
  cut_reads(attempt, end);
  --running_;
  free_[what.node] = free_[what.node] + job(attempt.job).request;
  update_heartbeat(what.node);
  listener_.on_end(end);
}

// Stops what still flows, and says what was read.
void SimulatedCluster::cut_reads(Attempt& attempt, AttemptEnd& end) {
  const Assignment& what = attempt.assignment;
  const bool finished = end.outcome == AttemptEnd::Outcome::finished;
  const double share = share_done(attempt.start, attempt.read_end, now_);
  const auto cut = [&](std::vector<Mebibytes>& parts) {
    for (std::size_t part = 0; part < attempt.flows.size(); ++part) {
      if (attempt.flows[part].valid())
        parts[part] -= network_.stop(attempt.flows[part], now_);
      else if (!finished)
        parts[part] *= share;
    }
  };
  if (attempt.degraded()) {
    cut(attempt.decoded);
    end.sources = what.sources;
    end.decoded = attempt.decoded;
  } else if (what.read_from.valid()) {
    end.source = scenario_.cluster.stores[what.read_from].zone;
    end.read = task(what.task).input;
    const bool flowing = !attempt.flows.empty() && attempt.flows[0].valid();
    if (flowing) {
      end.read -= network_.stop(attempt.flows[0], now_);
    } else if (!finished && attempt.compute_from == attempt.start) {
      end.read *= share;
    }
  } else {
    cut(attempt.shuffled);
  }
}

void SimulatedCluster::finish_attempt(std::uint32_t index) {
  const Assignment what = attempts_[index].assignment;
  const JobId id = attempts_[index].job;
  end_attempt(index, AttemptEnd::Outcome::finished);
  tasks_[what.task].state = TaskTruth::finished;
  emit(TaskFinished{what.task, what.node});
  keep_copy(what);
  JobRecord& record = jobs_[id.index()];
  if (task(what.task).kind == TaskKind::map) {
    count_map_output(id, what.node);
    push_map_output(id, what.node);
    if (--record.maps_left == 0) release(id, TaskKind::reduce);
  } else {
    --record.reduces_left;
  }
  if (job(id).output.valid()) write_output(what);
  end_if_done(id);
}

void SimulatedCluster::lose_attempt(std::uint32_t index, bool say_so) {
  const TaskId id = attempts_[index].assignment.task;
  const JobId owner = attempts_[index].job;
  end_attempt(index, AttemptEnd::Outcome::lost);
  tasks_[id].state = TaskTruth::waiting;
  change_waiting(owner, 1);
  if (say_so) emit(TaskLost{id});
  if (const BlockId block = task(id).block; block.valid() && lost_for_good(block)) end_job(owner, false);
}

// A block that was read whole across the network stays where the plan wants it, if there is room.
void SimulatedCluster::keep_copy(const Assignment& assignment) {
  const StoreId store = assignment.keep_in;
  if (!store.valid() || store == assignment.read_from) return;
  const Task& reader = task(assignment.task);
  const Mebibytes size = scenario_.cluster.blocks[reader.block].size;
  const NodeId holder = scenario_.cluster.stores[store].node;
  if (holder.valid() && !up_[holder.index()]) return;
  if (reader.input < size * (1 - 1e-9) || !has_space(store, size)) return;
  add_replica(reader.block, {store, true, now_});
}

}  // namespace lips::simulation
