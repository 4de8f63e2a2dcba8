#include "simulation/simulated_cluster.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "config/ranges.h"
#include "model/nearest_replicas.h"
#include "simulation/truth_losses.h"

namespace lips::simulation {

namespace {

constexpr Duration patience_with_moves = std::chrono::hours(48);
constexpr int patience_in_intervals = 50;
// The end of the clock, later than any time that a scenario can state or a task can reach.
constexpr TimePoint last_time = TimePoint(longest_duration / 2 * 5);
// Days of plans a second apart, or of heartbeats, without a start, an end or an arrival.
constexpr std::uint64_t most_idle_waits = 250'000, most_idle_beats = 100'000;
constexpr std::uint32_t most_instants = 4096;  // then the caller can check whether to go on

}  // namespace

SimulatedCluster::SimulatedCluster(const Scenario& scenario, const Cadence& cadence, RunListener& listener,
                                   ServiceScore services)
    : world_(scenario, cadence, listener),
      services_(world_, services),
      returns_and_failures_to_come_(scenario.failures.size()) {
  for (std::uint32_t i = 0; i < scenario.failures.size(); ++i)
    world_.queue.add(std::max(world_.now, scenario.failures[i].at), {SimEvent::Kind::failure, i, 0});
}

// Nothing will happen unless a plan starts it.
bool SimulatedCluster::nothing_to_come() const {
  return world_.running == 0 && jobs_.all_arrived() && returns_and_failures_to_come_ == 0 && services_.over();
}

// Moves that go on forever without any task are no progress either.
bool SimulatedCluster::hopeless() const {
  const Duration patience = std::max(patience_, world_.cadence.interval * patience_in_intervals);
  return nothing_to_come() && (world_.now - world_.last_task > std::max(patience, patience_with_moves) ||
                               (world_.pending_events.empty() && world_.now - world_.last_progress > patience));
}

Heartbeats::Beat SimulatedCluster::next_beat() const {
  if (world_.cadence.trigger != Cadence::Trigger::heartbeats || world_.waiting == 0) return {};
  return world_.heartbeats.next(world_.now);
}

// True at the end of the clock, or when the controller has waited too often without progress.
bool SimulatedCluster::out_of_time() {
  if (last_change_ != world_.last_task) waits_ = 0;
  last_change_ = world_.last_task;
  ++waits_;
  const bool beats = world_.cadence.trigger == Cadence::Trigger::heartbeats;
  const std::uint64_t most = most_idle_waits + (beats ? most_idle_beats * world_.scenario.cluster.nodes.size() : 0);
  return world_.now >= last_time || waits_ > most;
}

Result<std::vector<ClusterEvent>> SimulatedCluster::wait(TimePoint until) {
  if (out_of_time()) {
    endless_ = true;
    return fail(ErrorCode::cancelled, "the simulation does not come to an end");
  }
  answer_held_beats();
  for (std::uint32_t instants = 0;; ++instants) {
    if (hopeless()) {
      stuck_ = true;
      return fail(ErrorCode::cancelled, "no task can run any more");
    }
    if (!world_.pending_events.empty() || instants == most_instants) break;
    if (over()) return fail(ErrorCode::cancelled, "the simulation is over");
    const Heartbeats::Beat beat = next_beat();
    const TimePoint instant = std::min({world_.queue.next_time(), world_.network.next_end(), beat.at});
    if (instant == TimePoint::max() && until == TimePoint::max()) {
      stuck_ = true;
      return fail(ErrorCode::cancelled, "nothing will ever happen again");
    }
    if (instant > until) {
      world_.now = std::max(world_.now, until);
      break;
    }
    if (instant >= last_time) {
      world_.now = last_time;
      break;
    }
    advance_to(instant);
    if (beat.at == instant) {
      world_.heartbeats.take(beat);
      world_.emit(Heartbeat{beat.node});
    }
  }
  world_.unreported_losses.clear();
  return std::exchange(world_.pending_events, {});
}

// Where nothing waits, nobody needs the answer.
void SimulatedCluster::answer_held_beats() {
  for (const NodeId node : world_.heartbeats.release())
    if (world_.waiting > 0) world_.emit(Heartbeat{node});
}

void SimulatedCluster::think(Duration span) {
  const TimePoint until = world_.now + span;
  for (;;) {
    const Heartbeats::Beat beat = next_beat();
    const TimePoint instant = std::min({world_.queue.next_time(), world_.network.next_end(), beat.at});
    if (instant > until || over()) break;
    advance_to(instant);
    if (beat.at == instant) world_.heartbeats.hold(beat);
  }
  world_.now = std::max(world_.now, until);
}

void SimulatedCluster::go_on_until(TimePoint until) {
  for (;;) {
    const TimePoint instant = std::min(world_.queue.next_time(), world_.network.next_end());
    if (instant > until || instant == TimePoint::max()) break;
    advance_to(instant);
  }
  world_.now = std::max(world_.now, until);
}

void SimulatedCluster::advance_to(TimePoint instant) {
  world_.now = std::max(world_.now, instant);
  while (world_.queue.next_time() <= world_.now) handle(world_.queue.take());
  if (world_.network.next_end() > world_.now) return end_instant();
  ended_flows_.clear();
  world_.network.take_ended(world_.now, ended_flows_);
  for (FlowId flow : ended_flows_) tasks_.flow_ended(world_.flow_owner[flow.index()]);
  while (world_.queue.next_time() <= world_.now) handle(world_.queue.take());
  end_instant();
}

void SimulatedCluster::end_instant() {
  services_.place();
  fleet_.open_batch();
}

namespace {

// The autoscaler only looks; nothing has happened.
bool only_polls(SimEvent::Kind kind) {
  using enum SimEvent::Kind;
  return kind == batch || kind == poll || kind == validation;
}

}  // namespace

void SimulatedCluster::handle(const SimEvent& event) {
  const auto current = [&] { return world_.attempts[event.index].generation == event.generation; };
  const bool only_checks = only_polls(event.kind) || event.kind == SimEvent::Kind::refusal;
  if (!only_checks) world_.last_progress = world_.now;
  if (!only_checks && event.kind != SimEvent::Kind::move_end) world_.last_task = world_.now;
  switch (event.kind) {
    case SimEvent::Kind::arrival:
      return jobs_.arrive();
    case SimEvent::Kind::failure:
      return fail_node(event.index);
    case SimEvent::Kind::node_return:
      return return_node(event.index);
    case SimEvent::Kind::copied:
      if (current()) tasks_.compute(event.index);
      return;
    case SimEvent::Kind::attempt_end:
      if (current()) tasks_.finish_attempt(event.index);
      return;
    case SimEvent::Kind::refusal:
      if (current()) tasks_.lose_attempt(event.index, true);
      return;
    case SimEvent::Kind::reclaim:
      if (current()) tasks_.lose_attempt(event.index, true);
      return;
    case SimEvent::Kind::service:
    case SimEvent::Kind::service_end:
      return services_.handle(event);
    case SimEvent::Kind::move_end:
      if (world_.moves[event.index].live) output_.end_transfer(event.index, !world_.moves[event.index].refused);
      return;
    default:
      return fleet_.handle(event);
  }
}

void SimulatedCluster::fail_node(std::uint32_t index) {
  const NodeFailure& failure = world_.scenario.failures[index];
  --returns_and_failures_to_come_;
  if (!world_.up[failure.node.index()]) return;
  const bool for_good = failure.down <= Duration(0);
  lose_node(world_, peers_, failure.node, failure.data_lost || for_good);
  for (StoreId store : world_.scenario.cluster.stores.ids())
    if (world_.scenario.cluster.stores[store].node == failure.node)
      lose_store(world_, peers_, {store, !failure.data_lost && !for_good, index});
  if (for_good || failure.data_lost) jobs_.fail_jobs_without_data();
  if (for_good) return;
  ++returns_and_failures_to_come_;
  world_.queue.add(world_.now + failure.down, {SimEvent::Kind::node_return, index, 0});
}

void SimulatedCluster::return_node(std::uint32_t index) {
  --returns_and_failures_to_come_;
  const NodeId node = world_.scenario.failures[index].node;
  world_.up[node.index()] = true;
  world_.listener.on_node(node, true, world_.now);
  world_.update_heartbeat(node);
  world_.emit(NodeBack{node});
  data_.return_replicas(index);
}

StoreId SimulatedCluster::nearest_source(BlockId block, NodeId node) const {
  return nearest_of(world_.replicas[block], world_.scenario.cluster, world_.scenario.costs, node).store;
}

void SimulatedCluster::close() {
  for (std::uint32_t i = 0; i < world_.attempts.size(); ++i)
    if (world_.attempts[i].live) tasks_.end_attempt(i, AttemptEnd::Outcome::cut_off);
  for (std::uint32_t i = 0; i < world_.moves.size(); ++i)
    if (world_.moves[i].live) output_.end_transfer(i, false);
  for (StoreId store : world_.scenario.cluster.stores.ids()) {
    data_.change_used(store, Mebibytes(0));
    data_.change_extra(store, Mebibytes(0));
  }
}

}  // namespace lips::simulation
