#include "virtual/run_through.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "base/random.h"
#include "controller/checked_policy.h"
#include "controller/epoch_controller.h"
#include "kubernetes/adapter/kubernetes_cluster.h"
#include "kubernetes/adapter/node_place.h"
#include "simulation/metrics.h"

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

kubernetes::ClusterSettings settings_of(const Scenario& scenario, const Policy& policy) {
  kubernetes::ClusterSettings settings;
  settings.mode = PodMode::bind;
  settings.instance = "virtual";
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
  if (!scenario.fleet.offers.empty())
    settings.model.offers = [&scenario](const kubernetes::NodeCache& nodes) { return offered(scenario, nodes); };
  settings.cadence = [&policy] { return policy.cadence(); };
  settings.data.storage_price = [](StoreKind) { return UsdPerMebibyteHour(0); };
  settings.data.mover.work.name_space = "lips";
  settings.data.mover.serve_stores = false;
  settings.self = {"lips", "", "", ""};  // where nodes are ordered
  return settings;
}

// Plans are made of the adapter's ids, which are none of the scenario's.
class CountsPlans : public Observer {
 public:
  void on_plan(const ClusterSnapshot&, const Plan& plan) override {
    ++plans_.made;
    plans_.tasks_assigned += plan.assignments.size();
    plans_.moves += plan.moves.size();
    plans_.drops += plan.drops.size();
    plans_.fell_back += plan.account.fell_back ? 1 : 0;
  }
  void on_bind(const ClusterSnapshot&, const Assignment&) override {}
  const simulation::Plans& plans() const { return plans_; }

 private:
  simulation::Plans plans_;
};

}  // namespace

Result<simulation::RunResult> run_through_kubernetes(const Scenario& scenario, const Policy& policy,
                                                     std::string policy_name, const ThroughOptions& options) {
  if (Result<void> possible = can_be_objects(scenario); !possible) return tl::unexpected<Error>(possible.error());
  simulation::RunMetrics metrics(scenario);
  VirtualKubernetes cluster(scenario, policy.cadence(), metrics, options.job_controller);
  const simulation::SimulatedCluster& truth = cluster.truth();
  bool stopped = false;
  std::uint64_t rounds = 0;
  const auto stop = [&] {
    constexpr std::uint64_t between_reports = 4096;
    if (++rounds % between_reports == 0 && options.progress)
      options.progress({truth.now(), truth.jobs_finished() + truth.jobs_failed(), truth.jobs_total()});
    stopped = stopped || (options.stop && options.stop());
    return stopped || cluster.over();
  };
  SilentLog silent;
  AdapterObserver nobody;
  const CheckedPolicy checked(policy);
  CountsPlans counted;
  Random weather(options.storm.seed);
  const auto next = [&](Duration every) {
    return every > Duration(0) ? cluster.loop().now() + seconds(weather.exponential(to_seconds(every)))
                               : TimePoint::max();
  };
  TimePoint compaction = next(options.storm.compact_every);
  while (!stop()) {
    const TimePoint restart = next(options.storm.restart_every);
    kubernetes::ClusterSettings settings = settings_of(scenario, policy);
    Storm storm = options.storm;
    storm.seed = weather.below(1U << 30);
    const auto ends = [&] {
      if (cluster.loop().now() >= compaction) {
        cluster.server().objects().compact();
        compaction = next(options.storm.compact_every);
      }
      return stop() || cluster.loop().now() >= restart;
    };
    settings.stop = ends;
    ClusterState state{ClusterSnapshot{}};
    kubernetes::KubernetesCluster adapter(cluster.link(storm), std::move(settings), nobody,
                                          options.log ? *options.log : silent);
    adapter.start();
    EpochController controller(state, adapter, checked, CostModel{});
    controller.observe(counted);
    ControllerSettings rules;
    rules.seed = scenario.seed;
    rules.stopwatch = options.stopwatch;
    rules.stop = ends;
    if (Result<void> ran = controller.run(rules); !ran) return tl::unexpected<Error>(ran.error());
    if (options.at_end && stop()) options.at_end(cluster);
  }
  cluster.truth().close();
  simulation::RunResult result = metrics.finish(truth.stuck() || truth.endless() ? truth.last_progress() : truth.now());
  result.scenario = scenario.name;
  result.policy = std::move(policy_name);
  result.seed = scenario.seed;
  result.events = truth.events();
  result.stuck = truth.stuck();
  result.endless = truth.endless();
  result.stopped = stopped;
  result.plans = counted.plans();
  return result;
}

}  // namespace lips::virtual_cluster
