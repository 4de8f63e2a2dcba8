#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/random.h"
#include "simulation/scenario_draft.h"

namespace lips::simulation {

namespace {

struct Preset {
  std::string_view name;
  std::uint32_t replicas, zones;
  bool by_rack;
  double hot_share;
};
constexpr std::array<Preset, 6> presets{{{"oneReplica", 1, 1, false, 0},
                                         {"oneZone", 3, 1, false, 0},
                                         {"twoZones", 3, 2, false, 0},
                                         {"hotZone", 3, 1, false, 0.7},
                                         {"skewedTwoZones", 3, 2, false, 0.7},
                                         {"hdfs", 3, 2, true, 0}}};

std::optional<Placement> preset_named(const std::string& name) {
  for (const Preset& preset : presets) {
    if (preset.name != name) continue;
    Placement placement;
    placement.replicas = preset.replicas;
    placement.zones_per_block = preset.zones;
    placement.by_rack = preset.by_rack;
    placement.hot_share = preset.hot_share;
    if (preset.hot_share > 0) placement.hot_zone = ZoneId(0);
    return placement;
  }
  return std::nullopt;
}

// Zones, nodes and racks of one block's replicas, drawn one after the other.
class BlockPlacer {
 public:
  BlockPlacer(const ScenarioDraft& draft, const ClusterSnapshot& cluster, const Placement& placement,
              std::uint64_t seed)
      : draft_(draft), cluster_(cluster), placement_(placement), random_(seed) {
    for (std::uint32_t zone = 0; zone < draft.nodes_in.size(); ++zone)
      if (!draft.nodes_in[zone].empty()) zones_.push_back(ZoneId(zone));
    choose_zones();
  }

  void place(Block& block) {
    if (placement_.store.valid()) {
      block.replicas = {{placement_.store, false, {}}};
      return;
    }
    if (zones_.empty()) return;
    if (placement_.by_rack) return place_by_rack(block);
    if (!placement_.together) choose_zones();
    for (std::uint32_t copy = 0; copy < placement_.replicas; ++copy) {
      const ZoneId zone = copy == 0 || placement_.zones_per_block == 1 ? first_
                          : copy <= others_.size()                     ? others_[copy - 1]
                                                                       : others_.back();
      add(block, one_of(draft_.nodes_in[zone.index()], block));
    }
  }

 private:
  void choose_zones() {
    if (zones_.empty() || placement_.store.valid() || placement_.by_rack) return;
    first_ = zones_[random_.below(zones_.size())];
    if (placement_.hot_zone.valid() && random_.uniform() < placement_.hot_share) first_ = placement_.hot_zone;
    others_.clear();
    std::vector<ZoneId> rest = zones_;
    std::erase(rest, first_);
    random_.shuffle(std::span(rest));
    for (std::uint32_t i = 0; i + 1 < placement_.zones_per_block && i < rest.size(); ++i) others_.push_back(rest[i]);
    if (others_.empty()) others_.push_back(first_);
  }
  // As HDFS: a random node, one of another rack, then others of that rack, then any.
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
};

std::string described(const Placement& placement) {
  if (placement.store.valid()) return "one store";
  return fmt::format(
      "{} replica{} in {}{}", placement.replicas, placement.replicas == 1 ? "" : "s",
      placement.by_rack
          ? "racks as HDFS"
          : fmt::format("{} zone{}", placement.zones_per_block, placement.zones_per_block == 1 ? "" : "s"),
      placement.hot_share > 0 ? fmt::format(", {} of the blocks in one hot zone", placement.hot_share) : "");
}

}  // namespace

Placement read_placement(YamlMap& fields, ScenarioDraft& draft) {
  if (!fields.has("placement")) return draft.placement;
  if (!fields.is_map("placement")) {
    const std::string name = fields.text("placement");
    if (const std::optional<Placement> known = preset_named(name)) return *known;
    fields.error("placement", '\'' + name + '\'',
                 "oneReplica, oneZone, twoZones, hotZone, skewedTwoZones, hdfs, or a mapping");
    return draft.placement;
  }
  YamlMap given = *fields.map("placement");
  Placement placement = draft.placement;
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

DataSetId add_data_set(ScenarioDraft& draft, const std::string& name, Mebibytes size, Mebibytes block_size,
                       const Placement& placement) {
  ClusterSnapshot& cluster = draft.cluster();
  DataSet added;
  added.name = name;
  added.first_block = BlockId(static_cast<std::uint32_t>(cluster.blocks.size()));
  added.blocks = static_cast<std::uint32_t>(std::max(1.0, std::ceil(size / block_size - 1e-9)));
  added.size = size;
  const DataSetId id = cluster.data_sets.push_back(added);
  // A stream for each data set: another one more or less changes no other's places.
  BlockPlacer placer(draft, cluster, placement, derive_seed(seed_for(draft, Draw::placement), id.index()));
  for (std::uint32_t i = 0; i < added.blocks; ++i) {
    Block block;
    block.data_set = id;
    block.size = i + 1 < added.blocks ? block_size : size - block_size * (added.blocks - 1);
    placer.place(block);
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
    if (draft.errors.messages.empty())
      add_data_set(draft, name, size, block_size, placement);
    else
      draft.data_sets[name] = DataSetId::none();
  }
}

}  // namespace lips::simulation
