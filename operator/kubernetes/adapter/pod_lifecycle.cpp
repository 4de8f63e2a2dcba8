#include "kubernetes/adapter/pod_lifecycle.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <utility>

namespace lips::kubernetes {
namespace {

using AnswerKind = BindAnswer::Kind;

constexpr Duration look_for_input_every{1'000'000};
constexpr Duration ask_again{1'000'000};       // a binding that nobody answered
constexpr Duration longest_pause{60'000'000};  // after bindings that were refused

BindOutcome told_outcome(AnswerKind kind) {
  switch (kind) {
    case AnswerKind::bound:
      return BindOutcome::bound;
    case AnswerKind::elsewhere:
    case AnswerKind::pod_gone:
      return BindOutcome::conflict;
    case AnswerKind::refused:
      return BindOutcome::refused;
    case AnswerKind::unknown:
    case AnswerKind::deposed:
      break;
  }
  return BindOutcome::failed;
}

}  // namespace

void PodLifecycle::take(const PodBook::Seen& seen, TimePoint now) {
  if (!seen.record) return;  // not one of ours
  switch (seen.change) {
    case PodBook::Change::none:
      return;
    case PodBook::Change::arrived:
      return arrive(*seen.record);
    case PodBook::Change::placed:
      return around_.model.found(*seen.record, now);
    case PodBook::Change::ended:
      around_.jobs.note_end_of_map(*seen.record);
      return end_task(*seen.record, true, now);
    case PodBook::Change::withdrawn:
      return end_task(*seen.record, false, now);
    case PodBook::Change::reworded:
      end_task(*seen.record, false, now);
      return arrive(*seen.record);
  }
}

void PodLifecycle::take_gone(const ObjectMeta& meta, TimePoint now) {
  arrived_.erase(full_name(meta));
  if (const std::unique_ptr<PodRecord> record = around_.pods.forget(meta, now)) {
    end_task(*record, record->state == PodState::over, now);
    around_.jobs.forget(*record);
  }
  around_.jobs.move_memory(meta.uid);
}

void PodLifecycle::tell_anew(PodRecord& record, TimePoint now) {
  end_task(record, false, now);
  arrive(record);
}

void PodLifecycle::arrive(PodRecord& record) {
  if (record.priority < around_.nodes.least_priority()) around_.nodes.count_nominations_from(record.priority);
  if (record.kind.valid()) arrived_[full_name(record.meta)] = record.meta;
}

std::vector<PodRecord*> PodLifecycle::take_arrived() {
  std::vector<PodRecord*> pods;
  for (const auto& [key, meta] : std::exchange(arrived_, {}))
    if (PodRecord* record = around_.pods.find(meta); record && !record->task.valid()) pods.push_back(record);
  return pods;
}

void PodLifecycle::end_task(PodRecord& record, bool finished, TimePoint now) {
  arrived_.erase(full_name(record.meta));
  around_.model.ended(record, finished, now);
}

void PodLifecycle::bind(PodRecord& record, const std::string& node) {
  around_.pods.begin_binding(record, node);
  send(record);
}

void PodLifecycle::send(const PodRecord& record) {
  PodBinding binding;
  binding.pod = record.meta;
  binding.node = record.node;
  if (!record.input.empty()) binding.annotations.emplace_back(notes::input, record.input);
  if (!record.read_from.empty()) binding.annotations.emplace_back(notes::read_from, record.read_from);
  const auto began = std::chrono::steady_clock::now();
  ++under_way_;
  around_.binder.bind(std::move(binding), [&inbox = around_.inbox, began](const PodBinding& done, BindAnswer answer) {
    const auto took = std::chrono::steady_clock::now() - began;
    inbox.put(BindReport{done.pod, done.node, std::move(answer),
                         std::chrono::duration_cast<std::chrono::microseconds>(took)});
  });
}

void PodLifecycle::take(const BindReport& report, std::uint64_t list_asked, TimePoint now) {
  const AnswerKind kind = report.outcome.kind;
  --under_way_;
  if (kind != AnswerKind::deposed) around_.telemetry.on_bind_outcome(told_outcome(kind), report.took);
  PodRecord* record = around_.pods.find(report.pod);
  if (!record || record->state == PodState::over) return;
  if (kind == AnswerKind::bound) {
    record->refusals = 0;
    around_.telemetry.on_pod_waited(now - record->seen);
    around_.conditions.bound(*record, now);
  }
  if (record->state != PodState::binding || record->node != report.node) return;  // the watch was quicker
  switch (kind) {
    case AnswerKind::bound:
      around_.pods.place(*record, report.node);
      return around_.model.started(*record);
    case AnswerKind::elsewhere:
      around_.log.info("another scheduler bound the pod first",
                       {{"pod", full_name(record->meta)}, {"node", report.outcome.node}});
      around_.pods.place(*record, report.outcome.node);
      return around_.model.found(*record, now);
    case AnswerKind::unknown:  // its room stays taken: a second request for the same node settles it, or a younger list
      record->doubt = list_asked;
      return ask_later(*record, now);
    case AnswerKind::deposed:                             // this try was not sent
      if (record->doubt) return ask_later(*record, now);  // but one before it was
      around_.pods.end_binding(*record, PodState::waiting);
      return around_.model.lost(*record);
    case AnswerKind::pod_gone:  // a proxy may say so of a pod that is there; the watch says what has gone
    case AnswerKind::refused:
      return refused(*record, report, now);
  }
}

void PodLifecycle::ask_later(PodRecord& record, TimePoint now) {
  record.unanswered = true;
  retries_.emplace(now + ask_again, record.meta);
}

void PodLifecycle::refused(PodRecord& record, const BindReport& report, TimePoint now) {
  const std::string& why = report.outcome.message;
  if (report.outcome.kind == AnswerKind::refused) {
    around_.log.warning("the API server refused a binding", {{"pod", full_name(record.meta)}, {"why", why}});
    around_.conditions.refused(record, why, now);
  }
  around_.pods.end_binding(record, PodState::waiting);
  around_.pods.hold(record, UnschedulableReason::binding_refused, why);
  end_task(record, false, now);
  const int doublings = std::min(record.refusals++, 6);
  retries_.emplace(now + std::min(longest_pause, Duration(1'000'000) * (1 << doublings)), record.meta);
}

void PodLifecycle::wait_for_input(PodRecord& record, const std::string& why, TimePoint now) {
  around_.pods.hold(record, UnschedulableReason::data_set_not_ready, "cannot say where to read: " + why);
  end_task(record, false, now);
  retries_.emplace(now + look_for_input_every, record.meta);
}

void PodLifecycle::refuse_input(PodRecord& record, std::string why, TimePoint now) {
  around_.pods.hold(record, UnschedulableReason::input_too_long, std::move(why));
  record.held_for_data = true;
  end_task(record, false, now);
}

// It does not show them on a node, so they are on none.
void PodLifecycle::take_list(std::uint64_t request) {
  for (const auto& [name, record] : around_.pods.ours()) {
    if (record->state != PodState::binding || !record->unanswered || !record->doubt || *record->doubt >= request)
      continue;
    around_.pods.end_binding(*record, PodState::waiting);
    around_.model.lost(*record);
  }
}

void PodLifecycle::retry_due(TimePoint now, bool may_bind) {
  while (!retries_.empty() && retries_.begin()->first <= now) {
    const ObjectMeta meta = retries_.begin()->second;
    retries_.erase(retries_.begin());
    PodRecord* record = around_.pods.find(meta);
    if (!record) continue;
    if (record->state == PodState::binding && record->unanswered) {
      if (!may_bind) {
        ask_later(*record, now);
        continue;
      }
      record->unanswered = false;  // one request at a time: two could be answered differently
      send(*record);
    }
    const bool again = record->obstacle_reason == UnschedulableReason::binding_refused ||
                       record->obstacle_reason == UnschedulableReason::data_set_not_ready;
    if (record->state == PodState::held && again && around_.pods.release(*record)) arrive(*record);
  }
}

}  // namespace lips::kubernetes
