#include "simulation/snapshot_features.h"

#include <algorithm>
#include <array>
#include <string>

#include "base/random.h"

namespace lips::simulation {

namespace {

enum FeatureStream : std::uint64_t {
  pool_stream = 200,
  store_stream,
  extended_stream,
  vary_stream,
  move_stream,
  home_stream,
  part_stream,
  offer_stream,
  peer_stream,
  expected_stream,
  gang_stream,
  limit_stream
};

}  // namespace

void limit_pools(const SnapshotShape& shape, ClusterSnapshot& start) {
  if (!shape.pool_limits) return;
  Random random(derive_seed(shape.seed, pool_stream));
  for (Pool& pool : start.pools) {
    pool.weight = 1 + static_cast<double>(random.below(4));
    if (random.below(2) == 0) pool.maximum = Cores(1 + static_cast<double>(random.below(12)));
    if (random.below(2) == 0) pool.minimum = Cores(static_cast<double>(random.below(4)));
    if (pool.maximum.value() > 0) pool.minimum = std::min(pool.minimum, pool.maximum);
    if (random.below(2) == 0) pool.shortfall_price = UsdPerCpuSecond(1e-5);
  }
}

// Half of the time some offers share a limit that leaves none, a few nodes, or parts of nodes.
static void limit_launches(const SnapshotShape& shape, ClusterSnapshot& start) {
  Random random(derive_seed(shape.seed, limit_stream));
  const std::uint64_t count = random.below(3);
  for (std::uint64_t i = 0; i < count; ++i) {
    LaunchLimit limit;
    if (random.below(2) == 0) limit.nodes = static_cast<std::uint32_t>(random.below(4));
    if (random.below(2) == 0) limit.cores = Cores(static_cast<double>(random.below(20)));
    if (random.below(2) == 0) limit.memory = Mebibytes(1024 * static_cast<double>(random.below(60)));
    start.launch_limits.push_back(limit);
  }
  for (Offer& offer : start.offers)
    if (const std::uint64_t chosen = random.below(count + 1); chosen < count)
      offer.within = LimitId(static_cast<std::uint32_t>(chosen));
}

// A cordoned node for each type, zone and capacity type.
static void offer_types(const SnapshotShape& shape, Random& random, ClusterSnapshot& start) {
  constexpr double spot_factor = 0.4;
  for (const OfferedType& type : shape.offered_types)
    for (const ZoneId zone : start.zones.ids())
      for (const CapacityType kind : {CapacityType::on_demand, CapacityType::spot}) {
        Node like;
        like.name = "type-" + std::to_string(start.nodes.size());
        like.zone = zone;
        like.capacity = type.capacity;
        like.capacity_type = kind;
        like.fleet = FleetKind::elastic;
        like.price = type.price * (kind == CapacityType::spot ? spot_factor : 1);
        like.cpu_price = full_packing_price(like.price, like.capacity.cpu, like.speed);
        like.schedulable = false;
        if (!start.nodes.empty()) like.profile = start.nodes[NodeId(0)].profile;
        Offer offer;
        offer.left = static_cast<std::uint32_t>(random.below(1000));
        offer.boot = std::chrono::seconds(60);
        offer.idle = std::chrono::seconds(30);
        offer.interruptions = kind == CapacityType::spot ? 0.02 : 0;
        offer.like = start.nodes.push_back(std::move(like));
        start.offers.push_back(offer);
      }
}

// A cordoned copy of one node in each zone stands for nodes to come.
void offer_nodes(const SnapshotShape& shape, ClusterSnapshot& start) {
  if (!shape.offers || start.nodes.empty()) return;
  Random random(derive_seed(shape.seed, offer_stream));
  for (Node& node : start.nodes)
    if (random.below(2) == 0) node.fleet = FleetKind::elastic;
  for (const ZoneId zone : start.zones.ids()) {
    Node like = start.nodes[NodeId(static_cast<std::uint32_t>(random.below(start.nodes.size())))];
    like.name = "like-" + start.zones[zone].name;
    like.zone = zone;
    like.rack = RackId::none();
    like.fleet = FleetKind::elastic;
    like.others = {Cores(0), Mebibytes(0), 0};
    like.schedulable = false;
    Offer offer;
    offer.left = static_cast<std::uint32_t>(random.below(4));
    offer.boot = seconds(static_cast<double>(random.below(120)));
    offer.idle = seconds(static_cast<double>(random.below(300)));
    offer.interruptions = random.below(2) == 0 ? 0 : 0.05;
    offer.like = start.nodes.push_back(std::move(like));
    start.offers.push_back(offer);
  }
  offer_types(shape, random, start);
  limit_launches(shape, start);
}

void expect_work(const SnapshotShape& shape, TimePoint now, ClusterSnapshot& start) {
  if (shape.announcements == 0) return;
  Random random(derive_seed(shape.seed, expected_stream));
  for (std::uint32_t i = 0; i < shape.announcements; ++i) {
    ExpectedWork work;
    work.job = "expected-" + std::to_string(i);
    work.at = now + seconds(random.uniform(-3600, 3 * 3600));
    work.chance = random.below(3) == 0 ? random.uniform() : 1;
    work.work = CpuSeconds(random.exponential(2000));
    if (!start.data_sets.empty() && random.below(4) > 0)
      work.input = DataSetId(static_cast<std::uint32_t>(random.below(start.data_sets.size())));
    if (random.below(3) == 0) work.fraction = random.uniform();
    if (random.below(3) == 0) work.shuffle = Mebibytes(random.exponential(1000));
    if (i % 4 > 0) work.pool = PoolId(i % static_cast<std::uint32_t>(start.pools.size()));
    start.expected.push_back(std::move(work));
  }
}

void limit_stores(const SnapshotShape& shape, ClusterSnapshot& start) {
  if (!shape.limited_stores) return;
  Random random(derive_seed(shape.seed, store_stream));
  for (ZoneId zone : start.zones.ids()) {
    DataStore volume;
    volume.name = "volume-" + start.zones[zone].name;
    volume.kind = StoreKind::zonal_volume;
    volume.zone = zone;
    start.stores.push_back(volume);
  }
  for (Block& block : start.blocks)
    for (const Replica& replica : block.replicas) start.stores[replica.store].used += block.size;
  for (DataStore& store : start.stores)
    if (random.below(3) > 0) store.capacity = store.used + Mebibytes(static_cast<double>(random.below(400)));
}

void add_extended(const SnapshotShape& shape, ClusterSnapshot& start, std::vector<JobArrived>& jobs) {
  if (shape.share_of_jobs_with_extended <= 0) return;
  Random random(derive_seed(shape.seed, extended_stream));
  const ResourceId gpu = start.extended_names.push_back("nvidia.com/gpu");
  const ResourceId licence = start.extended_names.push_back("example.com/licence");
  const auto some = [&](std::uint64_t most) { return static_cast<double>(1 + random.below(most)); };
  // Not proportional to the cores, and different on nodes that are otherwise alike.
  for (Node& node : start.nodes) {
    if (random.below(3) == 0) node.capacity.extended.set(gpu, some(8));
    if (random.below(2) == 0) node.capacity.extended.set(licence, some(3));
    if (node.capacity.extended[gpu] > 1 && random.below(4) == 0) node.others.extended.set(gpu, 1);
  }
  for (JobArrived& arrived : jobs) {
    if (random.uniform() >= shape.share_of_jobs_with_extended) continue;
    if (random.below(3) > 0)
      arrived.job.request.extended.set(gpu, some(2));
    else
      arrived.job.request.extended.set(licence, 1);
  }
}

void vary_jobs(const SnapshotShape& shape, std::vector<JobArrived>& jobs) {
  Random random(derive_seed(shape.seed, vary_stream));
  for (JobArrived& arrived : jobs) {
    if (random.uniform() < shape.share_of_jobs_held) arrived.job.held = true;
    if (!shape.odd_requests) continue;
    constexpr std::array<double, 6> cores{1, 1, 0.5, 2, 3, 0.1};
    const double asked = cores[random.below(cores.size())];
    if (!shape.nothing_fits) arrived.job.request.cpu = Cores(asked);
    arrived.job.priority = static_cast<std::int32_t>(random.below(3));
    const bool partly = !arrived.job.inputs.empty() && random.below(3) == 0;
    if (partly) arrived.job.inputs.front().fraction = 0.5;
    for (std::size_t i = 0; i < arrived.tasks.size(); ++i) {
      Task& task = arrived.tasks[i];
      if (partly && task.block.valid()) task.input *= 0.5;
      // Some tasks of a job read what its first one reads.
      if (i > 0 && task.block.valid() && arrived.tasks[0].input == task.input && random.below(8) == 0)
        task.block = arrived.tasks[0].block;
    }
  }
}

// Gives maps and reduces different requests. In every other such job the maps have ended and the reduces are pending.
void part_jobs(const SnapshotShape& shape, std::vector<JobArrived>& jobs) {
  if (shape.share_of_jobs_in_parts <= 0) return;
  Random random(derive_seed(shape.seed, part_stream));
  std::uint32_t next = 0;
  std::vector<JobArrived> result;
  for (JobArrived& arrived : jobs) {
    const std::uint32_t maps = arrived.job.map_tasks, reduces = arrived.job.reduce_tasks;
    if (maps == 0 || reduces == 0 || random.uniform() >= shape.share_of_jobs_in_parts) {
      result.push_back(std::move(arrived));
      continue;
    }
    JobArrived last = arrived;
    arrived.job.whole = last.job.whole = {WholeJobId(next++), maps, reduces, 0, {}};
    last.job.map_tasks = 0;
    last.job.inputs.clear();
    last.job.request.cpu = last.job.request.cpu * (random.below(2) == 0 ? 2 : 0.5);
    last.tasks.erase(last.tasks.begin(), last.tasks.begin() + maps);
    if (random.below(2) == 0) {
      last.maps_before.assign(shape.zones, 0);
      for (std::uint32_t i = 0; i < maps; ++i) ++last.maps_before[random.below(shape.zones)];
    } else {
      arrived.job.reduce_tasks = 0;
      arrived.tasks.resize(maps);
      result.push_back(std::move(arrived));
    }
    result.push_back(std::move(last));
  }
  jobs = std::move(result);
}

// Makes jobs without reduces jobs of peers. Some of them expect more peers than have come, some have just come.
void pair_jobs(const SnapshotShape& shape, TimePoint now, std::vector<JobArrived>& jobs) {
  if (shape.share_of_jobs_of_peers <= 0) return;
  Random random(derive_seed(shape.seed, peer_stream)), gangs(derive_seed(shape.seed, gang_stream));
  std::uint32_t next = 0;
  for (const JobArrived& arrived : jobs)
    if (arrived.job.whole.id.valid()) next = std::max(next, arrived.job.whole.id.index() + 1);
  for (JobArrived& arrived : jobs) {
    Job& job = arrived.job;
    if (job.reduce_tasks > 0 || job.whole.id.valid() || random.uniform() >= shape.share_of_jobs_of_peers) continue;
    job.whole.id = WholeJobId(next++);
    job.whole.peers = true;
    if (random.below(2) == 0) job.whole.expected = job.map_tasks + static_cast<std::uint32_t>(random.below(4));
    job.whole.each = job.request;
    job.whole.arrived = now - seconds(static_cast<double>(random.below(200)));
    job.shuffle = Mebibytes(static_cast<double>(random.below(3)) * 1000);
    job.coordinates = random.below(8) == 0;
    job.whole.guessed = job.whole.expected > 0 && gangs.below(3) == 0;
    if (gangs.below(3) == 0) job.whole.gang = static_cast<std::uint32_t>(gangs.below(job.map_tasks + 2));
  }
}

void begin_moves(const SnapshotShape& shape, ClusterState& state) {
  if (shape.share_of_blocks_moving <= 0) return;
  Random random(derive_seed(shape.seed, move_stream));
  const ClusterSnapshot& cluster = state.snapshot();
  std::uint32_t next = 0;
  for (BlockId block : cluster.blocks.ids()) {
    if (cluster.blocks[block].replicas.empty() || random.uniform() >= shape.share_of_blocks_moving) continue;
    const StoreId to(static_cast<std::uint32_t>(random.below(cluster.stores.size())));
    if (!cluster.blocks[block].on(to))
      state.begin_move({MoveId(next++), block, cluster.blocks[block].replicas.front().store, to});
  }
}

void remember_homes(const SnapshotShape& shape, ClusterState& state) {
  if (!shape.homes_decided) return;
  Random random(derive_seed(shape.seed, home_stream));
  for (JobId job : state.snapshot().jobs.ids()) {
    JobMemory memory = state.snapshot().jobs[job].memory;
    memory.home_decided = random.below(2) == 0;
    if (memory.home_decided)
      memory.home = ZoneId(static_cast<std::uint32_t>(random.below(state.snapshot().zones.size())));
    state.remember({job, memory});
  }
}

}  // namespace lips::simulation
