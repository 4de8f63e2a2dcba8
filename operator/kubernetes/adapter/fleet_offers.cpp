#include "kubernetes/adapter/fleet_offers.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "config/cloud_places.h"
#include "config/price_import.h"
#include "kubernetes/pods/instance_labels.h"
#include "kubernetes/pods/zone_gate.h"
#include "model/eligibility.h"
#include "model/node_labels.h"
#include "model/node_removal.h"

namespace lips::kubernetes {
namespace {

constexpr std::int32_t pods_on_a_node = 110;  // kubelet's default
// The pace of Karpenter; a machine is off some seconds after its node is removed.
constexpr NodeRemoval removal{.termination = std::chrono::seconds(5)};
// A node that is kept for longer finds other work.
constexpr Duration longest_idle = std::chrono::hours(1);
constexpr std::int64_t bytes_of_mebibyte = 1 << 20;

OfferEntry offer_of(const InstanceOffer& size, const std::string& zone, CapacityType kind,
                    const OperatorConfig::Fleet& fleet, const NodePrices& prices) {
  OfferEntry offer;
  offer.instance_type = size.instance_type;
  offer.zone = zone;
  offer.region = size.region;
  offer.capacity_type = kind;
  offer.capacity = {size.vcpu, size.memory, pods_on_a_node};
  offer.price = prices.node({size.region, zone, size.instance_type, kind, size.vcpu}).price;
  offer.boot = fleet.boot_time, offer.idle = fleet.idle_time;
  offer.interruptions = kind == CapacityType::spot ? fleet.interruptions_per_hour : 0;
  return offer;
}

std::vector<CapacityType> capacity_types_of(const OperatorConfig::Fleet& fleet) {
  std::vector<CapacityType> kinds;
  for (const std::string& name : fleet.capacity_types)
    kinds.push_back(name == to_string(CapacityType::spot) ? CapacityType::spot : CapacityType::on_demand);
  return kinds;
}

// Labels of which a provider of Karpenter decides which values there are, and which types have them.
bool is_of_provider(std::string_view key) {
  const std::string_view domain = key.substr(0, std::min(key.find('/'), key.size()));
  constexpr std::string_view own[] = {"kubernetes.io", "beta.kubernetes.io", "topology.kubernetes.io",
                                      "failure-domain.beta.kubernetes.io"};
  constexpr std::string_view clouds[] = {"k8s.aws", "aws.com", "azure.com", "google.com", "gke.io"};
  if (domain.size() == key.size()) return false;
  return domain.find("karpenter") != std::string_view::npos || key == "node.kubernetes.io/windows-build" ||
         std::find(std::begin(own), std::end(own), domain) != std::end(own) ||
         std::any_of(std::begin(clouds), std::end(clouds),
                     [&](std::string_view cloud) { return domain.ends_with(cloud); });
}

// The rules of a pool's requirements and labels, by what they are about.
struct Rules {
  std::vector<LabelRequirement> place, type;
  TextMap labels;                  // of its nodes, beside those of place and type
  bool tells_types_apart = false;  // by more than their names
  std::string undecided;           // a key
};

void add_rule(LabelRequirement rule, Rules& rules) {
  rule.key = plain_key(rule.key);
  if (rule.key == node_label::zone || rule.key == node_label::region || rule.key == node_label::capacity_type) {
    rules.place.push_back(std::move(rule));
  } else if (const bool apart = tells_types_apart(rule.key);
             apart || rule.key == node_label::instance_type || rule.key == os_label) {
    rules.tells_types_apart |= apart;
    rules.type.push_back(std::move(rule));
  } else if (!is_of_provider(rule.key) && rule.op == LabelRequirement::Operator::in && rule.values.size() == 1) {
    rules.labels.emplace_back(std::move(rule.key), std::move(rule.values[0]));
  } else if (rules.undecided.empty()) {
    rules.undecided = rule.key;
  }
}

Rules rules_of(const NodePool& pool) {
  Rules rules;
  for (const LabelRequirement& requirement : pool.requirements) add_rule(requirement, rules);
  for (const auto& [key, value] : pool.labels) add_rule({key, LabelRequirement::Operator::in, {value}}, rules);
  return rules;
}

// Zones of the cluster's regions, each with its region.
class Market {
 public:
  Market(const NodeCache& nodes, const NodePrices& prices) : prices_(prices) {
    std::set<std::string> regions;
    for (const auto& [name, record] : nodes.all()) {
      if (!record.node) continue;
      const std::string *zone = find_text(record.node->labels, node_label::zone),
                        *region = find_text(record.node->labels, node_label::region);
      if (region && !region->empty()) regions.insert(*region);
      if (zone && !zone->empty()) zones_[*zone] = region ? *region : "";
    }
    if (regions.empty()) regions.insert(prices.region());
    for (const InstanceOffer& row : prices.sheet().offers()) {
      if (row.zone.empty() || !regions.contains(row.region)) continue;
      zones_.try_emplace(row.zone, row.region);
      if (row.source == source_karpenter) told_.emplace(row.zone, row.instance_type, row.capacity_type);
    }
    for (const std::string& zone : prices.zones_of_factors())
      if (std::string region = guessed_region(zone); regions.contains(region))
        zones_.try_emplace(zone, std::move(region));
    for (auto& [zone, region] : zones_)
      if (region.empty()) region = guessed_region(zone);
  }

  const std::map<std::string, std::string>& zones() const { return zones_; }
  std::string region(const std::string& zone) const {
    const auto known = zones_.find(zone);
    return known == zones_.end() ? guessed_region(zone) : known->second;
  }
  // Karpenter's prices, where they are read, name all that it can buy; spot prices of a type the zones that sell it.
  bool has(const std::string& zone, const InstanceOffer& type, CapacityType kind) const {
    return (told_.empty() || told_.contains({zone, type.instance_type, kind})) &&
           prices_.sells({type.region, zone, type.instance_type, kind, type.vcpu});
  }
  // Types of the region with price and size.
  const std::vector<const InstanceOffer*>& sizes(const std::string& region) {
    const auto [known, added] = sizes_.try_emplace(region);
    if (added)
      for (const std::string_view type : prices_.sheet().instance_types(region))
        if (const InstanceOffer* size = prices_.size(region, type); size && size->vcpu.value() > 0)
          known->second.push_back(size);
    return known->second;
  }

 private:
  std::string guessed_region(const std::string& zone) const {
    std::string region = region_of_zone(zone);
    return region.empty() ? prices_.region() : region;
  }
  const NodePrices& prices_;
  std::map<std::string, std::string> zones_;
  std::set<std::tuple<std::string, std::string, CapacityType>> told_;
  std::map<std::string, std::vector<const InstanceOffer*>> sizes_;
};

std::set<std::string> named_zones(const Rules& rules, const OperatorConfig::Fleet& fleet) {
  std::set<std::string> zones(fleet.zones.begin(), fleet.zones.end());
  if (!zones.empty()) return zones;
  for (const LabelRequirement& rule : rules.place)
    if (rule.key == node_label::zone && rule.op == LabelRequirement::Operator::in)
      zones.insert(rule.values.begin(), rule.values.end());
  return zones;
}

std::set<std::string> zones_for(const Rules& rules, const OperatorConfig::Fleet& fleet, const Market& market) {
  std::set<std::string> zones = named_zones(rules, fleet);
  if (zones.empty())
    for (const auto& [zone, region] : market.zones()) zones.insert(zone);
  return zones;
}

bool was_ready(const Node& node) {
  const std::string* initialized = find_text(node.labels, "karpenter.sh/initialized");
  return node.ready || (initialized && *initialized == "true");
}

// Limits count what a machine has, also what the kubelet keeps for itself.
ResourceAmounts machine(const Node& node, const NodePrices& prices) {
  ResourceAmounts all = node.allocatable;
  const std::string* region = find_text(node.labels, node_label::region);
  const InstanceOffer* size = prices.size(region ? *region : "", instance_type_of(node));
  if (!size) return all;
  for (auto& [resource, amount] : all) {
    if (resource == "cpu") amount = std::max(amount, static_cast<std::int64_t>(size->vcpu.value() * 1000));
    if (resource == "memory")
      amount = std::max(amount, static_cast<std::int64_t>(size->memory.value()) * bytes_of_mebibyte);
  }
  return all;
}

// The cores of nodes that an autoscaler launched and that were ready once.
Cores elastic_cores(const NodeCache& nodes, const NodePrices& prices) {
  Cores cores;
  for (const auto& [name, record] : nodes.all()) {
    if (!record.node || fleet_of(*record.node) != FleetKind::elastic || !was_ready(*record.node)) continue;
    for (const auto& [resource, amount] : machine(*record.node, prices))
      if (resource == "cpu") cores += Cores(static_cast<double>(amount) / 1000);
  }
  return cores;
}

// The sizes of each pool's nodes. Those that boot stand for orders that are still there.
using Room = std::map<std::string, std::int64_t, std::less<>>;
std::map<std::string, Room> room_in_use(const NodeCache& nodes, const NodePrices& prices) {
  std::map<std::string, Room> used;
  for (const auto& [name, record] : nodes.all()) {
    const std::string* pool = record.node ? find_text(record.node->labels, node_pool_label) : nullptr;
    if (!pool) continue;
    if (!was_ready(*record.node)) continue;
    Room& room = used[*pool];
    ++room["nodes"];
    for (const auto& [resource, amount] : machine(*record.node, prices)) room[resource] += amount;
  }
  return used;
}

// The room that the limits of a pool leave.
LaunchLimit limit_of(const NodePool& pool, const Room& used) {
  LaunchLimit left;
  for (const auto& [resource, limit] : pool.limits) {
    const auto known = used.find(resource);
    const std::int64_t room = limit - (known == used.end() ? 0 : known->second);
    if (room < 0) left.nodes = 0;  // Karpenter then launches nothing, whatever has exceeded its limit
    const auto amount = static_cast<double>(std::max<std::int64_t>(room, 0));
    if (resource == "nodes") left.nodes = static_cast<std::uint32_t>(std::min(amount, double{1} * left.nodes));
    if (resource == "cpu") left.cores = Cores(amount / 1000);
    if (resource == "memory") left.memory = Mebibytes(amount / bytes_of_mebibyte);
  }
  return left;
}

// Labels of the place, as Karpenter writes them.
NodeProfile place_profile(const std::string& zone, const std::string& region, CapacityType kind) {
  NodeProfile profile;
  profile.labels = place_selector(zone, kind);
  profile.labels.emplace_back(node_label::region, region);
  std::sort(profile.labels.begin(), profile.labels.end());
  return profile;
}

// In the words of the provider; a provider that is not one of AWS writes none of theirs.
TextMap labels_of_node(const Rules& rules, const std::string& provider, const TextMap& of_type) {
  TextMap labels = rules.labels;
  for (const auto& [key, value] : of_type) {
    const std::size_t slash = key.find('/');
    if (key.compare(0, slash, karpenter_on_aws) != 0)
      labels.emplace_back(key, value);
    else if (provider == karpenter_on_aws || provider == eks_auto_mode)
      labels.emplace_back(provider + key.substr(slash), value);
  }
  std::sort(labels.begin(), labels.end());
  return labels;
}

bool takes_part(const NodePool& pool) {
  return pool.ready && !pool.deleting && !pool.fixed && undecided_key(pool).empty();
}

// The one with the greatest weight first.
std::vector<const NodePool*> that_launch(const std::vector<NodePool>& pools) {
  std::vector<const NodePool*> ordered;
  for (const NodePool& pool : pools)
    if (takes_part(pool)) ordered.push_back(&pool);
  std::sort(ordered.begin(), ordered.end(), [](const NodePool* a, const NodePool* b) {
    return std::pair(-a->weight, a->meta.name) < std::pair(-b->weight, b->meta.name);
  });
  return ordered;
}

// An order names zone and capacity type, and Karpenter chooses the type among those that are left there.
bool leaves_enough_values(const NodePool& pool, const std::vector<TextMap>& types) {
  return std::all_of(pool.min_values.begin(), pool.min_values.end(), [&](const auto& least) {
    const std::string key = plain_key(least.first);
    if (types.empty() || !(tells_types_apart(key) || key == node_label::instance_type)) return types.empty();
    std::set<std::string> values;
    for (const TextMap& type : types)
      if (const std::string* value = find_text(type, key)) values.insert(*value);
    return static_cast<std::int64_t>(values.size()) >= least.second;
  });
}

// All within the limit; none: there is none.
void add_offers_of(const NodePool& pool, LimitId within, Market& market, const OperatorConfig::Fleet& fleet,
                   const NodePrices& prices, std::vector<OfferEntry>& offers) {
  const Rules rules = rules_of(pool);
  const Duration idle = removal.time_empty(std::min(pool.consolidate_after.value_or(longest_idle), longest_idle));
  for (const std::string& zone : zones_for(rules, fleet, market)) {
    const std::string region = market.region(zone);
    std::vector<CapacityType> kinds = capacity_types_of(fleet);
    std::erase_if(kinds, [&](CapacityType kind) { return !meets_all(rules.place, place_profile(zone, region, kind)); });
    if (kinds.empty()) continue;
    struct Type {
      const InstanceOffer* size;
      TextMap labels;
    };
    std::vector<Type> types;
    for (const InstanceOffer* size : market.sizes(region)) {
      TextMap of_type = instance_labels(size->instance_type, size->vcpu, size->memory);
      if (rules.tells_types_apart && !find_text(of_type, arch_label)) continue;
      if (meets_all(rules.type, {of_type, {}})) types.push_back({size, std::move(of_type)});
    }
    for (const CapacityType kind : kinds) {
      std::vector<TextMap> sold;
      if (!pool.min_values.empty())
        for (const Type& type : types)
          if (market.has(zone, *type.size, kind)) sold.push_back(type.labels);
      if (!leaves_enough_values(pool, sold)) continue;
      for (const Type& type : types) {
        if (!market.has(zone, *type.size, kind)) continue;
        OfferEntry offer = offer_of(*type.size, zone, kind, fleet, prices);
        offer.idle = idle;
        offer.within = within;
        offer.pool = pool.meta.name;
        offer.labels = labels_of_node(rules, pool.provider, type.labels);
        offer.taints = pool.taints;
        offers.push_back(std::move(offer));
      }
    }
  }
}

// The reason why nothing of a pool is offered, which could launch nodes as far as its requirements can be decided.
PoolProblem why_nothing(const NodePool& pool, Market& market, const OperatorConfig::Fleet& fleet) {
  const std::set<std::string> zones = zones_for(rules_of(pool), fleet, market);
  if (zones.empty())
    return {pool.meta.name, "zone", "no zone is known: name zones in fleet.zones, or in a requirement of the NodePool"};
  std::set<std::string> regions;
  for (const std::string& zone : zones) regions.insert(market.region(zone));
  if (std::all_of(regions.begin(), regions.end(),
                  [&](const std::string& region) { return market.sizes(region).empty(); }))
    return {pool.meta.name, "price",
            fmt::format("no instance type of {} is known with price and size: name them in prices.file",
                        fmt::join(regions, ", "))};
  return {
      pool.meta.name, pool.min_values.empty() ? "requirement" : "minValues",
      fmt::format(
          "no type that is sold in {} meets its requirements{}", fmt::join(zones, ", "),
          pool.min_values.empty() ? "" : " with as many values in one zone and capacity type as minValues asks for")};
}

}  // namespace

Offered listed_offers(const OperatorConfig::Fleet& fleet, const NodePrices& prices, const NodeCache& nodes) {
  Offered offered;
  LimitId within;
  if (fleet.limit_cores > 0) {
    LaunchLimit limit;
    limit.cores = std::max(Cores(0), Cores(fleet.limit_cores) - elastic_cores(nodes, prices));
    within = offered.limits.push_back(limit);
  }
  for (const std::string& type : fleet.instance_types) {
    const InstanceOffer* size = prices.size("", type);
    if (!size || size->vcpu.value() <= 0) continue;
    for (const std::string& zone : fleet.zones)
      for (const CapacityType kind : capacity_types_of(fleet)) {
        if (!prices.sells({size->region, zone, type, kind, size->vcpu})) continue;
        offered.offers.push_back(offer_of(*size, zone, kind, fleet, prices));
        offered.offers.back().within = within;
      }
  }
  return offered;
}

std::string undecided_key(const NodePool& pool) { return rules_of(pool).undecided; }

std::vector<OfferEntry> pool_offers(const std::vector<NodePool>& pools, const NodeCache& nodes,
                                    const OperatorConfig::Fleet& fleet, const NodePrices& prices) {
  std::vector<OfferEntry> offers;
  const std::vector<const NodePool*> ordered = that_launch(pools);
  if (ordered.empty()) return offers;
  Market market(nodes, prices);
  std::uint32_t limited = 0;
  for (const NodePool* pool : ordered)
    add_offers_of(*pool, pool->limits.empty() ? LimitId::none() : LimitId(limited++), market, fleet, prices, offers);
  return offers;
}

std::vector<PoolProblem> pool_problems(const std::vector<NodePool>& pools, const NodeCache& nodes,
                                       const OperatorConfig::Fleet& fleet, const NodePrices& prices) {
  std::vector<PoolProblem> problems;
  for (const NodePool& pool : pools)
    if (const std::string key = undecided_key(pool); !key.empty())
      problems.push_back({pool.meta.name, "requirement",
                          fmt::format("prices do not say which nodes meet its requirement of {}", key)});
  Market market(nodes, prices);
  for (const NodePool* pool : that_launch(pools)) {
    std::vector<OfferEntry> offers;
    add_offers_of(*pool, LimitId::none(), market, fleet, prices, offers);
    if (offers.empty()) problems.push_back(why_nothing(*pool, market, fleet));
    std::set<std::string> zones;
    for (const OfferEntry& offer : offers) zones.insert(offer.zone);
    if (zones.size() == 1 && market.zones().size() == 1 && named_zones(rules_of(*pool), fleet).empty())
      problems.push_back({pool->meta.name, "",
                          fmt::format("it names no zone, so plans ask for nodes only in {}, where nodes are: "
                                      "name all zones in fleet.zones, or in a requirement",
                                      *zones.begin())});
  }
  return problems;
}

LaunchLimits pool_limits(const std::vector<NodePool>& pools, const NodeCache& nodes, const NodePrices& prices) {
  LaunchLimits limits;
  std::map<std::string, Room> used;
  for (const NodePool* pool : that_launch(pools)) {
    if (pool->limits.empty()) continue;
    if (limits.empty()) used = room_in_use(nodes, prices);
    limits.push_back(limit_of(*pool, used[pool->meta.name]));
  }
  return limits;
}

}  // namespace lips::kubernetes
