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
  // Claims of the tenant about the job, true or not.
  std::uint32_t peers_to_come = 0;  // beside the tasks that are there; 0: no peers
  std::uint32_t gang = 0;           // of peers: fewer never start
  bool leads = false, lacks_driver = false;
  double due_in = 0;       // seconds after its arrival, before it where negative; 0: not due
  bool tolerates = false;  // nodes of their own taint
};

// Work that other schedulers run on some nodes, types whose memory or devices run out before their cores.
class MixedWorld {
 public:
  // `adversaries`: jobs of pool 0 beside the others, whose owner says of them whatever may help.
  explicit MixedWorld(std::uint64_t seed, std::uint32_t pools = 1, std::uint32_t adversaries = 0)
      : random_(seed), pools_(pools) {
    for (std::uint32_t i = 1; i < pools; ++i) builder_.pool(static_cast<double>(1 + random_.below(10)));
    builder_.start.extended_names.push_back("example.com/device");
    builder_.start.constraints.push_back({});
    builder_.start.constraints.push_back({{}, {}, {{"own", "", "NoSchedule", false}}});
    constexpr std::array<MixedNode, 4> types{MixedNode{4, 2048, 0.04, 0}, MixedNode{8, 4096, 0.05, 0},
                                             MixedNode{16, 1024, 0.045, 0}, MixedNode{8, 4096, 0.09, 2}};
    for (std::uint64_t k = 2 + random_.below(7); k > 0; --k) add_node(types[random_.below(types.size())]);
    for (std::uint64_t k = 3 + random_.below(15); k > 0; --k) jobs_.push_back(draw_job());
    if (adversaries > 0)
      for (MixedJob& job : jobs_)
        if (job.pool == adversary) job.pool = PoolId(1);
    for (std::uint32_t k = 0; k < adversaries; ++k) jobs_.push_back(draw_adversary());
    std::sort(jobs_.begin(), jobs_.end(), [](const MixedJob& a, const MixedJob& b) { return a.arrival < b.arrival; });
  }

  static constexpr PoolId adversary{0};

  // A third of the jobs has been due before it came.
  void make_some_overdue(std::uint64_t seed) {
    Random random(seed);
    for (MixedJob& job : jobs_)
      if (random.below(3) == 0) job.due_in = -1;
  }

  // Half of the nodes are for a third of the jobs alone.
  void dedicate_some_nodes(std::uint64_t seed) {
    Random random(seed);
    const ProfileId own = builder_.start.profiles.push_back({{}, {{"own", "", "NoSchedule"}}});
    for (Node& node : builder_.start.nodes)
      if (random.below(2) == 0) node.profile = own;
    for (MixedJob& job : jobs_) job.tolerates = random.below(3) == 0;
  }

  // Work of others leaves a core or less on most nodes that are for everybody.
  void break_up(std::uint64_t seed) {
    Random random(seed);
    for (Node& node : builder_.start.nodes)
      if (node.profile == ProfileId(0) && random.below(4) > 0)
        node.others.cpu = node.capacity.cpu - Cores(0.25 * static_cast<double>(1 + random.below(4)));
  }

  // Jobs of one long task each that come first, and of which no two ask for the same; of the first pool.
  void add_crowd(std::uint64_t seed) {
    Random random(seed);
    std::vector<MixedJob> crowd(30 + random.below(60));
    for (std::size_t i = 0; i < crowd.size(); ++i) {
      crowd[i].cores = 1.5 + 0.05 * static_cast<double>(i);
      crowd[i].memory = 512 * static_cast<double>(1 + random.below(40));
      crowd[i].seconds = 20.0 * static_cast<double>(1 + random.below(60));
      crowd[i].priority = static_cast<int>(random.below(2)) * 10;
    }
    jobs_.insert(jobs_.begin(), crowd.begin(), crowd.end());
  }

  const ClusterBuilder& builder() const { return builder_; }
  const std::vector<MixedJob>& jobs() const { return jobs_; }

  // Until the next task ends, the next job arrives (a second; beyond 1e11: none does), or for half a minute.
  static void pass_time(ClusterState& state, double arrival) {
    const ClusterSnapshot& cluster = state.snapshot();
    const auto first =
        std::min_element(cluster.running.begin(), cluster.running.end(),
                         [](const RunningTask& a, const RunningTask& b) { return a.expected_end < b.expected_end; });
    const TimePoint until = arrival > 1e11 ? TimePoint::max() : TimePoint(lips::seconds(arrival));
    if (first == cluster.running.end() || first->expected_end > until)
      return state.advance(std::min(until, cluster.now + lips::seconds(30)));
    const RunningTask ended = *first;
    state.advance(std::max(cluster.now, ended.expected_end));
    state.apply(TaskFinished{ended.task, ended.node});
  }

  static JobArrived arrival_of(const ClusterSnapshot& cluster, const MixedJob& job) {
    JobArrived arrived = testing::job(cluster, {.pool = job.pool,
                                                .arrival = job.arrival,
                                                .priority = job.priority,
                                                .maps = job.tasks,
                                                .cpu = job.seconds * job.cores,
                                                .cores = job.cores,
                                                .memory = job.memory,
                                                .constraint = ConstraintId(job.tolerates ? 1 : 0)});
    if (job.devices > 0) arrived.job.request.extended.set(ResourceId(0), job.devices);
    if (job.due_in != 0) arrived.job.due.complete_by = TimePoint(lips::seconds(job.arrival + job.due_in));
    if (job.peers_to_come > 0) {
      WholeJob& whole = arrived.job.whole;
      whole.id = WholeJobId(static_cast<std::uint32_t>(cluster.jobs.size()));
      whole.peers = true;
      whole.maps = static_cast<std::uint32_t>(job.tasks);
      whole.expected = whole.maps + job.peers_to_come;
      whole.each = arrived.job.request;
      whole.gang = job.gang;
      whole.arrived = arrived.job.arrival;
      whole.lacks_driver = job.lacks_driver;
      arrived.job.coordinates = job.leads;
    }
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

  // Gangs that never fill, one-task jobs without end, tasks that are overdue and come first.
  MixedJob draw_adversary() {
    MixedJob job = draw_job();
    job.pool = adversary;
    job.devices = 0;
    if (random_.below(3) == 0) job.priority = 1'000'000'000;
    if (random_.below(3) == 0) job.due_in = random_.below(2) == 0 ? -3600 : 1;
    if (random_.below(3) == 0) {
      job.cores = 0.25, job.memory = 64, job.seconds = 1, job.tasks = 1;
    } else {
      job.peers_to_come = static_cast<std::uint32_t>(1 + random_.below(100));
      job.leads = random_.below(3) == 0;
      job.lacks_driver = !job.leads && random_.below(3) == 0;
      if (job.leads) job.tasks = 1;
      if (!job.leads && random_.below(2) == 0) job.gang = static_cast<std::uint32_t>(job.tasks) + job.peers_to_come;
    }
    return job;
  }

  Random random_;
  std::uint32_t pools_;
  ClusterBuilder builder_{1};
  std::vector<MixedJob> jobs_;
};

}  // namespace lips::testing
