#include "controller/epoch_controller.h"

#include <algorithm>
#include <variant>

namespace lips {

namespace {

// The node that an event gives room on; asked before the state takes the event in.
NodeId freed_by(const ClusterSnapshot& before, const ClusterEvent& event) {
  if (const auto* finished = std::get_if<TaskFinished>(&event)) return finished->node;
  if (const auto* back = std::get_if<NodeBack>(&event)) return back->node;
  if (const auto* lost = std::get_if<TaskLost>(&event)) return before.tasks[lost->task].node;
  return NodeId::none();
}

}  // namespace

EpochController::EpochController(ClusterState& state, ClusterClient& client, const Policy& policy, const CostModel& costs)
    : state_(state), client_(client), policy_(policy), costs_(costs), dispatcher_(state, client), cadence_(policy.cadence()) {}

Result<void> EpochController::run(const ControllerSettings& settings) {
  next_plan_ = client_.now();
  while (!(settings.stop && settings.stop())) {
    Result<std::vector<ClusterEvent>> events = client_.wait(wake_at());
    if (!events) {
      if (events.error().code == ErrorCode::cancelled) return {};
      return tl::unexpected<Error>(events.error());
    }
    state_.advance(client_.now());
    take_in(*events);
    if (due())
      if (Result<void> planned = plan(settings); !planned) return planned;
  }
  return {};
}

// Freed capacity goes to the queue at once; what the queue cannot use waits for the next plan.
void EpochController::take_in(const std::vector<ClusterEvent>& events) {
  std::vector<NodeId> freed;
  bool replicas = false;
  for (const ClusterEvent& event : events) {
    if (const NodeId node = freed_by(state_.snapshot(), event); node.valid()) freed.push_back(node);
    state_.apply(event);
    if (const auto* beat = std::get_if<Heartbeat>(&event))
      reporting_.push_back(beat->node);
    else if (!std::holds_alternative<TaskStarted>(event))  // a start only confirms what the plan assumed
      changed_ = true;
    replicas |= std::holds_alternative<ReplicaAdded>(event);
    for (Observer* observer : observers_) observer->on_event(state_.snapshot(), event);
  }
  if (dispatcher_.queued() == 0) return;
  if (replicas) {
    dispatcher_.dispatch_all(observers_);
  } else {
    for (NodeId node : freed) dispatcher_.dispatch_on(node, observers_);
  }
}

bool EpochController::due() const {
  const TimePoint now = state_.snapshot().now;
  switch (cadence_.trigger) {
    case Cadence::Trigger::epoch: return now >= next_plan_;
    case Cadence::Trigger::events: return now >= next_plan_ || (changed_ && now >= last_plan_ + cadence_.least);
    case Cadence::Trigger::heartbeats: return !reporting_.empty();
  }
  return false;
}

TimePoint EpochController::wake_at() const {
  if (cadence_.trigger == Cadence::Trigger::heartbeats) return TimePoint::max();
  if (cadence_.trigger == Cadence::Trigger::events && changed_ && plans_ > 0)
    return std::min(next_plan_, last_plan_ + cadence_.least);
  return next_plan_;
}

Result<void> EpochController::plan(const ControllerSettings& settings) {
  const ClusterSnapshot& cluster = state_.snapshot();
  PolicyInput input{cluster, costs_, settings.seed, reporting_, settings.stopwatch};
  Result<Plan> plan = policy_.decide(input);
  if (!plan) return tl::unexpected<Error>(plan.error());
  ++plans_;
  for (Observer* observer : observers_) observer->on_plan(cluster, *plan);
  changed_ = false;
  reporting_.clear();
  last_plan_ = cluster.now;
  next_plan_ = cluster.now + plan->replan_after.value_or(cadence_.interval);
  dispatcher_.accept(*plan);
  dispatcher_.dispatch_all(observers_);
  return {};
}

}  // namespace lips
