// Bindings, moves and memories: what a plan makes the cluster do, and what came of it.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "kubernetes/adapter/kubernetes_cluster.h"
#include "kubernetes/data/task_input.h"

namespace lips::kubernetes {
namespace {

constexpr std::size_t longest_input = 120'000;  // bytes; Linux: 128 KiB with the variable's name
constexpr Duration look_for_input_every{1'000'000};
constexpr Duration ask_again{1'000'000};       // a binding that nobody answered
constexpr Duration longest_pause{60'000'000};  // after bindings that were refused

}  // namespace

bool KubernetesCluster::may_bind(const Assignment& assignment) {
  PodRecord* record = pods_.find(task_pods_[assignment.task]);
  if (!record || record->state != PodState::waiting) {
    events_.emplace_back(TaskWithdrawn{assignment.task});
    return false;
  }
  record->read_from = assignment.read_from.valid() ? index_.store_name(assignment.read_from) : "";
  record->input.clear();
  record->degraded = !assignment.sources.empty();
  if (!record->read_from.empty() || record->degraded) {
    Result<std::string> input = input_text(*record, assignment);
    if (!input) {
      wait_for_input(*record, input.error().message);
      return false;
    }
    if (input->size() > longest_input) {
      refuse_input(*record, input->size());
      return false;
    }
    record->input = *std::move(input);
  }
  return true;
}

void KubernetesCluster::bind(const Assignment& assignment) {
  PodRecord* record = pods_.find(task_pods_[assignment.task]);
  pods_.begin_binding(*record, index_.node_name(assignment.node));
  send_binding(*record);
  keep_copy(assignment);
}

// A task that cannot be told where to read is not started.
void KubernetesCluster::wait_for_input(PodRecord& record, const std::string& why) {
  pods_.hold(record, data_set_not_ready, "cannot say where to read: " + why);
  end_task(record, false);
  retry_later(record, look_for_input_every);
}

// Containers get it as an environment variable, and the kernel starts none with a longer one.
void KubernetesCluster::refuse_input(PodRecord& record, std::size_t size) {
  pods_.hold(
      record, input_too_long,
      fmt::format("{} would have {} bytes, for {} blocks; allowed: {}. What helps: more tasks, of fewer blocks each "
                  "({}, or the Job's completions), or larger files",
                  notes::input, size, record.block_count, longest_input, notes::tasks));
  record.held_for_data = true;
  end_task(record, false);
}

void KubernetesCluster::send_binding(const PodRecord& record) {
  PodBinding binding;
  binding.pod = record.meta;
  binding.node = record.node;
  if (!record.input.empty()) binding.annotations.emplace_back(notes::input, record.input);
  if (!record.read_from.empty()) binding.annotations.emplace_back(notes::read_from, record.read_from);
  const auto began = std::chrono::steady_clock::now();
  ++bindings_under_way_;
  binder_->bind(std::move(binding), [this, began](const PodBinding& done, BindOutcome outcome) {
    const auto took = std::chrono::steady_clock::now() - began;
    inbox_.put(BindReport{done.pod, done.node, std::move(outcome),
                          std::chrono::duration_cast<std::chrono::microseconds>(took)});
  });
}

void KubernetesCluster::take(const BindReport& report) {
  using Kind = BindOutcome::Kind;
  const Kind kind = report.outcome.kind;
  using Told = lips::BindOutcome;
  --bindings_under_way_;
  if (kind != Kind::deposed)
    telemetry_.on_bind_outcome(kind == Kind::bound                                 ? Told::bound
                               : kind == Kind::elsewhere || kind == Kind::pod_gone ? Told::conflict
                               : kind == Kind::refused                             ? Told::refused
                                                                                   : Told::failed,
                               report.took);
  PodRecord* record = pods_.find(report.pod);
  if (!record || record->state == PodState::over) return;
  if (kind == Kind::bound) {
    record->refusals = 0;
    telemetry_.on_pod_waited(now() - record->seen);
    conditions_->bound(*record, now());
  }
  if (record->state != PodState::binding || record->node != report.node) return;  // the watch was quicker
  const NodeId node = index_.node(kind == Kind::elsewhere ? report.outcome.node : record->node);
  switch (kind) {
    case Kind::bound:
      pods_.place(*record, report.node);
      if (listed_ && record->task.valid() && node.valid()) events_.emplace_back(TaskStarted{record->task, node});
      return;
    case Kind::elsewhere:
      log_.info("another scheduler bound the pod first",
                {{"pod", full_name(record->meta)}, {"node", report.outcome.node}});
      pods_.place(*record, report.outcome.node);
      if (listed_ && record->task.valid() && node.valid())
        events_.emplace_back(TaskFound{record->task, node, now()});
      else
        end_task(*record, false);
      return;
    case Kind::pod_gone:
      pods_.end_binding(*record, PodState::over);
      return end_task(*record, false);
    case Kind::unknown:  // its room stays taken: a second request for the same node settles it
      record->unanswered = true;
      return retry_later(*record, ask_again);
    case Kind::deposed:
      pods_.end_binding(*record, PodState::waiting);
      if (listed_ && record->task.valid()) events_.emplace_back(TaskLost{record->task});
      return;
    case Kind::refused:
      break;
  }
  log_.warning("the API server refused a binding", {{"pod", full_name(record->meta)}, {"why", report.outcome.message}});
  conditions_->refused(*record, report.outcome.message, now());
  pods_.end_binding(*record, PodState::waiting);
  pods_.hold(*record, binding_refused, report.outcome.message);
  end_task(*record, false);
  const int doublings = std::min(record->refusals++, 6);
  retry_later(*record, std::min(longest_pause, Duration(1'000'000) * (1 << doublings)));
}

void KubernetesCluster::retry_later(const PodRecord& record, Duration after) {
  retries_.emplace(now() + after, record.meta);
}

void KubernetesCluster::retry_due() {
  while (!retries_.empty() && retries_.begin()->first <= now()) {
    const ObjectMeta meta = retries_.begin()->second;
    retries_.erase(retries_.begin());
    PodRecord* record = pods_.find(meta);
    if (!record) continue;
    // Once: two requests for one pod could be answered differently.
    if (record->state == PodState::binding && std::exchange(record->unanswered, false)) send_binding(*record);
    const bool again = record->obstacle_reason == binding_refused || record->obstacle_reason == data_set_not_ready;
    if (record->state == PodState::held && again && pods_.release(*record)) arrive(*record);
  }
}

// What the task decodes its lost block from.
Result<std::string> KubernetesCluster::degraded_text(const PodRecord& record, const Assignment& assignment,
                                                     InputRequest request) const {
  const ModelIndex::KnownDataSet* known = index_.data_set(record.data_set);
  if (!known) return fail(ErrorCode::not_found, "the data set no longer exists");
  request.block = record.first_block;
  std::vector<StripeStore> sources;
  for (const StripeSource& source : assignment.sources)
    sources.emplace_back(source.block.index() - known->first.index(), data_->store(index_.store_name(source.store)));
  return degraded_task_input(std::move(request), sources);
}

// Where the task reads its blocks, a line for each that stands elsewhere than the one before. The policy has chosen for
// the first; others may be in other stores.
Result<std::string> KubernetesCluster::input_text(const PodRecord& record, const Assignment& assignment) const {
  InputRequest request;
  request.set = data_ ? data_->data_set(record.data_set) : nullptr;
  if (!request.set) return fail(ErrorCode::not_found, "the data set no longer exists");
  request.node = index_.node_name(assignment.node);
  request.claims = &record.claims;
  request.mounted_at = record.work.mounted_at;
  std::string text;
  std::uint32_t block = record.first_block;
  const std::uint32_t end = block + record.block_count;
  if (record.degraded) {
    Result<std::string> decoded = degraded_text(record, assignment, request);
    if (!decoded) return decoded;
    text = *std::move(decoded);
    ++block;
  }
  for (std::uint32_t next = block; block < end; block = next) {
    request.block = block;
    request.store = data_->holder(record.data_set, block, record.read_from);
    while (++next < end && data_->holder(record.data_set, next, record.read_from) == request.store) {
    }
    Result<std::string> inputs =
        request.store ? task_inputs(request, next - block) : fail(ErrorCode::not_found, "no store holds the block");
    if (!inputs) return inputs;
    text += (text.empty() ? "" : "\n") + *inputs;
  }
  return text;
}

// What is read from afar stays in the reader's zone where the plan says so.
void KubernetesCluster::keep_copy(const Assignment& assignment) {
  const PodRecord* record = pods_.find(task_pods_[assignment.task]);
  if (!data_ || !record || !assignment.keep_in.valid() || !assignment.read_from.valid()) return;
  data_->keep_copy(*record, index_.store_name(assignment.keep_in));
}

void KubernetesCluster::start_move(MoveId id, const DataMove& move) {
  if (data_)
    data_->start(id, move, index_);
  else
    events_.emplace_back(MoveEnded{id, false});
}

void KubernetesCluster::drop(const ReplicaDrop& drop) {
  if (data_) data_->drop(drop, index_, events_);
}

void KubernetesCluster::remember(const Remembered& remembered) {
  const ZoneId home = remembered.memory.home;
  memories_->remember(job_keys_[remembered.job], remembered.memory, home.valid() ? index_.zone_name(home) : "");
}

}  // namespace lips::kubernetes
