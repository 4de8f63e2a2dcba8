#include "kubernetes/data/data_catalog.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "kubernetes/data/data_set_codec.h"
#include "kubernetes/data/resource_codec.h"

namespace lips::kubernetes {
namespace {

std::string seen_of(const NodeOfStore& node) { return node.gone ? "-" : node.uid; }

bool is_older(const ObjectMeta& arrived, const ObjectMeta& own) {
  return arrived.uid == own.uid && version_number(arrived.resource_version) < version_number(own.resource_version);
}

template <class Map, class Object>
void keep_newest(Map& map, const ObjectMeta& meta, Object object) {
  const auto place = map.find(full_name(meta));
  if (place == map.end())
    map.emplace(full_name(meta), std::move(object));
  else
    place->second = std::move(object);
}

}  // namespace

class DataCatalog::Sink : public ObjectSink {
 public:
  Sink(DataCatalog& catalog, Kind kind) : catalog_(catalog), kind_(kind) {}
  void changed(const ObjectMeta& meta, std::string_view json) override { catalog_.post(arrival(kind_, meta, json)); }
  void deleted(const ObjectMeta& meta) override { catalog_.post({kind_, Arrival::What::deleted, meta, {}, {}, 0}); }
  void complete(std::uint64_t) override { catalog_.post({kind_, Arrival::What::complete, {}, {}, {}, 0}); }
  void failed(const Error&) override {}
  void set_back(const SetBack&) override { catalog_.post({kind_, Arrival::What::set_back, {}, {}, {}, 0}); }

 private:
  DataCatalog& catalog_;
  Kind kind_;
};

DataCatalog::DataCatalog(std::string name_space, TenantRules rules)
    : name_space_(std::move(name_space)), rules_(std::move(rules)), limits_(rules_) {
  for (std::size_t kind = 0; kind < kind_count; ++kind)
    sinks_.push_back(std::make_unique<Sink>(*this, static_cast<Kind>(kind)));
}

DataCatalog::~DataCatalog() = default;

std::vector<DataCatalog::Informer> DataCatalog::informers() const {
  std::vector<Informer> result;
  for (std::size_t i = 0; i < std::size(data_kinds); ++i)
    result.push_back({all_resources_path(data_kinds[i]), "", sinks_[i].get()});
  const std::string ours = std::string("labelSelector=") + percent_encoded(role_label);
  const std::string folder = "/namespaces/" + percent_encoded(name_space_);
  result.push_back({"/apis/batch/v1" + folder + "/jobs", ours, sinks_[4].get()});
  result.push_back({"/api/v1" + folder + "/pods", ours, sinks_[5].get()});
  return result;
}

DataCatalog::Arrival DataCatalog::arrival(Kind kind, const ObjectMeta& meta, std::string_view json) {
  Arrival result{kind, Arrival::What::changed, meta, {}, {}, json.size()};
  const auto keep = [&](auto decoded) {
    if (decoded) {
      result.object = *std::move(decoded);
      return;
    }
    result.what = Arrival::What::malformed;
    const auto data_kind = static_cast<DataKind>(std::min<std::size_t>(static_cast<std::size_t>(kind), 3));
    const auto rest = decode_conditions(data_kind, json);
    result.finding = {data_kind,
                      rest ? rest->meta : ResourceMeta{},
                      rest ? rest->conditions : std::vector<ObjectCondition>{},
                      {false, FindingReason::malformed, decoded.error().message}};
    result.finding.meta.object = meta;
  };
  switch (kind) {
    case Kind::data_set:
      keep(decode_data_set(json));
      break;
    case Kind::data_store:
      keep(decode_data_store(json));
      break;
    case Kind::pool:
      keep(decode_pool(json));
      break;
    case Kind::data_move:
      keep(decode_data_move(json));
      break;
    case Kind::job:
      keep(decode_work_job(json));
      break;
    case Kind::pod:
      keep(decode_work_pod(json));
      break;
  }
  return result;
}

void DataCatalog::learn(DataKind kind, const std::string& json) {
  const auto rest = decode_conditions(kind, json);
  if (rest) post(arrival(static_cast<Kind>(kind), rest->meta.object, json));
}

void DataCatalog::say_too_large(const std::string& data_set, std::string why) {
  const auto place = data_sets_.find(data_set);
  if (place == data_sets_.end()) return;
  const auto before = too_large_.find(data_set);
  if (before == too_large_.end() ? why.empty() : before->second.why == why) return;
  const ResourceMeta& meta = place->second.object.meta;
  if (why.empty())
    too_large_.erase(before);
  else
    too_large_[data_set] = {meta.object.uid, std::move(why), meta.generation};
  sets_touched_.insert(data_set);
}

std::vector<CatalogChange> DataCatalog::poll() {
  std::vector<Arrival> arrived = std::exchange(arrived_, {});
  version_ += arrived.size();
  for (Arrival& each : arrived) take(each);
  std::vector<CatalogChange> changes;
  review_stores(changes);
  review_pools(changes);
  review_data_sets(changes);
  return changes;
}

void DataCatalog::take(Arrival& arrival) {
  const std::string name = full_name(arrival.meta);
  unread_.erase({arrival.kind, name});
  switch (arrival.what) {
    case Arrival::What::complete:
      listed_.insert(arrival.kind);
      set_back_.erase(arrival.kind);
      break;
    case Arrival::What::set_back:
      set_back_.insert(arrival.kind);
      break;
    case Arrival::What::changed:
      take_object(arrival);
      break;
    case Arrival::What::deleted:
      remove(arrival.kind, name);
      break;
    case Arrival::What::malformed:
      remove(arrival.kind, name);
      unread_[{arrival.kind, name}] = arrival.meta.uid;
      if (arrival.kind != Kind::job && arrival.kind != Kind::pod)
        findings_[{arrival.finding.kind, name}] = std::move(arrival.finding);
      break;
  }
}

void DataCatalog::take_object(Arrival& arrival) {
  const std::string name = full_name(arrival.meta);
  switch (arrival.kind) {
    case Kind::data_set: {
      auto& set = std::get<DataSetResource>(*arrival.object);
      const auto place = data_sets_.find(name);
      if (place != data_sets_.end() && !set_back_.contains(Kind::data_set) &&
          is_older(arrival.meta, place->second.object.meta.object))
        return;
      CatalogDataSet& own = data_sets_[name];
      own.layout = layout_of(set);
      own.object = std::move(set);
      own.bytes = arrival.bytes;
      if (own.object.spec.discover.source != DiscoveryRequest::Source::none)
        to_discover_[name] = &own;
      else
        to_discover_.erase(name);
      sets_touched_.insert(name);
      break;
    }
    case Kind::data_store: {
      auto& store = std::get<DataStoreResource>(*arrival.object);
      const auto known = stores_.find(name);
      if (known == stores_.end() || known->second.spec.allowed_name_spaces != store.spec.allowed_name_spaces)
        store_set_changed_ = true;
      faulty_stores_.erase(name);
      keep_newest(stores_, arrival.meta, std::move(store));
      stores_touched_.insert(name);
      break;
    }
    case Kind::pool:
      faulty_pools_.erase(name);
      keep_newest(pools_, arrival.meta, std::get<PoolResource>(*std::move(arrival.object)));
      pools_touched_.insert(name);
      break;
    case Kind::data_move: {
      const auto place = moves_.find(name);
      if (place != moves_.end() && !set_back_.contains(Kind::data_move) &&
          is_older(arrival.meta, place->second.meta.object))
        return;
      keep_newest(moves_, arrival.meta, std::get<DataMoveResource>(*std::move(arrival.object)));
      break;
    }
    case Kind::job:
      keep_newest(jobs_, {"", arrival.meta.name, "", ""}, std::get<WorkJob>(*std::move(arrival.object)));
      break;
    case Kind::pod:
      keep_newest(pods_, {"", arrival.meta.name, "", ""}, std::get<WorkPod>(*std::move(arrival.object)));
      break;
  }
}

void DataCatalog::remove(Kind kind, const std::string& name) {
  if (kind <= Kind::data_move) findings_.erase({static_cast<DataKind>(kind), name});
  const std::string own_name = name.substr(name.find('/') + 1);
  switch (kind) {
    case Kind::data_set:
      to_discover_.erase(name);
      data_sets_.erase(name);
      limits_.forget(name);
      sets_touched_.insert(name);
      break;
    case Kind::data_store:
      stores_.erase(name);
      faulty_stores_.erase(name);
      stores_touched_.insert(name);
      store_set_changed_ = true;
      break;
    case Kind::pool:
      pools_.erase(name);
      faulty_pools_.erase(name);
      pools_touched_.insert(name);
      break;
    case Kind::data_move:
      moves_.erase(name);
      break;
    case Kind::job:
      jobs_.erase(own_name);
      break;
    case Kind::pod:
      pods_.erase(own_name);
      break;
  }
}

void DataCatalog::note(DataKind kind, const ResourceMeta& meta, const std::vector<ObjectCondition>& conditions,
                       const Finding& finding) {
  const ObjectCondition* ready = find_condition(conditions, "Ready");
  const ConditionStatus wanted = finding.wrong() ? ConditionStatus::no : ConditionStatus::yes;
  const auto key = std::pair(kind, full_name(meta.object));
  if (ready && ready->status == wanted && ready->reason == to_string(finding.reason) &&
      ready->message == finding.message)
    findings_.erase(key);
  else
    findings_[key] = {kind, meta, conditions, finding};
}

void DataCatalog::review_stores(std::vector<CatalogChange>& changes) {
  if (stores_touched_.empty()) return;
  // A store that overlapped another may be valid now that the other is gone.
  for (auto& [name, store] : faulty_stores_) {
    stores_touched_.insert(name);
    stores_.emplace(name, std::move(store));
  }
  faulty_stores_.clear();
  std::vector<std::string> faulty;
  for (const std::string& name : stores_touched_) {
    const auto place = stores_.find(name);
    if (place == stores_.end()) {
      observed_nodes_.erase(name);
      store_set_changed_ |= gone_stores_.erase(name) > 0;
      if (reported_stores_.erase(name) > 0) changes.emplace_back(StoreGone{name});
      continue;
    }
    const NodeOfStore node{node_uid(place->second), is_gone(place->second)};
    observed_nodes_[name] = seen_of(node);
    store_set_changed_ |= node.gone ? gone_stores_.insert(name).second : gone_stores_.erase(name) > 0;
    const Finding finding = review(place->second, stores_, node);
    note(DataKind::data_store, place->second.meta, place->second.status.conditions, finding);
    if (!finding.usable) faulty.push_back(name);
  }
  for (const std::string& name : faulty) {
    faulty_stores_.insert(stores_.extract(name));
    if (reported_stores_.erase(name) > 0) changes.emplace_back(StoreGone{name});
    store_set_changed_ = true;
  }
  for (const std::string& name : stores_touched_)
    if (stores_.contains(name)) {
      reported_stores_.insert(name);
      changes.emplace_back(StoreChanged{name});
    }
  stores_touched_.clear();
}

void DataCatalog::review_pools(std::vector<CatalogChange>& changes) {
  if (pools_touched_.empty()) return;
  for (const std::string& name : pools_touched_)
    if (!pools_.contains(name) && reported_pools_.erase(name) > 0) changes.emplace_back(PoolGone{name});
  for (auto& [name, pool] : faulty_pools_) pools_.emplace(name, std::move(pool));
  faulty_pools_.clear();
  std::vector<std::string> faulty;
  for (const auto& [name, pool] : pools_) {
    const Finding finding = review(pool, pools_);
    note(DataKind::pool, pool.meta, pool.status.conditions, finding);
    if (!finding.usable) faulty.push_back(name);
  }
  for (const std::string& name : faulty) {
    faulty_pools_.insert(pools_.extract(name));
    if (reported_pools_.erase(name) > 0) changes.emplace_back(PoolGone{name});
  }
  pools_touched_.clear();
  // The share of a pool depends on its siblings, so all are reported, but not for a mere change of a status.
  std::map<std::string, PoolSpec> specs;
  for (const auto& [name, pool] : pools_) specs[name] = pool.spec;
  if (std::exchange(reported_pools_, specs) == specs) return;
  for (const auto& [name, pool] : pools_) changes.emplace_back(PoolChanged{name});
}

void DataCatalog::review_data_sets(std::vector<CatalogChange>& changes) {
  if (store_set_changed_)
    for (const auto& [name, set] : data_sets_) sets_touched_.insert(name);
  store_set_changed_ = false;
  for (const std::string& name : sets_touched_) {
    const auto place = data_sets_.find(name);
    if (place != data_sets_.end() && place->second.layout)
      limits_.put(name, size_in_limits(place->second.object, *place->second.layout));
    else
      limits_.forget(name);
  }
  for (std::string& name : limits_.review()) sets_touched_.insert(std::move(name));
  for (const std::string& name : sets_touched_) report_data_set(name, changes);
  looked_at_.merge(sets_touched_);
  sets_touched_.clear();
}

void DataCatalog::report_data_set(const std::string& name, std::vector<CatalogChange>& changes) {
  const auto place = data_sets_.find(name);
  if (place != data_sets_.end()) {
    CatalogDataSet& set = place->second;
    set.finding = review(set.object, set.layout, stores_, rules_, gone_stores_);
    if (std::string why = set.usable() ? limits_.why_beyond(name) : ""; !why.empty())
      set.finding = {false, FindingReason::limit_exceeded, std::move(why)};
    if (const auto large = too_large_.find(name); large != too_large_.end()) {
      const ResourceMeta& meta = set.object.meta;
      if (large->second.uid == meta.object.uid && large->second.generation == meta.generation)
        set.finding = {set.finding.usable, FindingReason::too_large, large->second.why};
      else
        too_large_.erase(large);
    }
    note(DataKind::data_set, set.object.meta, set.object.status.conditions, set.finding);
  } else {
    too_large_.erase(name);
  }
  const bool usable = place != data_sets_.end() && place->second.usable();
  auto reported = reported_sets_.find(name);
  const auto differs = [](const Reported& before, const CatalogDataSet& now) {
    return !(before.layout == *now.layout) || before.readers != now.object.spec.readers;
  };
  if (reported != reported_sets_.end() && (!usable || differs(reported->second, place->second))) {
    changes.emplace_back(DataSetGone{name});
    reported_sets_.erase(reported);
    reported = reported_sets_.end();
  }
  if (!usable) return;
  if (reported == reported_sets_.end()) {
    changes.emplace_back(DataSetChanged{name});
    reported_sets_[name] = {*place->second.layout, place->second.object.spec.readers, {}};
  }
  report_replicas(name, place->second, changes);
}

void DataCatalog::report_replicas(const std::string& name, const CatalogDataSet& set,
                                  std::vector<CatalogChange>& changes) {
  Reported& reported = reported_sets_[name];
  std::map<std::string, Reported::Held> now;
  const BlockRanges existing = BlockRanges::all(set.layout->count());
  for (const HeldBlocks& held : set.object.status.replicas) {
    if (!stores_.contains(held.store)) continue;
    BlockRanges readable = held.blocks.intersection(existing);
    readable.remove(held.leaving);
    if (!readable.empty()) now[held.store] = {readable, readable.intersection(held.extra)};
  }
  const auto report = [&](const std::string& store, const Reported::Held& before, const Reported::Held& after) {
    BlockRanges gone = before.blocks, extra = after.extra, plain = after.blocks;
    gone.remove(after.blocks);
    if (!gone.empty()) changes.emplace_back(ReplicasGone{name, store, gone});
    plain.remove(after.extra);
    BlockRanges was_plain = before.blocks;
    was_plain.remove(before.extra);
    plain.remove(was_plain);
    extra.remove(before.extra);
    if (!plain.empty()) changes.emplace_back(ReplicasAppeared{name, store, plain, false});
    if (!extra.empty()) changes.emplace_back(ReplicasAppeared{name, store, extra, true});
  };
  // Reports new replicas first, so a moved block is never nowhere.
  for (const auto& [store, held] : now)
    report(store, reported.held.contains(store) ? reported.held[store] : Reported::Held{}, held);
  for (const auto& [store, held] : reported.held)
    if (!now.contains(store)) changes.emplace_back(ReplicasGone{name, store, held.blocks});
  reported.held = std::move(now);
}

std::vector<ObjectFinding> DataCatalog::take_findings() {
  std::vector<ObjectFinding> result;
  for (auto& [key, finding] : findings_) result.push_back(std::move(finding));
  findings_.clear();
  return result;
}

const DataStoreResource* DataCatalog::store(const std::string& name) const {
  const auto place = stores_.find(name);
  return place == stores_.end() ? nullptr : &place->second;
}

void DataCatalog::use_nodes(NodeLookup lookup) {
  node_lookup_ = std::move(lookup);
  for (const auto* stores : {&stores_, &faulty_stores_})
    for (const auto& [name, store] : *stores) {
      const auto observed = observed_nodes_.find(name);
      if (observed != observed_nodes_.end() && observed->second != seen_of({node_uid(store), is_gone(store)}))
        stores_touched_.insert(name);
    }
}

bool DataCatalog::is_gone(const DataStoreResource& store) const {
  return store.spec.kind == StoreKind::node_directory && node_lookup_ && node_lookup_(store.spec.node).gone;
}

std::string DataCatalog::node_uid(const DataStoreResource& store) const {
  return store.spec.kind == StoreKind::node_directory && node_lookup_ ? node_lookup_(store.spec.node).uid
                                                                      : std::string();
}

bool DataCatalog::readable(const std::string& name) const {
  const DataStoreResource* known = store(name);
  return known &&
         (known->spec.kind != StoreKind::node_directory || !node_lookup_ || node_lookup_(known->spec.node).ready);
}

std::set<std::string> DataCatalog::shared_files(const std::string& data_set, const std::string& store,
                                                const std::vector<std::string>& paths) const {
  std::set<std::string> shared;
  if (paths.empty()) return shared;
  for (const auto& [name, other] : data_sets_)
    if (name != data_set)
      for (const std::string& path : paths)
        if (!shared.contains(path) && names_original(other.object, other.layout, store, path)) shared.insert(path);
  return shared;
}

const PoolResource* DataCatalog::pool(const std::string& name) const {
  const auto place = pools_.find(name);
  return place == pools_.end() ? nullptr : &place->second;
}

const PoolResource* DataCatalog::pool_of_name_space(const std::string& name_space) const {
  const PoolResource* found = nullptr;
  for (const auto& [name, own] : pools_) {
    const auto& listed = own.spec.name_spaces;
    if (std::find(listed.begin(), listed.end(), name_space) == listed.end()) continue;
    if (!found || own.meta.created < found->meta.created) found = &own;
  }
  return found ? found : pool(name_space);
}

std::optional<PodMode> DataCatalog::mode_of(const std::string& pool) const {
  const PoolResource* found = this->pool(pool);
  return found ? found->spec.mode : std::nullopt;
}

Result<std::string> DataCatalog::pool_for(const std::string& name_space, const std::string& wanted) const {
  const PoolResource* own = pool_of_name_space(name_space);
  const std::string own_name = own ? own->meta.object.name : name_space;
  if (wanted.empty() || wanted == own_name) return own_name;
  const PoolResource* found = pool(wanted);
  if (!found) return fail(ErrorCode::not_found, no_such_pool(wanted));
  const PoolSpec& spec = found->spec;
  const auto lists = [](const std::vector<std::string>& list, const std::string& name) {
    return std::find(list.begin(), list.end(), name) != list.end();
  };
  if (lists(spec.allowed_name_spaces, "*") || lists(spec.allowed_name_spaces, name_space) ||
      lists(spec.name_spaces, name_space))
    return wanted;
  return fail(ErrorCode::invalid_input,
              fmt::format("lips.dev/pool: the Pool '{}' does not take pods of the namespace {}; "
                          "its spec.allowedNamespaces lists those that it takes",
                          wanted, name_space));
}

const CatalogDataSet* DataCatalog::data_set(const std::string& full_name) const {
  const auto place = data_sets_.find(full_name);
  return place == data_sets_.end() ? nullptr : &place->second;
}

}  // namespace lips::kubernetes
