#include "records/snapshot_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <functional>
#include <map>
#include <numeric>
#include <tuple>
#include <utility>

#include "model/cluster_state.h"

namespace lips {

namespace {

// Where each row of a table goes.
template <class IdType>
class Renaming {
 public:
  // before(a, b) tells whether row a comes before row b.
  template <class Before>
  Renaming(std::size_t rows, Before before) : old_of_(rows), new_of_(rows) {
    std::iota(old_of_.begin(), old_of_.end(), 0u);
    in_order_ = std::is_sorted(old_of_.begin(), old_of_.end(), before);
    if (!in_order_) std::stable_sort(old_of_.begin(), old_of_.end(), before);
    for (std::uint32_t i = 0; i < rows; ++i) new_of_[old_of_[i]] = i;
  }
  IdType operator()(IdType id) const { return id.valid() ? IdType(new_of_[id.index()]) : id; }
  const std::vector<std::uint32_t>& old_of() const { return old_of_; }

  template <class Table>
  void reorder(Table& table) const {
    if (in_order_) return;
    Table sorted;
    sorted.reserve(old_of_.size());
    for (std::uint32_t old : old_of_) sorted.push_back(std::move(table[IdType(old)]));
    table = std::move(sorted);
  }

 private:
  std::vector<std::uint32_t> old_of_, new_of_;
  bool in_order_ = true;
};

template <class IdType, class Row>
Renaming<IdType> by_name(const IdVector<IdType, Row>& table) {
  return Renaming<IdType>(table.size(), [&](std::uint32_t a, std::uint32_t b) {
    return natural_less(table[IdType(a)].name, table[IdType(b)].name);
  });
}

template <class IdType, class Row>
Renaming<IdType> by_value(const IdVector<IdType, Row>& table) {
  return Renaming<IdType>(table.size(),
                          [&](std::uint32_t a, std::uint32_t b) { return table[IdType(a)] < table[IdType(b)]; });
}

// Blocks follow their data sets.
Renaming<BlockId> block_renaming(const ClusterSnapshot& start, const Renaming<DataSetId>& data_sets) {
  const auto rank = [&](std::uint32_t block) {
    return std::pair(data_sets(start.blocks[BlockId(block)].data_set), block);
  };
  return Renaming<BlockId>(start.blocks.size(), [&](std::uint32_t a, std::uint32_t b) { return rank(a) < rank(b); });
}

void rename_places(SnapshotTables& tables, const Renaming<ZoneId>& zones, const Renaming<RackId>& racks) {
  ClusterSnapshot& start = tables.start;
  for (Rack& rack : start.racks) rack.zone = zones(rack.zone);
  for (DataStore& store : start.stores) store.zone = zones(store.zone);
  for (Node& node : start.nodes) node.zone = zones(node.zone), node.rack = racks(node.rack);
  for (JobArrived& job : tables.jobs) {
    job.job.memory.home = zones(job.job.memory.home);
    std::vector<Mebibytes> output = job.job.map_output;
    for (std::uint32_t zone = 0; zone < output.size(); ++zone)
      job.job.map_output[zones(ZoneId(zone)).index()] = output[zone];
  }
  const auto price = tables.transfer;
  for (std::uint32_t from = 0; from < price.size(); ++from)
    for (std::uint32_t to = 0; to < price.size(); ++to)
      tables.transfer[zones(ZoneId(from)).index()][zones(ZoneId(to)).index()] = price[from][to];
}

void rename_data(SnapshotTables& tables, const Renaming<StoreId>& stores, const Renaming<DataSetId>& data_sets,
                 const Renaming<BlockId>& blocks) {
  ClusterSnapshot& start = tables.start;
  for (Block& block : start.blocks) {
    block.data_set = data_sets(block.data_set);
    for (Replica& replica : block.replicas) replica.store = stores(replica.store);
  }
  for (DataSet& data_set : start.data_sets) data_set.first_block = blocks(data_set.first_block);
  for (JobArrived& job : tables.jobs) {
    for (JobInput& input : job.job.inputs) input.data_set = data_sets(input.data_set);
    job.job.output = data_sets(job.job.output);
    for (Task& task : job.tasks) task.block = blocks(task.block);
  }
  for (ExpectedWork& work : tables.expected) work.input = data_sets(work.input);
  for (MoveInFlight& move : tables.moves)
    move.block = blocks(move.block), move.from = stores(move.from), move.to = stores(move.to);
}

// The vector may be shorter than the places.
template <class Place>
void reorder_times(IdVector<Place, std::optional<TimePoint>>& times, const Renaming<Place>& places) {
  IdVector<Place, std::optional<TimePoint>> sorted;
  for (const Place old : times.ids()) {
    if (!times[old]) continue;
    const Place place = places(old);
    if (!sorted.contains(place)) sorted.resize(place.index() + 1);
    sorted[place] = times[old];
  }
  times = std::move(sorted);
}

// Parts of one job can have arrived together, under its name.
bool goes_before(const JobArrived& a, const JobArrived& b) {
  if (a.job.arrival != b.job.arrival) return a.job.arrival < b.job.arrival;
  if (a.job.name != b.job.name) return natural_less(a.job.name, b.job.name);
  const auto rank = [](const JobArrived& part) {
    return std::tuple(!part.job.coordinates, std::cref(part.job.request).get(), part.job.priority, part.job.map_tasks,
                      part.job.reduce_tasks, !part.job.preempts,
                      part.tasks.empty() ? 0 : part.tasks.front().cpu.value());
  };
  return rank(a) < rank(b);
}

// In the order of their first parts.
void renumber_wholes(std::vector<JobArrived>& jobs) {
  std::map<WholeJobId, WholeJobId> renumbered;
  for (JobArrived& part : jobs)
    if (WholeJobId& whole = part.job.whole.id; whole.valid())
      whole = renumbered.try_emplace(whole, WholeJobId(static_cast<std::uint32_t>(renumbered.size()))).first->second;
}

void sort_jobs(SnapshotTables& tables) {
  const Renaming<JobId> order(tables.jobs.size(), [&](std::uint32_t a, std::uint32_t b) {
    return goes_before(tables.jobs[a], tables.jobs[b]);
  });
  std::vector<std::uint32_t> new_task;  // by old task
  std::vector<std::uint32_t> first(tables.jobs.size());
  std::uint32_t next = 0;
  for (std::uint32_t old : order.old_of()) {
    first[old] = next;
    next += tables.jobs[old].job.tasks();
  }
  new_task.reserve(next);
  for (std::size_t job = 0; job < tables.jobs.size(); ++job)
    for (std::uint32_t i = 0; i < tables.jobs[job].job.tasks(); ++i) new_task.push_back(first[job] + i);
  for (PlacedTask& placed : tables.placed) placed.task = TaskId(new_task[placed.task.index()]);
  for (TaskId& task : tables.degraded) task = TaskId(new_task[task.index()]);
  std::vector<JobArrived> sorted;
  sorted.reserve(tables.jobs.size());
  for (std::uint32_t old : order.old_of()) sorted.push_back(std::move(tables.jobs[old]));
  tables.jobs = std::move(sorted);
  renumber_wholes(tables.jobs);
}

void report_lone_peers(const SnapshotTables& tables, Problems& problems) {
  for (const JobArrived& each : tables.jobs) {
    const WholeJob& whole = each.job.whole;
    if (whole.id.valid()) continue;
    const bool of_peers = whole.peers || whole.expected > 0 || whole.lacks_driver || each.job.coordinates;
    if (of_peers || whole.gang > 0 || whole.guessed)
      problems.add(
          "/jobs/wholes",
          fmt::format("no row for job '{}', which {} names", each.job.name, of_peers ? "/jobs/peers" : "/jobs/gangs"),
          "a row for each job of /jobs/peers and /jobs/gangs: it says which jobs are one");
  }
}

void report_impossible_states(const SnapshotTables& tables, Problems& problems) {
  report_lone_peers(tables, problems);
  std::vector<JobId> job_of;
  std::vector<std::uint32_t> finished_maps(tables.jobs.size(), 0);
  for (std::uint32_t job = 0; job < tables.jobs.size(); ++job)
    job_of.insert(job_of.end(), tables.jobs[job].tasks.size(), JobId(job));
  std::uint32_t first = 0;
  std::vector<std::uint32_t> first_task;
  for (const JobArrived& job : tables.jobs) first_task.push_back(first), first += job.job.tasks();
  const auto is_map = [&](const PlacedTask& placed) {
    const JobId job = job_of[placed.task.index()];
    return placed.task.index() - first_task[job.index()] < tables.jobs[job.index()].job.map_tasks;
  };
  for (std::size_t i = 0; i < tables.placed.size(); ++i) {
    const PlacedTask& placed = tables.placed[i];
    const std::uint32_t task = placed.task.index();
    if (!placed.node.valid() && placed.state != TaskState::finished)
      problems.add("/placed", fmt::format("task {} without a node", task), "only finished ones");
    if (i > 0 && placed.task == tables.placed[i - 1].task)
      problems.add("/placed", fmt::format("task {} twice", task), "once");
    if (const Job& job = tables.jobs[job_of[task].index()].job; job.held)
      problems.add("/placed", fmt::format("task {} of job '{}', whose inputs do not exist yet", task, job.name),
                   "tasks of jobs that /jobs/levels does not hold back");
    if (tables.placed[i].state == TaskState::finished && is_map(tables.placed[i]))
      ++finished_maps[job_of[tables.placed[i].task.index()].index()];
  }
  for (const PlacedTask& placed : tables.placed) {
    const JobId job = job_of[placed.task.index()];
    if (!is_map(placed) && finished_maps[job.index()] < tables.jobs[job.index()].job.map_tasks)
      problems.add("/placed",
                   fmt::format("the reduce task {} of job '{}' on a node before all its maps are finished",
                               placed.task.index(), tables.jobs[job.index()].job.name),
                   "a blocked task");
  }
}

ClusterState replay(ClusterSnapshot start, const SnapshotTables& tables) {
  const TimePoint now = start.now;
  ClusterState state(std::move(start));
  state.advance(now);
  for (const JobArrived& job : tables.jobs) state.apply(job);
  for (const PlacedTask& placed : tables.placed) {
    if (placed.state != TaskState::finished) continue;
    if (!placed.node.valid()) {
      state.apply(TaskWithdrawn{placed.task});
      continue;
    }
    state.apply(TaskFound{placed.task, placed.node, now});
    state.apply(TaskFinished{placed.task, placed.node});
  }
  for (const PlacedTask& placed : tables.placed)
    if (placed.state != TaskState::finished) state.apply(TaskFound{placed.task, placed.node, now});
  return state;
}

void restore(ClusterSnapshot& cluster, IdVector<NodeId, Node> nodes, const SnapshotTables& tables) {
  cluster.nodes = std::move(nodes);
  // A price of 0 means: work it out from the real cores.
  for (Node& node : cluster.nodes)
    if (node.cpu_price.value() == 0 && node.capacity.cpu.value() > 0)
      node.cpu_price = full_packing_price(node.price, node.capacity.cpu, node.speed);
  for (NodeId node : cluster.nodes.ids())
    cluster.free[node] = cluster.nodes[node].capacity - cluster.nodes[node].others;
  std::vector<const PlacedTask*> rows(cluster.tasks.size(), nullptr);
  for (const PlacedTask& placed : tables.placed) {
    rows[placed.task.index()] = &placed;
    cluster.tasks[placed.task].state = placed.state;
  }
  for (RunningTask& run : cluster.running) {
    const PlacedTask& placed = *rows[run.task.index()];
    run.expected_end = placed.expected_end;
    run.reclaimed_for = placed.reclaimed_for, run.stays_until = placed.stays_until;
    run.marked_until = placed.marked_until;
    cluster.free[run.node] = cluster.free[run.node] - cluster.jobs[run.job].request;
  }
  for (std::uint32_t i = 0; i < tables.jobs.size(); ++i) {
    Job& job = cluster.jobs[JobId(i)];
    job.completed = tables.jobs[i].job.completed;
    job.memory = tables.jobs[i].job.memory;
    job.map_output.clear();
    const WholeJob seen = std::exchange(job.whole, tables.jobs[i].job.whole);
    if (job.whole.arrivals == 0) {  // a file of an earlier version, or no part
      job.whole.began = seen.began, job.whole.work = seen.work;
      job.whole.arrivals = seen.arrivals, job.whole.ended = seen.ended;
    }
    job.coordinates = tables.jobs[i].job.coordinates;
    if (job.shuffle.value() > 0 && (job.reduce_tasks > 0 || job.whole.id.valid()))
      job.map_output = tables.jobs[i].job.map_output;
  }
  for (TaskId task : tables.degraded) {
    Task& placed = cluster.tasks[task];
    if (placed.state < TaskState::bound || !placed.block.valid() || std::exchange(placed.degraded, true)) continue;
    ++cluster.jobs[placed.job].degraded_launched;
  }
  cluster.expected = tables.expected;
}

}  // namespace

bool natural_less(std::string_view a, std::string_view b) {
  const auto digit = [](char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; };
  std::size_t i = 0, j = 0;
  while (i < a.size() && j < b.size()) {
    if (!digit(a[i]) || !digit(b[j])) {
      if (a[i] != b[j]) return a[i] < b[j];
      ++i, ++j;
      continue;
    }
    while (i < a.size() && a[i] == '0') ++i;
    while (j < b.size() && b[j] == '0') ++j;
    std::size_t end_a = i, end_b = j;
    while (end_a < a.size() && digit(a[end_a])) ++end_a;
    while (end_b < b.size() && digit(b[end_b])) ++end_b;
    if (end_a - i != end_b - j) return end_a - i < end_b - j;
    if (const int order = a.substr(i, end_a - i).compare(b.substr(j, end_b - j)); order != 0) return order < 0;
    i = end_a, j = end_b;
  }
  if (i < a.size() || j < b.size()) return j < b.size();
  return a < b;  // equal except for leading zeros
}

void sort_by_name(SnapshotTables& tables) {
  ClusterSnapshot& start = tables.start;
  const auto zones = by_name(start.zones);
  const auto racks = by_name(start.racks);
  const auto nodes = by_name(start.nodes);
  const auto stores = by_name(start.stores);
  const auto data_sets = by_name(start.data_sets);
  const auto pools = by_name(start.pools);
  const auto profiles = by_value(start.profiles);
  const auto constraints = by_value(start.constraints);
  const auto blocks = block_renaming(start, data_sets);
  rename_places(tables, zones, racks);
  rename_data(tables, stores, data_sets, blocks);
  for (Node& node : start.nodes) node.profile = profiles(node.profile);
  for (DataStore& store : start.stores) store.node = nodes(store.node);
  for (Offer& offer : start.offers) offer.like = nodes(offer.like);
  std::sort(start.offers.begin(), start.offers.end(), [](const Offer& a, const Offer& b) { return a.like < b.like; });
  for (ExpectedWork& work : tables.expected) work.pool = pools(work.pool);
  for (DataSet& data_set : start.data_sets) data_set.pool = pools(data_set.pool);
  for (JobArrived& job : tables.jobs)
    job.job.pool = pools(job.job.pool), job.job.constraint = constraints(job.job.constraint);
  for (PlacedTask& placed : tables.placed)
    placed.node = nodes(placed.node), placed.reclaimed_for = pools(placed.reclaimed_for);
  const std::vector<double> slots = start.shares ? start.shares->slots : std::vector<double>();
  zones.reorder(start.zones);
  racks.reorder(start.racks);
  reorder_times(start.zone_degraded, zones);
  reorder_times(start.rack_degraded, racks);
  nodes.reorder(start.nodes);
  stores.reorder(start.stores);
  data_sets.reorder(start.data_sets);
  pools.reorder(start.pools);
  if (start.shares)
    for (std::uint32_t pool = 0; pool < pools.old_of().size(); ++pool)
      start.shares->slots[pool] = slots[pools.old_of()[pool]];
  profiles.reorder(start.profiles);
  constraints.reorder(start.constraints);
  blocks.reorder(start.blocks);
  sort_jobs(tables);
  sort_expected(tables.expected);
  std::sort(tables.moves.begin(), tables.moves.end(),
            [](const MoveInFlight& a, const MoveInFlight& b) { return a.id < b.id; });
}

SnapshotFile build_snapshot(SnapshotTables tables, Problems& problems) {
  std::sort(tables.placed.begin(), tables.placed.end(),
            [](const PlacedTask& a, const PlacedTask& b) { return a.task < b.task; });
  report_impossible_states(tables, problems);
  SnapshotFile result;
  if (!problems.empty()) return result;
  IdVector<NodeId, Node> nodes = tables.start.nodes;
  tables.start.moves = tables.moves;
  result.cluster = replay(std::move(tables.start), tables).take();
  restore(result.cluster, std::move(nodes), tables);
  result.costs = CostModel(std::move(tables.transfer));
  return result;
}

}  // namespace lips
