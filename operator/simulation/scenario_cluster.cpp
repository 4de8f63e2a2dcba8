#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "base/random.h"
#include "config/quantities.h"
#include "model/node_labels.h"
#include "simulation/scenario_draft.h"

namespace lips::simulation {

namespace {

void read_zones(YamlMap& root, ScenarioDraft& draft) {
  if (!root.require("zones")) return;
  std::vector<std::pair<std::string, std::string>> named;
  if (root.is_map("zones"))
    named = root.text_map("zones");
  else
    for (const std::string& name : root.texts("zones")) named.emplace_back(name, draft.region);
  if (named.empty()) root.error("zones", "no zone", "a list of names, or a mapping of names to regions");
  if (named.size() > ZoneSet::max_zones) {
    root.error("zones", fmt::format("{} zones", named.size()), "at most 64");
    named.resize(ZoneSet::max_zones);
  }
  for (const auto& [name, region] : named) {
    for (const Zone& zone : draft.cluster().zones)
      if (zone.name == name) root.error("zones", fmt::format("'{}' twice", name), "every name once");
    draft.cluster().zones.push_back({name});
    draft.ends.push_back({EndKind::zone, region, name});
  }
  const std::int64_t racks = root.integer("racksPerZone", 1, 1, 1000);
  for (ZoneId zone : draft.cluster().zones.ids())
    for (std::int64_t rack = 0; rack < racks; ++rack)
      draft.cluster().racks.push_back({fmt::format("{}-rack-{}", draft.cluster().zones[zone].name, rack), zone});
}

std::vector<Taint> read_taints(YamlMap& fields) {
  static constexpr std::array<std::string_view, 3> effects{"NoSchedule", "PreferNoSchedule", "NoExecute"};
  std::vector<Taint> taints;
  for (const std::string& text : fields.texts("taints")) {
    const std::size_t colon = text.rfind(':'), equals = text.find('=');
    const std::string effect = colon == std::string::npos ? "" : text.substr(colon + 1);
    if (std::find(effects.begin(), effects.end(), effect) == effects.end()) {
      fields.error("taints", '\'' + text + '\'', "key=value:NoSchedule, :PreferNoSchedule or :NoExecute");
      continue;
    }
    Taint taint;
    taint.key = text.substr(0, std::min(equals, colon));
    if (equals < colon) taint.value = text.substr(equals + 1, colon - equals - 1);
    taint.effect = effect;
    taints.push_back(std::move(taint));
  }
  std::sort(taints.begin(), taints.end());
  return taints;
}

// The common properties of the nodes of a group.
struct NodeGroup {
  std::string name;
  bool elastic = false;
  std::uint32_t limit = 0;  // nodes of an offer at once
  Duration boot{};
  double interruptions = 0;
  std::vector<CapacityType> capacity_types;
  std::int64_t count = 0;
  std::vector<ZoneId> zones;
  Node node;
  double spot_share = 0;
  std::vector<std::pair<std::string, std::string>> labels;
  std::vector<Taint> taints;
};

void read_instance(YamlMap& fields, ScenarioDraft& draft, Node& node) {
  node.instance_type = fields.text("instanceType");
  if (node.instance_type.empty()) {
    if (!fields.has("cores") || !fields.has("pricePerHour"))
      fields.error("", "neither an instanceType nor cores and pricePerHour", "one of them");
    node.instance_type = "custom";
    return;
  }
  const InstanceOffer* offer = draft.prices.find(draft.region, node.instance_type, draft.as_of);
  if (offer) {
    node.capacity.cpu = offer->vcpu;
    node.capacity.memory = offer->memory;
    node.price = offer->price;
    if (offer->ecu) node.speed = *offer->ecu / offer->vcpu.value();
    if (!fields.has("pricePerHour"))
      draft.assume("price of " + node.instance_type, fmt::format("{} USD/h", offer->price.value()),
                   fmt::format("{}, {}, {}", offer->region, offer->as_of, offer->source));
  } else if (!fields.has("cores") || !fields.has("pricePerHour")) {
    const auto names = draft.prices.instance_types(draft.region);
    const std::string_view alike = most_alike(node.instance_type, names);
    fields.error(
        "instanceType",
        fmt::format("'{}'{}", node.instance_type, alike.empty() ? "" : fmt::format(" (did you mean '{}'?)", alike)),
        fmt::format("a type of prices/ec2-on-demand.csv in {}{}, or any name together with cores and pricePerHour",
                    draft.region, draft.as_of.empty() ? "" : " on or before " + draft.as_of));
  }
}

// One number, or one for each reading of a price on which sources disagree.
double read_cpu_price(YamlMap& fields, ScenarioDraft& draft) {
  constexpr std::string_view unit = "USD/CPU-s";
  if (!fields.is_map("cpuPrice")) return fields.amount("cpuPrice", 0, unit);
  const auto readings = fields.number_map("cpuPrice", price_range);
  std::vector<std::string_view> names;
  for (const auto& [name, price] : readings) {
    names.push_back(name);
    if (name == draft.price_reading) return price;
  }
  fields.error("cpuPrice", fmt::format("no price for priceReading '{}'", draft.price_reading),
               fmt::format("{}", fmt::join(names, ", ")));
  return 0;
}

// An offer to an autoscaler for each zone and capacity type.
void read_offer(YamlMap& fields, NodeGroup& group) {
  static constexpr std::array<std::string_view, 2> fleets{"fixed", "elastic"};
  group.elastic = fields.choice("fleet", fleets, 0) == 1;
  if (!group.elastic) return;
  group.limit = static_cast<std::uint32_t>(fields.integer("limit", 100, 1, 10'000));
  group.boot = fields.duration("bootTime", std::chrono::seconds(60));
  group.interruptions = fields.number("interruptionsPerHour", 0, {0, 60});
  for (const std::string& name : fields.texts("capacityTypes")) {
    if (name == "on-demand")
      group.capacity_types.push_back(CapacityType::on_demand);
    else if (name == "spot")
      group.capacity_types.push_back(CapacityType::spot);
    else
      fields.error("capacityTypes", '\'' + name + '\'', "on-demand, spot");
  }
  if (group.capacity_types.empty()) group.capacity_types = {CapacityType::on_demand};
}

NodeGroup read_group(YamlMap& fields, ScenarioDraft& draft) {
  NodeGroup group;
  if (fields.require("name")) group.name = fields.text("name");
  read_offer(fields, group);
  group.count = fields.integer("count", group.elastic ? 0 : 1, 0, 1'000'000);
  std::vector<std::string> names = fields.texts("zones");
  if (fields.has("zone")) names.push_back(fields.text("zone"));
  for (const std::string& name : names) {
    const auto& zones = draft.cluster().zones.items();
    const auto found = std::find_if(zones.begin(), zones.end(), [&](const Zone& zone) { return zone.name == name; });
    if (found == zones.end()) {
      std::vector<std::string_view> known;
      for (const Zone& zone : zones) known.push_back(zone.name);
      fields.error(fields.has("zone") ? "zone" : "zones", '\'' + name + '\'',
                   fmt::format("{}", fmt::join(known, ", ")));
    } else {
      group.zones.emplace_back(static_cast<std::uint32_t>(found - zones.begin()));
    }
  }
  if (names.empty())
    for (ZoneId zone : draft.cluster().zones.ids()) group.zones.push_back(zone);
  Node& node = group.node;
  read_instance(fields, draft, node);
  node.capacity.cpu = Cores(fields.number("cores", node.capacity.cpu.value(), core_range));
  node.capacity.memory = fields.size("memory", node.capacity.memory);
  node.capacity.slots = static_cast<std::int32_t>(
      fields.integer("slots", std::max(1, static_cast<int>(node.capacity.cpu.value())), 1, 100'000));
  node.capacity.extended = read_node_extended(fields, draft);
  node.speed = fields.number("speed", node.speed, speed_range);
  node.price = UsdPerHour(fields.amount("pricePerHour", node.price.value(), "USD/h"));
  if (fields.has("pricePerHour"))
    draft.assume("price of " + node.instance_type, fmt::format("{} USD/h", node.price.value()), "as the scenario says");
  node.cpu_price = UsdPerCpuSecond(read_cpu_price(fields, draft));
  if (fields.has("cpuPrice"))
    draft.assume("CPU price of " + node.instance_type, fmt::format("{} USD/CPU-s", node.cpu_price.value()),
                 "as the scenario says");
  if (!group.elastic) group.spot_share = fields.number("spotShare", 0, share_range);
  group.labels = fields.text_map("labels");
  group.taints = read_taints(fields);
  fields.finish();
  return group;
}

ProfileId profile_of(ClusterSnapshot& cluster, const NodeGroup& group, const Node& node, const std::string& region) {
  NodeProfile profile;
  profile.labels = group.labels;
  const auto add = [&](const char* key, const std::string& value) {
    if (std::none_of(profile.labels.begin(), profile.labels.end(),
                     [&](const auto& label) { return label.first == key; }))
      profile.labels.emplace_back(key, value);
  };
  add("lips.dev/node-group", group.name);
  add(node_label::capacity_type, std::string(to_string(node.capacity_type)));
  add(node_label::instance_type, node.instance_type);
  add(node_label::region, region);
  add(node_label::zone, cluster.zones[node.zone].name);
  std::sort(profile.labels.begin(), profile.labels.end());
  profile.taints = group.taints;
  for (ProfileId id : cluster.profiles.ids())
    if (cluster.profiles[id] == profile) return id;
  return cluster.profiles.push_back(std::move(profile));
}

void add_nodes(const NodeGroup& group, std::uint32_t racks_per_zone, ScenarioDraft& draft) {
  if (group.zones.empty() || !draft.errors.messages.empty()) return;
  const int width = static_cast<int>(std::to_string(std::max<std::int64_t>(group.count - 1, 0)).size());
  std::vector<std::uint32_t> in_zone(draft.cluster().zones.size(), 0);
  for (std::int64_t i = 0; i < group.count; ++i) {
    Node node = group.node;
    node.name = fmt::format("{}-{:0{}}", group.name, i, width);
    node.zone = group.zones[static_cast<std::size_t>(i) % group.zones.size()];
    // Nodes go round robin over the racks. Spot nodes are spread evenly within each zone.
    const std::uint32_t rank = in_zone[node.zone.index()]++;
    node.rack = RackId(node.zone.index() * racks_per_zone + rank % racks_per_zone);
    if (std::floor((rank + 1) * group.spot_share + 1e-9) > std::floor(rank * group.spot_share + 1e-9)) {
      node.capacity_type = CapacityType::spot;
      node.price *= draft.spot_factor_in(node.zone);
      node.cpu_price *= draft.spot_factor_in(node.zone);
    }
    node.profile = profile_of(draft.cluster(), group, node, draft.ends[node.zone.index()].region);
    draft.cluster().nodes.push_back(std::move(node));
  }
}

// The places of an offer are consecutive nodes.
void add_offers(const NodeGroup& group, std::uint32_t racks_per_zone, ScenarioDraft& draft) {
  if (!draft.errors.messages.empty()) return;
  draft.elastic_rate += static_cast<double>(group.count) * group.node.capacity.cpu.value() * group.node.speed;
  for (const ZoneId zone : group.zones)
    for (const CapacityType type : group.capacity_types) {
      const bool spot = type == CapacityType::spot;
      Node node = group.node;
      node.zone = zone;
      node.capacity_type = type;
      node.fleet = FleetKind::elastic;
      if (spot) node.price *= draft.spot_factor_in(zone), node.cpu_price *= draft.spot_factor_in(zone);
      node.profile = profile_of(draft.cluster(), group, node, draft.ends[zone.index()].region);
      const NodeId first(static_cast<std::uint32_t>(draft.cluster().nodes.size()));
      draft.scenario.fleet.offers.push_back({first, group.limit, group.boot, spot ? group.interruptions : 0});
      for (std::uint32_t i = 0; i < group.limit; ++i) {
        node.name = fmt::format("{}-{}-{}-{}", group.name, draft.cluster().zones[zone].name, to_string(type), i);
        node.rack = RackId(zone.index() * racks_per_zone + i % racks_per_zone);
        draft.cluster().nodes.push_back(node);
      }
    }
}

double places_of(const NodeGroup& group) {
  if (!group.elastic) return static_cast<double>(group.count);
  return static_cast<double>(group.zones.size() * group.capacity_types.size()) * group.limit;
}

void read_nodes(YamlMap& root, ScenarioDraft& draft) {
  if (!root.require("nodes")) return;
  const auto racks_per_zone =
      static_cast<std::uint32_t>(draft.cluster().racks.size() / std::max<std::size_t>(1, draft.cluster().zones.size()));
  std::set<std::string> seen;
  bool spot = false;
  for (YamlMap& fields : root.maps("nodes")) {
    const NodeGroup group = read_group(fields, draft);
    if (!seen.insert(group.name).second) fields.error("name", fmt::format("'{}' twice", group.name), "every name once");
    draft.totals.nodes += places_of(group);
    if (draft.totals.nodes > ScenarioTotals::most_nodes)
      fields.error("count", fmt::format("{} nodes in all", draft.totals.nodes),
                   fmt::format("at most {}", ScenarioTotals::most_nodes));
    spot = spot || group.spot_share > 0;
    group.elastic ? add_offers(group, racks_per_zone, draft) : add_nodes(group, racks_per_zone, draft);
  }
  if (draft.cluster().nodes.empty() && draft.errors.messages.empty()) root.error("nodes", "no nodes", "at least one");
  for (const auto& [name, factor] : draft.spot_factors)
    if (std::none_of(draft.cluster().zones.begin(), draft.cluster().zones.end(),
                     [&](const Zone& zone) { return zone.name == name; }))
      root.error("prices", fmt::format("a spot factor of '{}'", name), "names of zones");
  if (spot)
    draft.assume("spot price", fmt::format("{} of on demand", draft.spot_factor),
                 "assumed; spot nodes are not interrupted unless failures say so");
}

UsdPerMebibyteHour storage_price(YamlMap& fields, double fallback) {
  return usd_per_gigabyte_month(fields.amount("price", fallback, "USD/GB-month"));
}

// A zone of its own, without nodes, for a store outside all zones.
ZoneId own_zone(YamlMap& fields, ScenarioDraft& draft, const DataStore& store) {
  const std::string region = fields.text("region", draft.region);
  if (draft.cluster().zones.size() >= ZoneSet::max_zones) {
    fields.error("", "a store in a zone of its own, beside 64 zones", "64 zones and stores without a zone together");
    return ZoneId::none();
  }
  draft.ends.push_back({end_kind(store.kind), region, store.name});
  return draft.cluster().zones.push_back({store.name});
}

// A bucket with a zone is zonal and one without is regional, unless `kind` says otherwise.
StoreKind bucket_kind(YamlMap& fields) {
  static constexpr std::array<std::string_view, 3> names{"zonal", "regional", "internet"};
  static constexpr std::array<StoreKind, 3> kinds{StoreKind::zonal_bucket, StoreKind::regional_bucket,
                                                  StoreKind::internet};
  const bool in_a_zone = fields.has("zone");
  const StoreKind kind = kinds[fields.choice("kind", names, in_a_zone ? 0 : 1)];
  if (in_a_zone && end_kind(kind) != EndKind::zone)
    fields.error("zone", "a zone", "none for a bucket of a region or of the internet: it lies in no zone");
  return kind;
}

double storage_usd(StoreKind kind, const ScenarioDraft& draft) {
  if (kind == StoreKind::zonal_volume) return draft.prices.storage_usd_per_gigabyte_month();
  return kind == StoreKind::internet ? 0 : 0.023;
}

void read_named_stores(YamlMap& stores, std::string_view key, ScenarioDraft& draft) {
  std::set<std::string> names;
  for (const DataStore& known : draft.cluster().stores) names.insert(known.name);
  for (YamlMap& fields : stores.maps(key)) {
    DataStore store;
    if (fields.require("name")) store.name = fields.text("name");
    if (!names.insert(store.name).second)
      fields.error("name", fmt::format("'{}' twice", store.name), "every name once");
    store.kind = key == "volumes" ? StoreKind::zonal_volume : bucket_kind(fields);
    if (end_kind(store.kind) != EndKind::zone)
      store.zone = own_zone(fields, draft, store);
    else if (fields.require("zone"))
      store.zone = zone_named(fields, "zone", draft);
    store.capacity = fields.size("capacity", Mebibytes(0));
    store.price = storage_price(fields, storage_usd(store.kind, draft));
    fields.finish();
    if (store.zone.valid()) draft.cluster().stores.push_back(std::move(store));
  }
}

void read_stores(YamlMap& root, ScenarioDraft& draft) {
  std::optional<YamlMap> stores = root.map("stores");
  const YamlValue none;
  if (!stores) stores.emplace(none, "stores", draft.errors);
  const bool directories = stores->flag("nodeDirectories", true);
  const Mebibytes capacity = stores->size("capacity", Mebibytes(0));
  const UsdPerMebibyteHour price = storage_price(*stores, draft.prices.storage_usd_per_gigabyte_month());
  draft.nodes_in.resize(draft.cluster().zones.size());
  for (NodeId id : draft.cluster().nodes.ids()) {
    if (!directories) break;
    const Node& node = draft.cluster().nodes[id];
    draft.cluster().stores.push_back(
        {node.name, StoreKind::node_directory, node.zone, id, capacity, Mebibytes(0), price});
    if (!draft.elastic(id)) draft.nodes_in[node.zone.index()].push_back(id);  // an elastic node holds no input
  }
  read_named_stores(*stores, "volumes", draft);
  read_named_stores(*stores, "buckets", draft);
  stores->finish();
  draft.nodes_in.resize(draft.cluster().zones.size());
}

void read_network(YamlMap& root, ScenarioDraft& draft) {
  Network& network = draft.cluster().network;
  network.local_read = MebibytesPerSecond(200);
  network.node_link = *parse_bandwidth("1Gbit/s");
  network.zone_stream = *parse_bandwidth("500Mbit/s");
  network.remote_stream = *parse_bandwidth("250Mbit/s");
  const std::array<std::pair<const char*, MebibytesPerSecond*>, 6> fields{{{"localRead", &network.local_read},
                                                                           {"nodeLink", &network.node_link},
                                                                           {"rackLink", &network.rack_link},
                                                                           {"zoneLink", &network.zone_link},
                                                                           {"zoneStream", &network.zone_stream},
                                                                           {"remoteStream", &network.remote_stream}}};
  if (std::optional<YamlMap> given = root.map("network")) {
    for (const auto& [name, target] : fields) *target = given->bandwidth(name, *target);
    given->finish();
  }
  for (const auto& [name, value] : fields)
    draft.assume(fmt::format("network.{}", name),
                 value->value() > 0 ? fmt::format("{:.4g} MiB/s", value->value()) : "no limit");
}

}  // namespace

std::uint64_t seed_for(const ScenarioDraft& draft, Draw purpose) {
  return derive_seed(draft.scenario.seed, static_cast<std::uint64_t>(purpose));
}

ZoneId zone_named(YamlMap& fields, std::string_view key, ScenarioDraft& draft) {
  const std::string name = fields.text(key);
  std::vector<std::string_view> known;
  for (ZoneId id : draft.cluster().zones.ids()) {
    if (draft.cluster().zones[id].name == name) return id;
    known.push_back(draft.cluster().zones[id].name);
  }
  fields.error(key, '\'' + name + '\'', fmt::format("{}", fmt::join(known, ", ")));
  return ZoneId::none();
}

void read_cluster(YamlMap& root, ScenarioDraft& draft) {
  read_zones(root, draft);
  read_nodes(root, draft);
  read_stores(root, draft);
  read_network(root, draft);
}

}  // namespace lips::simulation
