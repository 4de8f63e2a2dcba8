#include "simulation/simulated_cluster.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "config/ranges.h"

namespace lips::simulation {

namespace {

constexpr Duration least_patience = std::chrono::hours(1);
constexpr Duration patience_with_moves = std::chrono::hours(48);
constexpr int patience_in_intervals = 50;
// The clock's end, beyond the latest that a scenario can state and any task can take.
constexpr TimePoint last_time = TimePoint(longest_duration / 2 * 5);
// Days of plans a second apart, or of heartbeats, in which nothing began, ended or arrived.
constexpr std::uint64_t most_idle_waits = 250'000, most_idle_beats = 100'000;
constexpr std::uint32_t most_instants = 4096;  // then whoever waits may look whether to go on

Resources least_request(const Scenario& scenario) {
  Resources least{Cores(1e300), Mebibytes(1e300), 1 << 30};
  for (const JobArrived& arrival : scenario.jobs) {
    least.cpu = std::min(least.cpu, arrival.job.request.cpu);
    least.memory = std::min(least.memory, arrival.job.request.memory);
    least.slots = std::min(least.slots, arrival.job.request.slots);
  }
  return least;
}

}  // namespace

SimulatedCluster::SimulatedCluster(const Scenario& scenario, const Cadence& cadence, RunListener& listener)
    : scenario_(scenario),
      listener_(listener),
      cadence_(cadence),
      now_(scenario.cluster.now),
      paths_(scenario.cluster, scenario.rack_link, network_),
      heartbeats_(std::max<std::size_t>(1, scenario.cluster.nodes.size()), std::max(cadence.interval, Duration(1)),
                  now_),
      least_request_(least_request(scenario)),
      up_(scenario.cluster.nodes.size(), true),
      stores_(scenario.cluster.stores.size()),
      held_(scenario.cluster.stores.size()),
      away_(scenario.failures.size()),
      last_progress_(now_),
      last_task_(now_) {
  for (const Node& node : scenario.cluster.nodes) free_.push_back(node.capacity);
  for (NodeId node : scenario.cluster.nodes.ids()) update_heartbeat(node);
  const bool nodes_fail = !scenario.failures.empty();
  replicas_.reserve(scenario.cluster.blocks.size());
  for (BlockId block : scenario.cluster.blocks.ids()) {
    replicas_.push_back({});
    std::vector<Replica> given = scenario.cluster.blocks[block].replicas;
    std::sort(given.begin(), given.end(), [](const Replica& a, const Replica& b) { return a.store < b.store; });
    for (const Replica& replica : given) {
      stores_[replica.store].used += scenario.cluster.blocks[block].size;
      if (replica.extra) change_extra(replica.store, scenario.cluster.blocks[block].size);
      if (nodes_fail) held_[replica.store].push_back(block);
    }
    replicas_[block] = std::move(given);
  }
  copies_away_.assign(nodes_fail ? replicas_.size() : 0, 0);
  if (!scenario.jobs.empty()) queue_.add(std::max(now_, scenario.jobs[0].job.arrival), {Kind::arrival, 0, 0});
  for (std::uint32_t i = 0; i < scenario.failures.size(); ++i)
    queue_.add(std::max(now_, scenario.failures[i].at), {Kind::failure, i, 0});
  returns_and_failures_to_come_ = scenario.failures.size();
  jobs_.reserve(scenario.jobs.size());
  if (scenario.after.empty()) return;
  waits_for_.resize(scenario.jobs.size(), 0);
  waiting_for_me_.resize(scenario.jobs.size());
  doomed_.resize(scenario.jobs.size(), false);
  for (std::uint32_t i = 0; i < scenario.after.size(); ++i) {
    waits_for_[i] = static_cast<std::uint32_t>(scenario.after[i].size());
    for (const JobId earlier : scenario.after[i]) waiting_for_me_[earlier.index()].emplace_back(i);
  }
}

void SimulatedCluster::update_heartbeat(NodeId node) {
  if (cadence_.trigger != Cadence::Trigger::heartbeats) return;
  heartbeats_.set_open(
      node, up_[node.index()] && scenario_.cluster.nodes[node].schedulable && fits(least_request_, free_[node]));
}

void SimulatedCluster::change_waiting(JobId id, std::int64_t by) {
  JobRecord& record = jobs_[id.index()];
  record.waiting = static_cast<std::size_t>(static_cast<std::int64_t>(record.waiting) + by);
  if (!record.failed) waiting_ = static_cast<std::size_t>(static_cast<std::int64_t>(waiting_) + by);
}

// Nothing will happen but what a plan may still start.
bool SimulatedCluster::nothing_to_come() const {
  return running_ == 0 && next_arrival_ == scenario_.jobs.size() && returns_and_failures_to_come_ == 0;
}

// Moves that go on for ever without any task are no progress either.
bool SimulatedCluster::hopeless() const {
  const Duration patience = std::max(least_patience, cadence_.interval * patience_in_intervals);
  return nothing_to_come() && (now_ - last_task_ > std::max(patience, patience_with_moves) ||
                               (said_.empty() && now_ - last_progress_ > patience));
}

Heartbeats::Beat SimulatedCluster::next_beat() const {
  if (cadence_.trigger != Cadence::Trigger::heartbeats || waiting_ == 0) return {};
  return heartbeats_.next(now_);
}

// A run that no run needs: the clock is at its end, or the controller has come so often without anything to show.
bool SimulatedCluster::out_of_time() {
  if (last_change_ != last_task_) waits_ = 0;
  last_change_ = last_task_;
  ++waits_;
  const bool beats = cadence_.trigger == Cadence::Trigger::heartbeats;
  const std::uint64_t most = most_idle_waits + (beats ? most_idle_beats * scenario_.cluster.nodes.size() : 0);
  return now_ >= last_time || waits_ > most;
}

Result<std::vector<ClusterEvent>> SimulatedCluster::wait(TimePoint until) {
  if (out_of_time()) {
    endless_ = true;
    return fail(ErrorCode::cancelled, "the simulation does not come to an end");
  }
  for (std::uint32_t instants = 0;; ++instants) {
    if (hopeless()) {
      stuck_ = true;
      return fail(ErrorCode::cancelled, "no task can run any more");
    }
    if (!said_.empty() || instants == most_instants) break;
    if (over()) return fail(ErrorCode::cancelled, "the simulation is over");
    const Heartbeats::Beat beat = next_beat();
    const TimePoint instant = std::min({queue_.next_time(), network_.next_end(), beat.at});
    if (instant == TimePoint::max() && until == TimePoint::max()) {
      stuck_ = true;
      return fail(ErrorCode::cancelled, "nothing will ever happen again");
    }
    if (instant > until) {
      now_ = std::max(now_, until);
      break;
    }
    if (instant >= last_time) {
      now_ = last_time;
      break;
    }
    advance_to(instant);
    if (beat.at == instant) {
      heartbeats_.take(beat);
      emit(Heartbeat{beat.node});
    }
  }
  losses_to_say_.clear();
  return std::exchange(said_, {});
}

void SimulatedCluster::think(Duration span) {
  const TimePoint until = now_ + span;
  for (;;) {
    const TimePoint instant = std::min(queue_.next_time(), network_.next_end());
    if (instant > until || over()) break;
    advance_to(instant);
  }
  now_ = std::max(now_, until);
}

void SimulatedCluster::advance_to(TimePoint instant) {
  now_ = std::max(now_, instant);
  while (queue_.next_time() <= now_) happen(queue_.take());
  if (network_.next_end() > now_) return;
  ended_flows_.clear();
  network_.take_ended(now_, ended_flows_);
  for (FlowId flow : ended_flows_) flow_ended(flow_owner_[flow.index()]);
  while (queue_.next_time() <= now_) happen(queue_.take());
}

void SimulatedCluster::happen(const Happening& happening) {
  const auto current = [&] { return attempts_[happening.index].generation == happening.generation; };
  if (happening.kind != Kind::refusal) last_progress_ = now_;
  if (happening.kind != Kind::refusal && happening.kind != Kind::move_end) last_task_ = now_;
  switch (happening.kind) {
    case Kind::arrival:
      return arrive();
    case Kind::failure:
      return fail_node(happening.index);
    case Kind::node_return:
      return return_node(happening.index);
    case Kind::copied:
      if (current()) compute(happening.index);
      return;
    case Kind::attempt_end:
      if (current()) finish_attempt(happening.index);
      return;
    case Kind::refusal:
      if (current()) lose_attempt(happening.index, true);
      return;
    case Kind::move_end:
      if (moves_[happening.index].live) end_move(happening.index, !moves_[happening.index].refused);
      return;
  }
}

void SimulatedCluster::arrive() {
  const JobId id(static_cast<std::uint32_t>(next_arrival_));
  const JobArrived& arrival = scenario_.jobs[next_arrival_++];
  JobRecord record;
  record.first_task = TaskId(static_cast<std::uint32_t>(tasks_.size()));
  record.maps_left = arrival.job.map_tasks;
  record.reduces_left = arrival.job.reduce_tasks;
  if (arrival.job.shuffle.value() > 0 && arrival.job.reduce_tasks > 0)
    record.map_output.assign(scenario_.cluster.zones.size(), Mebibytes(0));
  record.held = !waits_for_.empty() && (waits_for_[id.index()] > 0 || doomed_[id.index()]);
  const bool held = record.held;
  jobs_.push_back(std::move(record));
  for (std::size_t i = 0; i < arrival.tasks.size(); ++i) tasks_.push_back({id, 0, TaskTruth::blocked});
  listener_.on_job(id, now_);
  if (held) {
    JobArrived waits = arrival;
    waits.job.held = true;
    emit(std::move(waits));
  } else {
    emit(arrival);
  }
  if (next_arrival_ < scenario_.jobs.size())
    queue_.add(std::max(now_, scenario_.jobs[next_arrival_].job.arrival), {Kind::arrival, 0, 0});
  if (!doomed_.empty() && doomed_[id.index()]) return end_job(id, false);
  if (!held) release_level(id);
}

void SimulatedCluster::release_level(JobId id) {
  JobRecord& record = jobs_[id.index()];
  if (record.held) emit(JobReleased{id});
  record.held = false;
  release(id, TaskKind::map);
  if (job(id).map_tasks == 0) release(id, TaskKind::reduce);
  if (job(id).tasks() == 0) return end_job(id, true);
  if (needs_lost_data(id)) end_job(id, false);
}

void SimulatedCluster::end_if_done(JobId id) {
  const JobRecord& record = jobs_[id.index()];
  if (record.maps_left + record.reduces_left + record.writes_left == 0) end_job(id, true);
}

void SimulatedCluster::release(JobId id, TaskKind kind) {
  const bool map = kind == TaskKind::map;
  const std::uint32_t first = jobs_[id.index()].first_task.index() + (map ? 0 : job(id).map_tasks);
  const std::uint32_t count = map ? job(id).map_tasks : job(id).reduce_tasks;
  if (count == 0) return;
  for (std::uint32_t i = 0; i < count; ++i) tasks_[TaskId(first + i)].state = TaskTruth::waiting;
  change_waiting(id, count);
  listener_.on_released(id, kind, now_);
}

void SimulatedCluster::end_job(JobId id, bool finished) {
  JobRecord& record = jobs_[id.index()];
  if (record.ended) return;
  record.ended = true;
  if (!finished) {
    waiting_ -= record.waiting;
    record.failed = true;
  }
  ++(finished ? jobs_finished_ : jobs_failed_);
  listener_.on_job_end(id, finished, now_);
  tell_waiting_jobs(id, finished);
}

bool SimulatedCluster::loss_not_yet_said(NodeId node) const {
  return std::find(losses_to_say_.begin(), losses_to_say_.end(), node) != losses_to_say_.end();
}

void SimulatedCluster::fail_node(std::uint32_t index) {
  const NodeFailure& failure = scenario_.failures[index];
  --returns_and_failures_to_come_;
  if (!up_[failure.node.index()]) return;
  const bool for_good = failure.down <= Duration(0);
  up_[failure.node.index()] = false;
  emit(NodeLost{failure.node, failure.data_lost || for_good});
  losses_to_say_.push_back(failure.node);
  for (std::uint32_t i = 0; i < attempts_.size(); ++i)
    if (attempts_[i].live && attempts_[i].assignment.node == failure.node) lose_attempt(i, false);
  listener_.on_node(failure.node, false, now_);
  update_heartbeat(failure.node);
  for (StoreId store : scenario_.cluster.stores.ids())
    if (scenario_.cluster.stores[store].node == failure.node) lose_store(store, !failure.data_lost && !for_good, index);
  if (for_good || failure.data_lost) fail_jobs_without_data();
  if (for_good) return;
  ++returns_and_failures_to_come_;
  queue_.add(now_ + failure.down, {Kind::node_return, index, 0});
}

void SimulatedCluster::return_node(std::uint32_t index) {
  --returns_and_failures_to_come_;
  const NodeId node = scenario_.failures[index].node;
  up_[node.index()] = true;
  listener_.on_node(node, true, now_);
  update_heartbeat(node);
  emit(NodeBack{node});
  for (const auto& [block, replica] : away_[index]) {
    --copies_away_[block.index()];
    add_replica(block, replica);
  }
  away_[index].clear();
}

void SimulatedCluster::close() {
  for (std::uint32_t i = 0; i < attempts_.size(); ++i)
    if (attempts_[i].live) end_attempt(i, AttemptEnd::Outcome::cut_off);
  for (std::uint32_t i = 0; i < moves_.size(); ++i)
    if (moves_[i].live) end_move(i, false);
  for (StoreId store : scenario_.cluster.stores.ids()) change_extra(store, Mebibytes(0));
}

}  // namespace lips::simulation
