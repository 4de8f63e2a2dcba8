#include "experiments/li_setup.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "base/check.h"
#include "base/random.h"
#include "model/stripe.h"
#include "policies/registry/registry.h"
#include "simulation/run.h"
#include "simulation/stripe_placement.h"

namespace lips::experiments {

namespace {

constexpr double block_mebibytes = 128, mebibytes_per_gigabit = 128;
constexpr double map_mean = 20, map_deviation = 1, reduce_mean = 30, reduce_deviation = 2, least_seconds = 1;
const TimePoint job_arrival = TimePoint(std::chrono::seconds(1));  // the nodes are lost by then

enum class Draw : std::uint64_t { placement = 1, work, failure, speed };

std::uint64_t stream(std::uint32_t seed, Draw draw) { return derive_seed(seed, static_cast<std::uint64_t>(draw)); }

// Nodes report in the order of their numbers: rack by rack, or one of each rack in turn.
RackId rack_of(const LiShape& shape, std::uint32_t node) {
  LIPS_CHECK(node < shape.nodes, "a node of the cluster");
  return RackId(shape.reports == LiReports::rack_by_rack ? node * shape.racks / shape.nodes : node % shape.racks);
}

void add_nodes(const LiShape& shape, std::uint32_t seed, ClusterSnapshot& cluster) {
  cluster.zones.push_back({"zone"});
  cluster.profiles.push_back({});
  cluster.pools.push_back({"default", 1, {}, {}, {}});
  for (std::uint32_t rack = 0; rack < shape.racks; ++rack)
    cluster.racks.push_back({fmt::format("rack-{}", rack), ZoneId(0)});
  std::vector<std::uint32_t> order;
  for (std::uint32_t i = 0; i < shape.nodes; ++i) order.push_back(i);
  Random(stream(seed, Draw::speed)).shuffle(std::span(order));
  const auto slow = static_cast<std::size_t>(std::lround(shape.slow_nodes * shape.nodes));
  for (std::uint32_t i = 0; i < shape.nodes; ++i) {
    Node node;
    node.name = fmt::format("node-{}", i);
    node.zone = ZoneId(0);
    node.rack = rack_of(shape, i);
    node.profile = ProfileId(0);
    node.capacity = {Cores(shape.map_slots), Mebibytes(1e6), static_cast<std::int32_t>(shape.map_slots)};
    node.price = UsdPerHour(1);
    if (std::find(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(slow), i) !=
        order.begin() + static_cast<std::ptrdiff_t>(slow))
      node.speed = shape.slow_speed;
    const NodeId id = cluster.nodes.push_back(node);
    cluster.stores.push_back({node.name, StoreKind::node_directory, ZoneId(0), id, {}, {}, {}});
  }
  cluster.network.rack_link = MebibytesPerSecond(shape.rack_gigabits * mebibytes_per_gigabit);
  cluster.network.node_link = MebibytesPerSecond(shape.node_gigabits * mebibytes_per_gigabit);
}

void add_data(const LiShape& shape, std::uint32_t seed, ClusterSnapshot& cluster) {
  DataSet data;
  data.name = "input";
  data.first_block = BlockId(0);
  data.blocks = shape.native_blocks;
  data.code = {shape.n, shape.k};
  const DataSetId id = cluster.data_sets.push_back(data);
  const std::uint32_t blocks = data.blocks + parity_blocks(data);
  for (std::uint32_t i = 0; i < blocks; ++i) cluster.blocks.push_back({id, Mebibytes(block_mebibytes), {}, {}});
  std::vector<NodeId> nodes;
  for (NodeId node : cluster.nodes.ids()) nodes.push_back(node);
  Random random(stream(seed, Draw::placement));
  for (std::uint32_t index = 0; index < stripe_count(data); ++index) {
    const Stripe stripe = stripe_at(data, index);
    const std::vector<NodeId> chosen = simulation::place_stripe(cluster, nodes, stripe.size(), stripe.parities, random);
    for (std::uint32_t member = 0; member < chosen.size(); ++member)
      cluster.blocks[stripe.block(member)].replicas.push_back({StoreId(chosen[member].index()), false, {}});
  }
}

JobArrived job(const LiShape& shape, std::uint32_t seed) {
  JobArrived arrival;
  Job& job = arrival.job;
  job.name = "job";
  job.pool = PoolId(0);
  job.arrival = job_arrival;
  job.request = {Cores(1), Mebibytes(0), 1};
  job.inputs = {{DataSetId(0), 1}};
  job.map_tasks = shape.native_blocks;
  job.reduce_tasks = shape.reduces;
  job.shuffle = Mebibytes(shape.shuffle * block_mebibytes * shape.native_blocks);
  Random random(stream(seed, Draw::work));
  for (std::uint32_t i = 0; i < job.tasks(); ++i) {
    Task task;
    const bool map = i < job.map_tasks;
    task.kind = map ? TaskKind::map : TaskKind::reduce;
    task.cpu = CpuSeconds(std::max(
        least_seconds, map ? random.normal(map_mean, map_deviation) : random.normal(reduce_mean, reduce_deviation)));
    task.input = map ? Mebibytes(block_mebibytes) : job.shuffle / job.reduce_tasks;
    if (map) task.block = BlockId(i);
    arrival.tasks.push_back(task);
  }
  return arrival;
}

std::vector<simulation::NodeFailure> failures(const LiShape& shape, std::uint32_t seed) {
  Random random(stream(seed, Draw::failure));
  std::vector<NodeId> nodes;
  for (std::uint32_t i = 0; i < shape.nodes; ++i) nodes.emplace_back(i);
  random.shuffle(std::span(nodes));
  std::size_t lost = shape.failure == LiFailure::two_nodes ? 2 : 1;
  if (shape.failure == LiFailure::none) lost = 0;
  if (shape.failure == LiFailure::rack) {
    const RackId rack = rack_of(shape, nodes[0].index());
    std::erase_if(nodes, [&](NodeId node) { return rack_of(shape, node.index()) != rack; });
    lost = nodes.size();
  }
  std::vector<simulation::NodeFailure> result;
  for (std::size_t i = 0; i < lost; ++i) result.push_back({nodes[i], TimePoint{}, Duration(0), true});
  return result;
}

}  // namespace

simulation::Scenario li_scenario(const LiShape& shape, std::uint32_t seed) {
  simulation::Scenario scenario;
  scenario.name = "li";
  scenario.seed = seed;
  scenario.remote_read = simulation::RemoteRead::copy_first;
  scenario.rack_link = shape.rack_link;
  scenario.shuffle_start = simulation::ShuffleStart::with_maps;
  add_nodes(shape, seed, scenario.cluster);
  add_data(shape, seed, scenario.cluster);
  scenario.costs = uniform_costs(1, UsdPerMebibyte(0));
  scenario.jobs.push_back(job(shape, seed));
  scenario.failures = failures(shape, seed);
  return scenario;
}

Result<LiRun> li_run(const simulation::Scenario& scenario, std::string_view policy, const PolicySettings& settings) {
  const Result<std::unique_ptr<Policy>> made = make_policy(policy, settings);
  if (!made) return tl::unexpected(made.error());
  const Result<simulation::RunResult> result = simulation::run(scenario, **made, std::string(policy));
  if (!result) return tl::unexpected(result.error());
  if (result->jobs_finished != result->jobs)
    return fail(ErrorCode::internal, fmt::format("{} did not finish the job", policy));
  return LiRun{result->completion.max, static_cast<double>(result->degraded.tasks)};
}

}  // namespace lips::experiments
