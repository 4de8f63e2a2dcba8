#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/random.h"
#include "model/stripe.h"
#include "simulation/scenario_draft.h"
#include "simulation/stripe_placement.h"

namespace lips::simulation {

namespace {

struct Preset {
  std::string_view name;
  std::uint32_t replicas, zones;
  bool by_rack;
  double hot_share;
  ErasureCode code = {};
};
constexpr std::array<Preset, 8> presets{{{"oneReplica", 1, 1, false, 0},
                                         {"oneZone", 3, 1, false, 0},
                                         {"twoZones", 3, 2, false, 0},
                                         {"hotZone", 3, 1, false, 0.7},
                                         {"skewedTwoZones", 3, 2, false, 0.7},
                                         {"hdfs", 3, 2, true, 0},
                                         {"rs-6-3", 1, 1, false, 0, {9, 6}},
                                         {"rs-10-4", 1, 1, false, 0, {14, 10}}}};

std::optional<Placement> preset_named(const std::string& name) {
  for (const Preset& preset : presets) {
    if (preset.name != name) continue;
    Placement placement;
    placement.replicas = preset.replicas;
    placement.zones_per_block = preset.zones;
    placement.by_rack = preset.by_rack;
    placement.hot_share = preset.hot_share;
    placement.code = preset.code;
    if (preset.hot_share > 0) placement.hot_zone = ZoneId(0);
    return placement;
  }
  return std::nullopt;
}

// Draws the zones, nodes and racks for the replicas of one block after the other.
class BlockPlacer {
 public:
  BlockPlacer(const ScenarioDraft& draft, const ClusterSnapshot& cluster, const Placement& placement,
              std::uint64_t seed)
      : draft_(draft), cluster_(cluster), placement_(placement), random_(seed) {
    for (std::uint32_t zone = 0; zone < draft.nodes_in.size(); ++zone)
      if (!draft.nodes_in[zone].empty()) zones_.emplace_back(zone);
    if (zones_.empty()) find_volumes();
    choose_zones();
  }

  void place(Block& block) {
    if (placement_.store.valid()) {
      block.replicas = {{placement_.store, false, {}}};
      return;
    }
    if (zones_.empty()) return;
    if (placement_.by_rack && volumes_.empty()) return place_by_rack(block);
    if (!placement_.together) choose_zones();
    if (!volumes_.empty()) return place_on_volumes(block);
    for (std::uint32_t copy = 0; copy < placement_.replicas; ++copy) {
      const ZoneId zone = copy == 0 || placement_.zones_per_block == 1 ? first_
                          : copy <= others_.size()                     ? others_[copy - 1]
                                                                       : others_.back();
      add(block, one_of(draft_.nodes_in[zone.index()], block));
    }
  }

 private:
  // Without node directories the volumes hold the data, one replica a zone.
  void find_volumes() {
    volumes_.resize(cluster_.zones.size());
    for (const StoreId store : cluster_.stores.ids())
      if (cluster_.stores[store].kind == StoreKind::zonal_volume && !volumes_[cluster_.stores[store].zone].valid())
        volumes_[cluster_.stores[store].zone] = store;
    for (const ZoneId zone : volumes_.ids())
      if (volumes_[zone].valid()) zones_.push_back(zone);
    if (zones_.empty()) volumes_ = {};
  }
  void place_on_volumes(Block& block) {
    if (!volumes_[first_].valid()) first_ = zones_.front();
    block.replicas.push_back({volumes_[first_], false, {}});
    for (std::uint32_t i = 0; i + 1 < placement_.zones_per_block && i < others_.size(); ++i)
      if (others_[i] != first_) block.replicas.push_back({volumes_[others_[i]], false, {}});
  }
  void choose_zones() {
    if (zones_.empty() || placement_.store.valid() || (placement_.by_rack && volumes_.empty())) return;
    first_ = zones_[random_.below(zones_.size())];
    if (placement_.hot_zone.valid() && random_.uniform() < placement_.hot_share) first_ = placement_.hot_zone;
    others_.clear();
    std::vector<ZoneId> rest = zones_;
    std::erase(rest, first_);
    random_.shuffle(std::span(rest));
    for (std::uint32_t i = 0; i + 1 < placement_.zones_per_block && i < rest.size(); ++i) others_.push_back(rest[i]);
    if (others_.empty()) others_.push_back(first_);
  }
  // As in HDFS: a random node, one of another rack, then others of that rack, then any.
  void place_by_rack(Block& block) {
    const NodeId first = any_node();
    add(block, first);
    if (placement_.replicas < 2) return;
    const RackId home = cluster_.nodes[first].rack;
    NodeId second = one_of(nodes_where([&](RackId rack) { return rack != home; }), block);
    if (!second.valid()) second = one_of(nodes_where([](RackId) { return true; }), block);
    add(block, second);
    for (std::uint32_t copy = 2; copy < placement_.replicas; ++copy) {
      const RackId beside = second.valid() ? cluster_.nodes[second].rack : home;
      NodeId node =
          copy == 2 ? one_of(nodes_where([&](RackId rack) { return rack == beside; }), block) : NodeId::none();
      if (!node.valid()) node = one_of(nodes_where([](RackId) { return true; }), block);
      add(block, node);
    }
  }
  template <class Wanted>
  const std::vector<NodeId>& nodes_where(Wanted wanted) {
    candidates_.clear();
    for (ZoneId zone : zones_)
      for (NodeId node : draft_.nodes_in[zone.index()])
        if (wanted(cluster_.nodes[node].rack)) candidates_.push_back(node);
    return candidates_;
  }
  NodeId any_node() {
    const std::vector<NodeId>& all = nodes_where([](RackId) { return true; });
    return all[random_.below(all.size())];
  }
  NodeId one_of(const std::vector<NodeId>& nodes, const Block& block) {
    for (int attempt = 0; !nodes.empty() && attempt < 8; ++attempt) {
      const NodeId node = nodes[random_.below(nodes.size())];
      if (!block.on(StoreId(node.index()))) return node;
    }
    for (NodeId node : nodes)
      if (!block.on(StoreId(node.index()))) return node;
    return NodeId::none();
  }
  // Node directories come first among the stores, in the order of the nodes.
  static void add(Block& block, NodeId node) {
    if (node.valid()) block.replicas.push_back({StoreId(node.index()), false, {}});
  }

  const ScenarioDraft& draft_;
  const ClusterSnapshot& cluster_;
  const Placement& placement_;
  Random random_;
  std::vector<ZoneId> zones_;
  ZoneId first_;
  std::vector<ZoneId> others_;
  std::vector<NodeId> candidates_;
  IdVector<ZoneId, StoreId> volumes_;  // used where there are no directories
};

std::string described(const Placement& placement) {
  if (placement.store.valid()) return "one store";
  if (placement.code.n > 0)
    return fmt::format("stripes of {} native and {} parity blocks{}", placement.code.k,
                       placement.code.n - placement.code.k, placement.survive_rack ? ", a rack may be lost" : "");
  return fmt::format(
      "{} replica{} in {}{}", placement.replicas, placement.replicas == 1 ? "" : "s",
      placement.by_rack
          ? "racks as HDFS"
          : fmt::format("{} zone{}", placement.zones_per_block, placement.zones_per_block == 1 ? "" : "s"),
      placement.hot_share > 0 ? fmt::format(", {} of the blocks in one hot zone", placement.hot_share) : "");
}

}  // namespace

namespace {

std::vector<NodeId> all_directories(const ScenarioDraft& draft) {
  std::vector<NodeId> nodes;
  for (const std::vector<NodeId>& of_zone : draft.nodes_in) nodes.insert(nodes.end(), of_zone.begin(), of_zone.end());
  return nodes;
}

std::uint32_t most_per_rack(const Placement& placement) {
  return placement.survive_rack ? static_cast<std::uint32_t>(placement.code.n - placement.code.k) : 0;
}

void check_code(YamlMap& fields, std::string_view key, const Placement& placement, ScenarioDraft& draft) {
  if (placement.code.n == 0) return;
  const auto n = static_cast<std::uint32_t>(placement.code.n);
  const std::vector<NodeId> nodes = all_directories(draft);
  if (const std::uint32_t room = stripe_room(draft.cluster(), nodes, 0); room < n)
    return fields.error(key, fmt::format("stripes of {} blocks on {} nodes with a directory", n, room),
                        fmt::format("a code with n up to {}", room));
  if (const std::uint32_t room = stripe_room(draft.cluster(), nodes, most_per_rack(placement)); room < n)
    fields.error(key,
                 fmt::format("stripes of {} blocks, at most {} of them in a rack: racks for {}", n,
                             most_per_rack(placement), room),
                 "more racks, a code with more parity, or surviveRack: false");
}

// erasureCode: {n: 20, k: 15}, alone or with surviveRack.
void read_code(YamlMap& given, Placement& placement, ScenarioDraft& draft) {
  std::optional<YamlMap> code = given.map("erasureCode");
  if (!code) return;
  for (const char* other : {"replicas", "zonesPerBlock", "byRack", "together", "hotZone", "hotShare", "store"})
    if (given.has(other)) given.error(other, "this and erasureCode", "one of them");
  const bool whole = code->require("n") && code->require("k");
  const std::int64_t n = code->integer("n", 9, 2, 255);
  const std::int64_t k = code->integer("k", 6, 1, std::max<std::int64_t>(1, n - 1));
  code->finish();
  placement = Placement();
  placement.replicas = 1;
  placement.survive_rack = given.flag("surviveRack", true);
  if (!whole || k >= n) return;
  placement.code = {static_cast<std::int32_t>(n), static_cast<std::int32_t>(k)};
  check_code(given, "erasureCode", placement, draft);
}

}  // namespace

Placement read_placement(YamlMap& fields, ScenarioDraft& draft) {
  if (!fields.has("placement")) return draft.placement;
  if (!fields.is_map("placement")) {
    const std::string name = fields.text("placement");
    if (const std::optional<Placement> known = preset_named(name)) {
      check_code(fields, "placement", *known, draft);
      return *known;
    }
    fields.error("placement", '\'' + name + '\'',
                 "oneReplica, oneZone, twoZones, hotZone, skewedTwoZones, hdfs, rs-6-3, rs-10-4, or a mapping");
    return draft.placement;
  }
  YamlMap given = *fields.map("placement");
  Placement placement = draft.placement;
  if (given.has("erasureCode")) {
    read_code(given, placement, draft);
    given.finish();
    return placement;
  }
  if (placement.code.n > 0) placement = Placement();
  placement.replicas = static_cast<std::uint32_t>(given.integer("replicas", placement.replicas, 1, 64));
  placement.zones_per_block =
      static_cast<std::uint32_t>(given.integer("zonesPerBlock", placement.zones_per_block, 1, 64));
  placement.by_rack = given.flag("byRack", placement.by_rack);
  placement.together = given.flag("together", placement.together);
  if (given.has("hotZone")) placement.hot_zone = zone_named(given, "hotZone", draft);
  placement.hot_share = given.number("hotShare", placement.hot_zone.valid() ? 0.7 : 0, share_range);
  if (placement.hot_share > 0 && !placement.hot_zone.valid())
    given.error("hotShare", "a share without hotZone", "both or neither");
  if (placement.hot_zone.valid() && draft.nodes_in[placement.hot_zone.index()].empty()) {
    given.error("hotZone", "a zone without node directories", "a zone with some");
    placement.hot_zone = ZoneId::none();
  }
  if (given.has("store")) {
    const std::string name = given.text("store");
    for (StoreId store : draft.cluster().stores.ids())
      if (draft.cluster().stores[store].name == name) placement.store = store;
    if (!placement.store.valid()) given.error("store", '\'' + name + '\'', "the name of a volume, bucket or node");
  }
  given.finish();
  return placement;
}

namespace {

// Adds parity blocks, as large as the largest native block of their stripe, and places each stripe.
void place_stripes(ScenarioDraft& draft, DataSetId id, std::uint32_t most_in_rack, std::uint64_t seed) {
  ClusterSnapshot& cluster = draft.cluster();
  const DataSet data_set = cluster.data_sets[id];
  const std::vector<NodeId> nodes = all_directories(draft);
  Random random(seed);
  for (std::uint32_t index = 0; index < stripe_count(data_set); ++index) {
    const Stripe stripe = stripe_at(data_set, index);
    Block parity;
    parity.data_set = id;
    parity.size = cluster.blocks[stripe.first_native].size;
    for (std::uint32_t i = 0; i < stripe.parities; ++i) cluster.blocks.push_back(parity);
    const std::vector<NodeId> chosen = place_stripe(cluster, nodes, stripe.size(), most_in_rack, random);
    for (std::uint32_t member = 0; member < chosen.size(); ++member)
      cluster.blocks[stripe.block(member)].replicas.push_back({StoreId(chosen[member].index()), false, {}});
  }
}

// Its blocks follow those that the cluster has.
DataSet next_data_set(const ClusterSnapshot& cluster, const std::string& name, Mebibytes size, Mebibytes block_size) {
  DataSet added;
  added.name = name;
  added.first_block = BlockId(static_cast<std::uint32_t>(cluster.blocks.size()));
  added.blocks = static_cast<std::uint32_t>(std::max(1.0, std::ceil(size / block_size - 1e-9)));
  added.size = size;
  return added;
}

// All blocks are whole but the last.
Mebibytes size_of_block(const DataSet& of, std::uint32_t index, Mebibytes block_size) {
  return index + 1 < of.blocks ? block_size : of.size - block_size * (of.blocks - 1);
}

}  // namespace

bool room_for_blocks(YamlMap& fields, std::string_view key, Mebibytes size, Mebibytes block_size,
                     const Placement& placement, ScenarioDraft& draft) {
  const double copies = placement.code.n > 0
                            ? static_cast<double>(placement.code.n) / static_cast<double>(placement.code.k)
                            : static_cast<double>(placement.replicas);
  draft.totals.blocks += std::max(1.0, std::ceil(size / block_size)) * copies;
  if (draft.totals.blocks <= ScenarioTotals::most_blocks) return true;
  fields.error(key, fmt::format("{:.3g} copies of blocks in all", draft.totals.blocks),
               fmt::format("at most {}: larger blocks, or less data", ScenarioTotals::most_blocks));
  return false;
}

DataSetId add_data_set(ScenarioDraft& draft, const std::string& name, Mebibytes size, Mebibytes block_size,
                       const Placement& placement) {
  ClusterSnapshot& cluster = draft.cluster();
  DataSet added = next_data_set(cluster, name, size, block_size);
  added.code = placement.code;
  const DataSetId id = cluster.data_sets.push_back(added);
  // One stream for each data set: adding or removing a data set moves no other.
  BlockPlacer placer(draft, cluster, placement, derive_seed(seed_for(draft, Draw::placement), id.index()));
  for (std::uint32_t i = 0; i < added.blocks; ++i) {
    Block block;
    block.data_set = id;
    block.size = size_of_block(added, i, block_size);
    if (!is_coded(added)) placer.place(block);
    cluster.blocks.push_back(std::move(block));
  }
  if (is_coded(added))
    place_stripes(draft, id, most_per_rack(placement), derive_seed(seed_for(draft, Draw::placement), id.index()));
  draft.data_sets[name] = id;
  return id;
}

DataSetId add_output(ScenarioDraft& draft, const std::string& name, Mebibytes size, Mebibytes block_size) {
  ClusterSnapshot& cluster = draft.cluster();
  DataSet added = next_data_set(cluster, name, size, block_size);
  const DataSetId id = cluster.data_sets.push_back(added);
  for (std::uint32_t i = 0; i < added.blocks; ++i) {
    Block block;
    block.data_set = id;
    block.size = size_of_block(added, i, block_size);
    cluster.blocks.push_back(std::move(block));
  }
  draft.data_sets[name] = id;
  return id;
}

void read_data(YamlMap& root, ScenarioDraft& draft) {
  draft.block_size = root.size("blockSize", draft.block_size);
  if (draft.block_size.value() <= 0) {
    root.error("blockSize", "0", "a size above 0");
    draft.block_size = Mebibytes(128);
  }
  draft.placement = read_placement(root, draft);
  draft.assume("placement", described(draft.placement), "of data sets that say nothing else");
  draft.assume("blockSize", fmt::format("{} MiB", draft.block_size.value()));
  for (YamlMap& fields : root.maps("dataSets")) {
    const std::string name = fields.require("name") ? fields.text("name") : "";
    if (draft.data_sets.count(name)) fields.error("name", fmt::format("'{}' twice", name), "every name once");
    Mebibytes block_size = fields.size("blockSize", draft.block_size);
    if (block_size.value() <= 0) fields.error("blockSize", "0", "a size above 0"), block_size = draft.block_size;
    const std::int64_t blocks = fields.integer("blocks", 0, 1, 50'000'000);
    Mebibytes size = fields.size("size", block_size * static_cast<double>(blocks));
    if (fields.has("blocks") == fields.has("size"))
      fields.error("", "both or neither of size and blocks", "one of them");
    if (size.value() <= 0) size = block_size;
    const Placement placement = read_placement(fields, draft);
    fields.finish();
    if (!in_range(size)) fields.error("", fmt::format("a size of {} MiB", size.value()), allowed_sizes);
    if (draft.errors.messages.empty() &&
        room_for_blocks(fields, fields.has("blocks") ? "blocks" : "size", size, block_size, placement, draft))
      add_data_set(draft, name, size, block_size, placement);
    else
      draft.data_sets[name] = DataSetId::none();
  }
}

}  // namespace lips::simulation
