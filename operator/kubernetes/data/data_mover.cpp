#include "kubernetes/data/data_mover.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "kubernetes/data/copy_review.h"
#include "kubernetes/data/data_discovery.h"
#include "kubernetes/data/delete_work.h"
#include "kubernetes/data/move_admission.h"
#include "kubernetes/data/object_size.h"
#include "kubernetes/data/object_writes.h"
#include "kubernetes/data/plain_words.h"
#include "kubernetes/data/replica_ledger.h"
#include "kubernetes/data/resource_reconciler.h"
#include "kubernetes/data/status_json.h"
#include "kubernetes/data/work_index.h"

namespace lips::kubernetes {
namespace {

bool has_finalizer(const std::vector<std::string>& finalizers, const char* name) {
  return std::find(finalizers.begin(), finalizers.end(), name) != finalizers.end();
}

// A move and everything known about it at this moment.
struct ObservedMove {
  const DataMoveResource* move = nullptr;
  const CatalogDataSet* set = nullptr;
  const DataStoreResource *from = nullptr, *to = nullptr;
  LedgerEntry entry;
  MoveView view;
};

}  // namespace

struct DataMover::Working {
  struct StatusUpdate {  // of replicas of a DataSet: several moves of a tick write it together
    Replicas replicas;
  };

  Working(ApiClient& client, DataCatalog& shared, EventRecorder& recorder, MoverOptions given,
          std::function<bool()> leads, IsRead readers)
      : catalog(shared),
        events(recorder),
        options(std::move(given)),
        may_act(std::move(leads)),
        is_read(std::move(readers)),
        writes(client, may_act, options.wake),
        secret(writes, options.work.name_space, options.key_secret),
        pod_secrets(writes, options.work.name_space),
        reconciler(catalog, writes, events, options.work, {secret, pod_secrets, options.serve_stores},
                   options.pool_uses),
        discovery(catalog, writes, events, options.work),
        copy_review(catalog, writes, events, options.work, options.unowned_every),
        requests(catalog, writes, {options.blocks_per_move, options.attempts, options.keep_finished}) {}

  void tick(TimePoint now);

  ObservedMove observe(const DataMoveResource& move, const WorkIndex& index, TimePoint now);
  void find_problems(ObservedMove& observed, TimePoint now);
  void admit(std::vector<ObservedMove>& moves);
  void forget_what_is_gone();
  void step(ObservedMove& observed, const WorkIndex& index, TimePoint now);
  void act(MoveAction action, const ObservedMove& observed, const WorkIndex& index, TimePoint now);
  void change_replicas(MoveAction action, const ObservedMove& observed, TimePoint now);
  bool has_secret(const DataMoveResource& move, TimePoint now);
  bool has_password(const DataMoveResource& move, TimePoint now);
  void create_work(MoveAction action, const ObservedMove& observed, TimePoint now);
  void remove_work(const WorkOfMove& work, const std::vector<WorkRole>& roles, TimePoint now);
  void write_finalizers(const ObservedMove& observed, bool add);
  void write_status(const ObservedMove& observed, const DataMoveStatus& status, TimePoint now);
  void write_status_updates();
  void record_events(const ObservedMove& observed, const DataMoveStatus& status, TimePoint now);
  std::vector<CarriedBlock> carried(const ObservedMove& observed) const;

  DataCatalog& catalog;
  EventRecorder& events;
  MoverOptions options;
  std::function<bool()> may_act;
  IsRead is_read;
  ObjectWrites writes;
  StoreKeySecret secret;
  PodSecrets pod_secrets;
  ResourceReconciler reconciler;
  DataDiscovery discovery;
  CopyReview copy_review;
  MoveRequests requests;

  std::map<std::string, StatusUpdate> status_updates;
  std::string why_suspended;                       // moves and drops; empty: they are not
  std::set<std::string> beginning;                 // uids of moves whose start is written but not yet seen
  std::map<std::string, std::string> not_created;  // errors of creations that are retried, by uid of the DataMove
};

// ---- observed state ----

void DataMover::Working::find_problems(ObservedMove& observed, TimePoint now) {
  const DataMoveResource& move = *observed.move;
  MoveView& view = observed.view;
  const bool other_set = !move.status.data_set_uid.empty() && observed.set &&
                         observed.set->object.meta.object.uid != move.status.data_set_uid;
  view.data_set_gone = !observed.set || other_set;
  const auto gone = [&](const DataStoreResource* store) { return !store || reconciler.is_lost(*store, now); };
  view.from_gone = gone(observed.from);
  view.to_gone = view.has_target && gone(observed.to);
  if (view.data_set_gone)
    view.problem = "there is no DataSet " + move.data_set_key() + (other_set ? " any more: it was created again" : "");
  else if (!observed.set->usable())
    view.problem = "DataSet " + move.data_set_key() + ": " + observed.set->finding.message;
  else if (observed.set->object.meta.deleting)
    view.problem = "DataSet " + move.data_set_key() + " is being deleted";
  else if (view.from_gone || view.to_gone)
    view.problem =
        "there is no DataStore " + (view.from_gone ? move.spec.from : move.spec.to) + ", or its node is gone";
}

ObservedMove DataMover::Working::observe(const DataMoveResource& move, const WorkIndex& index, TimePoint now) {
  ObservedMove observed;
  observed.move = &move;
  observed.set = catalog.data_set(move.data_set_key());
  observed.from = catalog.store(move.spec.from);
  observed.to = move.spec.to.empty() ? nullptr : catalog.store(move.spec.to);
  MoveView& view = observed.view;
  view.deleting = move.meta.deleting;
  view.cancel = move.spec.cancel || (observed.set && observed.set->object.meta.deleting);
  view.has_target = !move.spec.to.empty();
  view.drop_source = move.spec.drop_source || !view.has_target;
  view.has_finalizer = has_finalizer(move.meta.finalizers, move_finalizer);
  view.attempts = move.spec.attempts;
  view.keep_for = move.spec.keep_for;
  view.suspended = why_suspended;
  find_problems(observed, now);
  observed.entry = {move.spec.from, move.spec.to, move.status.blocks, move.spec.extra};
  index.fill(move, view);
  if (view.data_set_gone || !observed.set->layout) return observed;
  const CatalogDataSet& set = *observed.set;
  view.data_set_uid = set.object.meta.object.uid;
  if (!move.status.began()) {
    BlockRanges there;
    if (const HeldBlocks* held = find_held(set.object, move.spec.from)) {
      there = held->blocks.intersection(BlockRanges::all(set.layout->count()));
      there.remove(held->leaving);
    }
    observed.entry.blocks = move.spec.blocks.value_or(there);
    if (view.problem.empty() && (observed.entry.blocks.empty() || !there.contains(observed.entry.blocks)))
      view.problem = "DataStore " + move.spec.from + " does not hold all of these blocks";
    const HeldBlocks* target = find_held(set.object, move.spec.to);
    if (view.problem.empty() && target && !target->leaving.intersection(observed.entry.blocks).empty())
      view.waits_for = "waits until files of these blocks are deleted from DataStore " + move.spec.to;
    if (view.problem.empty() && observed.entry.blocks.count() > most_blocks_of_a_move)
      view.problem =
          fmt::format("found {} blocks; allowed in one move: {}", observed.entry.blocks.count(), most_blocks_of_a_move);
    const HeldBlocks* source = find_held(set.object, move.spec.from);
    if (view.problem.empty() && !view.has_target && move.spec.extra && !source->extra.contains(observed.entry.blocks))
      view.problem = "replicas in DataStore " + move.spec.from + " are no extra copies any more";
    const bool hdfs = set.object.spec.discover.source == DiscoveryRequest::Source::hdfs;
    if (view.problem.empty() && hdfs && !find_held(set.object, move.spec.from)->copies.contains(observed.entry.blocks))
      view.problem = "blocks in HDFS are read where they are, not moved";
  }
  view.wanted = observed.entry.blocks;
  view.bytes = set.layout->size_of(observed.entry.blocks);
  fill_replicas(
      set.object.status.replicas, observed.entry, [this](const std::string& store) { return catalog.readable(store); },
      view);
  if (observed.from && observed.to) view.needs_source = needs_source_pod(observed.from->spec, observed.to->spec);
  if (move.status.source == SourceState::leaving)
    for (const std::uint32_t block : observed.entry.blocks.blocks())
      view.source_is_read = view.source_is_read || is_read(move.data_set_key(), block, move.spec.from);
  return observed;
}

void DataMover::Working::admit(std::vector<ObservedMove>& moves) {
  const auto claim_of = [](const ObservedMove& observed) {
    return MoveClaim{observed.move->meta.object.name,
                     observed.move->data_set_key(),
                     observed.move->spec.from,
                     observed.view.target_holds || observed.view.target_extra ? "" : observed.move->spec.to,
                     observed.from ? observed.from->spec.zone : "",
                     observed.to ? observed.to->spec.zone : "",
                     observed.entry.blocks,
                     observed.view.bytes};
  };
  for (const ObservedMove& observed : moves)
    if (observed.move->status.began()) beginning.erase(observed.move->meta.object.uid);
  const auto waits = [&](const ObservedMove& observed) {
    return !observed.move->status.began() && !beginning.contains(observed.move->meta.object.uid);
  };
  if (std::none_of(moves.begin(), moves.end(), waits)) return;
  MoveAdmission admission(options.limits);
  for (const auto& [name, store] : catalog.stores())
    if (store.spec.capacity > 0) admission.set_use(name, reconciler.use(store));
  for (const ObservedMove& observed : moves) {
    const DataMoveStatus& status = observed.move->status;
    if (waits(observed) || status.finished) continue;
    const bool copying = status.phase != MovePhase::committed;
    admission.count(claim_of(observed), copying);
  }
  for (ObservedMove& observed : moves) {
    if (!waits(observed) || !observed.view.problem.empty() || !observed.view.waits_for.empty() ||
        observed.view.cancel || observed.view.deleting)
      continue;
    observed.view.waits_for = admission.admit(claim_of(observed));
    observed.view.may_start = observed.view.waits_for.empty();
  }
}

// ---- one step of each move ----

void DataMover::Working::tick(TimePoint now) {
  writes.collect(now);
  if (!catalog.complete() || !may_act()) return;
  why_suspended = options.suspended ? options.suspended() : "";
  secret.tick(now);
  reconciler.allow_deletion(why_suspended.empty());
  reconciler.tick(now);
  discovery.tick(now);
  copy_review.tick(now);
  if (why_suspended.empty()) requests.write(now);
  const WorkIndex index(catalog);
  std::vector<ObservedMove> moves;
  for (const auto& [name, move] : catalog.moves()) moves.push_back(observe(move, index, now));
  std::stable_sort(moves.begin(), moves.end(), [](const ObservedMove& a, const ObservedMove& b) {
    return a.move->meta.created < b.move->meta.created;
  });
  admit(moves);
  for (ObservedMove& observed : moves) step(observed, index, now);
  write_status_updates();
  requests.complete(now);
  forget_what_is_gone();
}

void DataMover::Working::forget_what_is_gone() {
  if (beginning.empty() && not_created.empty()) return;
  std::set<std::string> there;
  for (const auto& [name, move] : catalog.moves()) there.insert(move.meta.object.uid);
  std::erase_if(beginning, [&](const std::string& uid) { return !there.contains(uid); });
  std::erase_if(not_created, [&](const auto& refused) { return !there.contains(refused.first); });
}

void DataMover::Working::step(ObservedMove& observed, const WorkIndex& index, TimePoint now) {
  const DataMoveResource& move = *observed.move;
  if (!writes.free(write_key(DataKind::data_move, move.meta.object), now)) return;
  // The data set is invalid for the moment: wait until it is valid again, or gone.
  if (move.status.began() && !observed.view.data_set_gone && !observed.set->layout) return;
  // A pod that does not start may wait for a Secret that somebody has deleted.
  const bool waits = observed.view.source == WorkState::starting || !observed.view.waiting.empty();
  if (waits && observed.view.needs_source && secret.key().known()) has_secret(move, now);
  const MoveStep next = next_step(move.status, observed.view, options.rules, now);
  const auto refused = not_created.extract(move.meta.object.uid);
  if (!refused.empty() && refused.mapped() != move.status.message) {
    DataMoveStatus status = move.status;
    status.message = refused.mapped();
    events.record({{data_api_version, "DataMove", move.meta.object}, true, "NotCreated", "Moving", status.message},
                  now);
    return write_status(observed, status, now);
  }
  if (next.action)
    act(*next.action, observed, index, now);
  else if (!(next.status == move.status))
    write_status(observed, next.status, now);
}

void DataMover::Working::act(MoveAction action, const ObservedMove& observed, const WorkIndex& index, TimePoint now) {
  const ObjectMeta& meta = observed.move->meta.object;
  const WorkOfMove& work = index.of(meta.uid);
  switch (action) {
    case MoveAction::add_finalizer:
      return write_finalizers(observed, true);
    case MoveAction::remove_finalizer:
      return write_finalizers(observed, false);
    case MoveAction::delete_object:
      return writes.send(write_key(DataKind::data_move, meta), deletion_of(resource_path(DataKind::data_move, meta)));
    case MoveAction::end_copy:
      return remove_work(work, {WorkRole::copy, WorkRole::source}, now);
    case MoveAction::end_drop:
      return remove_work(work, {WorkRole::drop, WorkRole::clean}, now);
    case MoveAction::start_source:
    case MoveAction::start_copy:
    case MoveAction::start_drop:
    case MoveAction::start_clean:
      return create_work(action, observed, now);
    default:
      return change_replicas(action, observed, now);
  }
}

void DataMover::Working::change_replicas(MoveAction action, const ObservedMove& observed, TimePoint now) {
  const DataSetResource& set = observed.set->object;
  const std::string name = full_name(set.meta.object), key = write_key(DataKind::data_set, set.meta.object);
  if (!writes.free(key, now)) return;
  if (action == MoveAction::commit && !has_finalizer(set.meta.finalizers, copies_finalizer)) {
    std::vector<std::string> finalizers = set.meta.finalizers;
    finalizers.emplace_back(copies_finalizer);
    return writes.send(
        key, patch_of(resource_path(DataKind::data_set, set.meta.object), finalizers_patch(set.meta, finalizers)),
        catalog.learner(DataKind::data_set));
  }
  StatusUpdate& update = status_updates.try_emplace(name, StatusUpdate{set.status.replicas}).first->second;
  const bool at_target = observed.move->status.phase == MovePhase::failed;
  auto changed = with_action(update.replicas, action, observed.entry, at_target,
                             [this](const std::string& store) { return catalog.readable(store); });
  if (changed) update.replicas = *std::move(changed);
}

void DataMover::Working::write_status_updates() {
  for (auto& [name, update] : status_updates) {
    const CatalogDataSet* set = catalog.data_set(name);
    if (!set) continue;
    forget_empty(update.replicas, set->object.spec);
    if (update.replicas == set->object.status.replicas) continue;
    const ObjectMeta& meta = set->object.meta.object;
    std::string patch = replicas_patch(set->object, update.replicas);
    std::string why = why_too_large(*set, replicas_patch(set->object, set->object.status.replicas), patch);
    if (!why.empty())
      catalog.say_too_large(name, std::move(why));
    else
      writes.send(write_key(DataKind::data_set, meta),
                  patch_of(resource_path(DataKind::data_set, meta) + "/status", std::move(patch)),
                  size_learner(catalog, name));
  }
  status_updates.clear();
}

std::vector<CarriedBlock> DataMover::Working::carried(const ObservedMove& observed) const {
  const CatalogDataSet& set = *observed.set;
  const HeldBlocks *from = find_held(set.object, observed.entry.from), *to = find_held(set.object, observed.entry.to);
  std::vector<CarriedBlock> blocks;
  for (const std::uint32_t block : observed.entry.blocks.blocks()) {
    if (block >= set.layout->count() || (to && to->blocks.contains(block))) continue;
    blocks.push_back({block,
                      from ? held_part(set.object, *set.layout, *from, block) : original_part(*set.layout, block),
                      copied_part(set.object, *set.layout, block)});
  }
  return blocks;
}

// The Secret for the pods of a copy that two pods make together.
bool DataMover::Working::has_secret(const DataMoveResource& move, TimePoint now) {
  return pod_secrets.is_there(
      source_pod_name(move), [&] { return source_secret_json(move, secret.key()); }, now);
}

bool DataMover::Working::has_password(const DataMoveResource& move, TimePoint now) {
  std::string& why = not_created[move.meta.object.uid];
  if (!secret.key().known()) {
    why = "waits: " + secret.problem();
    return false;
  }
  const bool there = has_secret(move, now);
  why = there ? "" : pod_secrets.problem(source_pod_name(move));
  if (why.empty()) not_created.erase(move.meta.object.uid);
  return there;
}

void DataMover::Working::create_work(MoveAction action, const ObservedMove& observed, TimePoint now) {
  const DataMoveResource& move = *observed.move;
  const bool clean = action == MoveAction::start_clean;
  const bool copies = action == MoveAction::start_source || action == MoveAction::start_copy;
  if (observed.view.needs_source && copies && !has_password(move, now)) return;
  std::string name, body, path = jobs_path(options.work.name_space), kind = "Job/";
  if (action == MoveAction::start_drop || clean) {
    name = delete_job_name(move, clean, move.status.drop_attempt);
    DeleteWork work{&move, clean ? observed.to : observed.from, clean,
                    paths_to_delete(catalog, *observed.set, observed.entry, clean)};
    if (clean && observed.from && !observed.view.needs_source && catalog.readable(move.spec.from))
      work.from = observed.from, work.blocks = carried(observed);
    if (!clean) show_another_replica(catalog, *observed.set, observed.entry, work);
    body = delete_job_json(work, options.work);
  } else {
    CopyWork work{&move, observed.from, observed.to, carried(observed), ""};
    const auto source = catalog.pods().find(source_pod_name(move));
    if (source != catalog.pods().end()) work.source_address = source->second.address;
    name = action == MoveAction::start_copy ? copy_job_name(move, move.status.attempt) : source_pod_name(move);
    body = action == MoveAction::start_copy ? copy_job_json(work, options.work) : source_pod_json(work, options.work);
    if (action == MoveAction::start_source) path = pods_path_of(options.work.name_space), kind = "Pod/";
  }
  if (!writes.free(kind + name, now)) return;
  writes.send(kind + name, creation_of(path, body),
              [this, uid = move.meta.object.uid, kind, name](const Answer& answer) {
                if (answer || answer.error().code == ErrorCode::conflict)
                  not_created.erase(uid);
                else
                  not_created[uid] = kind + name + " cannot be made: " + answer.error().message;
              });
}

void DataMover::Working::remove_work(const WorkOfMove& work, const std::vector<WorkRole>& roles, TimePoint now) {
  for (const std::string& path : paths_of(work, roles)) {
    const std::string key =
        (path.starts_with("/apis/batch") ? "Job/" : "Pod/") + path.substr(path.rfind('/') + 1) + "/end";
    if (writes.free(key, now)) writes.send(key, deletion_of(path));
  }
}

void DataMover::Working::write_finalizers(const ObservedMove& observed, bool add) {
  const ResourceMeta& meta = observed.move->meta;
  std::vector<std::string> finalizers = meta.finalizers;
  std::erase(finalizers, move_finalizer);
  if (add) finalizers.emplace_back(move_finalizer);
  writes.send(write_key(DataKind::data_move, meta.object),
              patch_of(resource_path(DataKind::data_move, meta.object), finalizers_patch(meta, finalizers)),
              [this, add](const Answer& answer) {
                if (answer && add) catalog.learn(DataKind::data_move, *answer);
              });
}

void DataMover::Working::write_status(const ObservedMove& observed, const DataMoveStatus& plain, TimePoint now) {
  const DataMoveSpec& spec = observed.move->spec;
  const auto price = options.transfer_price ? options.transfer_price(spec.from, spec.to) : std::nullopt;
  const DataMoveStatus status = with_words(spec, plain, catalog.store(spec.to), price);
  record_events(observed, status, now);
  const bool begins = status.began() && !observed.move->status.began();
  if (begins) beginning.insert(observed.move->meta.object.uid);
  const ResourceMeta& meta = observed.move->meta;
  const bool sent =
      writes.say(write_key(DataKind::data_move, meta.object), "status", move_status_patch(*observed.move, status, {}),
                 patch_of(resource_path(DataKind::data_move, meta.object) + "/status",
                          move_status_patch(*observed.move, status, now)),
                 [this, begins, uid = meta.object.uid](const Answer& answer) {
                   if (answer) catalog.learn(DataKind::data_move, *answer);
                   if (!answer && begins) beginning.erase(uid);
                 });
  if (!sent && begins) beginning.erase(meta.object.uid);
}

void DataMover::Working::record_events(const ObservedMove& observed, const DataMoveStatus& status, TimePoint now) {
  const DataMoveStatus& before = observed.move->status;
  const auto note = [&](bool warning, const char* reason, const std::string& text) {
    events.record({{data_api_version, "DataMove", observed.move->meta.object}, warning, reason, "Moving", text}, now);
  };
  if (status.phase == MovePhase::failed && before.phase != MovePhase::failed) note(true, "MoveFailed", status.message);
  if (status.phase == MovePhase::committed && before.phase != MovePhase::committed && observed.view.has_target)
    note(false, "MoveCommitted",
         fmt::format("blocks {} of {} are in {}", status.blocks.text().substr(0, 200), observed.move->data_set_key(),
                     observed.move->spec.to));
  const auto suspended = [](const DataMoveStatus& of) {
    const ObjectCondition* found = find_condition(of.conditions, condition_suspended);
    return found && found->status == ConditionStatus::yes;
  };
  if (suspended(status) && !suspended(before)) note(true, condition_suspended, observed.view.suspended);
  if (!suspended(status) && suspended(before)) note(false, "Resumed", "a person has confirmed it");
  if (status.attempt > before.attempt && before.attempt > 0) note(true, "AttemptFailed", status.message);
}

// ---- public interface ----

DataMover::DataMover(ApiClient& client, DataCatalog& catalog, EventRecorder& events, MoverOptions options,
                     std::function<bool()> may_act, IsRead is_read)
    : working_(std::make_unique<Working>(client, catalog, events, std::move(options), std::move(may_act),
                                         std::move(is_read))) {}

DataMover::~DataMover() = default;

void DataMover::start(const MoveRequest& request) { working_->requests.start(request); }
void DataMover::drop(const DropRequest& request) { working_->requests.drop(request); }
void DataMover::tick(TimePoint now) { working_->tick(now); }
std::vector<MoveOutcome> DataMover::take_outcomes() { return working_->requests.take_outcomes(); }

const StoreKey& DataMover::store_key() const { return working_->secret.key(); }

std::optional<DataMover::MissingKey> DataMover::missing_key() const {
  const StoreKeySecret& secret = working_->secret;
  if (!secret.refused_since()) return std::nullopt;
  return MissingKey{secret.problem(), *secret.refused_since()};
}

std::vector<DropRequest> DataMover::take_not_dropped() { return working_->requests.take_not_dropped(); }

std::map<std::string, int> DataMover::moves_by_phase() const {
  std::map<std::string, int> result;
  for (const auto& [name, move] : working_->catalog.moves())
    ++result[move.status.phase == MovePhase::none ? "Pending" : phase_name(move.status.phase)];
  return result;
}

}  // namespace lips::kubernetes
