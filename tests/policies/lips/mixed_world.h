// Random fixed clusters of several types with tasks of mixed sizes, memory and devices, as streams of jobs in time.
#pragma once

#include <algorithm>
#include <array>
#include <map>
#include <utility>
#include <vector>

#include "base/random.h"
#include "tests/policies/case.h"

namespace lips::testing {

struct MixedNode {
  double cores, memory_per_core, price;
  std::uint32_t devices;
};

struct MixedJob {
  double arrival = 0;  // seconds
  double cores = 1, memory = 100, seconds = 60;
  std::uint32_t devices = 0;
  int tasks = 1, priority = 0;
  PoolId pool{0};
};

// Work that other schedulers run on some nodes, types whose memory or devices run out before their cores.
class MixedWorld {
 public:
  explicit MixedWorld(std::uint64_t seed, std::uint32_t pools = 1) : random_(seed), pools_(pools) {
    for (std::uint32_t i = 1; i < pools; ++i) builder_.pool(static_cast<double>(1 + random_.below(10)));
    builder_.start.extended_names.push_back("example.com/device");
    constexpr std::array<MixedNode, 4> types{MixedNode{4, 2048, 0.04, 0}, MixedNode{8, 4096, 0.05, 0},
                                             MixedNode{16, 1024, 0.045, 0}, MixedNode{8, 4096, 0.09, 2}};
    for (std::uint64_t k = 2 + random_.below(7); k > 0; --k) add_node(types[random_.below(types.size())]);
    for (std::uint64_t k = 3 + random_.below(15); k > 0; --k) jobs_.push_back(draw_job());
    std::sort(jobs_.begin(), jobs_.end(), [](const MixedJob& a, const MixedJob& b) { return a.arrival < b.arrival; });
  }

  const ClusterBuilder& builder() const { return builder_; }
  const std::vector<MixedJob>& jobs() const { return jobs_; }

  static JobArrived arrival_of(const ClusterSnapshot& cluster, const MixedJob& job) {
    JobArrived arrived = testing::job(cluster, {.pool = job.pool,
                                                .arrival = job.arrival,
                                                .priority = job.priority,
                                                .maps = job.tasks,
                                                .cpu = job.seconds * job.cores,
                                                .cores = job.cores,
                                                .memory = job.memory});
    if (job.devices > 0) arrived.job.request.extended.set(ResourceId(0), job.devices);
    return arrived;
  }

 private:
  void add_node(const MixedNode& type) {
    const NodeId id = builder_.node(
        {.price = type.price / 3600, .slots = 110, .cpu = type.cores, .memory = type.cores * type.memory_per_core});
    Node& node = builder_.start.nodes[id];
    node.price = UsdPerHour(type.price * type.cores);
    if (type.devices > 0) node.capacity.extended.set(ResourceId(0), type.devices);
    if (random_.below(4) > 0) return;  // another scheduler's pods
    node.others = {node.capacity.cpu * (0.25 * static_cast<double>(random_.below(3))),
                   node.capacity.memory * (0.25 * static_cast<double>(random_.below(5))), 2};
    if (type.devices > 0 && random_.below(2) == 0) node.others.extended.set(ResourceId(0), type.devices);
  }

  MixedJob draw_job() {
    constexpr std::array<double, 8> cores{0.25, 0.5, 1, 2, 2.5, 4, 6, 8};
    MixedJob job;
    job.arrival = static_cast<double>(random_.below(1800));
    job.cores = cores[random_.below(cores.size())];
    job.memory = job.cores * 256 * static_cast<double>(1 + random_.below(24));
    job.seconds = 10.0 * static_cast<double>(1 + random_.below(random_.below(3) == 0 ? 2000 : 60));
    job.tasks = static_cast<int>(1 + random_.below(random_.below(3) == 0 ? 20 : 3));
    job.priority = static_cast<int>(random_.below(2)) * 10;
    if (random_.below(4) == 0) job.devices = static_cast<std::uint32_t>(1 + random_.below(2));
    if (pools_ > 1) job.pool = PoolId(static_cast<std::uint32_t>(random_.below(pools_)));
    return job;
  }

  Random random_;
  std::uint32_t pools_;
  ClusterBuilder builder_{1};
  std::vector<MixedJob> jobs_;
};

}  // namespace lips::testing
