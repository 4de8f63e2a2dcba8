#include "kubernetes/data/resource_reconciler.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <utility>

#include "kubernetes/data/plain_words.h"
#include "kubernetes/data/replica_ledger.h"
#include "kubernetes/data/status_json.h"

namespace lips::kubernetes {
namespace {

constexpr int most_pods_at_once = 20;  // started in one tick
constexpr Duration used_is_written_every = std::chrono::seconds(10);
constexpr Duration pools_are_written_every = std::chrono::seconds(30);
constexpr Duration node_patience = std::chrono::minutes(5);   // with a node that may come back
constexpr Duration readers_patience = std::chrono::hours(1);  // with those who read by an earlier key

bool has(const std::vector<std::string>& list, const char* item) {
  return std::find(list.begin(), list.end(), item) != list.end();
}

// A digest of the parts of stores that zone_words() reads; never 0.
std::size_t digest_of_zones(const StoreMap& stores) {
  std::size_t digest = 1;
  for (const auto& [name, store] : stores)
    for (const std::string* part : {&name, &store.spec.zone, &store.spec.region})
      digest = digest * 0x100000001b3 + std::hash<std::string>()(*part);
  return std::max<std::size_t>(digest, 1);
}

}  // namespace

std::string write_key(DataKind kind, const ObjectMeta& meta) {
  return std::string(kind_name(kind)) + '/' + full_name(meta);
}

ResourceReconciler::ResourceReconciler(DataCatalog& catalog, ObjectWrites& writes, EventRecorder& events,
                                       const WorkSettings& work, Serving serving, PoolUses pool_uses)
    : catalog_(catalog),
      writes_(writes),
      events_(events),
      work_(work),
      serving_(serving),
      pool_uses_(std::move(pool_uses)) {}

void ResourceReconciler::tick(TimePoint now) {
  const bool changed = reconciled_version_ != catalog_.version();
  take_looked_at();
  if (changed) count_used();
  reconciled_version_ = catalog_.version();
  // Writes that could not be sent also wait for this.
  if (changed || now - looked_ >= std::chrono::milliseconds(500)) {
    looked_ = now;
    write_data_sets(now);
    write_stores(now);
  }
  write_findings(now);
  if (changed) write_summaries(now);
  if (pool_uses_ && now - pools_written_ >= pools_are_written_every) write_pools(now);
}

std::int64_t ResourceReconciler::used(const std::string& store) const {
  const auto place = used_.find(store);
  return place == used_.end() ? 0 : place->second;
}

StoreUse ResourceReconciler::use(const DataStoreResource& store) const {
  const auto place = uses_.find(store.meta.object.name);
  StoreUse use = place == uses_.end() ? StoreUse{} : place->second;
  use.capacity = store.spec.capacity;
  return use;
}

// Blocks marked as leaving still take room.
ResourceReconciler::Reviewed& ResourceReconciler::review(const std::string& name, const CatalogDataSet& set) {
  Reviewed& reviewed = reviewed_[name];
  const std::string version = set.object.meta.object.uid + ' ' + set.object.meta.object.resource_version;
  const bool versioned = !set.object.meta.object.resource_version.empty();
  if (versioned && reviewed.version == version) return reviewed;
  reviewed = {version, false, {}};
  if (!set.layout) return reviewed;
  for (const HeldBlocks& held : set.object.status.replicas) {
    BlockRanges there = held.blocks;
    there.add(held.leaving);
    Reviewed::Use use{held.store, set.layout->size_of(there), set.layout->size_of(there.intersection(held.copies)), 0};
    there.remove(held.copies);
    use.originals = set.layout->size_of(there);
    reviewed.uses.push_back(std::move(use));
  }
  return reviewed;
}

void ResourceReconciler::count_used() {
  used_.clear();
  uses_.clear();
  const auto add = [](std::int64_t& sum, std::int64_t bytes) {
    // Owners declare sizes: the sum may exceed any store.
    if (__builtin_add_overflow(sum, bytes, &sum)) sum = std::numeric_limits<std::int64_t>::max();
  };
  for (const auto& [name, set] : catalog_.data_sets()) {
    if (!set.layout) continue;
    for (const Reviewed::Use& held : review(name, set).uses) {
      add(used_[held.store], held.all);
      StoreUse& use = uses_[held.store];
      add(use.copies, held.copies);
      add(use.originals[set.object.meta.object.name_space], held.originals);
    }
  }
  std::erase_if(reviewed_, [this](const auto& known) { return !catalog_.data_sets().contains(known.first); });
}

void ResourceReconciler::write_findings(TimePoint now) {
  for (ObjectFinding& found : catalog_.take_findings()) {
    const std::string key = write_key(found.kind, found.meta.object);
    if (found.finding.wrong())
      events_.record({{data_api_version, kind_name(found.kind), found.meta.object},
                      true,
                      std::string(to_string(found.finding.reason)),
                      "Reviewing",
                      found.finding.message},
                     now);
    findings_[key] = std::move(found);
  }
  for (auto place = findings_.begin(); place != findings_.end();) {
    const auto& [key, found] = *place;
    if (!writes_.free(key, now)) {
      ++place;
      continue;
    }
    ObjectCondition ready{"Ready",
                          found.finding.wrong() ? ConditionStatus::no : ConditionStatus::yes,
                          std::string(to_string(found.finding.reason)),
                          found.finding.message,
                          now,
                          found.meta.generation};
    // Does not repeat a refused write: a newer version of the object brings a finding of its own.
    ObjectCondition timeless = ready;
    timeless.since = {};
    writes_.say(key, "ready", condition_patch(found.meta, found.conditions, std::move(timeless)),
                patch_of(resource_path(found.kind, found.meta.object) + "/status",
                         condition_patch(found.meta, found.conditions, std::move(ready))),
                catalog_.learner(found.kind));
    place = findings_.erase(place);
  }
}

void ResourceReconciler::take_looked_at() {
  for (const std::string& name : catalog_.take_looked_at()) {
    unsettled_.insert(name);
    wordless_.insert(name);
  }
}

void ResourceReconciler::write_data_sets(TimePoint now) {
  for (auto place = unsettled_.begin(); place != unsettled_.end();)
    place = settle(*place, now) ? unsettled_.erase(place) : std::next(place);
}

// True: nothing is left to write before the data set changes.
bool ResourceReconciler::settle(const std::string& name, TimePoint now) {
  const CatalogDataSet* known = catalog_.data_set(name);
  if (!known) return true;
  const CatalogDataSet& set = *known;
  const std::string key = write_key(DataKind::data_set, set.object.meta.object);
  if (!writes_.free(key, now)) return false;
  if (set.object.meta.deleting) {
    if (!has(set.object.meta.finalizers, copies_finalizer)) return true;
    release_data_set(set, now);
    return false;
  }
  // Discovery writes all of this for a discovered data set.
  if (!set.usable() || set.object.spec.discover.source != DiscoveryRequest::Source::none) return true;
  Reviewed& reviewed = review(name, set);
  if (reviewed.in_order) return true;
  DataSetStatus status = set.object.status;
  status.blocks = set.layout->native;
  status.size = set.layout->size;
  status.replicas = with_placed(status.replicas, set.object.spec.stores, set.layout->count());
  const DataSetStatus& before = set.object.status;
  if (before.blocks == status.blocks && before.size == status.size && before.replicas == status.replicas &&
      before.observed_generation == set.object.meta.generation)
    return reviewed.in_order = true;
  findings_.erase(key);  // about an outdated version
  const std::string body = data_set_patch(set.object, status, false);
  writes_.say(key, "blocks", body,
              patch_of(resource_path(DataKind::data_set, set.object.meta.object) + "/status", body),
              catalog_.learner(DataKind::data_set));
  return false;
}

void ResourceReconciler::write_summaries(TimePoint now) {
  const std::size_t zones = digest_of_zones(catalog_.stores());
  if (std::exchange(zones_digest_, zones) != zones)
    for (const auto& [name, set] : catalog_.data_sets()) wordless_.insert(name);
  for (auto place = wordless_.begin(); place != wordless_.end();)
    place = summarize(*place, now) ? wordless_.erase(place) : std::next(place);
}

// True: its words are in order as long as it and the zones do not change.
bool ResourceReconciler::summarize(const std::string& name, TimePoint now) {
  const CatalogDataSet* set = catalog_.data_set(name);
  if (!set || !set->usable() || set->object.meta.deleting) return true;
  const std::string key = write_key(DataKind::data_set, set->object.meta.object);
  if (findings_.contains(key) || !writes_.free(key, now)) return false;
  DataSetStatus status = set->object.status;
  status.zones = zone_words(status, catalog_.stores());
  status.size_text = size_words(set->layout->size);
  if (status.zones == set->object.status.zones && status.size_text == set->object.status.size_text) return true;
  const std::string body = summary_patch(set->object, status);
  writes_.say(key, "words", body,
              patch_of(resource_path(DataKind::data_set, set->object.meta.object) + "/status", body),
              catalog_.learner(DataKind::data_set));
  return false;
}

// The object's, with those of its use: of these it keeps none that does not hold any more.
std::vector<ObjectCondition> ResourceReconciler::conditions_of(const PoolResource& pool,
                                                               std::vector<ObjectCondition> of_use, TimePoint now) {
  std::vector<ObjectCondition> conditions = pool.status.conditions;
  std::erase_if(conditions, [&](const ObjectCondition& each) {
    return (each.type == condition_targets_held || each.type == condition_steered) &&
           !find_condition(of_use, each.type);
  });
  for (ObjectCondition& each : of_use) {
    each.since = now;
    each.generation = pool.meta.generation;
    conditions = with_condition(std::move(conditions), std::move(each));
  }
  return conditions;
}

void ResourceReconciler::write_pools(TimePoint now) {
  std::map<std::string, PoolUse> uses;
  for (PoolUse& use : pool_uses_()) uses[use.pool] = std::move(use);
  if (uses.empty()) return;
  pools_written_ = now;
  for (const auto& [name, pool] : catalog_.pools()) {
    const std::string key = write_key(DataKind::pool, pool.meta.object);
    PoolStatus status = pool_words(uses[name]);
    status.observed_generation = pool.meta.generation;
    std::vector<ObjectCondition> of_use = std::move(status.conditions);
    status.conditions = conditions_of(pool, of_use, {});
    const std::string content = pool_patch(pool, status);  // without the time of the moment
    status.conditions = conditions_of(pool, std::move(of_use), now);
    if (status == pool.status || findings_.contains(key) || !writes_.free(key, now)) continue;
    writes_.say(key, "use", content,
                patch_of(resource_path(DataKind::pool, pool.meta.object) + "/status", pool_patch(pool, status)),
                catalog_.learner(DataKind::pool));
  }
}

bool ResourceReconciler::is_lost(const DataStoreResource& store, TimePoint now) {
  const std::string& name = store.meta.object.name;
  if (!catalog_.is_gone(store)) {
    gone_since_.erase(name);
    return false;
  }
  return now - gone_since_.try_emplace(name, now).first->second >= node_patience;
}

// Deletes the copies of a deleted data set; files of its owner stay.
void ResourceReconciler::release_data_set(const CatalogDataSet& set, TimePoint now) {
  const ObjectMeta& meta = set.object.meta.object;
  for (const auto& [name, move] : catalog_.moves())
    if (move.status.data_set_uid == meta.uid && !move.status.finished) return;
  bool all_gone = true;
  for (const HeldBlocks& held : set.object.status.replicas) {
    const DataStoreResource* store = catalog_.store(held.store);
    if (held.copies.empty() || !store) continue;
    if (is_lost(*store, now)) {
      events_.record({{data_api_version, "DataSet", meta},
                      true,
                      std::string(to_string(FindingReason::node_gone)),
                      "Deleting",
                      "its copies in DataStore " + held.store + " count as gone with node " + store->spec.node},
                     now);
      continue;
    }
    const std::string job = purge_job_name(set.object, *store);
    const auto place = catalog_.jobs().find(job);
    if (place != catalog_.jobs().end() && place->second.state == WorkJob::State::succeeded) continue;
    all_gone = false;
    const std::string key = "Job/" + job;
    if (!writes_.free(key, now)) continue;
    const bool running = place != catalog_.jobs().end() && place->second.state == WorkJob::State::running;
    if (!may_delete_) {
      if (running && !place->second.deleting) writes_.send(key, deletion_of(jobs_path(work_.name_space) + '/' + job));
      continue;
    }
    if (place == catalog_.jobs().end())
      writes_.send(key, creation_of(jobs_path(work_.name_space), purge_job_json(set.object, *store, work_)));
    else if (place->second.state == WorkJob::State::failed && !place->second.deleting)
      writes_.send(key, deletion_of(jobs_path(work_.name_space) + '/' + job));
  }
  if (!all_gone || !may_delete_) return;
  std::vector<std::string> finalizers = set.object.meta.finalizers;
  std::erase(finalizers, copies_finalizer);
  writes_.send(write_key(DataKind::data_set, meta),
               patch_of(resource_path(DataKind::data_set, meta), finalizers_patch(set.object.meta, finalizers)));
}

// The address at which others read a store that names none; empty while they cannot. Makes sure that a pod serves it.
std::string ResourceReconciler::served_at(const DataStoreResource& store, int& begun, TimePoint now) {
  if (is_bucket(store.spec.kind) || !store.spec.serve || !serving_.serve) return {};
  if (!serving_.secret.key().known()) return {};
  const std::string& name = serving_name(store);
  const auto pod = catalog_.pods().find(name);
  const std::string key = "Pod/" + name, path = pods_path_of(work_.name_space);
  if (pod == catalog_.pods().end()) {
    if (!store.meta.deleting && writes_.free(key, now) && ++begun <= most_pods_at_once && has_key(store, now))
      writes_.send(key, creation_of(path, serve_pod_json(store, name, work_)));
    return {};
  }
  if (!pod->second.ready && !pod->second.deleting) has_key(store, now);  // somebody may have deleted its Secret
  if (has_ended(pod->second.phase) && !pod->second.deleting && writes_.free(key, now))
    writes_.send(key, deletion_of(path + '/' + name));
  if (!pod->second.ready || pod->second.deleting || pod->second.address.empty()) return {};
  return "http://" + url_host(pod->second.address) + ':' + std::to_string(serve_port);
}

// The Secret for the pod that serves it.
bool ResourceReconciler::has_key(const DataStoreResource& store, TimePoint now) {
  const std::string& name = serving_name(store);
  const auto body = [&] { return serve_secret_json(store, serving_.secret.key()); };
  if (serving_.pod_secrets.is_there(name, body, now)) return true;
  if (const std::string problem = serving_.pod_secrets.problem(name); !problem.empty())
    events_.record({{data_api_version, "DataStore", store.meta.object}, true, "NotServed", "Serving", problem}, now);
  return false;
}

const std::string& ResourceReconciler::serving_name(const DataStoreResource& store) {
  std::string& name = serving_names_[store.meta.object.uid];
  if (name.empty()) name = serve_pod_name(store, serving_.secret.key());
  return name;
}

// Pods that serve with an earlier key. Tasks that were told their addresses go on for a while; a volume may be mounted
// by one pod alone.
void ResourceReconciler::end_outdated_pods(TimePoint now) {
  if (!serving_.secret.key().known()) return;
  if (serving_names_.size() > catalog_.stores().size()) serving_names_.clear();
  std::erase_if(outdated_since_, [this](const auto& pod) { return !catalog_.pods().contains(pod.first); });
  for (const auto& [name, pod] : catalog_.pods()) {
    const std::string* uid =
        pod.role == WorkRole::serve && !pod.deleting ? find_text(pod.labels, store_label) : nullptr;
    if (!uid) continue;
    if (const auto known = serving_names_.find(*uid); known != serving_names_.end() && known->second == name) continue;
    const auto store = std::find_if(catalog_.stores().begin(), catalog_.stores().end(),
                                    [&](const auto& each) { return each.second.meta.object.uid == *uid; });
    if (store == catalog_.stores().end() || name == serving_name(store->second)) continue;
    const TimePoint since = outdated_since_.try_emplace(name, now).first->second;
    const bool waits = store->second.spec.kind == StoreKind::node_directory && now - since < readers_patience;
    const std::string key = "Pod/" + name;
    if (!waits && writes_.free(key, now)) writes_.send(key, deletion_of(pods_path_of(work_.name_space) + '/' + name));
  }
}

void ResourceReconciler::write_stores(TimePoint now) {
  end_outdated_pods(now);
  std::erase_if(used_written_, [this](const auto& written) { return !catalog_.stores().contains(written.first); });
  std::erase_if(gone_since_, [this](const auto& gone) { return !catalog_.stores().contains(gone.first); });
  int begun = 0;
  for (const auto& [name, store] : catalog_.stores()) {
    const std::string served = store.spec.endpoint.empty() ? served_at(store, begun, now) : "";
    const std::string& endpoint = store.spec.endpoint.empty() ? served : store.spec.endpoint;
    const std::string found = store.status.node_uid.empty() ? catalog_.node_uid(store) : "";
    const std::string& node_uid = store.status.node_uid.empty() ? found : store.status.node_uid;
    const bool moved = endpoint != store.status.endpoint || node_uid != store.status.node_uid ||
                       store.status.observed_generation != store.meta.generation;
    const bool other_use = used(name) != store.status.used && now - used_written_[name] >= used_is_written_every;
    if (!moved && !other_use) continue;
    const std::string key = write_key(DataKind::data_store, store.meta.object);
    if (!writes_.free(key, now)) continue;
    used_written_[name] = now;
    const std::string body = store_patch(store, {0, used(name), endpoint, node_uid, {}, {}});
    writes_.say(key, "use", body, patch_of(resource_path(DataKind::data_store, store.meta.object) + "/status", body),
                catalog_.learner(DataKind::data_store));
  }
}

}  // namespace lips::kubernetes
