#include "experiments/modified_fair_scene.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "base/random.h"
#include "policies/registry.h"
#include "simulation/run.h"

namespace lips::experiments {

namespace {

constexpr std::uint32_t nodes = 8, racks = 2, pools = 3;
constexpr double cores = 2;   // of a virtual machine
constexpr double block = 64;  // MiB, Hadoop 1.2.1's default
constexpr double map_work = 90,
                 reduce_work = 20;      // CPU-seconds; WordCount's 90 a block is from the LiPS paper's Table I
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

JobArrived add_job(ClusterSnapshot& cluster, std::uint32_t number, std::uint32_t maps, double arrival,
                   FairPlacement placement, Random& random) {
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
        {StoreId(placement == FairPlacement::writer ? 0 : static_cast<std::uint32_t>(random.below(nodes))), false, {}}};
    Task task;
    task.block = cluster.blocks.push_back(std::move(placed));
    task.cpu = CpuSeconds(map_work);
    task.input = Mebibytes(block);
    arrived.tasks.push_back(task);
  }
  Task reduce;
  reduce.kind = TaskKind::reduce;
  reduce.cpu = CpuSeconds(reduce_work);
  reduce.input = arrived.job.shuffle;
  arrived.tasks.push_back(reduce);
  return arrived;
}

}  // namespace

PolicySettings fair_settings() {
  PolicySettings settings;
  settings.heartbeat = std::chrono::seconds(1);
  settings.node_delay = settings.rack_delay = std::chrono::seconds(3);
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
    scenario.jobs.push_back(add_job(scenario.cluster, i, sizes[i], arrival, shape.placement, random));
    if (shape.mean_gap > 0) arrival += random.exponential(shape.mean_gap);
  }
  return scenario;
}

FairFigures fair_run(std::string_view policy, const simulation::Scenario& scenario, const PolicySettings& settings) {
  const Result<std::unique_ptr<Policy>> made = make_policy(policy, settings);
  if (!made) return {};
  const Result<simulation::RunResult> ran = simulation::run(scenario, **made, std::string(policy));
  if (!ran || ran->jobs_finished != ran->jobs) return {};
  std::uint64_t maps = 0;
  for (int level = 0; level < static_cast<int>(Locality::none); ++level)
    maps += ran->locality.tasks[static_cast<std::size_t>(level)];
  return {ran->completion.mean, static_cast<double>(ran->locality.tasks[0]) / static_cast<double>(maps)};
}

}  // namespace lips::experiments
