#include "kubernetes/pods/pod_book.h"

#include <utility>

#include "model/degraded_input.h"

namespace lips::kubernetes {
namespace {

constexpr std::size_t spare_kinds = 256;  // of pods that are gone: not worth the work

bool ended(const Pod& pod) { return pod.phase == PodPhase::succeeded || pod.phase == PodPhase::failed; }

}  // namespace

PodBook::Seen PodBook::see(const Pod& pod, TimePoint now) {
  if (pod.scheduler == scheduler_) return see_ours(pod, now);
  see_other(pod);
  return {};
}

void PodBook::see_other(const Pod& pod) {
  const std::string key = full_name(pod.meta);
  const auto known = others_.find(key);
  const bool takes = !pod.node.empty() && !ended(pod);
  if (known != others_.end()) {
    if (takes && known->second.node == pod.node && known->second.requests == pod.requests) return;
    nodes_.give_back(known->second.node, known->second.requests, NodeBook::Whose::others);
    others_.erase(known);
  }
  if (!takes) return;
  nodes_.take(pod.node, pod.requests, NodeBook::Whose::others);
  others_[key] = {pod.node, pod.requests};
}

void PodBook::read_wishes(const Pod& pod, PodRecord& record) {
  PodNeeds needs;
  std::vector<Obstacle> obstacles;
  for (const Filter& filter : filters()) filter.collect(pod, claims_, needs, obstacles);
  record.obstacle_reason.clear();
  record.obstacle.clear();
  const auto hinder = [&](std::string_view reason, const std::string& text) {
    if (record.obstacle_reason.empty()) record.obstacle_reason = reason;
    record.obstacle += (record.obstacle.empty() ? "" : "; ") + text;
  };
  for (const Obstacle& obstacle : obstacles) hinder(obstacle.reason, obstacle.text);
  if (const Result<TaskNotes> notes = read_task_notes(pod))
    record.work = *notes;
  else
    hinder(bad_annotation, notes.error().message);
  if (const std::optional<KindId> kind = kinds_.intern(needs))
    record.kind = *kind;
  else
    hinder(not_honoured, "asks for one more kind of extended resources than this scheduler counts (4)");
}

PodBook::Change PodBook::review(PodRecord& record, const Pod& pod) {
  const PodRecord before = record;
  read_wishes(pod, record);
  record.priority = pod.priority;
  const bool held = !record.obstacle.empty();
  if (record.obstacle_reason == volume_not_ready)
    held_for_volumes_[full_name(pod.meta)] = pod;
  else
    held_for_volumes_.erase(full_name(pod.meta));
  record.state = held ? PodState::held : PodState::waiting;
  const bool same = before.kind == record.kind && before.work == record.work && before.priority == record.priority;
  const bool waits_its_turn = before.obstacle_reason == binding_refused ||
                              before.obstacle_reason == data_set_not_ready ||
                              before.obstacle_reason == pool_not_allowed || before.obstacle_reason == input_too_long;
  if (before.state == PodState::held && waits_its_turn && same && !held) {
    hold(record, before.obstacle_reason, before.obstacle);  // it is tried again when its time has come
    return Change::none;
  }
  if (before.state == PodState::held) return held ? Change::none : Change::arrived;
  if (held) return Change::withdrawn;
  return same ? Change::none : Change::reworded;
}

PodBook::Seen PodBook::see_ours(const Pod& pod, TimePoint now) {
  std::unique_ptr<PodRecord>& place = ours_[full_name(pod.meta)];
  const bool fresh = !place;
  if (fresh) {
    place = std::make_unique<PodRecord>();
    place->meta = {pod.meta.name_space, pod.meta.name, pod.meta.uid, ""};
    place->owner = pod.owner;
    place->index = pod.completion_index;
    place->created = pod.created;
    place->seen = now;
    place->state = PodState::held;  // so that review() says `arrived`
    place->requests = pod.requests;
    place->claims = pod.claims;
    if (const std::string* store = find_text(pod.annotations, notes::read_from)) place->read_from = *store;
    if (const std::string* input = find_text(pod.annotations, notes::input))
      place->degraded = is_degraded_input(*input);
    if (!pod.node.empty()) read_wishes(pod, *place);
  }
  PodRecord& record = *place;
  if (pod.started) record.started = pod.started;
  if (pod.finished) record.finished = pod.finished;
  if (record.state == PodState::over) {
    learn(pod, record);
    return {Change::none, &record, ""};
  }
  if (ended(pod) || (pod.deleting && pod.node.empty() && !record.on_node())) {
    const bool known = !fresh;
    leave_node(record);
    record.state = PodState::over;
    record.succeeded = pod.phase == PodPhase::succeeded;
    if (!pod.node.empty()) record.node = pod.node;  // where it ran, though it may be seen for the first time
    held_for_volumes_.erase(full_name(pod.meta));
    learn(pod, record);
    return {known ? Change::ended : Change::none, &record, ""};
  }
  if (!pod.node.empty()) {
    if (record.state == PodState::placed && record.node == pod.node) return {Change::none, &record, ""};
    const std::string before = record.on_node() ? record.node : "";
    record.state = record.state == PodState::held && fresh ? PodState::waiting : record.state;
    this->place(record, pod.node);
    const Change change = fresh || !record.task.valid() ? Change::arrived : Change::placed;
    return {change, &record, before != pod.node ? before : ""};
  }
  // The server says that it is not bound; that an answer has said otherwise is newer.
  if (record.on_node()) return {Change::none, &record, ""};
  return {review(record, pod), &record, ""};
}

void PodBook::learn(const Pod& pod, PodRecord& record) {
  if (pod.phase == PodPhase::succeeded && pod.started && pod.finished) learn(record, *pod.finished);
}

void PodBook::learn(PodRecord& record, TimePoint end) {
  if (std::exchange(record.learned, true) || end < *record.started) return;
  run_times_.add(template_of(record.meta.name_space, record.owner, record.meta.name),
                 {end - *record.started, record.declared});
}

void PodBook::review_run_times(TimePoint now, Duration assumed) {
  std::map<std::string, std::vector<RunTime>> running;
  for (const auto& [key, record] : ours_)
    if (record->state == PodState::placed && record->started && now > *record->started)
      running[template_of(record->meta.name_space, record->owner, record->meta.name)].push_back(
          {now - *record->started, record->declared});
  run_times_.review(running, assumed);
}

std::unique_ptr<PodRecord> PodBook::forget(const ObjectMeta& meta, TimePoint now) {
  const std::string key = full_name(meta);
  if (const auto other = others_.find(key); other != others_.end()) {
    nodes_.give_back(other->second.node, other->second.requests, NodeBook::Whose::others);
    others_.erase(other);
  }
  const auto place = ours_.find(key);
  if (place == ours_.end() || place->second->meta.uid != meta.uid) return nullptr;
  std::unique_ptr<PodRecord> record = std::move(place->second);
  ours_.erase(place);
  held_for_volumes_.erase(key);
  // Workers of a framework do not end by themselves: whoever made them deletes them.
  if (record->state == PodState::placed && record->started) learn(*record, now);
  leave_node(*record);
  return record;
}

PodRecord* PodBook::find(const ObjectMeta& meta) {
  const auto place = ours_.find(full_name(meta));
  return place == ours_.end() || place->second->meta.uid != meta.uid ? nullptr : place->second.get();
}

// What the model cannot express is, to it, in others' use.
NodeBook::Whose PodBook::whose(const PodRecord& record) {
  return record.kind.valid() ? NodeBook::Whose::ours : NodeBook::Whose::others;
}

void PodBook::begin_binding(PodRecord& record, const std::string& node) {
  record.state = PodState::binding;
  record.unanswered = false;
  record.doubt.reset();
  record.node = node;
  nodes_.take(node, record.requests, whose(record));
}

void PodBook::leave_node(PodRecord& record) {
  if (record.on_node()) nodes_.give_back(record.node, record.requests, whose(record));
}

void PodBook::end_binding(PodRecord& record, PodState then) {
  leave_node(record);
  record.state = then;
  record.unanswered = false;
  record.doubt.reset();
  record.node.clear();
}

void PodBook::place(PodRecord& record, const std::string& node) {
  leave_node(record);
  record.state = PodState::placed;
  record.unanswered = false;
  record.doubt.reset();
  record.node = node;
  nodes_.take(node, record.requests, whose(record));
  held_for_volumes_.erase(full_name(record.meta));
}

bool PodBook::forget_unused_kinds() {
  if (kinds_.size() <= 2 * ours_.size() + spare_kinds) return false;
  PodKinds used;
  for (const auto& [name, record] : ours_)
    if (record->kind.valid()) record->kind = used.intern(kinds_[record->kind]).value();
  kinds_ = std::move(used);
  return true;
}

std::vector<PodRecord*> PodBook::review_held() {
  std::vector<PodRecord*> free;
  const std::map<std::string, Pod> pods = held_for_volumes_;
  for (const auto& [key, pod] : pods)
    if (PodRecord* record = find(pod.meta); record && record->state == PodState::held)
      if (review(*record, pod) == Change::arrived) free.push_back(record);
  return free;
}

void PodBook::hold(PodRecord& record, std::string_view reason, std::string text) {
  record.state = PodState::held;
  record.obstacle_reason = reason;
  record.obstacle = std::move(text);
}

bool PodBook::release(PodRecord& record) {
  if (record.state != PodState::held) return false;
  record.state = PodState::waiting;
  record.obstacle_reason.clear();
  record.obstacle.clear();
  return true;
}

}  // namespace lips::kubernetes
