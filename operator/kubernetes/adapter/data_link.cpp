#include "kubernetes/adapter/data_link.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <set>
#include <variant>

#include "kubernetes/data/contents_digest.h"
#include "kubernetes/data/mover_options.h"

namespace lips::kubernetes {
namespace {

BlockId block_id(const ModelIndex::KnownDataSet* known, std::uint32_t block) {
  return known && block < known->blocks ? BlockId(known->first.index() + block) : BlockId::none();
}

struct KnownRun {
  BlockId first;
  std::uint32_t count = 0;
};

// Those of the blocks that the model knows in that store, in runs.
std::vector<KnownRun> known_runs(const ModelIndex& index, StoreId store, const std::string& data_set,
                                 const BlockRanges& blocks) {
  const ModelIndex::KnownDataSet* known = index.data_set(data_set);
  std::vector<KnownRun> runs;
  if (!known || !store.valid()) return runs;
  for (const BlockRanges::Range& range : blocks.ranges())
    if (range.first < known->blocks)
      runs.push_back(
          {BlockId(known->first.index() + range.first), std::min(range.last, known->blocks - 1) - range.first + 1});
  return runs;
}

// The first block from `from` to before `end` that is not among these; none: all are.
std::optional<std::uint32_t> first_missing(const BlockRanges& there, std::uint32_t from, std::uint32_t end) {
  const std::vector<BlockRanges::Range>& ranges = there.ranges();
  const auto before = [](std::uint32_t block, const BlockRanges::Range& range) { return block < range.first; };
  auto place = std::upper_bound(ranges.begin(), ranges.end(), from, before);
  if (place != ranges.begin()) --place;
  for (; place != ranges.end() && from < end; ++place) {
    if (place->last < from) continue;
    if (place->first > from) return from;
    from = place->last + 1;
  }
  return from < end ? std::optional(from) : std::nullopt;
}

constexpr Duration longest_without_object = std::chrono::minutes(10);  // until the mover has made a DataMove

// True: the other blocks of its stripe suffice to decode the block.
bool decodes(const DataLayout& layout, std::uint32_t block, const BlockRanges& readable) {
  if (layout.code.n == 0) return false;
  std::uint32_t natives = 0, there = 0;
  for (const std::uint32_t one : layout.stripe_of(block)) {
    natives += one < layout.native;
    there += readable.contains(one);
  }
  return there >= natives;
}

}  // namespace

DataLink::Place DataLink::place_of(const MoveRequest& request) { return {request.data_set, request.block, request.to}; }

DataLink::DataLink(Surroundings around, DataSettings settings)
    : settings_(std::move(settings)),
      node_(std::move(around.node)),
      nodes_version_(std::move(around.nodes_version)),
      catalog_(settings_.mover.work.name_space, settings_.tenants),
      mover_(around.client, catalog_, around.events, settings_.mover, around.may_act, around.is_read),
      progress_(progress_bounds(settings_.mover)) {}

void DataLink::take(const DataSetChanged& change) {
  sets_.erase(change.data_set);
  digests_.clear();
  const CatalogDataSet* set = catalog_.data_set(change.data_set);
  if (!set || !set->usable()) return;
  sets_[change.data_set] = {change.data_set, *set->layout, {}};
}

void DataLink::take_replicas(const ReplicasAppeared& change, const ModelIndex& index,
                             std::vector<ClusterEvent>& events) {
  const auto set = sets_.find(change.data_set);
  if (set == sets_.end()) return;
  StoredBlocks& held = set->second.stores[change.store];
  held.blocks.add(change.blocks);
  if (change.extra)
    held.extra.add(change.blocks);
  else
    held.extra.remove(change.blocks);
  forget_drops(change.data_set, change.store, change.blocks);
  const StoreId store = index.store(change.store);
  for (const KnownRun& run : known_runs(index, store, change.data_set, change.blocks))
    events.emplace_back(ReplicaAdded{run.first, {store, change.extra, {}}, run.count});
}

void DataLink::take_replicas(const ReplicasGone& change, const ModelIndex& index, std::vector<ClusterEvent>& events) {
  const auto set = sets_.find(change.data_set);
  if (set == sets_.end()) return;
  if (const auto held = set->second.stores.find(change.store); held != set->second.stores.end()) {
    held->second.blocks.remove(change.blocks);
    held->second.extra.remove(change.blocks);
    if (held->second.blocks.empty()) set->second.stores.erase(held);
  }
  forget_drops(change.data_set, change.store, change.blocks);
  const StoreId store = index.store(change.store);
  for (const KnownRun& run : known_runs(index, store, change.data_set, change.blocks))
    events.emplace_back(ReplicaRemoved{run.first, store, run.count});
}

void DataLink::forget_drops(const std::string& data_set, const std::string& store, const BlockRanges& blocks) {
  const auto end = std::find_if(dropping_.lower_bound({data_set, 0, ""}), dropping_.end(),
                                [&](const auto& place) { return std::get<0>(place.first) != data_set; });
  for (auto place = dropping_.lower_bound({data_set, 0, ""}); place != end;) {
    const auto& [set, block, held_by] = place->first;
    place = held_by == store && blocks.contains(block) ? dropping_.erase(place) : std::next(place);
  }
}

bool DataLink::poll(const ModelIndex& index, bool listed, TimePoint now, std::vector<ClusterEvent>& events) {
  bool must_list = false;
  readable_.clear();
  std::vector<ClusterEvent> said;
  if (node_ && nodes_version_ && std::exchange(reviewed_nodes_version_, nodes_version_()) != nodes_version_())
    catalog_.use_nodes(node_);
  for (const CatalogChange& change : catalog_.poll()) {
    if (const auto* appeared = std::get_if<ReplicasAppeared>(&change)) {
      // For a new set or store the resync reports it.
      take_replicas(*appeared, index, said);
      readable_.clear();
      must_list |= std::exchange(lost_some_, false);
    } else if (const auto* gone = std::get_if<ReplicasGone>(&change)) {
      take_replicas(*gone, index, said);
      readable_.clear();
      const auto set = sets_.find(gone->data_set);
      must_list |= set != sets_.end() && !readable_blocks(set->second, index).contains(gone->blocks);
    } else {
      must_list = true;
      if (const auto* set = std::get_if<DataSetChanged>(&change)) take(*set);
      if (const auto* none = std::get_if<DataSetGone>(&change)) sets_.erase(none->data_set);
    }
  }
  if (must_list)
    std::erase_if(dropping_, [this](const auto& place) { return !catalog_.data_set(std::get<0>(place.first)); });
  mover_.tick(now);
  for (const MoveOutcome& outcome : mover_.take_outcomes()) {
    const MoveRequest& request = outcome.request;
    const auto requested = std::find(requested_.begin(), requested_.end(), place_of(request));
    if (requested == requested_.end()) continue;
    requested_.erase(requested);
    const CatalogDataSet* set = catalog_.data_set(request.data_set);
    if (set && set->usable() && request.block < set->layout->count())
      ended_.push_back(
          {pool_of_data(request.data_set), outcome.committed, mebibytes(set->layout->span(request.block).size)});
    if (request.id && moves_.erase(*request.id) > 0) said.emplace_back(MoveEnded{*request.id, outcome.committed});
  }
  keep_not_dropped(index, said);
  if (progress_due_.due(now)) end_stalled(now, said);
  review_moves_of_others(said);
  if (listed && !must_list) std::move(said.begin(), said.end(), std::back_inserter(events));
  return must_list;
}

// The blocks and the target of a move under way.
std::set<DataLink::Place> DataLink::places_of(const DataMoveResource& move) const {
  const std::string set_name = move.data_set_key();
  const CatalogDataSet* set = catalog_.data_set(set_name);
  const HeldBlocks* held = set ? find_held(set->object, move.spec.from) : nullptr;
  const BlockRanges all = held ? held->blocks : BlockRanges();
  std::set<Place> places;
  for (const std::uint32_t block : (move.status.began() ? move.status.blocks : move.spec.blocks.value_or(all)).blocks())
    places.insert({set_name, block, move.spec.to});
  return places;
}

// Moves under way that this process did not request and that get further, by block and target.
std::map<DataLink::Place, MoveEntry> DataLink::moves_of_others() const {
  std::set<Place> own;
  for (const auto& [id, move] : moves_) own.insert({move.data_set, move.block, move.to});
  std::map<Place, MoveEntry> result;
  for (const auto& [name, move] : catalog_.moves()) {
    if (!MoveProgress::is_under_way(move) || progress_.is_stalled(name)) continue;
    for (const Place& place : places_of(move))
      if (!own.contains(place))
        result.try_emplace(
            place, MoveEntry{MoveId::none(), std::get<0>(place), std::get<1>(place), move.spec.from, move.spec.to});
  }
  return result;
}

// Ends moves of the plan that get no further, for those who wait; the mover goes on with them.
void DataLink::end_stalled(TimePoint now, std::vector<ClusterEvent>& events) {
  if (progress_.review(catalog_.moves(), now)) others_reviewed_ = 0;
  std::erase_if(begun_, [this](const auto& begun) { return !moves_.contains(begun.first); });
  if (moves_.empty()) return;
  std::set<Place> stalled, others;
  for (const auto& [name, move] : catalog_.moves())
    if (MoveProgress::is_under_way(move)) (progress_.is_stalled(name) ? stalled : others).merge(places_of(move));
  for (auto own = moves_.begin(); own != moves_.end();) {
    const Place place{own->second.data_set, own->second.block, own->second.to};
    const TimePoint begun = begun_.try_emplace(own->first, now).first->second;
    const bool ends = !others.contains(place) && (stalled.contains(place) || now - begun >= longest_without_object);
    if (ends) events.emplace_back(MoveEnded{own->first, false});
    own = ends ? moves_.erase(own) : std::next(own);
  }
}

std::optional<DataLink::StalledMoves> DataLink::stalled_moves() const {
  const auto& stalled = progress_.stalled();
  if (stalled.empty()) return std::nullopt;
  const auto first = std::min_element(stalled.begin(), stalled.end(), [](const auto& a, const auto& b) {
    return std::pair(a.second, a.first) < std::pair(b.second, b.first);
  });
  const auto move = catalog_.moves().find(first->first);
  const std::string why = move == catalog_.moves().end() ? "" : move->second.status.message;
  return StalledMoves{fmt::format("{}{} got no further, so no task waits for {}{}{}", first->first,
                                  stalled.size() > 1 ? fmt::format(" and {} others have", stalled.size() - 1) : " has",
                                  stalled.size() > 1 ? "their copies" : "its copy", why.empty() ? "" : ": ", why),
                      first->second};
}

// Reports the end of listed moves. The next resync reports moves that begin meanwhile; if the policy wants the same
// move until then, the mover finds the existing DataMove.
void DataLink::review_moves_of_others(std::vector<ClusterEvent>& events) {
  if (others_.empty() || others_reviewed_ == catalog_.version()) return;
  others_reviewed_ = catalog_.version();
  const std::map<Place, MoveEntry> now = moves_of_others();
  for (auto other = others_.begin(); other != others_.end();) {
    if (now.contains(other->first)) {
      ++other;
      continue;
    }
    const auto& [data_set, block, to] = other->first;
    const CatalogDataSet* set = catalog_.data_set(data_set);
    const HeldBlocks* held = set ? find_held(set->object, to) : nullptr;
    events.emplace_back(MoveEnded{other->second.id, held && held->blocks.contains(block)});
    other = others_.erase(other);
  }
}

void DataLink::keep_not_dropped(const ModelIndex& index, std::vector<ClusterEvent>& events) {
  for (const DropRequest& kept : mover_.take_not_dropped()) {
    const auto dropping = dropping_.extract(Place{kept.data_set, kept.block, kept.store});
    if (dropping.empty()) continue;
    const BlockId id = block_id(index.data_set(kept.data_set), kept.block);
    const StoreId store = index.store(kept.store);
    if (id.valid() && store.valid()) events.emplace_back(ReplicaAdded{id, {store, dropping.mapped(), {}}});
  }
}

DataSetEntry DataLink::without_dropped(DataSetEntry set) const {
  set.pool = pool_of_data(set.name);
  for (auto dropping = dropping_.lower_bound({set.name, 0, ""}); dropping != dropping_.end(); ++dropping) {
    const auto& [name, block, store] = dropping->first;
    if (name != set.name) break;
    const auto held = set.stores.find(store);
    if (held == set.stores.end()) continue;
    held->second.blocks.remove(BlockRanges::one(block));
    held->second.extra.remove(BlockRanges::one(block));
  }
  return set;
}

const DataView& DataLink::view() {
  readable_.clear();
  view_ = {};
  for (const auto& [name, pool] : catalog_.pools())
    view_.pools.push_back({name, catalog_.weight_of(pool), Cores(pool.spec.minimum), Cores(pool.spec.maximum),
                           UsdPerCpuSecond(pool.spec.shortfall_usd_per_cpu_hour / 3600.0), pool.spec.targets,
                           pool.spec.reclaim});
  for (const auto& [name, store] : catalog_.stores()) {
    const StoreKind kind = store.spec.kind;
    view_.stores.push_back({name, kind, store.spec.zone, store.spec.node, mebibytes(store.spec.capacity),
                            settings_.storage_price ? settings_.storage_price(kind) : UsdPerMebibyteHour(0),
                            kind == StoreKind::regional_bucket ? store.spec.region : ""});
  }
  for (const auto& [name, set] : sets_) view_.data_sets.push_back(without_dropped(set));
  for (const auto& [id, move] : moves_) view_.moves.push_back(move);
  std::map<Place, MoveEntry> others = moves_of_others();
  for (auto& [place, move] : others) {
    const auto known = others_.find(place);
    move.id = known != others_.end() ? known->second.id : MoveId(++last_move_);
    view_.moves.push_back(move);
  }
  others_ = std::move(others);
  return view_;
}

void DataLink::start(MoveId id, const DataMove& move, const ModelIndex& index) {
  const auto [data_set, block] = index.block_name(move.block);
  MoveRequest request;
  request.id = id;
  request.data_set = data_set;
  request.block = block;
  request.from = index.store_name(move.from);
  request.to = index.store_name(move.to);
  request.drop_source = move.drop_source;
  request.extra = !move.drop_source;
  requested_.push_back(place_of(request));
  moves_[id] = {id, data_set, block, request.from, request.to};
  last_move_ = std::max(last_move_, id.index());
  mover_.start(request);
}

std::string DataLink::zone_of(const std::string& store) const {
  const DataStoreResource* known = catalog_.store(store);
  if (!known) return "";
  return end_kind(known->spec.kind) == EndKind::zone ? known->spec.zone : "store/" + store;
}

// Says whether a move that brings the block into that zone is under way.
bool DataLink::comes_to(const std::string& data_set, std::uint32_t block, const std::string& zone) const {
  const auto brings_it = [&](const Place& place) {
    const auto& [name, number, to] = place;
    return name == data_set && number == block && zone_of(to) == zone;
  };
  if (std::any_of(requested_.begin(), requested_.end(), brings_it)) return true;
  for (auto other = others_.lower_bound({data_set, block, ""}); other != others_.end(); ++other) {
    const auto& [name, number, to] = other->first;
    if (name != data_set || number != block) return false;
    if (zone_of(to) == zone) return true;
  }
  return false;
}

void DataLink::keep_copy(const PodRecord& reader, const std::string& store) {
  const std::string zone = zone_of(store);
  for (const BlockRun& run : reader.reads)
    for (std::uint32_t block = run.first; block < run.first + run.count; ++block) {
      const DataStoreResource* from = holder(run.data_set, block, reader.read_from);
      const DataStoreResource* near = holder(run.data_set, block, store);
      if (!from || !near || zone_of(near->meta.object.name) == zone || comes_to(run.data_set, block, zone)) continue;
      const MoveRequest request{{}, run.data_set, block, from->meta.object.name, store, false, true};
      requested_.push_back(place_of(request));
      mover_.start(request);
    }
}

void DataLink::drop(const ReplicaDrop& drop, const ModelIndex& index, std::vector<ClusterEvent>& events) {
  const auto [data_set, block] = index.block_name(drop.block);
  const std::string& store = index.store_name(drop.store);
  const auto set = sets_.find(data_set);
  if (set == sets_.end()) return;
  const auto held = set->second.stores.find(store);
  if (held == set->second.stores.end() || !held->second.blocks.contains(block)) return;
  if (!dropping_.try_emplace(Place{data_set, block, store}, held->second.extra.contains(block)).second) return;
  readable_.clear();
  events.emplace_back(ReplicaRemoved{drop.block, drop.store});
  mover_.drop({data_set, block, store});
}

std::map<MovePhase, std::uint64_t> DataLink::moves_by_phase() const {
  using enum MovePhase;
  std::map<MovePhase, std::uint64_t> count{{pending, 0}, {copying, 0}, {verifying, 0}, {committed, 0}, {failed, 0}};
  for (const auto& [name, move] : catalog_.moves()) ++count[move.status.phase == none ? pending : move.status.phase];
  return count;
}

std::string DataLink::pool_of_data(const std::string& data_set) const {
  const std::string name_space = data_set.substr(0, data_set.find('/'));
  return catalog_.pool_for(name_space, "").value_or(name_space);
}

std::vector<UnownedInStore> DataLink::unowned() const {
  std::vector<UnownedInStore> stores;
  for (const auto& [name, store] : catalog_.stores()) {
    if (!store.status.unowned || store.status.unowned->copies == 0) continue;
    const UnownedCopies& found = *store.status.unowned;
    UnownedInStore& entry = stores.emplace_back(UnownedInStore{name, "", found.copies, found.bytes, {}});
    if (!found.examples.empty()) entry.example = found.examples[0].path, entry.since = found.examples[0].since;
  }
  std::stable_sort(stores.begin(), stores.end(), [](const auto& a, const auto& b) { return a.bytes > b.bytes; });
  return stores;
}

bool DataLink::may_read(const std::string& data_set, const std::string& name_space) const {
  const CatalogDataSet* set = catalog_.data_set(data_set);
  return set && kubernetes::may_read(set->object, name_space);
}

Result<std::vector<BlockRun>> DataLink::data_under(const std::string& path, const std::string& name_space) const {
  const Result<DataPath> read = read_data_path(path);
  if (!read) return tl::unexpected(read.error());
  return kubernetes::data_under(*read, catalog_, name_space);
}

const DataStoreResource* DataLink::holder(const std::string& data_set, std::uint32_t block,
                                          const std::string& wanted) const {
  const auto set = sets_.find(data_set);
  if (set == sets_.end()) return nullptr;
  const DataStoreResource* first = catalog_.store(wanted);
  const DataStoreResource* best = nullptr;
  for (const auto& [name, held] : set->second.stores) {
    if (!held.blocks.contains(block)) continue;
    const DataStoreResource* store = catalog_.store(name);
    if (!store) continue;
    if (name == wanted) return store;
    const bool near = first && zone_of(name) == zone_of(wanted);
    if (!best || near) best = store;
  }
  return best;
}

std::optional<std::string> DataLink::contents(const BlockRun& run, std::uint32_t native_blocks) const {
  const auto place = sets_.find(run.data_set);
  const CatalogDataSet* set = catalog_.data_set(run.data_set);
  if (place == sets_.end() || !set || place->second.layout.native != native_blocks) return std::nullopt;
  if (!set->layout || !(place->second.layout == *set->layout)) return std::nullopt;
  const std::string& uid = set->object.meta.object.uid;
  std::string& digest = digests_[{uid, run.first, run.count}];
  if (digest.empty()) digest = contents_digest(uid, place->second.layout, run.first, run.count);
  return digest;
}

const BlockRanges& DataLink::readable_blocks(const DataSetEntry& set, const ModelIndex& index) const {
  const auto [place, fresh] = readable_.try_emplace(set.name);
  if (!fresh) return place->second;
  for (const auto& [store, held] : set.stores) {
    if (!index.store(store).valid() || !catalog_.readable(store)) continue;
    BlockRanges stays = held.blocks;
    for (auto drop = dropping_.lower_bound({set.name, 0, ""}); drop != dropping_.end(); ++drop) {
      if (std::get<0>(drop->first) != set.name) break;
      if (std::get<2>(drop->first) == store) stays.remove(BlockRanges::one(std::get<1>(drop->first)));
    }
    place->second.add(stays);
  }
  return place->second;
}

std::string DataLink::words_of_loss(const DataSetEntry& set, std::uint32_t block) const {
  const std::string what = fmt::format("block {} of data set '{}'", block, set.name);
  for (const auto& [name, held] : set.stores) {
    const DataStoreResource* store = held.blocks.contains(block) ? catalog_.store(name) : nullptr;
    if (!store) continue;
    if (store->spec.kind != StoreKind::node_directory)
      return fmt::format("{} is in store {}, whose zone is not known", what, name);
    const bool there = node_ && !node_(store->spec.node).uid.empty();
    return fmt::format("{} is in store {}, whose node {} is {}", what, name, store->spec.node,
                       there ? "not ready" : "not there");
  }
  return fmt::format("no store has {}", what);
}

std::string DataLink::why_lost(const BlockRun& run, const ModelIndex& index) const {
  const auto set = sets_.find(run.data_set);
  if (set == sets_.end() || run.count == 0) return "";
  const BlockRanges& readable = readable_blocks(set->second, index);
  const std::uint32_t end = run.first + run.count;
  std::optional<std::uint32_t> lost = first_missing(readable, run.first, end);
  // A task decodes the first of its blocks alone.
  if (lost == run.first && decodes(set->second.layout, run.first, readable))
    lost = first_missing(readable, run.first + 1, end);
  if (!lost) return "";
  lost_some_ = true;
  return words_of_loss(set->second, *lost);
}

std::vector<std::string> DataLink::holders(const std::string& data_set, std::uint32_t block) const {
  std::vector<std::string> names;
  const auto set = sets_.find(data_set);
  if (set == sets_.end()) return names;
  for (const auto& [name, held] : set->second.stores)
    if (held.blocks.contains(block) && catalog_.store(name) && !dropping_.contains({data_set, block, name}))
      names.push_back(name);
  return names;
}

PathLookup path_lookup(const DataLink* data) {
  if (!data) return {};
  return [data](const std::string& path, const std::string& name_space) { return data->data_under(path, name_space); };
}

ContentsOf contents_lookup(const DataLink* data, const ModelIndex& index) {
  return [data, &index](const BlockRun& run) -> std::optional<std::string> {
    const ModelIndex::KnownDataSet* known = index.data_set(run.data_set);
    return data && known ? data->contents(run, known->native_blocks) : std::nullopt;
  };
}

WhyLost loss_lookup(const DataLink* data, const ModelIndex& index) {
  if (!data) return {};
  return [data, &index](const BlockRun& run) { return data->why_lost(run, index); };
}

MayRead read_permission(const DataLink* data) {
  return [data](const std::string& data_set, const std::string& name_space) {
    return data && data->may_read(data_set, name_space);
  };
}

}  // namespace lips::kubernetes
