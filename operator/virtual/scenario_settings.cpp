#include "virtual/scenario_settings.h"

#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <utility>

#include "kubernetes/adapter/node_place.h"
#include "virtual/scenario_objects.h"

namespace lips::virtual_cluster {
namespace {

using simulation::Scenario;

// Speeds by instance type, as a price sheet has them; prices are written on the nodes.
std::map<std::string, double> speeds_of(const Scenario& scenario) {
  std::map<std::string, double> speeds;
  for (const Node& node : scenario.cluster.nodes) speeds[type_name(node)] = node.speed;
  return speeds;
}

std::map<std::string, ZoneId> zones_of(const Scenario& scenario) {
  std::map<std::string, ZoneId> zones;
  for (const ZoneId zone : scenario.cluster.zones.ids()) zones[scenario.cluster.zones[zone].name] = zone;
  return zones;
}

// The nodes that the scenario's autoscaler may still launch beside these.
kubernetes::Offered offered(const Scenario& scenario, const kubernetes::NodeCache& nodes) {
  using Kind = std::tuple<std::string, std::string, CapacityType>;
  std::map<Kind, std::uint32_t> there;
  kubernetes::Offered result;
  result.limits = scenario.fleet.limits;
  for (const auto& [name, record] : nodes.all())
    if (record.node) {
      const kubernetes::NodePlace place = kubernetes::place_of(*record.node);
      ++there[{place.instance_type, place.zone, place.capacity_type}];
    }
  for (const simulation::NodeOffer& offer : scenario.fleet.offers) {
    const Node& like = scenario.cluster.nodes[offer.first];
    kubernetes::OfferEntry entry;
    entry.instance_type = type_name(like);
    entry.zone = scenario.cluster.zones[like.zone].name;
    entry.capacity_type = like.capacity_type;
    entry.capacity = like.capacity;
    entry.room = like.capacity;  // a scenario's nodes are what they leave to pods
    entry.price = like.price;
    const std::uint32_t used = there[{entry.instance_type, entry.zone, entry.capacity_type}];
    entry.left = offer.limit - std::min(offer.limit, used);
    entry.boot = offer.boot;
    entry.idle = simulation::idle_time(scenario.fleet.autoscaler);
    entry.interruptions = offer.interruptions;
    entry.within = offer.within;
    if (offer.within.valid()) result.limits[offer.within].take(like.capacity, used);
    result.offers.push_back(std::move(entry));
  }
  return result;
}

}  // namespace

void take_from_scenario(const Scenario& scenario, kubernetes::ClusterSettings& settings) {
  settings.self = {operator_name_space, "", "", ""};
  settings.applications.learn_traffic = false;  // its drivers are processes
  settings.model.network = scenario.cluster.network;
  settings.model.node_price = [speeds = speeds_of(scenario)](const kubernetes::PriceQuestion& question) {
    const auto speed = speeds.find(question.instance_type);
    return NodePrice{UsdPerHour(0), speed == speeds.end() ? 1 : speed->second};
  };
  settings.model.transfer_price = [&scenario, zones = zones_of(scenario)](const TransferEnd& from,
                                                                          const TransferEnd& to) {
    const auto a = zones.find(from.zone), b = zones.find(to.zone);
    return a == zones.end() || b == zones.end() ? UsdPerMebibyte(0) : scenario.costs.transfer(a->second, b->second);
  };
  settings.pool_offers = {};
  settings.model.offers = nullptr;
  if (!scenario.fleet.offers.empty())
    settings.model.offers = [&scenario](const kubernetes::NodeCache& nodes) { return offered(scenario, nodes); };
  settings.data.storage_price = [](StoreKind) { return UsdPerMebibyteHour(0); };
  settings.data.mover.work.name_space = operator_name_space;
  settings.data.mover.serve_stores = false;
  settings.data.mover.unowned_every = Duration(0);  // virtual movers write no lists
}

}  // namespace lips::virtual_cluster
