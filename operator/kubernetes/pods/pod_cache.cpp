#include "kubernetes/pods/pod_cache.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "config/quantities.h"
#include "kubernetes/pods/amounts.h"
#include "kubernetes/pods/zone_gate.h"
#include "model/degraded_input.h"

namespace lips::kubernetes {
namespace {

// Counts one for the driver of each volume, as nodes list limits in CSINode.
ResourceAmounts volumes_of(const std::string& name_space, const std::vector<std::string>& names,
                           const ClaimLookup& claims) {
  ResourceAmounts result;
  for (const std::string& name : names)
    if (const ClaimedVolume* volume = claims.find(name_space, name); volume && !volume->driver.empty())
      add(result, {{std::string(volumes_of_driver) + volume->driver, 1}});
  return result;
}

std::optional<Duration> read_kept_for(const TextMap& annotations) {
  const std::string* text = find_text(annotations, annotation::kept_for);
  return text ? parse_duration(*text) : std::nullopt;
}

}  // namespace

PodCache::Update PodCache::update(const Pod& pod, TimePoint now) {
  const bool takes = !pod.node.empty() && !has_ended(pod.phase);
  anti_affinity_.update(pod.meta, pod.node, takes ? pod.anti_affinity : std::vector<AntiAffinityTerm>{});
  const bool others = pod.scheduler != scheduler_ && !is_gated(pod) && !was_steered(pod);
  if (!others) forget_other(pod.meta);  // an annotation may make it one of ours
  if (pod.scheduler == scheduler_) return update_ours(pod, now);
  if (!others) return update_steered(pod, now);
  update_other(pod);
  update_nomination(pod);
  return {};
}

void PodCache::update_other(const Pod& pod) {
  services_.update(pod, claims_);
  const std::string key = full_name(pod.meta);
  const auto known = others_.find(key);
  const bool takes = !pod.node.empty() && !has_ended(pod.phase);
  const bool of_daemon = pod.owner && pod.owner->has_one_on_each_node();
  Other other{pod.node, pod.requests, pod.requests, pod.claims,
              of_daemon ? NodeCache::Whose::daemons : NodeCache::Whose::others};
  add(other.requests, volumes_of(pod.meta.name_space, pod.claims, claims_));
  if (known != others_.end()) {
    if (takes && known->second == other) return;
    nodes_.give_back(known->second.node, known->second.requests, known->second.whose);
    others_.erase(known);
  }
  if (!takes) return claim_users_.leave(pod.meta);
  claim_users_.use(pod.meta, pod.claims);
  nodes_.take(pod.node, other.requests, other.whose);
  others_[key] = std::move(other);
}

void PodCache::forget_other(const ObjectMeta& meta) {
  services_.forget(full_name(meta));
  const auto other = others_.find(full_name(meta));
  if (other == others_.end()) return;
  nodes_.give_back(other->second.node, other->second.requests, other->second.whose);
  others_.erase(other);
}

// Another scheduler has evicted pods for this one and waits for the room. Taking it meanwhile would make that scheduler
// evict again.
void PodCache::update_nomination(const Pod& pod) {
  const std::string key = full_name(pod.meta);
  if (pod.nominated.empty() || pod.deleting || has_ended(pod.phase)) return nodes_.forget_nomination(key);
  ResourceAmounts requests = pod.requests;
  add(requests, volumes_of(pod.meta.name_space, pod.claims, claims_));
  nodes_.nominate(key, {pod.nominated, std::move(requests), pod.priority});
}

// Claims and volumes of foreign pods may become known after the pods.
void PodCache::count_volumes_again() {
  for (auto& [key, other] : others_) {
    if (other.claims.empty()) continue;
    ResourceAmounts requests = other.declared;
    add(requests, volumes_of(key.substr(0, key.find('/')), other.claims, claims_));
    if (requests == other.requests) continue;
    nodes_.give_back(other.node, other.requests, other.whose);
    other.requests = std::move(requests);
    nodes_.take(other.node, other.requests, other.whose);
  }
  for (const auto& [key, place] : with_claims_) {
    PodRecord& record = *place;
    if (!record.on_node()) continue;
    ResourceAmounts more = volumes_of(record.meta.name_space, record.claims, claims_);
    for (const ResourceAmounts* counted : {&record.requests, &record.resized})
      for (const auto& [resource, amount] : *counted)
        if (resource.starts_with(volumes_of_driver)) subtract(more, {{resource, amount}});
    std::erase_if(more, [](const auto& entry) { return entry.second == 0; });
    if (more.empty()) continue;
    add(record.resized, more);
    nodes_.adjust(record.node, more);
  }
}

void PodCache::check_claims(const Pod& pod, PodRecord& record, PodNeeds& needs) const {
  add(needs.requests, volumes_of(pod.meta.name_space, pod.claims, claims_));
  for (const std::string& claim : pod.claims) {
    const ClaimedVolume* volume = claims_.find(pod.meta.name_space, claim);
    const std::string user = volume && volume->exclusive ? claim_users_.other_user(pod.meta, claim) : "";
    if (!user.empty())
      add_cause(record, UnschedulableReason::volume_not_ready,
                "PersistentVolumeClaim '" + claim + "' is for one pod at a time (ReadWriteOncePod), and pod " + user +
                    " uses it");
  }
}

void PodCache::read_spec(const Pod& pod, PodRecord& record) {
  PodNeeds needs;
  std::vector<UnschedulableCause> causes;
  const std::optional<Pod> open = is_gated(pod) ? std::optional(without_gate(pod)) : std::nullopt;
  const Pod& asking = open ? *open : pod;
  for (const Filter& filter : filters()) filter.collect(asking, claims_, needs, causes);
  record.unschedulable_reason = UnschedulableReason::none;
  record.unschedulable_message.clear();
  if (open && !record.steered)
    add_cause(record, UnschedulableReason::not_honoured,
              fmt::format("nobody removes the scheduling gate {} of a pod that names this scheduler: it is for pods of "
                          "others. What helps: leave out one of the two",
                          zone_gate));
  for (const UnschedulableCause& cause : causes) add_cause(record, cause.reason, cause.text);
  check_claims(pod, record, needs);
  if (const Result<PodAnnotations> annotations = read_pod_annotations(pod, frameworks_)) {
    record.own = *annotations;
    record.own.group = pod.group;
    add_size(record);
    join_group(record);
    join_application(record);
  } else {
    add_cause(record, UnschedulableReason::bad_annotation, annotations.error().message);
  }
  record.index = pod.completion_index;
  record.labels = pod.labels;
  record.requests = needs.requests;
  needs.excluded = excluded_for(record);
  record.pod_class = classes_.intern(needs);
}

std::vector<LabelRequirement> PodCache::excluded_for(const PodRecord& record) {
  std::vector<LabelRequirement> excluded = anti_affinity_.against(record.meta.name_space, record.labels);
  if (!record.avoids.empty()) excluded.push_back({node_name_key, LabelRequirement::Operator::not_in, record.avoids});
  return excluded;
}

bool PodCache::avoid(PodRecord& record, std::vector<std::string> nodes, TimePoint now) {
  record.avoids = std::move(nodes);
  record.avoided_since = now;
  PodNeeds needs = classes_[record.pod_class];
  needs.excluded = excluded_for(record);
  const PodClassId before = record.pod_class;
  set_class(record, needs);
  return record.pod_class != before;
}

bool PodCache::has_first_use(const Pod& pod) const {
  return std::any_of(pod.claims.begin(), pod.claims.end(), [&](const std::string& claim) {
    const ClaimedVolume* volume = claims_.find(pod.meta.name_space, claim);
    return volume && volume->on_first_use;
  });
}

PodCache::Change PodCache::review(PodRecord& record, const Pod& pod) {
  const PodRecord before = record;
  read_spec(pod, record);
  record.priority = pod.priority, record.preempts = pod.preempts;
  const bool held = record.unschedulable_reason != UnschedulableReason::none;
  if (held)
    claim_users_.leave(pod.meta);
  else
    claim_users_.use(pod.meta, pod.claims);
  const bool waits_for_others = record.unschedulable_reason == UnschedulableReason::volume_not_ready ||
                                (record.unschedulable_reason != UnschedulableReason::none && !pod.group.empty());
  if (waits_for_others || has_first_use(pod))
    depends_on_others_[full_name(pod.meta)] = pod;
  else
    depends_on_others_.erase(full_name(pod.meta));
  set_state(record, held ? PodState::held : PodState::waiting);
  const bool same = before.pod_class == record.pod_class && before.work == record.work &&
                    before.priority == record.priority && before.preempts == record.preempts;
  using Reason = UnschedulableReason;
  const bool waits_its_turn =
      before.unschedulable_reason == Reason::binding_refused ||
      before.unschedulable_reason == Reason::data_set_not_ready ||
      before.unschedulable_reason == Reason::data_changed || before.unschedulable_reason == Reason::blocks_missing ||
      before.unschedulable_reason == Reason::volume_not_provided ||
      before.unschedulable_reason == Reason::pool_not_allowed || before.unschedulable_reason == Reason::input_too_long;
  if (before.state == PodState::held && waits_its_turn && same && !held) {
    hold(record, before.unschedulable_reason,
         before.unschedulable_message);  // it is retried when its time has come
    return Change::none;
  }
  if (before.state == PodState::held) return held ? Change::none : Change::arrived;
  if (held) return Change::withdrawn;
  return same ? Change::none : Change::spec_changed;
}

void PodCache::begin(const Pod& pod, PodRecord& record, TimePoint now) {
  record.meta = {pod.meta.name_space, pod.meta.name, pod.meta.uid, ""};
  record.owner = pod.owner;
  record.created = pod.created;
  record.priority_class = pod.priority_class;
  record.priority = pod.priority, record.preempts = pod.preempts;
  record.first_seen = now;
  set_state(record, PodState::held);  // review() then reports `arrived`
  record.claims = pod.claims;
  record.properties_from = pod.properties_from;
  record.steered = pod.scheduler != scheduler_;
  const auto place = ours_.find(full_name(record.meta));
  if (record.steered) steered_.emplace(place->first, &record);
  if (!record.claims.empty()) with_claims_.emplace(place->first, &record);
  if (const std::string* store = find_text(pod.annotations, annotation::read_from)) record.read_from = *store;
  if (const std::string* input = find_text(pod.annotations, annotation::input))
    record.degraded = is_degraded_input(*input);
  record.prefers_nodes = pod.prefers_nodes;
  if (!pod.node.empty() || was_steered(pod)) read_spec(pod, record);
}

bool PodCache::has_left(const Pod& pod) {
  const PodRecord* record = find(pod.meta);
  return record && record->steered && !is_gated(pod) && !was_steered(pod);
}

// Once released it is an ordinary pod to its scheduler, which may evict others for it.
PodCache::Update PodCache::update_steered(const Pod& pod, TimePoint now) {
  Update update = update_ours(pod, now);
  if (update.record->on_node())
    nodes_.forget_nomination(full_name(pod.meta));
  else
    update_nomination(pod);
  return update;
}

// Not bound yet. If its scheduler finds no node, the room reserved for it is in the wrong place.
PodCache::Update PodCache::update_ungated(const Pod& pod, PodRecord& record) {
  record.releasing = false;
  if (record.state != PodState::ungated) {
    const bool by_us = record.state == PodState::binding;
    ungate(record);
    if (!by_us) {  // by the copy that led before
      record.selector = steered_place(pod);
      record.reads = {reads_anything(record)};
      return {Change::withdrawn, &record, ""};
    }
  }
  if (!record.on_node() || !found_no_node(pod)) return {Change::none, &record, ""};
  give_up_room(record);
  return {Change::withdrawn, &record, ""};
}

void PodCache::note_nomination(const Pod& pod, PodRecord& record) {
  if (record.nominated == pod.nominated) return;
  record.nominated = pod.nominated;
  if (pod.nominated.empty())
    nominated_.erase(full_name(pod.meta));
  else
    nominated_.insert(full_name(pod.meta));
}

PodCache::Update PodCache::update_ours(const Pod& pod, TimePoint now) {
  std::unique_ptr<PodRecord>& place = ours_[full_name(pod.meta)];
  const bool fresh = !place;
  if (fresh) {
    place = std::make_unique<PodRecord>();
    begin(pod, *place, now);
  }
  PodRecord& record = *place;
  if (went_back_ && !fresh && has_gone_back(record, pod)) return begin_again(pod, record, now);
  record.generation = pod.generation;
  record.says_disruption = find_text(pod.annotations, annotation::do_not_disrupt) != nullptr;
  record.kept_for = read_kept_for(pod.annotations);
  record.deleting = pod.deleting;
  note_nomination(pod, record);
  if (pod.scheduled.status == ConditionStatus::no && pod.scheduled.since != TimePoint{})
    record.unscheduled_since = pod.scheduled.since;
  if (pod.started) record.started = pod.started;
  if (pod.finished) record.finished = pod.finished;
  if (record.state == PodState::terminated) {
    learn(pod, record);
    return {Change::none, &record, ""};
  }
  const bool bound_by_us = record.on_node() && record.state != PodState::ungated && !record.awaits_volumes;
  if (has_ended(pod.phase) || (pod.deleting && pod.node.empty() && !bound_by_us)) {
    const bool known = !fresh;
    leave_node(record);
    set_state(record, PodState::terminated);
    record.succeeded = pod.phase == PodPhase::succeeded;
    if (!pod.node.empty()) record.node = pod.node;  // where it ran, even if this is the first sight of it
    claim_users_.leave(pod.meta);
    depends_on_others_.erase(full_name(pod.meta));
    learn(pod, record);
    return {known ? Change::ended : Change::none, &record, ""};
  }
  if (!pod.node.empty()) {
    if (record.state == PodState::placed && record.node == pod.node) {
      note_resize(pod, record);
      return {Change::none, &record, ""};
    }
    const std::string before = record.on_node() ? record.node : "";
    if (fresh && record.state == PodState::held) set_state(record, PodState::waiting);
    this->place(record, pod.node);
    note_resize(pod, record);
    const Change change = fresh || !record.task.valid() ? Change::arrived : Change::placed;
    return {change, &record, before != pod.node ? before : ""};
  }
  if (record.steered && was_steered(pod)) return update_ungated(pod, record);
  // The server shows it unbound or gated, but an answer that said otherwise is newer.
  if (record.on_node() || record.state == PodState::ungated) return {Change::none, &record, ""};
  return {review(record, pod), &record, ""};
}

// A restored store shows a pod where it was before we, or its scheduler or kubelet, went on with it. The answer to a
// binding that is under way tells more.
bool PodCache::has_gone_back(const PodRecord& record, const Pod& pod) {
  if (has_ended(pod.phase)) return false;
  if (record.state == PodState::terminated) return true;
  if (!pod.node.empty()) return false;
  return record.state == PodState::placed || (record.state == PodState::ungated && !was_steered(pod));
}

PodCache::Update PodCache::begin_again(const Pod& pod, PodRecord& record, TimePoint now) {
  const std::string before = record.on_node() ? record.node : "";
  end_binding(record, PodState::held);  // review() then reports `arrived`
  record.unschedulable_reason = UnschedulableReason::none;
  record.started.reset(), record.finished.reset(), record.ungated_since.reset(), record.under_way_since.reset();
  record.succeeded = false;
  Update update = update_ours(pod, now);
  // The model drops what it knows of the pod before it hears of it again.
  update.change = update.change == Change::arrived ? Change::spec_changed : Change::withdrawn;
  update.elsewhere_than = before;
  return update;
}

void PodCache::learn(const Pod& pod, PodRecord& record) {
  if (pod.phase == PodPhase::succeeded && pod.started && pod.finished) learn(record, *pod.finished);
}

void PodCache::learn(PodRecord& record, TimePoint end) {
  if (std::exchange(record.learned, true) || end < *record.started) return;
  const std::string of = template_of(record.meta.name_space, record.owner, record.meta.name), type = type_under(record);
  const Duration took = end - *record.started;
  type_speeds_.add(of, type, took);
  run_times_.add(of, {seconds(to_seconds(took) * type_speeds_.of(type)), record.declared});
}

std::string PodCache::type_under(const PodRecord& record) const {
  const NodeRecord* place = nodes_.find(record.node);
  return place && place->node ? instance_type_of(*place->node) : "";
}

// A placed pod keeps its class; a later resize counts separately.
void PodCache::note_resize(const Pod& pod, PodRecord& record) {
  ResourceAmounts resized = pod.requests;
  add(resized, volumes_of(pod.meta.name_space, pod.claims, claims_));
  subtract(resized, record.requests);
  std::erase_if(resized, [](const auto& entry) { return entry.second == 0; });
  if (resized == record.resized) return;
  ResourceAmounts more = resized;
  subtract(more, record.resized);
  record.resized = std::move(resized);
  nodes_.adjust(record.node, more);
}

std::unique_ptr<PodRecord> PodCache::forget(const ObjectMeta& meta, TimePoint now) {
  const std::string key = full_name(meta);
  forget_other(meta);
  anti_affinity_.forget(meta);
  nodes_.forget_nomination(key);
  claim_users_.leave(meta);
  const auto place = ours_.find(key);
  if (place == ours_.end() || place->second->meta.uid != meta.uid) return nullptr;
  std::unique_ptr<PodRecord> record = std::move(place->second);
  unplaced_.forget(place->first);
  placed_.erase(place->first), steered_.erase(place->first), with_claims_.erase(place->first);
  ours_.erase(place);
  nominated_.erase(key);
  std::erase_if(drivers_, [&](const auto& entry) { return entry.second.uid == meta.uid; });
  depends_on_others_.erase(key);
  // Workers of a framework do not end by themselves: their creator deletes them.
  if (record->state == PodState::placed && record->started) learn(*record, now);
  leave_node(*record);
  return record;
}

PodRecord* PodCache::find(const ObjectMeta& meta) {
  const auto place = ours_.find(full_name(meta));
  return place == ours_.end() || place->second->meta.uid != meta.uid ? nullptr : place->second.get();
}

void PodCache::set_state(PodRecord& record, PodState state) {
  record.state = state;
  const auto place = ours_.find(full_name(record.meta));
  if (state == PodState::held || state == PodState::waiting || state == PodState::ungated)
    unplaced_.note(place->first, record);
  else
    unplaced_.forget(place->first);
  if (state == PodState::placed)
    placed_.emplace(place->first, &record);
  else
    placed_.erase(place->first);
}

void PodCache::set_class(PodRecord& record, const PodNeeds& needs) {
  record.pod_class = classes_.intern(needs);
  set_state(record, record.state);
}

void PodCache::begin_binding(PodRecord& record, const std::string& node) {
  set_state(record, PodState::binding);
  record.awaits_volumes = false;
  record.unanswered = false;
  record.doubt.reset();
  record.node = node;
  nodes_.take(node, record.requests, NodeCache::Whose::ours);
}

void PodCache::leave_node(PodRecord& record) {
  if (!record.on_node()) return;
  nodes_.give_back(record.node, record.requests, NodeCache::Whose::ours);
  if (record.resized.empty()) return;
  ResourceAmounts back;
  subtract(back, std::exchange(record.resized, {}));
  nodes_.adjust(record.node, back);
}

void PodCache::end_binding(PodRecord& record, PodState then) {
  leave_node(record);
  set_state(record, then);
  record.awaits_volumes = false;
  record.unanswered = false;
  record.doubt.reset();
  record.node.clear();
  if (then == PodState::terminated) claim_users_.leave(record.meta);
}

void PodCache::place(PodRecord& record, const std::string& node) {
  leave_node(record);
  set_state(record, PodState::placed);
  record.awaits_volumes = false;
  record.unanswered = false;
  record.doubt.reset();
  record.node = node;
  record.labels.clear();
  claim_users_.use(record.meta, record.claims);
  nodes_.take(node, record.requests, NodeCache::Whose::ours);
  depends_on_others_.erase(full_name(record.meta));
}

void PodCache::ungate(PodRecord& record) {
  set_state(record, PodState::ungated);
  record.unanswered = false;
  record.doubt.reset();
  record.ungated_since.reset();
  depends_on_others_.erase(full_name(record.meta));
}

void PodCache::give_up_room(PodRecord& record) {
  leave_node(record);
  record.node.clear();
}

void PodCache::hold(PodRecord& record, UnschedulableReason reason, std::string text) {
  set_state(record, PodState::held);
  record.unschedulable_reason = reason;
  record.unschedulable_message = std::move(text);
}

bool PodCache::release(PodRecord& record) {
  if (record.state != PodState::held) return false;
  set_state(record, PodState::waiting);
  record.unschedulable_reason = UnschedulableReason::none;
  record.unschedulable_message.clear();
  return true;
}

}  // namespace lips::kubernetes
