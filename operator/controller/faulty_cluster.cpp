#include "controller/faulty_cluster.h"

#include <algorithm>
#include <utility>
#include <variant>

namespace lips {

namespace {

template <class Event>
bool is(const ClusterEvent& event) {
  return std::holds_alternative<Event>(event);
}

// These events assign ids, so a duplicate would be another job, constraint or pool.
bool gives_ids(const ClusterEvent& event) {
  return is<JobArrived>(event) || is<ClusterListed>(event) || is<ConstraintAdded>(event) || is<PoolAdded>(event);
}

}  // namespace

bool FaultyCluster::strikes(double share) {
  if (random_.uniform() >= share) return false;
  ++injected_;
  return true;
}

Duration FaultyCluster::delay() {
  return Duration(static_cast<Duration::rep>(random_.uniform() * static_cast<double>(faults_.longest_delay.count())));
}

Result<std::vector<ClusterEvent>> FaultyCluster::wait(TimePoint until) {
  for (;;) {
    if (!held_.empty() && held_.begin()->first <= now()) return take_due(now());
    Result<std::vector<ClusterEvent>> events =
        cluster_.wait(held_.empty() ? until : std::min(until, held_.begin()->first));
    if (!events) {
      if (held_.empty() || events.error().code != ErrorCode::cancelled) return events;
      return take_due(TimePoint::max());  // the cluster has no more events, but these are still held back
    }
    const bool quiet = events->empty();
    hold(*std::move(events));
    if (quiet && now() >= until && (held_.empty() || held_.begin()->first > now())) return std::vector<ClusterEvent>{};
  }
}

void FaultyCluster::hold(std::vector<ClusterEvent> events) {
  if (events.empty()) return;
  last_due_ = std::max(last_due_, now());
  if (strikes(faults_.late)) last_due_ += delay();
  std::vector<ClusterEvent> batch;
  for (ClusterEvent& event : events) {
    if (const auto* started = std::get_if<TaskStarted>(&event); started && unanswered_.erase(started->task) > 0)
      continue;
    if (const auto* lost = std::get_if<NodeLost>(&event)) ++losses_held_[lost->node];
    const bool repeatable = !gives_ids(event) && !is<NodeLost>(event);
    if (repeatable && strikes(faults_.doubled)) {
      // A run has one start and one end, so these events can repeat at any time.
      if (is<TaskStarted>(event) || is<TaskFinished>(event))
        held_.emplace(last_due_ + delay(), Batch{{event}, {}});
      else
        batch.push_back(event);
    }
    batch.push_back(std::move(event));
  }
  held_.emplace(last_due_, Batch{std::move(batch), {}});
}

std::vector<ClusterEvent> FaultyCluster::take_due(TimePoint until) {
  std::vector<ClusterEvent> due;
  while (!held_.empty() && held_.begin()->first <= until) {
    auto batch = held_.extract(held_.begin());
    const TaskId unsent = batch.mapped().unsent;
    if (unsent.valid() && unsent_.erase(unsent) == 0) continue;  // the loss of its node has reported it
    for (ClusterEvent& event : batch.mapped().events) {
      if (const auto* lost = std::get_if<NodeLost>(&event)) {
        if (--losses_held_[lost->node] == 0) losses_held_.erase(lost->node);
        std::erase_if(unsent_, [&](const auto& entry) { return entry.second == lost->node; });
      }
      due.push_back(std::move(event));
    }
  }
  return due;
}

Result<PreparedBinding> FaultyCluster::prepare(const Assignment& assignment) {
  if (strikes(faults_.refused)) return fail(ErrorCode::unavailable, "an injected fault");
  return cluster_.prepare(assignment);
}

void FaultyCluster::bind(const PreparedBinding& binding) {
  const Assignment& assignment = binding.assignment;
  if (losses_held_.contains(assignment.node)) return;  // the loss makes it pending again
  if (strikes(faults_.unsent)) {
    unsent_[assignment.task] = assignment.node;
    held_.emplace(now() + delay(), Batch{{TaskLost{assignment.task}}, assignment.task});
    return;
  }
  if (strikes(faults_.unanswered)) unanswered_.insert(assignment.task);
  cluster_.bind(binding);
}

void FaultyCluster::start_move(MoveId id, const DataMove& move) {
  if (!strikes(faults_.failed_moves)) return cluster_.start_move(id, move);
  held_.emplace(now() + delay(), Batch{{MoveEnded{id, false}}, {}});
}

}  // namespace lips
