#include "cmd/service/state_endpoint.h"

#include <chrono>
#include <utility>

#include "cmd/cli/wall_stopwatch.h"
#include "config/gzip.h"
#include "model/offered_nodes.h"
#include "version.h"

namespace lips::cmd {

namespace {

constexpr std::size_t most_plans = 100;           // that are remembered
constexpr double between_copies = 1;              // seconds, at least
constexpr std::chrono::seconds longest_wait{20};  // for the controller's thread, which may be planning
constexpr int most_waiting = 4;
constexpr int come_later = 503;

}  // namespace

void StateEndpoint::planned(const NamedPolicy& by, const PolicyInput& input, const Plan& plan, double took) {
  if (!inputs_) inputs_.emplace();
  inputs_->version = version;
  inputs_->policy = by.name, inputs_->settings = by.settings, inputs_->seed = input.seed;
  inputs_->snapshot.costs = input.costs;
  const PlanAccount& account = plan.account;
  plans_.push_back({input.cluster.now, by.name, input.cluster.pending_tasks, plan.assignments.size(), plan.moves.size(),
                    account.dollars(), account.objective, account.lower_bound, took});
  if (plans_.size() > most_plans) plans_.pop_front();
}

void StateEndpoint::look(const ClusterSnapshot& cluster, TimePoint now, const NamePods& name_pods) {
  if (!wanted_ || !inputs_) return;
  if (WallStopwatch().seconds() < next_copy_) return;
  const std::size_t priced = inputs_->snapshot.costs.zones();
  if (priced > 0 && priced < cluster.zones.size()) return;  // a listing that no plan has seen yet
  wanted_ = false;                                          // who asks from here on wants a later copy
  auto copy = std::make_shared<Copy>();
  copy->made_at = WallStopwatch().seconds();
  copy->record = std::make_shared<EpochRecord>(*inputs_);
  copy->record->snapshot.cluster = cluster;
  copy->record->snapshot.cluster.now = std::max(now, cluster.now);
  LiveFacts& live = copy->record->live.emplace();
  const IdVector<NodeId, bool> absent = absent_nodes(cluster, lists_absent_);
  for (const NodeId node : absent.ids())
    if (absent[node]) live.absent.push_back(node);
  live.plans.assign(plans_.begin(), plans_.end());
  name_pods(live);
  std::erase_if(live.pods, [&](const PodOfTask& pod) { return !cluster.tasks.contains(pod.task); });  // not yet a task
  next_copy_ = WallStopwatch().seconds() + between_copies;
  const std::lock_guard lock(mutex_);
  copy_ = std::move(copy);
  arrived_.notify_all();
}

void StateEndpoint::close() {
  const std::lock_guard lock(mutex_);
  closed_ = true;
  arrived_.notify_all();
}

std::shared_ptr<StateEndpoint::Copy> StateEndpoint::wait_for_copy() {
  std::unique_lock lock(mutex_);
  const double begun = WallStopwatch().seconds();
  const auto arrived = [&] { return closed_ || (copy_ && copy_->made_at >= begun); };
  if (arrived() || waiting_ >= most_waiting) return arrived() ? copy_ : nullptr;
  wanted_ = true;
  ++waiting_;
  const bool came = arrived_.wait_for(lock, longest_wait, arrived);
  --waiting_;
  return came ? copy_ : nullptr;
}

void StateEndpoint::complete(Copy& copy) const {
  if (std::exchange(copy.complete, true)) return;
  copy.record->live->ledger = questions_.ledger();
  copy.record->live->targets = questions_.targets();
  copy.record->live->own_targets = questions_.own_targets();
  copy.record->live->twin = questions_.twin();
}

StateAnswer StateEndpoint::answer() {
  if (!questions_.leads()) return {come_later, "this replica of the operator stands by: another one leads\n"};
  const std::shared_ptr<Copy> copy = wait_for_copy();
  if (!copy) return {come_later, "the operator is busy, or has made no plan yet\n"};
  const std::lock_guard lock(copy->mutex);
  if (copy->text.empty()) {
    complete(*copy);
    copy->text = gzipped(write_epoch(*copy->record));
    copy->record.reset();
  }
  return {200, copy->text};
}

std::shared_ptr<const EpochRecord> StateEndpoint::record() {
  for (int tries = 0; tries < 3 && questions_.leads(); ++tries) {
    const std::shared_ptr<Copy> copy = wait_for_copy();
    if (!copy) return nullptr;
    const std::lock_guard lock(copy->mutex);
    if (!copy->record) continue;  // somebody else has made a text of it
    complete(*copy);
    return copy->record;
  }
  return nullptr;
}

}  // namespace lips::cmd
