// Random small scenarios with everything in them: failures, stragglers, noise, limited links, shuffle, shared data;
// with sizes of their own for jobs where a test adds them.
#pragma once

#include <algorithm>
#include <cmath>

#include "base/random.h"
#include "tests/simulation/tiny_scenario.h"

namespace lips::simulation::tiny {

// Some nodes get GPUs, and each job its own request, which at least one node holds: if it is lost, nobody runs the job.
inline void add_sizes(std::uint64_t seed, Scenario& scenario) {
  Random random(derive_seed(seed, 1));
  ClusterSnapshot& cluster = scenario.cluster;
  const ResourceId gpu = cluster.extended_names.push_back("nvidia.com/gpu");
  const NodeId equipped(static_cast<std::uint32_t>(random.below(cluster.nodes.size())));
  for (const NodeId node : cluster.nodes.ids())
    if (node == equipped || random.uniform() < 0.3)
      cluster.nodes[node].capacity.extended.set(gpu, static_cast<double>(1 + random.below(4)));
  for (JobArrived& job : scenario.jobs) {
    const bool wants_gpu = random.uniform() < 0.4;
    const NodeId like = wants_gpu ? equipped : NodeId(static_cast<std::uint32_t>(random.below(cluster.nodes.size())));
    const Resources& most = cluster.nodes[like].capacity;
    // Eighths and sixteenths, so that sums and differences are exact.
    job.job.request = {most.cpu * (static_cast<double>(1 + random.below(8)) / 8),
                       most.memory * (static_cast<double>(random.below(17)) / 16), 1};
    if (wants_gpu) job.job.request.extended.set(gpu, std::ceil(most.extended[gpu] * random.uniform(0.1, 1)));
  }
}

inline Scenario random_scenario(std::uint64_t seed) {
  Random random(seed);
  ScenarioBuilder builder(1 + static_cast<std::uint32_t>(random.below(3)));
  Scenario& scenario = builder.scenario;
  scenario.seed = seed;
  const auto zones = static_cast<std::uint32_t>(scenario.cluster.zones.size());
  const auto nodes = static_cast<std::uint32_t>(3 + random.below(8));
  for (std::uint32_t i = 0; i < nodes; ++i)
    builder.node(i % zones, static_cast<double>(1 + random.below(4)), random.uniform(0.001, 0.01),
                 random.uniform(0.5, 3));
  for (std::uint32_t i = 0; i < zones; ++i) builder.volume(i, UsdPerMebibyteHour(1e-6));
  builder.pool("second", 2);
  const auto limit = [&](double low, double high) {
    return MebibytesPerSecond(random.uniform() < 0.3 ? 0 : random.uniform(low, high));
  };
  Network& network = scenario.cluster.network;
  network = {limit(20, 100), limit(20, 100), limit(50, 100), limit(5, 100), limit(10, 50), limit(2, 30)};
  for (int data_set = 0; data_set < 4; ++data_set) {
    std::vector<StoreId> stores;
    for (std::uint64_t i = 0; i < 1 + random.below(12); ++i)
      stores.emplace_back(static_cast<std::uint32_t>(random.below(scenario.cluster.stores.size())));
    builder.data(Mebibytes(random.uniform(10, 200)), stores);
  }
  double arrival = 0;
  for (int i = 0; i < 15; ++i) {
    arrival += random.exponential(30);
    JobArrived& job =
        random.uniform() < 0.3
            ? builder.computing_job(arrival, static_cast<std::uint32_t>(1 + random.below(6)), random.uniform(1, 100))
            : builder.reading_job(arrival, DataSetId(static_cast<std::uint32_t>(random.below(4))),
                                  random.uniform(1, 100));
    job.job.pool = PoolId(static_cast<std::uint32_t>(random.below(2)));
    if (random.uniform() < 0.5)
      ScenarioBuilder::add_reduces(job, static_cast<std::uint32_t>(1 + random.below(4)), random.uniform(1, 50),
                                   Mebibytes(random.uniform(1, 500)));
  }
  if (random.uniform() < 0.6)
    for (int i = 0; i < 3; ++i)
      scenario.failures.push_back({NodeId(static_cast<std::uint32_t>(random.below(nodes))), at(random.uniform(0, 400)),
                                   seconds(random.uniform() < 0.2 ? 0 : random.uniform(1, 300)),
                                   random.uniform() < 0.3});
  std::sort(scenario.failures.begin(), scenario.failures.end(),
            [](const NodeFailure& a, const NodeFailure& b) { return a.at < b.at; });
  scenario.stragglers = {0.1, 4};
  scenario.duration_noise = random.uniform(0, 0.6);
  scenario.remote_read = random.uniform() < 0.5 ? RemoteRead::stream : RemoteRead::copy_first;
  if (random.uniform() < 0.4) {
    scenario.thinking = Thinking::fixed;
    scenario.thinking_time = seconds(random.uniform(0, 5));
  }
  return scenario;
}

}  // namespace lips::simulation::tiny
