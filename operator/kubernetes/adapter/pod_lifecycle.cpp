#include "kubernetes/adapter/pod_lifecycle.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <utility>

#include "kubernetes/adapter/data_divisions.h"
#include "kubernetes/pods/zone_gate.h"
#include "model/node_labels.h"

namespace lips::kubernetes {
namespace {

using AnswerKind = BindAnswer::Kind;

constexpr Duration look_for_input_every{1'000'000};
constexpr Duration ask_again{1'000'000};       // after a binding without an answer
constexpr Duration longest_pause{60'000'000};  // after refused bindings
constexpr Duration avoided_for{300'000'000};   // nodes on which claims got no volumes
constexpr Duration patience{30'000'000};       // with states that may change by themselves, and with other schedulers
constexpr std::size_t most_untaken_named = 5;  // in the log, per review
constexpr const char* hostname_label = "kubernetes.io/hostname";

BindOutcome reported_outcome(AnswerKind kind) {
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

Duration pause_after(int refusals) {
  return std::min(longest_pause, Duration(1'000'000) * (1 << std::min(refusals, 6)));
}

// Why a gated pod is let go without a zone; empty: it waits. A reduce waits for its maps, which others may run.
std::string why_let_go(const PodRecord& pod, const std::function<bool(const PodRecord&)>& awaits_maps, TimePoint now) {
  using Reason = UnschedulableReason;
  if (pod.state != PodState::held && pod.state != PodState::waiting) return "";
  if (pod.left_alone) return "its pool is not steered at present, and says why";
  if (pod.mode != PodMode::steer) return pod.mode == PodMode::bind ? "the mode of its pool is bind" : "";
  if (pod.state == PodState::held && pod.unschedulable_reason == Reason::not_honoured) return pod.unschedulable_message;
  if (now - pod.first_seen < patience) return "";
  const bool for_others =
      pod.unschedulable_reason == Reason::volume_not_ready || pod.unschedulable_reason == Reason::group_not_ready;
  const bool held_for_others = pod.state == PodState::held && for_others;
  // The place to read from is known only together with a zone.
  const bool fits_nowhere = pod.state == PodState::waiting && pod.fits_nowhere && pod.reads.empty();
  if ((!held_for_others && !fits_nowhere) || awaits_maps(pod)) return "";
  return held_for_others ? pod.unschedulable_message : "no existing node would take it";
}

}  // namespace

void PodLifecycle::handle(const PodCache::Update& update, TimePoint now) {
  if (!update.record) return;  // not one of ours
  switch (update.change) {
    case PodCache::Change::none:
      return;
    case PodCache::Change::arrived:
      return arrive(*update.record);
    case PodCache::Change::placed:
      return around_.model.found(*update.record, now);
    case PodCache::Change::ended:
      around_.jobs.note_end_of_map(*update.record);
      return end_task(*update.record, true, now);
    case PodCache::Change::withdrawn:
      return end_task(*update.record, false, now);
    case PodCache::Change::spec_changed:
      end_task(*update.record, false, now);
      return arrive(*update.record);
  }
}

void PodLifecycle::handle_deleted(const ObjectMeta& meta, TimePoint now) {
  arrived_.erase(full_name(meta));
  if (const std::unique_ptr<PodRecord> record = around_.pods.forget(meta, now)) {
    end_task(*record, record->state == PodState::terminated, now);
    around_.jobs.forget(*record);
  }
  around_.jobs.move_memory(meta.uid);
}

void PodLifecycle::report_again(PodRecord& record, TimePoint now) {
  end_task(record, false, now);
  arrive(record);
}

void PodLifecycle::arrive(PodRecord& record) {
  if (record.priority < around_.nodes.least_priority()) around_.nodes.count_nominations_from(record.priority);
  if (record.pod_class.valid()) arrived_[full_name(record.meta)] = record.meta;
}

std::vector<PodRecord*> PodLifecycle::take_arrived() {
  std::vector<PodRecord*> pods;
  std::map<std::string, bool> arriving;  // by job
  for (auto arrived = arrived_.begin(); arrived != arrived_.end();) {
    PodRecord* record = around_.pods.find(arrived->second);
    if (record && !record->task.valid()) {
      const std::string job = job_key(*record);
      const auto [known, added] = arriving.try_emplace(job);
      if (added) known->second = around_.jobs.is_arriving(job, around_.loop.now());
      if (known->second) {
        ++arrived;
        continue;
      }
      pods.push_back(record);
    }
    arrived = arrived_.erase(arrived);
  }
  return pods;
}

void PodLifecycle::end_task(PodRecord& record, bool finished, TimePoint now) {
  arrived_.erase(full_name(record.meta));
  // A map that finishes as a task of the model changes nothing of what is missing.
  if (!finished || !record.succeeded || !record.task.valid()) around_.jobs.note_map(record);
  around_.model.ended(record, finished, now);
}

void PodLifecycle::bind(PodRecord& record, const std::string& node, TimePoint now) {
  around_.pods.begin_binding(record, node);
  if (record.steered || !around_.volumes.begin(record, now)) return send(record);
  record.awaits_volumes = true;
  awaiting_[full_name(record.meta)] = record.meta;
}

void PodLifecycle::review_volumes(TimePoint now) {
  using State = VolumeBinding::State;
  for (auto place = awaiting_.begin(); place != awaiting_.end();) {
    const ObjectMeta meta = place->second;
    PodRecord* record = around_.pods.find(meta);
    const bool awaits = record && record->state == PodState::binding && record->awaits_volumes;
    VolumeBinding::Progress progress;
    if (awaits) progress = around_.volumes.progress(*record, now);
    if (awaits && progress.state == State::under_way) {
      ++place;
      continue;
    }
    place = awaiting_.erase(place);
    const bool bound = record && record->state == PodState::placed;
    around_.volumes.end(meta, bound || progress.state == State::ready);
    if (!awaits) continue;
    record->awaits_volumes = false;
    if (progress.state == State::ready) {
      send(*record);
      continue;
    }
    const std::string node = record->node;
    around_.pods.end_binding(*record, PodState::waiting);
    if (progress.elsewhere)
      refuse_volumes(*record, node, std::move(progress.why), now);
    else
      wait_for_volumes(*record, std::move(progress.why), now);
  }
  around_.volumes.flush(now);
}

void PodLifecycle::wait_for_volumes(PodRecord& record, std::string why, TimePoint now) {
  around_.log.info("a pod got no volumes", {{"pod", full_name(record.meta)}, {"why", why}});
  around_.pods.hold(record, UnschedulableReason::volume_not_provided, std::move(why));
  end_task(record, false, now);
  retries_.emplace(now + pause_after(record.refusals++), record.meta);
}

void PodLifecycle::refuse_volumes(PodRecord& record, const std::string& node, std::string why, TimePoint now) {
  std::vector<std::string> avoided = record.avoids;
  avoided.push_back(node);
  std::sort(avoided.begin(), avoided.end());
  avoided.erase(std::unique(avoided.begin(), avoided.end()), avoided.end());
  wait_for_volumes(record, std::move(why), now);
  around_.pods.avoid(record, std::move(avoided), now);
}

void PodLifecycle::review_avoided(TimePoint now) {
  for (const auto& [key, record] : around_.pods.with_claims()) {
    const bool waits = record->state == PodState::waiting || record->state == PodState::held;
    if (!waits || record->steered) continue;
    around_.volumes.take_back_stale(*record, now);
    if (record->avoids.empty() || now - record->avoided_since < avoided_for) continue;
    if (around_.pods.avoid(*record, {}, now) && record->state == PodState::waiting) report_again(*record, now);
  }
}

EvictionContext PodLifecycle::eviction() const {
  return {around_.nodes, around_.model.index(), {around_.pods.run_times(), around_.default_run_time}};
}

TextMap PodLifecycle::annotations_of(const PodRecord& record) const {
  TextMap annotations;
  if (!record.input.empty()) annotations.emplace_back(annotation::input, record.input);
  if (!record.read_from.empty()) annotations.emplace_back(annotation::read_from, record.read_from);
  if (std::string division = division_text_of(record); !division.empty())
    annotations.emplace_back(annotation::division, std::move(division));
  if (!marks_.owes(record.pool) && is_kept_from_start(record, eviction())) {
    annotations.emplace_back(annotation::do_not_disrupt, "true");
    annotations.emplace_back(annotation::kept_for, kept_for_text(kept_for(record, eviction())));
  }
  return annotations;
}

// Only the zone binds: a spot market that is sold out, or a node that is full by then, must strand nobody. A pod with
// preferences of its own keeps those.
PodSteering PodLifecycle::steering_of(const PodRecord& record) const {
  PodSteering steering{record.meta, {}, annotations_of(record), record.node};
  steering.annotations.emplace_back(annotation::steered, zone_in(record.selector));
  if (const std::string* zone = find_text(record.selector, node_label::zone))
    steering.selector.emplace_back(node_label::zone, *zone);
  const NodeRecord* node = record.node.empty() ? nullptr : around_.nodes.find(record.node);
  const std::string* host = node && node->node ? find_text(node->node->labels, hostname_label) : nullptr;
  if (host && !record.prefers_nodes) steering.preferred.emplace_back(hostname_label, *host);
  if (const std::string* capacity = find_text(record.selector, node_label::capacity_type)) {
    steering.annotations.emplace_back(annotation::capacity_type, *capacity);
    if (!record.prefers_nodes) steering.preferred.emplace_back(node_label::capacity_type, *capacity);
  }
  return steering;
}

void PodLifecycle::send(const PodRecord& record) {
  if (record.steered) return steer(steering_of(record), false);
  PodBinding binding{record.meta, record.node, annotations_of(record)};
  const TimePoint began = around_.loop.now();
  ++under_way_;
  around_.binder.bind(std::move(binding), [this, began](const PodBinding& done, BindAnswer answer) {
    around_.inbox.put(BindReport{done.pod, done.node, std::move(answer), around_.loop.now() - began});
  });
}

void PodLifecycle::steer(PodSteering steering, bool released) {
  const TimePoint began = around_.loop.now();
  ++under_way_;
  around_.binder.steer(std::move(steering), [this, began, released](const PodSteering& done, BindAnswer answer) {
    around_.inbox.put(BindReport{done.pod, done.node, std::move(answer), around_.loop.now() - began, released});
  });
}

void PodLifecycle::let_go(PodRecord& record, std::string why) {
  record.releasing = true;
  record.released_for = std::move(why);
  steer({record.meta, {}, {}}, true);
}

// A pod that names its zone keeps it: the selector is then only what it counts for.
void PodLifecycle::send_ahead(PodRecord& record, TimePoint now) {
  if (record.releasing || now < record.release_again) return;
  PodSteering steering = steering_of(record);
  if (names_zone(around_.pods.classes()[record.pod_class].constraint)) steering.selector.clear();
  end_task(record, false, now);
  around_.pods.ungate(record);
  record.releasing = true;
  steer(std::move(steering), true);
}

// The watch may have been quicker, and is believed.
void PodLifecycle::handle_sent_ahead(PodRecord& record, const BindReport& report, TimePoint now) {
  const bool watched = !std::exchange(record.releasing, false);
  if (report.outcome.kind == AnswerKind::bound) return report_bound(record, now);
  if (!watched && record.state == PodState::ungated) refused(record, report, now);
}

void PodLifecycle::report_released(PodRecord& record, TimePoint now) {
  if (record.released_for.empty()) return;
  around_.telemetry.on_steered(record.pool, "none");
  around_.conditions.released(record, std::exchange(record.released_for, {}), now);
}

void PodLifecycle::handle_release(PodRecord& record, const BindReport& report, TimePoint now) {
  if (record.released_for.empty()) return handle_sent_ahead(record, report, now);
  if (report.outcome.kind == AnswerKind::bound) return report_released(record, now);
  record.releasing = false;
  record.released_for.clear();
  record.release_again = now + pause_after(record.refusals++);
  if (report.outcome.kind == AnswerKind::refused)
    around_.log.warning("the API server refused to remove the gate of a pod",
                        {{"pod", full_name(record.meta)}, {"why", report.outcome.message}});
}

// The watch may be faster than the answer.
void PodLifecycle::handle_left(const ObjectMeta& meta, TimePoint now) {
  if (PodRecord* record = around_.pods.find(meta)) report_released(*record, now);
  handle_deleted(meta, now);
}

void PodLifecycle::review_steered(TimePoint now) {
  report_untaken(now);
  std::map<std::string, bool> awaiting;  // whether maps are, by the job's key
  const auto awaits_maps = [&](const PodRecord& pod) {
    if (pod.work.stage != TaskKind::reduce) return false;
    const auto [job, fresh] = awaiting.try_emplace(job_key(pod));
    if (fresh) job->second = around_.jobs.awaits_maps(job->first);
    return job->second;
  };
  for (const auto& [key, place] : around_.pods.steered()) {
    PodRecord& record = *place;
    if (record.state == PodState::ungated && record.on_node()) {
      if (now - record.ungated_since.value_or(now) > patience) {
        around_.pods.give_up_room(record);
        end_task(record, false, now);
      } else if (!record.ungated_since) {
        record.ungated_since = now;
      }
      continue;
    }
    if (record.releasing || now < record.release_again) continue;
    if (std::string why = why_let_go(record, awaits_maps, now); !why.empty())
      released_.add(record.meta.name_space, {&record, std::move(why)}, record.refusals > 0);
  }
  released_.grant_most([&](const auto& wish) { let_go(*wish.first, wish.second); });
}

void PodLifecycle::report_untaken(TimePoint now) {
  const std::vector<const PodRecord*> late = untaken_.review(around_.pods, now);
  around_.telemetry.on_pending("NotTaken", untaken_.count());
  for (const PodRecord* pod : late) around_.conditions.not_taken(*pod, UntakenPods::patience, now);
  for (std::size_t i = 0; i < std::min(late.size(), most_untaken_named); ++i)
    around_.log.warning(
        "no scheduler takes a pod that was steered",
        {{"pod", full_name(late[i]->meta)}, {"place", place_text(late[i]->selector)}, {"all", untaken_.count()}});
}

void PodLifecycle::review_evictions(TimePoint now) {
  marks_.review(around_.pods, eviction(), around_.binder, around_.model, now);
}

void PodLifecycle::handle(const BindReport& report, std::uint64_t requested_list, TimePoint now) {
  const AnswerKind kind = report.outcome.kind;
  --under_way_;
  if (kind != AnswerKind::deposed) around_.telemetry.on_bind_outcome(reported_outcome(kind), report.took);
  PodRecord* record = around_.pods.find(report.pod);
  if (!record || record->state == PodState::terminated) return;
  if (report.released) return handle_release(*record, report, now);
  if (kind == AnswerKind::bound) report_bound(*record, now);
  if (record->state != PodState::binding || record->node != report.node) return;  // the watch was faster
  switch (kind) {
    case AnswerKind::bound:
      if (record->steered) return around_.pods.ungate(*record);  // it starts once its scheduler has bound it
      around_.pods.place(*record, report.node);
      return around_.model.started(*record);
    case AnswerKind::elsewhere:
      around_.log.info("another scheduler bound the pod first",
                       {{"pod", full_name(record->meta)}, {"node", report.outcome.node}});
      around_.pods.place(*record, report.outcome.node);
      return around_.model.found(*record, now);
    case AnswerKind::unknown:  // its room stays taken until a second request for the same node, or a newer list,
                               // settles it
      record->doubt = requested_list;
      return retry_later(*record, now + ask_again);
    case AnswerKind::deposed:                                           // this attempt was not sent
      if (record->doubt) return retry_later(*record, now + ask_again);  // but an earlier one was
      around_.pods.end_binding(*record, PodState::waiting);
      return around_.model.lost(*record);
    case AnswerKind::pod_gone:  // a proxy may claim this of an existing pod; the watch knows
    case AnswerKind::refused:
      if (record->doubt) return refused_in_doubt(*record, requested_list, now);
      return refused(*record, report, now);
  }
}

// This attempt has not bound it, but an earlier one may have: a list tells.
void PodLifecycle::refused_in_doubt(PodRecord& record, std::uint64_t requested_list, TimePoint now) {
  if (*record.doubt >= requested_list) around_.relist();
  retry_later(record, now + pause_after(record.refusals++));
}

void PodLifecycle::report_bound(PodRecord& record, TimePoint now) {
  record.refusals = 0;
  if (record.steered) {
    around_.telemetry.on_steered(record.pool, zone_in(record.selector));
    return around_.conditions.steered(record, now);
  }
  around_.telemetry.on_pod_waited(now - record.first_seen);
  around_.conditions.bound(record, now);
}

void PodLifecycle::retry_later(PodRecord& record, TimePoint at) {
  record.unanswered = true;
  retries_.emplace(at, record.meta);
}

void PodLifecycle::refused(PodRecord& record, const BindReport& report, TimePoint now) {
  const std::string& why = report.outcome.message;
  if (report.outcome.kind == AnswerKind::refused) {
    // Writes that are kept back for want of a right all fail with the same words.
    if (record.refusals == 0 && std::exchange(last_refusal_, why) != why)
      around_.log.warning(record.steered ? "the API server refused to steer a pod" : "the API server refused a binding",
                          {{"pod", full_name(record.meta)}, {"why", why}});
    around_.conditions.refused(record, why, now);
  }
  if (record.deleting) {  // it never comes again: an order of a node or another attempt would be in vain
    around_.pods.end_binding(record, PodState::terminated);
    return end_task(record, false, now);
  }
  around_.pods.end_binding(record, PodState::waiting);
  around_.pods.hold(record, UnschedulableReason::binding_refused, why);
  end_task(record, false, now);
  retries_.emplace(now + pause_after(record.refusals++), record.meta);
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

// The list shows these pods on no node, so they are on none.
void PodLifecycle::handle_list(std::uint64_t request) {
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
        retry_later(*record, now + ask_again);
        continue;
      }
      record->unanswered = false;  // one request at a time, because two could get different answers
      send(*record);
    }
    const bool again = record->unschedulable_reason == UnschedulableReason::binding_refused ||
                       record->unschedulable_reason == UnschedulableReason::data_set_not_ready ||
                       record->unschedulable_reason == UnschedulableReason::volume_not_provided;
    if (record->state == PodState::held && again && around_.pods.release(*record)) arrive(*record);
  }
}

}  // namespace lips::kubernetes
