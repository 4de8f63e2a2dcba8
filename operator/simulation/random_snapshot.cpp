#include "simulation/random_snapshot.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "base/check.h"
#include "base/random.h"
#include "model/node_labels.h"
#include "model/stripe.h"
#include "simulation/snapshot_features.h"

namespace lips::simulation {

namespace {

enum Stream : std::uint64_t {
  node_stream,
  data_stream,
  job_stream,
  busy_stream,
  price_stream,
  shape_stream,
  feature_stream
};

// us-east-1, Linux, on demand, 2026-07-20 (config/prices/ec2-on-demand.csv). The speeds are assumed: 10 % a generation.
struct Family {
  const char* name;
  double usd_per_core_hour, gibibytes_per_core, speed;
  bool arm;
};
constexpr std::array<Family, 12> families{{{"m5", 0.048, 4, 1.0, false},
                                           {"c6i", 0.0425, 2, 1.1, false},
                                           {"r6i", 0.063, 8, 1.1, false},
                                           {"m7g", 0.0408, 4, 1.2, true},
                                           {"c5", 0.0425, 2, 1.0, false},
                                           {"m6i", 0.048, 4, 1.1, false},
                                           {"c7g", 0.03625, 2, 1.2, true},
                                           {"m5a", 0.043, 4, 0.9, false},
                                           {"r5", 0.063, 8, 1.0, false},
                                           {"m7i", 0.0504, 4, 1.2, false},
                                           {"r7g", 0.05355, 8, 1.2, true},
                                           {"m6g", 0.0385, 4, 1.05, true}}};
struct Size {
  const char* name;
  int cores;
};
constexpr std::array<Size, 4> sizes{{{"large", 2}, {"xlarge", 4}, {"2xlarge", 8}, {"4xlarge", 16}}};

// Pads with zeros: order by name is order by id.
std::string numbered(const char* prefix, std::size_t index, std::size_t count) {
  const std::string digits = std::to_string(index), last = std::to_string(count > 0 ? count - 1 : 0);
  return prefix + std::string(last.size() - digits.size(), '0') + digits;
}

// One class of nodes in one zone; its nodes may differ in size.
struct NodeKind {
  const Family* family = nullptr;
  ZoneId zone;
  bool spot = false;
  double speed = 1, usd_per_core_hour = 0;
  ProfileId profile;
};

class Generator {
 public:
  explicit Generator(const SnapshotShape& shape) : shape_(shape) {
    LIPS_CHECK(shape.zones >= 1 && shape.nodes >= 1 && shape.pools >= 1, "a cluster has nodes, zones and pools");
  }
  ClusterState make();

 private:
  void add_zones_and_pools();
  std::vector<NodeKind> kinds();
  void add_nodes();
  void add_constraints();
  std::vector<std::uint32_t> job_sizes(Random& random) const;
  void add_jobs();
  JobArrived make_job(std::uint32_t index, std::uint32_t size, Random& random);
  DataSetId input_of(std::uint32_t blocks, Random& random);
  DataSetId add_data_set(std::uint32_t blocks);
  void place(Block& block);
  NodeId other_node(ZoneId zone, const Block& block);
  void scale_to_load();
  void run_background(ClusterState& state);

  const SnapshotShape& shape_;
  ClusterSnapshot start_;
  std::vector<std::vector<NodeId>> nodes_in_;  // by zone
  std::vector<double> zone_weights_;
  std::vector<JobArrived> jobs_;
  double largest_node_mebibytes_ = 0;
  Random data_random_{0};
};

void Generator::add_zones_and_pools() {
  for (std::uint32_t zone = 0; zone < shape_.zones; ++zone)
    start_.zones.push_back({numbered("zone-", zone, shape_.zones)});
  const std::uint32_t racks = shape_.zones * shape_.racks_per_zone;
  for (std::uint32_t rack = 0; rack < racks; ++rack)
    start_.racks.push_back({numbered("rack-", rack, racks), ZoneId(rack / shape_.racks_per_zone)});
  for (std::uint32_t pool = 0; pool < shape_.pools; ++pool) {
    Pool added;
    added.name = numbered("pool-", pool, shape_.pools);
    added.weight = 1 + pool % 3;
    start_.pools.push_back(added);
  }
  start_.network.local_read = MebibytesPerSecond(200);
  start_.network.node_link = MebibytesPerSecond(120);
  start_.network.zone_stream = MebibytesPerSecond(60);
  start_.network.remote_stream = MebibytesPerSecond(30);
}

std::vector<NodeKind> Generator::kinds() {
  Random random(derive_seed(shape_.seed, price_stream));
  const std::uint32_t count = std::max(1u, std::min(shape_.classes ? shape_.classes : 12 * shape_.zones, shape_.nodes));
  std::vector<NodeKind> result;
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::uint32_t in_zone = i / shape_.zones;
    NodeKind kind;
    kind.family = &families[in_zone % families.size()];
    kind.zone = ZoneId(i % shape_.zones);
    kind.spot = in_zone % 5 == 1 || in_zone % 5 == 3;  // 40 %
    // A family that comes again is a new hardware revision of slightly different speed, so every kind is a class of its
    // own.
    const std::size_t revision = in_zone / families.size();
    kind.speed = kind.family->speed * (1 + 0.003 * static_cast<double>(revision));
    kind.usd_per_core_hour = kind.family->usd_per_core_hour * (kind.spot ? random.uniform(0.9, 1.1) / 3 : 1);
    if (shape_.equal_prices) kind.speed = 1, kind.usd_per_core_hour = families[0].usd_per_core_hour;
    if (shape_.free_of_charge) kind.usd_per_core_hour = 0;
    NodeProfile profile;
    profile.labels = {{node_label::capacity_type, kind.spot ? "spot" : "on-demand"},
                      {"kubernetes.io/arch", kind.family->arm ? "arm64" : "amd64"},
                      {"node.kubernetes.io/instance-family", kind.family->name}};
    if (shape_.share_of_jobs_with_selectors > 0 && in_zone % 10 == 9)
      profile.taints = {{"dedicated", "batch", "NoSchedule"}};
    if (shape_.leaving_nodes && in_zone == 0) profile.taints.push_back({"karpenter.sh/disrupted", "", "NoSchedule"});
    const auto known = std::find(start_.profiles.begin(), start_.profiles.end(), profile);
    kind.profile = known != start_.profiles.end()
                       ? ProfileId(static_cast<std::uint32_t>(known - start_.profiles.begin()))
                       : start_.profiles.push_back(profile);
    result.push_back(kind);
  }
  return result;
}

void Generator::add_nodes() {
  Random random(derive_seed(shape_.seed, node_stream));
  const std::vector<NodeKind> all = kinds();
  nodes_in_.resize(shape_.zones);
  for (std::uint32_t i = 0; i < shape_.nodes; ++i) {
    const NodeKind& kind = all[i < all.size() ? i : random.below(all.size())];
    const Size& size = sizes[random.below(sizes.size())];
    Node node;
    node.name = numbered("node-", i, shape_.nodes);
    node.zone = kind.zone;
    if (shape_.racks_per_zone > 0)
      node.rack = RackId(static_cast<std::uint32_t>(std::uint64_t{kind.zone.index()} * shape_.racks_per_zone +
                                                    random.below(shape_.racks_per_zone)));
    node.profile = kind.profile;
    node.instance_type = std::string(kind.family->name) + "." + size.name;
    node.capacity_type = kind.spot ? CapacityType::spot : CapacityType::on_demand;
    node.capacity = {Cores(size.cores), Mebibytes(kind.family->gibibytes_per_core * 1024 * size.cores), size.cores};
    node.speed = kind.speed;
    node.price = UsdPerHour(kind.usd_per_core_hour * size.cores);
    // Computed from the price of a core: all sizes of a family are one class, to the last bit.
    node.cpu_price = full_packing_price(UsdPerHour(kind.usd_per_core_hour), Cores(1), kind.speed);
    largest_node_mebibytes_ = std::max(largest_node_mebibytes_, node.capacity.memory.value());
    DataStore store;
    store.name = node.name;
    store.zone = node.zone;
    store.price = UsdPerMebibyteHour(shape_.free_of_charge ? 0 : 0.08 / 1024 / 730);
    const NodeId id = start_.nodes.push_back(std::move(node));
    store.node = id;
    start_.stores.push_back(std::move(store));
    nodes_in_[kind.zone.index()].push_back(id);
  }
  for (std::uint32_t zone = 0; zone < shape_.zones; ++zone)
    zone_weights_.push_back(nodes_in_[zone].empty() ? 0 : std::pow(zone + 1, -shape_.skew));
}

void Generator::add_constraints() {
  if (shape_.share_of_jobs_with_selectors <= 0) return;
  using Operator = LabelRequirement::Operator;
  PlacementConstraint on_demand, amd64, large_memory, dedicated;
  on_demand.required = {{node_label::capacity_type, Operator::in, {"on-demand"}}};
  amd64.required = {{"kubernetes.io/arch", Operator::not_in, {"arm64"}}};
  large_memory.any_of = {{{"node.kubernetes.io/instance-family", Operator::in, {"r5", "r6i", "r7g"}}},
                         {{"node.kubernetes.io/instance-family", Operator::in, {"m5", "m6i", "m7i", "m7g"}}}};
  dedicated.tolerations = {{"dedicated", "batch", "NoSchedule", false}};
  for (const PlacementConstraint& constraint : {on_demand, amd64, large_memory, dedicated})
    start_.constraints.push_back(constraint);
}

// Pareto weights (exponent 1.1, cut at a ten-thousandth): most jobs have one task or few; a few jobs have most tasks.
std::vector<std::uint32_t> Generator::job_sizes(Random& random) const {
  const std::uint32_t jobs =
      std::clamp(shape_.jobs ? shape_.jobs : shape_.tasks / 50, std::min(1u, shape_.tasks), shape_.tasks);
  std::vector<double> weights(jobs);
  double total = 0;
  for (double& weight : weights) total += weight = std::pow(std::max(1e-4, random.uniform()), -1 / 1.1);
  std::vector<std::uint32_t> result(jobs, 1);
  double before = 0;
  std::uint32_t given = 0;
  for (std::uint32_t job = 0; job < jobs; ++job) {
    before += weights[job] / total * (shape_.tasks - jobs);
    const auto until =
        job + 1 == jobs ? shape_.tasks - jobs : std::min(shape_.tasks - jobs, static_cast<std::uint32_t>(before));
    result[job] += until - given;
    given = until;
  }
  return result;
}

NodeId Generator::other_node(ZoneId zone, const Block& block) {
  const std::vector<NodeId>& nodes = nodes_in_[zone.index()];
  for (int attempt = 0; attempt < 8; ++attempt) {
    const NodeId node = nodes[data_random_.below(nodes.size())];
    if (!block.on(StoreId(node.index()))) return node;
  }
  for (NodeId node : nodes)
    if (!block.on(StoreId(node.index()))) return node;
  return NodeId::none();
}

// As HDFS: the first replica anywhere, the second in another zone when two are wanted, the others beside the second.
void Generator::place(Block& block) {
  const ZoneId first(static_cast<std::uint32_t>(data_random_.weighted(zone_weights_)));
  ZoneId second = first;
  if (shape_.zones_per_block > 1) {
    for (int attempt = 0; attempt < 8 && second == first; ++attempt)
      second = ZoneId(static_cast<std::uint32_t>(data_random_.weighted(zone_weights_)));
  }
  for (std::uint32_t copy = 0; copy < std::max(1u, shape_.replicas); ++copy) {
    const NodeId node = other_node(copy == 0 ? first : second, block);
    if (node.valid()) block.replicas.push_back({StoreId(node.index()), false, {}});
  }
}

DataSetId Generator::add_data_set(std::uint32_t blocks) {
  DataSet added;
  added.name = numbered("data-", start_.data_sets.size(), 10'000'000);
  added.first_block = BlockId(static_cast<std::uint32_t>(start_.blocks.size()));
  added.blocks = blocks;
  const Mebibytes block_size(data_random_.below(2) == 0 ? 64 : 128);
  const Mebibytes last_size(1 + std::floor(data_random_.uniform() * block_size.value()));
  const DataSetId id = start_.data_sets.push_back(added);
  // At 0 % nothing is drawn, so clusters without codes stay the same.
  const bool coded =
      shape_.share_of_data_sets_with_codes > 0 && data_random_.uniform() < shape_.share_of_data_sets_with_codes;
  if (coded) start_.data_sets[id].code = {4, 2};
  const std::uint32_t all = blocks + (coded ? parity_blocks(start_.data_sets[id]) : 0);
  for (std::uint32_t i = 0; i < all; ++i) {
    Block block;
    block.data_set = id;
    block.size = i + 1 != blocks || blocks == 1 || coded ? block_size : last_size;
    place(block);
    if (coded) block.replicas.resize(std::min<std::size_t>(block.replicas.size(), data_random_.below(8) > 0));
    start_.blocks.push_back(std::move(block));
  }
  return id;
}

DataSetId Generator::input_of(std::uint32_t blocks, Random& random) {
  const bool shared = random.uniform() < shape_.share_of_jobs_sharing_data;
  for (int attempt = 0; shared && !start_.data_sets.empty() && attempt < 16; ++attempt) {
    const DataSetId known(static_cast<std::uint32_t>(random.below(start_.data_sets.size())));
    if (start_.data_sets[known].blocks >= blocks) return known;
  }
  return add_data_set(blocks);
}

JobArrived Generator::make_job(std::uint32_t index, std::uint32_t size, Random& random) {
  JobArrived made;
  Job& job = made.job;
  job.name = numbered("job-", index, 10'000'000);
  job.pool = PoolId(static_cast<std::uint32_t>(random.below(shape_.pools)));
  job.arrival = TimePoint(seconds(index));
  job.priority = random.below(20) == 0 ? 1 : 0;
  // Most requests fit the memory that comes with a core (2, 4 or 8 GiB); some are larger.
  constexpr std::array<double, 5> memory_weights{0.30, 0.25, 0.25, 0.15, 0.05};
  const double gibibytes = shape_.memory ? std::exp2(static_cast<double>(random.weighted(memory_weights))) : 0.5;
  job.request = {Cores(shape_.nothing_fits ? 1e6 : 1), Mebibytes(std::min(gibibytes * 1024, largest_node_mebibytes_)),
                 1};
  if (random.uniform() < shape_.share_of_jobs_with_selectors)
    job.constraint = ConstraintId(static_cast<std::uint32_t>(random.below(start_.constraints.size())));
  const bool shuffles = size > 1 && random.uniform() < shape_.share_of_jobs_with_shuffle;
  job.reduce_tasks = shuffles ? std::max(1u, size / 11) : 0;
  job.map_tasks = size - job.reduce_tasks;

  Task task;
  const bool reads = random.uniform() >= shape_.share_of_jobs_without_input;
  const CpuSeconds work(random.uniform(10, 120));
  DataSetId input;
  if (reads) {
    input = input_of(job.map_tasks, random);
    job.inputs = {{input, 1}};
  }
  Mebibytes read;
  for (std::uint32_t i = 0; i < job.map_tasks; ++i) {
    task.cpu = work;
    if (reads) {
      task.block = BlockId(start_.data_sets[input].first_block.index() + i);
      task.input = start_.blocks[task.block].size;
      task.cpu = work * (task.input.value() / 128);
      read += task.input;
    }
    made.tasks.push_back(task);
  }
  if (shuffles) job.shuffle = Mebibytes(std::max(1.0, read.value()) * random.uniform(0.05, 1));
  task = Task();
  task.kind = TaskKind::reduce;
  task.cpu = work * 0.5;
  task.input = shuffles ? job.shuffle / job.reduce_tasks : Mebibytes(0);
  made.tasks.insert(made.tasks.end(), job.reduce_tasks, task);
  return made;
}

void Generator::add_jobs() {
  Random random(derive_seed(shape_.seed, job_stream));
  data_random_ = Random(derive_seed(shape_.seed, data_stream));
  const std::vector<std::uint32_t> sizes_of_jobs = job_sizes(random);
  for (std::uint32_t i = 0; i < sizes_of_jobs.size(); ++i) jobs_.push_back(make_job(i, sizes_of_jobs[i], random));
  scale_to_load();
}

void Generator::scale_to_load() {
  CpuSeconds work, capacity;
  for (const JobArrived& job : jobs_)
    for (const Task& task : job.tasks)
      if (task.kind == TaskKind::map) work += task.cpu;
  for (const Node& node : start_.nodes) capacity += node.work_per(shape_.horizon);
  if (shape_.load <= 0 || work.value() <= 0) return;
  const double factor = shape_.load * (capacity / work);
  for (JobArrived& job : jobs_)
    for (Task& task : job.tasks) task.cpu *= factor;
}

// Eight jobs of different lengths, spread over the nodes, that began a minute before the others arrived.
void Generator::run_background(ClusterState& state) {
  if (shape_.busy <= 0) return;
  Random random(derive_seed(shape_.seed, busy_stream));
  constexpr std::uint32_t count = 8;
  const Resources request{Cores(1), Mebibytes(512), 1};
  std::vector<std::vector<NodeId>> places(count);
  for (NodeId node : start_.nodes.ids())
    for (std::int64_t slot = 0; slot < fit_count(request, start_.nodes[node].capacity); ++slot)
      if (random.uniform() < shape_.busy) places[random.below(count)].push_back(node);
  for (std::uint32_t i = 0; i < count; ++i) {
    JobArrived background;
    background.job.name = numbered("background-", i, count);
    background.job.pool = PoolId(i % shape_.pools);
    background.job.request = request;
    background.job.map_tasks = static_cast<std::uint32_t>(places[i].size());
    Task task;
    task.cpu = CpuSeconds(to_seconds(shape_.horizon) * (i + 1) / count);
    background.tasks.assign(places[i].size(), task);
    state.apply(background);
    TaskId next = state.snapshot().jobs[JobId(i)].first_task;
    for (NodeId node : places[i]) {
      state.apply(TaskFound{next, node, state.snapshot().now});  // even where a taint keeps new tasks away
      next = TaskId(next.index() + 1);
    }
  }
}

ClusterState Generator::make() {
  add_zones_and_pools();
  add_nodes();
  add_constraints();
  add_jobs();
  limit_pools(shape_, start_);
  offer_nodes(shape_, start_);
  limit_stores(shape_, start_);
  add_extended(shape_, start_, jobs_);
  vary_jobs(shape_, jobs_);
  part_jobs(shape_, jobs_);
  const TimePoint now(seconds(std::max(60.0, static_cast<double>(jobs_.size()))));
  pair_jobs(shape_, now, jobs_);
  expect_work(shape_, now, start_);
  ClusterState state(start_);
  run_background(state);
  state.advance(now);
  for (const JobArrived& job : jobs_) state.apply(job);
  begin_moves(shape_, state);
  remember_homes(shape_, state);
  return state;
}

}  // namespace

ClusterState random_cluster(const SnapshotShape& shape) { return Generator(shape).make(); }

CostModel random_costs(const SnapshotShape& shape) {
  if (shape.free_of_charge) return uniform_costs(shape.zones, UsdPerMebibyte(0));
  if (!shape.uneven_transfer) return uniform_costs(shape.zones, usd_per_gigabyte(0.02));
  Random random(derive_seed(shape.seed, price_stream + 100));
  std::vector<std::vector<UsdPerMebibyte>> price(shape.zones, std::vector<UsdPerMebibyte>(shape.zones));
  for (std::uint32_t from = 0; from < shape.zones; ++from)
    for (std::uint32_t to = 0; to < shape.zones; ++to)
      if (from != to) price[from][to] = usd_per_gigabyte(random.uniform(0.005, 0.09));
  return CostModel(std::move(price));
}

SnapshotShape random_small_shape(std::uint64_t seed) {
  Random random(derive_seed(seed, shape_stream));
  const auto draw = [&](std::uint32_t low, std::uint32_t high) {
    return static_cast<std::uint32_t>(low + random.below(high - low + 1));
  };
  const auto now_and_then = [&](double share) { return random.uniform() < share; };
  SnapshotShape shape;
  shape.seed = seed;
  shape.nodes = draw(1, 12);
  shape.zones = draw(1, 4);
  shape.classes = draw(0, 8);
  shape.racks_per_zone = draw(0, 2);
  shape.tasks = draw(1, 60);
  shape.jobs = draw(1, 8);
  shape.pools = draw(1, 3);
  shape.load = random.uniform(0.1, 1.2);
  if (now_and_then(0.15)) shape.load = 3;
  shape.replicas = draw(1, 3);
  shape.zones_per_block = draw(1, 2);
  shape.skew = now_and_then(0.3) ? 2 : 0;
  shape.share_of_jobs_with_selectors = now_and_then(0.3) ? 0.4 : 0;
  shape.share_of_jobs_sharing_data = now_and_then(0.4) ? 0.5 : 0;
  shape.share_of_jobs_with_shuffle = now_and_then(0.4) ? 0.5 : 0;
  shape.share_of_jobs_without_input = now_and_then(0.3) ? 0.3 : 0;
  shape.busy = now_and_then(0.4) ? random.uniform(0.1, 0.9) : 0;
  shape.memory = now_and_then(0.3);
  shape.nothing_fits = now_and_then(0.03);
  shape.free_of_charge = now_and_then(0.05);
  shape.equal_prices = now_and_then(0.1);
  shape.uneven_transfer = now_and_then(0.3);
  return shape;
}

SnapshotShape random_full_shape(std::uint64_t seed) {
  SnapshotShape shape = random_small_shape(seed);
  Random random(derive_seed(seed, feature_stream));
  const auto now_and_then = [&](double share) { return random.uniform() < share; };
  shape.share_of_jobs_with_extended = now_and_then(0.25) ? 0.4 : 0;
  shape.share_of_data_sets_with_codes = now_and_then(0.2) ? 0.4 : 0;
  shape.share_of_jobs_held = now_and_then(0.1) ? 0.3 : 0;
  shape.share_of_blocks_moving = now_and_then(0.2) ? 0.2 : 0;
  shape.pool_limits = now_and_then(0.25);
  shape.limited_stores = now_and_then(0.2);
  shape.odd_requests = now_and_then(0.3);
  shape.homes_decided = now_and_then(0.2);
  shape.share_of_jobs_in_parts = now_and_then(0.3) ? 0.7 : 0;
  shape.offers = now_and_then(0.3);
  shape.share_of_jobs_of_peers = now_and_then(0.3) ? 0.6 : 0;
  shape.announcements = now_and_then(0.3) ? 1 + static_cast<std::uint32_t>(random.below(8)) : 0;
  shape.leaving_nodes = now_and_then(0.2);
  for (std::uint64_t types = random.below(4); types > 0; --types) {
    const double cores = std::pow(2, static_cast<double>(random.below(5)));
    shape.offered_types.push_back({{Cores(cores), Mebibytes(cores * 1024 * static_cast<double>(1 + random.below(8))),
                                    static_cast<std::int32_t>(1 + random.below(110))},
                                   UsdPerHour(cores * random.uniform(0.02, 0.08))});
  }
  return shape;
}

}  // namespace lips::simulation
