#include "experiments/modified_fair_setup.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/random.h"
#include "policies/registry/registry.h"
#include "simulation/run.h"

namespace lips::experiments {

namespace {

constexpr std::uint32_t nodes = 8, racks = 2, pools = 3;
constexpr double cores = 2;             // of a virtual machine
constexpr double block = 64;            // MiB, Hadoop 1.2.1's default
constexpr double reduce_work = 20;      // CPU-seconds where a map has 90; in proportion
constexpr double shuffle_share = 0.05;  // of the input, after the combiner
constexpr double mebibytes_per_mbit = 1e6 / 8 / (1024 * 1024);

void add_nodes(ClusterSnapshot& cluster, std::uint32_t slots) {
  cluster.zones.push_back({"campus"});
  cluster.profiles.push_back({});
  for (std::uint32_t rack = 0; rack < racks; ++rack)
    cluster.racks.push_back({"building-" + std::to_string(rack), ZoneId(0)});
  for (std::uint32_t i = 0; i < nodes; ++i) {
    Node node;
    node.name = "vm-" + std::to_string(i);
    node.zone = ZoneId(0);
    node.rack = RackId(i / (nodes / racks));
    node.profile = ProfileId(0);
    node.capacity = {Cores(slots), Mebibytes(4096), static_cast<std::int32_t>(slots)};
    node.speed = std::min(1.0, cores / slots);  // all slots share the machine's two cores
    node.price = UsdPerHour(0.1);
    const NodeId id = cluster.nodes.push_back(node);
    DataStore store;
    store.name = node.name;
    store.zone = ZoneId(0);
    store.node = id;
    cluster.stores.push_back(store);
  }
  for (std::uint32_t i = 0; i < pools; ++i)
    cluster.pools.push_back({"user-" + std::to_string(i), 1, Cores(3), Cores(6), {}});
}

JobArrived add_job(ClusterSnapshot& cluster, std::uint32_t maps, double arrival, const FairShape& shape,
                   Random& random) {
  const auto number = static_cast<std::uint32_t>(cluster.data_sets.size());
  const BlockId first(static_cast<std::uint32_t>(cluster.blocks.size()));
  const DataSetId data_set = cluster.data_sets.push_back({"input-" + std::to_string(number), first, maps, {}, {}});
  JobArrived arrived;
  arrived.job.name = "wordcount-" + std::to_string(number);
  arrived.job.pool = PoolId(number % pools);
  arrived.job.arrival = TimePoint(seconds(arrival));
  arrived.job.request = {Cores(1), Mebibytes(1), 1};
  arrived.job.inputs = {{data_set, 1}};
  arrived.job.shuffle = Mebibytes(block * maps * shuffle_share);
  arrived.job.map_tasks = maps;
  arrived.job.reduce_tasks = 1;
  for (std::uint32_t i = 0; i < maps; ++i) {
    Block placed;
    placed.data_set = data_set;
    placed.size = Mebibytes(block);
    placed.replicas = {
        {StoreId(shape.placement == FairPlacement::writer ? 0 : static_cast<std::uint32_t>(random.below(nodes))),
         false,
         {}}};
    Task task;
    task.block = cluster.blocks.push_back(std::move(placed));
    task.cpu = CpuSeconds(shape.map_work);
    task.input = Mebibytes(block);
    arrived.tasks.push_back(task);
  }
  Task reduce;
  reduce.kind = TaskKind::reduce;
  reduce.cpu = CpuSeconds(reduce_work * shape.map_work / 90);
  reduce.input = arrived.job.shuffle;
  arrived.tasks.push_back(reduce);
  return arrived;
}

struct MapWork {
  double arrival = 0, left = 0;  // seconds; slot-seconds
};

// For jobs that share a number of slots, each of them able to use all: shortest remaining work first is optimal for
// one machine with preemption (Schrage 1968).
double least_total_turnaround(std::vector<MapWork> jobs, double slots) {
  double now = 0, sum = 0;
  while (!jobs.empty()) {
    double next = 1e300;  // arrival
    auto best = jobs.end();
    for (auto job = jobs.begin(); job != jobs.end(); ++job)
      if (job->arrival > now)
        next = std::min(next, job->arrival);
      else if (best == jobs.end() || job->left < best->left)
        best = job;
    if (best == jobs.end()) {
      now = next;
    } else if (now + best->left / slots > next) {
      best->left -= (next - now) * slots;
      now = next;
    } else {
      now += best->left / slots;
      sum += now - best->arrival;
      jobs.erase(best);
    }
  }
  return sum;
}

}  // namespace

PolicySettings fair_settings() {
  PolicySettings settings;
  settings.heartbeat = std::chrono::milliseconds(300);
  settings.delay.node = settings.delay.rack = std::chrono::seconds(3);
  settings.reduce_slots = 1;
  return settings;
}

simulation::Scenario fair_scenario(const FairShape& shape, std::uint64_t seed) {
  Random random(derive_seed(seed, 50));
  simulation::Scenario scenario;
  scenario.name = "modified-fair";
  scenario.seed = seed;
  scenario.duration_noise = 0.1;
  add_nodes(scenario.cluster, shape.map_slots + 1);
  scenario.cluster.network.local_read = MebibytesPerSecond(100);
  scenario.cluster.network.node_link = MebibytesPerSecond(1000 * mebibytes_per_mbit);
  scenario.cluster.network.rack_link = MebibytesPerSecond(shape.rack_link_mbit * mebibytes_per_mbit);
  scenario.costs = uniform_costs(1, UsdPerMebibyte(0));
  std::vector<std::uint32_t> sizes = shape.sizes;
  random.shuffle(std::span(sizes));
  double arrival = 0;
  for (std::uint32_t i = 0; i < sizes.size(); ++i) {
    scenario.jobs.push_back(add_job(scenario.cluster, sizes[i], arrival, shape, random));
    if (shape.mean_gap > 0) arrival += random.exponential(shape.mean_gap);
  }
  return scenario;
}

FairFigures fair_run(std::string_view policy, const simulation::Scenario& scenario, const PolicySettings& settings) {
  const Result<std::unique_ptr<Policy>> made = make_policy(policy, settings);
  if (!made) return {};
  const Result<simulation::RunResult> ran = simulation::run(scenario, **made, std::string(policy));
  if (!ran || ran->jobs_finished != ran->jobs) return {};
  return {ran->completion.mean, ran->locality.share(Locality::node)};
}

double least_turnaround_within_maxima(const simulation::Scenario& scenario) {
  const double speed = scenario.cluster.nodes[NodeId(0)].speed;
  std::uint32_t least = scenario.jobs.front().job.map_tasks;
  for (const JobArrived& arrived : scenario.jobs) least = std::min(least, arrived.job.map_tasks);
  std::vector<std::vector<MapWork>> maps_of(scenario.cluster.pools.size());
  double sum = 0;
  for (const JobArrived& arrived : scenario.jobs) {
    const Job& job = arrived.job;
    const double map = arrived.tasks.front().cpu.value() / speed;
    sum += arrived.tasks.back().cpu.value() / speed;  // the reduce, after all maps
    if (job.map_tasks == least)
      sum += map;
    else
      maps_of[job.pool.index()].push_back({to_seconds(job.arrival), map * job.map_tasks});
  }
  for (std::size_t i = 0; i < maps_of.size(); ++i)
    sum += least_total_turnaround(std::move(maps_of[i]),
                                  scenario.cluster.pools[PoolId(static_cast<std::uint32_t>(i))].maximum.value());
  return sum / static_cast<double>(scenario.jobs.size());
}

}  // namespace lips::experiments
