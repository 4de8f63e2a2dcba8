// How fast whole days are simulated: a synthetic day at 1, 2 and 4 times the jobs. Near linear means a ratio near 2.
//   bench_simulation [POLICY ...] [--nodes N] [--jobs N] [--network] [--scenario NAME]
// A scenario (config/scenarios, or a path) is simulated once instead; LIPS_DATA names the folder of traces.
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "base/random.h"
#include "cmd/cli/wall_stopwatch.h"
#include "policies/registry/registry.h"
#include "simulation/run.h"
#include "simulation/scenario_reader.h"

namespace {

using namespace lips;
using namespace lips::simulation;

struct Shape {
  std::uint32_t nodes = 600;
  std::size_t jobs = 6000;  // a day at load 1x
  bool network = false;     // limited links
};

void add_nodes(Scenario& scenario, const Shape& shape) {
  ClusterSnapshot& cluster = scenario.cluster;
  for (std::uint32_t i = 0; i < 3; ++i) cluster.zones.push_back({"zone" + std::to_string(i)});
  for (std::uint32_t i = 0; i < 15; ++i) cluster.racks.push_back({"rack" + std::to_string(i), ZoneId(i % 3)});
  cluster.profiles.push_back({});
  Pool pool;
  pool.name = "a";
  cluster.pools.push_back(pool);
  pool.name = "b";
  cluster.pools.push_back(pool);
  const double prices[] = {0.10, 0.12, 0.15, 0.09};
  for (std::uint32_t i = 0; i < shape.nodes; ++i) {
    Node node;
    node.name = "node" + std::to_string(i);
    node.rack = RackId(i % 15);
    node.zone = cluster.racks[node.rack].zone;
    node.profile = ProfileId(0);
    node.instance_type = "type" + std::to_string(i % 4);
    node.capacity = {Cores(4), Mebibytes(16384), 4};
    node.price = UsdPerHour(prices[i % 4]);
    const NodeId id = cluster.nodes.push_back(node);
    DataStore store;
    store.name = node.name;
    store.zone = node.zone;
    store.node = id;
    cluster.stores.push_back(store);
  }
  cluster.network.local_read = MebibytesPerSecond(80);
  cluster.network.remote_stream = MebibytesPerSecond(25);
  cluster.network.zone_stream = MebibytesPerSecond(60);
  if (!shape.network) return;
  cluster.network.node_link = MebibytesPerSecond(120);
  cluster.network.zone_link = MebibytesPerSecond(5000);
}

// Job sizes are Pareto (most are one block, some thousands); CPU 0.5 to 3 s a MiB of 64 MiB blocks; half have a
// shuffle.
void add_job(Scenario& scenario, Random& random, TimePoint arrival) {
  ClusterSnapshot& cluster = scenario.cluster;
  const auto maps = static_cast<std::uint32_t>(std::min(20000.0, std::pow(1 - random.uniform(), -1.0)));
  DataSet data;
  data.name = "data" + std::to_string(cluster.data_sets.size());
  data.first_block = BlockId(static_cast<std::uint32_t>(cluster.blocks.size()));
  data.blocks = maps;
  const DataSetId id = cluster.data_sets.push_back(data);
  JobArrived arrived;
  arrived.job.name = "job" + std::to_string(scenario.jobs.size());
  arrived.job.pool = PoolId(static_cast<std::uint32_t>(random.below(2)));
  arrived.job.arrival = arrival;
  arrived.job.request = {Cores(1), Mebibytes(1024), 1};
  arrived.job.inputs = {{id, 1}};
  arrived.job.map_tasks = maps;
  const double rate = random.uniform(0.5, 3);
  for (std::uint32_t i = 0; i < maps; ++i) {
    Block block;
    block.data_set = id;
    block.size = Mebibytes(64);
    for (int r = 0; r < 3; ++r) {
      const StoreId store(static_cast<std::uint32_t>(random.below(cluster.nodes.size())));
      if (!block.on(store)) block.replicas.push_back({store});
    }
    Task task;
    task.block = cluster.blocks.push_back(block);
    task.cpu = CpuSeconds(64 * rate);
    task.input = block.size;
    arrived.tasks.push_back(task);
  }
  if (random.uniform() < 0.5) {
    arrived.job.reduce_tasks = 1 + maps / 20;
    arrived.job.shuffle = Mebibytes(6.0 * maps);
    for (std::uint32_t i = 0; i < arrived.job.reduce_tasks; ++i) {
      Task task;
      task.kind = TaskKind::reduce;
      task.input = arrived.job.shuffle / arrived.job.reduce_tasks;
      task.cpu = CpuSeconds(task.input.value() * 0.5);
      arrived.tasks.push_back(task);
    }
  }
  scenario.jobs.push_back(std::move(arrived));
}

Scenario day(const Shape& shape, int times) {
  Scenario scenario;
  scenario.name = "synthetic day";
  scenario.costs = uniform_costs(3, usd_per_gigabyte(0.02));
  add_nodes(scenario, shape);
  Random random(1);
  const std::size_t jobs = shape.jobs * static_cast<std::size_t>(times);
  for (std::size_t i = 0; i < jobs; ++i)
    add_job(scenario, random, TimePoint(seconds(86400.0 * static_cast<double>(i) / static_cast<double>(jobs))));
  return scenario;
}

void print_header() {
  std::printf("%-20s %3s %8s %9s %9s %8s %8s %10s %6s %7s %7s\n", "policy", "x", "jobs", "tasks", "events", "seconds",
              "deciding", "events/s", "ratio", "node%", "remote%");
}

// Seconds that the run took; negative when it failed.
double measure(const Scenario& scenario, const std::string& name, int times, double before) {
  const Result<std::unique_ptr<Policy>> policy = make_policy(name, scenario.settings);
  if (!policy) {
    std::fprintf(stderr, "%s\n", policy.error().message.c_str());
    return -1;
  }
  const WallStopwatch clock;
  RunOptions options;
  options.stopwatch = &clock;
  const double began = clock.seconds();
  const Result<RunResult> result = run(scenario, **policy, name, options);
  const double took = clock.seconds() - began;
  if (!result) {
    std::fprintf(stderr, "%s\n", result.error().message.c_str());
    return -1;
  }
  const double tasks = std::max(1.0, static_cast<double>(result->tasks_finished));
  std::printf("%-20s %3d %8zu %9.0f %9llu %8.2f %8.2f %10.0f %6.2f %7.1f %7.1f\n", name.c_str(), times,
              scenario.jobs.size(), tasks, static_cast<unsigned long long>(result->events), took,
              result->measured.deciding, static_cast<double>(result->events) / (took - result->measured.deciding),
              before > 0 ? took / before : 0, 100 * static_cast<double>(result->locality.tasks[Locality::node]) / tasks,
              100 * static_cast<double>(result->locality.tasks[Locality::remote]) / tasks);
  std::fflush(stdout);
  return took;
}

}  // namespace

int main(int argc, char** argv) {
  Shape shape;
  std::string named;
  std::vector<std::string> policies;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if (argument == "--network")
      shape.network = true;
    else if (argument == "--nodes" && i + 1 < argc)
      shape.nodes = static_cast<std::uint32_t>(std::atoi(argv[++i]));
    else if (argument == "--jobs" && i + 1 < argc)
      shape.jobs = static_cast<std::size_t>(std::atoi(argv[++i]));
    else if (argument == "--scenario" && i + 1 < argc)
      named = argv[++i];
    else
      policies.push_back(argument);
  }
  if (policies.empty()) policies = {"own-zone-cheapest", "delay"};
  if (!named.empty()) {
    const Result<std::string> path = find_scenario(named);
    const Result<Scenario> scenario = path ? read_scenario(*path) : tl::unexpected<Error>(path.error());
    if (!scenario) {
      std::fprintf(stderr, "%s\n", scenario.error().message.c_str());
      return 2;
    }
    print_header();
    for (const std::string& policy : policies)
      if (measure(*scenario, policy, 1, 0) < 0) return 1;
    return 0;
  }
  print_header();
  for (const std::string& policy : policies) {
    double before = 0;
    for (int times : {1, 2, 4})
      if (before = measure(day(shape, times), policy, times, before); before < 0) return 1;
  }
  return 0;
}
