#include "controller/epoch_controller.h"

#include <algorithm>
#include <variant>

namespace lips {

namespace {

// The node on which an event frees room; call before the state applies the event.
NodeId freed_by(const ClusterSnapshot& before, const ClusterEvent& event) {
  if (const auto* finished = std::get_if<TaskFinished>(&event)) return finished->node;
  if (const auto* back = std::get_if<NodeBack>(&event)) return back->node;
  if (const auto* changed = std::get_if<NodeChanged>(&event)) return changed->node;
  if (const auto* withdrawn = std::get_if<TaskWithdrawn>(&event)) return before.tasks[withdrawn->task].node;
  if (const auto* lost = std::get_if<TaskLost>(&event)) return before.tasks[lost->task].node;
  return NodeId::none();
}

// A start only confirms what the plan assumed, whoever has bound the task; and marks against eviction change no plan:
// pools pay for them. Call before the state applies the event.
bool calls_for_plan(const ClusterSnapshot& before, const ClusterEvent& event) {
  if (const auto* found = std::get_if<TaskFound>(&event)) {
    const Task& task = before.tasks[found->task];
    const bool assumed = task.state == TaskState::bound || task.state == TaskState::running;
    return !assumed || task.node != found->node || found->leaves_for.valid();
  }
  return !std::holds_alternative<TaskStarted>(event) && !std::holds_alternative<TasksMarked>(event);
}

}  // namespace

EpochController::EpochController(ClusterState& state, ClusterClient& client, const Policy& policy,
                                 const CostModel& costs)
    : state_(state),
      client_(client),
      policy_(policy),
      costs_(costs),
      dispatcher_(state, client),
      next_plan_(client.now()) {}

Result<void> EpochController::run(const ControllerSettings& settings) {
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

// A full resync gives everything new ids, so drop everything with old ones.
void EpochController::begin_anew(const ClusterListed& listed) {
  costs_ = listed.costs;
  dispatcher_.forget();
  reporting_.clear();
  next_plan_ = state_.snapshot().now;
}

// Freed capacity goes to the queue at once; what the queue cannot use waits for the next plan.
void EpochController::take_in(const std::vector<ClusterEvent>& events) {
  std::vector<NodeId> freed;
  bool replicas = false;
  for (const ClusterEvent& event : events) {
    if (const NodeId node = freed_by(state_.snapshot(), event); node.valid()) freed.push_back(node);
    if (const auto* listed = std::get_if<ClusterListed>(&event)) {
      begin_anew(*listed);
      freed.clear();
    }
    if (const auto* beat = std::get_if<Heartbeat>(&event))
      reporting_.push_back(beat->node);
    else if (calls_for_plan(state_.snapshot(), event))
      changed_ = true;
    state_.apply(event);
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
  switch (policy_.cadence().trigger) {
    case Cadence::Trigger::epoch:
      return now >= next_plan_;
    case Cadence::Trigger::events:
      return now >= next_plan_ || (changed_ && now >= earliest_plan_);
    case Cadence::Trigger::heartbeats:
      return !reporting_.empty();
  }
  return false;
}

TimePoint EpochController::wake_at() const {
  const Cadence::Trigger trigger = policy_.cadence().trigger;
  if (trigger == Cadence::Trigger::heartbeats) return TimePoint::max();
  if (trigger == Cadence::Trigger::events && changed_ && plans_ > 0) return std::min(next_plan_, earliest_plan_);
  return next_plan_;
}

void EpochController::price_waiting() {
  state_.price_waiting(pricer_->factors(state_.snapshot()));
  const std::optional<std::vector<TargetDebt>> debts = pricer_->to_remember(state_.snapshot().now);
  if (!debts) return;
  state_.remember(*debts);
  client_.remember_targets(*debts);
}

Result<void> EpochController::plan(const ControllerSettings& settings) {
  const ClusterSnapshot& cluster = state_.snapshot();
  if (pricer_) price_waiting();
  const TimePoint began = client_.now();
  PolicyInput input{cluster, costs_, settings.seed, reporting_, settings.stopwatch};
  Result<Plan> plan = policy_.decide(input);
  if (!plan) return tl::unexpected<Error>(plan.error());
  ++plans_;
  for (Observer* observer : observers_) observer->on_plan(cluster, *plan);
  changed_ = false;
  reporting_.clear();
  last_plan_ = cluster.now;
  next_plan_ = cluster.now + plan->replan_after.value_or(policy_.cadence().interval);
  state_.keep(plan->account.held, plan->account.kept_room);
  dispatcher_.accept(*plan);
  dispatcher_.dispatch_all(observers_);
  client_.request_nodes(plan->node_requests);
  client_.note_plan(*plan, state_.snapshot());
  const Duration least = policy_.cadence().least;
  const TimePoint ended = client_.now();
  const Duration took = std::max(ended - began, settings.least_planning);
  const Duration rest = seconds(to_seconds(took) * settings.rest_after_planning);
  earliest_plan_ = settings.rest_after_planning > 0 ? ended + std::min(least, rest) : last_plan_ + least;
  return {};
}

}  // namespace lips
