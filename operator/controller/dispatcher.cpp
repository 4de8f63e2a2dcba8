#include "controller/dispatcher.h"

#include <algorithm>

namespace lips {

void Dispatcher::forget() {
  nodes_.clear();
  queue_ = {};
  queued_ = 0;
}

void Dispatcher::accept(const Plan& plan) {
  for (NodeId node : nodes_) queue_[node].clear();
  nodes_.clear();
  for (const MoveInFlight& move : state_.snapshot().moves) next_move_ = std::max(next_move_, move.id.index() + 1);
  queue_.resize(state_.snapshot().nodes.size());
  for (const Remembered& remembered : plan.remember) {
    state_.remember(remembered);
    client_.remember(remembered);
  }
  if (plan.remember_shares) {
    state_.remember(*plan.remember_shares);
    client_.remember_shares(*plan.remember_shares);
  }
  for (const DataMove& move : plan.moves) {
    const MoveId id(next_move_++);
    state_.begin_move({id, move.block, move.from, move.to});
    client_.start_move(id, move);
  }
  if (plan.copies_reviewed) state_.note_copies_reviewed();
  for (const ReplicaDrop& drop : plan.drops) client_.drop(drop);
  for (const Reclaim& reclaim : plan.reclaims)
    if (state_.begin_reclaim(reclaim)) client_.reclaim(reclaim);
  for (const Assignment& assignment : plan.assignments) {
    std::deque<Assignment>& queue = queue_[assignment.node];
    if (queue.empty()) nodes_.push_back(assignment.node);
    queue.push_back(assignment);
  }
  queued_ = plan.assignments.size();
}

bool Dispatcher::ready(const Assignment& assignment) const {
  for (const StripeSource& source : assignment.sources)
    if (!state_.snapshot().blocks[source.block].on(source.store)) return false;
  if (!assignment.read_from.valid()) return true;
  return state_.snapshot().blocks[state_.snapshot().tasks[assignment.task].block].on(assignment.read_from) != nullptr;
}

void Dispatcher::dispatch_all(std::vector<Observer*>& observers) {
  for (NodeId node : nodes_) dispatch_on(node, observers);
}

// Prepares, assumes, binds, tells observers. A binding that is refused before it is sent changes nothing: the task
// stays pending, and the next plan sees it.
void Dispatcher::bind(const Assignment& assignment, std::vector<Observer*>& observers) {
  const Result<PreparedBinding> prepared = client_.prepare(assignment);
  if (!prepared || !state_.assume(prepared->assignment)) return;
  client_.bind(*prepared);
  for (Observer* observer : observers) observer->on_bind(state_.snapshot(), prepared->assignment);
}

// A task that does not fit blocks those behind it on its node, or large ones would starve. One that waits for data does
// not. The node may have changed since the plan was made: cordoned, tainted, other labels.
void Dispatcher::dispatch_on(NodeId node, std::vector<Observer*>& observers) {
  if (!queue_.contains(node)) return;
  std::deque<Assignment>& queue = queue_[node];
  const ClusterSnapshot& cluster = state_.snapshot();
  for (auto next = queue.begin(); next != queue.end();) {
    const Task& task = cluster.tasks[next->task];
    const Job& job = cluster.jobs[task.job];
    const bool wanted = task.state == TaskState::pending;  // else another plan or scheduler was first
    const bool allowed = cluster.nodes[node].schedulable && cluster.eligible(job.constraint, node);
    if (wanted && allowed) {
      if (!ready(*next)) {
        ++next;
        continue;
      }
      if (!fits(job.request, cluster.free[node])) break;
      bind(*next, observers);
    }
    next = queue.erase(next);
    --queued_;
  }
}

}  // namespace lips
