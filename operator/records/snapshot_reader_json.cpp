#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <set>

#include "config/text_file.h"
#include "model/stripe.h"
#include "records/snapshot_exact_json.h"
#include "records/snapshot_json.h"
#include "records/snapshot_tables.h"

namespace lips {

namespace {

using namespace json_tables;

class Reader {
 public:
  Reader(const Json& json, Problems& problems) : root_(json, "", problems), problems_(problems) {}
  SnapshotTables read();

 private:
  // As many names as the column has, all different.
  std::vector<std::string> names(const View& table);
  void read_places();
  void read_eligibility();
  std::vector<LabelRequirement> requirements(const View& list);
  void read_nodes();
  void read_stores();
  void read_blocks();
  void read_network_and_pools();
  void read_jobs();
  void read_job_lists(const View& table);
  void read_memories(const View& table);
  void read_levels(const View& table);
  void read_wholes(const View& table);
  void read_shares();
  void read_tasks();
  void read_placed_and_moves();
  void read_beyond();
  void read_degraded();

  View root_;
  Problems& problems_;
  SnapshotTables tables_;
  std::size_t tasks_ = 0;
};

std::vector<std::string> Reader::names(const View& table) {
  const View field = table.at("name");
  const Json& json = field.json();
  std::size_t rows = json.is_array() ? json.size() : json.is_string() ? 1 : 0;
  if (json.is_object() && json.contains("runs"))
    for (std::size_t i = 0, count = field.at("runs").rows(2); i < count; ++i)
      rows += static_cast<std::size_t>(field.at("runs").item(i).cell(0, Whole{0, most_rows}));
  return table.column("name", rows, Text{});
}

template <class Table>
void check_names(const View& view, const Table& table) {
  std::set<std::string_view> seen;
  for (const auto& row : table)
    if (!seen.insert(row.name).second) view.problem("/name", fmt::format("'{}' twice", row.name), "every name once");
}

void Reader::read_places() {
  const View zones = root_.at("zones");
  for (std::size_t i = 0, count = zones.list(); i < count; ++i) tables_.start.zones.push_back({zones.cell(i, Text{})});
  check_names(root_, tables_.start.zones);
  if (zones.size() > ZoneSet::max_zones) zones.problem("", fmt::format("{} zones", zones.size()), "at most 64");
  const View racks = root_.at("racks");
  const std::vector<std::string> rack_names = names(racks);
  const auto zone = racks.column("zone", rack_names.size(), index_below(tables_.start.zones.size()));
  for (std::size_t i = 0; i < rack_names.size(); ++i)
    tables_.start.racks.push_back({rack_names[i], id<ZoneId>(zone[i])});
  check_names(racks, tables_.start.racks);
}

std::vector<LabelRequirement> Reader::requirements(const View& list) {
  static constexpr std::string_view operators[] = {"In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt"};
  std::vector<LabelRequirement> result;
  for (std::size_t i = 0, count = list.list(); i < count; ++i) {
    const View row = list.item(i);
    if (row.list() < 2) {
      row.problem("", fmt::format("{} cells", row.size()), "a key, an operator and values");
      continue;
    }
    LabelRequirement requirement;
    requirement.key = row.cell(0, Text{});
    const std::string name = row.cell(1, Text{});
    const auto found = std::find(std::begin(operators), std::end(operators), name);
    if (found == std::end(operators))
      row.problem("/1", '\'' + name + '\'', fmt::format("{}", fmt::join(operators, ", ")));
    requirement.op = static_cast<LabelRequirement::Operator>((found - std::begin(operators)) % 6);
    for (std::size_t cell = 2; cell < row.size(); ++cell) requirement.values.push_back(row.cell(cell, Text{}));
    result.push_back(std::move(requirement));
  }
  return result;
}

void Reader::read_eligibility() {
  const View profiles = root_.at("profiles");
  for (std::size_t i = 0, count = profiles.list(); i < count; ++i) {
    NodeProfile profile;
    const View labels = profiles.item(i).at("labels");
    for (const auto& [key, ignored] : labels.json().items())
      profile.labels.emplace_back(key, labels.at(key).value(Text{}));
    const View taints = profiles.item(i).at("taints");
    for (std::size_t t = 0, rows = taints.rows(3); t < rows; ++t)
      profile.taints.push_back(
          {taints.item(t).cell(0, Text{}), taints.item(t).cell(1, Text{}), taints.item(t).cell(2, Text{})});
    std::sort(profile.labels.begin(), profile.labels.end());
    std::sort(profile.taints.begin(), profile.taints.end());
    tables_.start.profiles.push_back(std::move(profile));
  }
  const View constraints = root_.at("constraints");
  for (std::size_t i = 0, count = constraints.list(); i < count; ++i) {
    PlacementConstraint constraint;
    constraint.required = requirements(constraints.item(i).at("required"));
    const View terms = constraints.item(i).at("anyOf");
    for (std::size_t t = 0, rows = terms.list(); t < rows; ++t)
      constraint.any_of.push_back(requirements(terms.item(t)));
    if (constraints.item(i).json().contains("volumes")) {
      const View volumes = constraints.item(i).at("volumes");
      for (std::size_t v = 0, all = volumes.list(); v < all; ++v) {
        constraint.volumes.emplace_back();
        for (std::size_t t = 0, rows = volumes.item(v).list(); t < rows; ++t)
          constraint.volumes.back().push_back(requirements(volumes.item(v).item(t)));
      }
    }
    const View tolerations = constraints.item(i).at("tolerations");
    for (std::size_t t = 0, rows = tolerations.rows(4); t < rows; ++t) {
      const View row = tolerations.item(t);
      constraint.tolerations.push_back(
          {row.cell(0, Text{}), row.cell(2, Text{}), row.cell(3, Text{}), row.cell(1, Text{}) == "Exists"});
    }
    tables_.start.constraints.push_back(std::move(constraint));
  }
}

void Reader::read_nodes() {
  const View kinds = root_.at("nodeKinds");
  std::vector<Node> prototypes;
  for (std::size_t i = 0, rows = kinds.rows(9); i < rows; ++i) {
    const View row = kinds.item(i);
    Node node;
    node.instance_type = row.cell(0, Text{});
    node.capacity_type = row.cell(1, Whole{0, 1}) ? CapacityType::spot : CapacityType::on_demand;
    node.capacity.cpu = Cores(row.cell(2, Real{0}));
    node.capacity.memory = Mebibytes(row.cell(3, Real{0}));
    node.capacity.slots = static_cast<std::int32_t>(row.cell(4, Whole{0, 1'000'000}));
    node.speed = row.cell(5, Real{0});
    node.price = UsdPerHour(row.cell(6, Real{0}));
    node.cpu_price = UsdPerCpuSecond(row.cell(7, Real{0}));
    node.profile = id<ProfileId>(row.cell(8, index_below(tables_.start.profiles.size())));
    if (!(node.speed > 0)) row.problem("/5", fmt::format("{}", node.speed), "a speed above 0");
    prototypes.push_back(std::move(node));
  }
  const View table = root_.at("nodes");
  const std::vector<std::string> name = names(table);
  const auto kind = table.column("kind", name.size(), index_below(prototypes.size()));
  const auto zone = table.column("zone", name.size(), index_below(tables_.start.zones.size()));
  const auto rack = table.column("rack", name.size(), id_below(tables_.start.racks.size()));
  const auto schedulable = table.column("schedulable", name.size(), Whole{0, 1});
  if (prototypes.empty() && !name.empty()) return table.problem("/kind", "no node kinds", "at least one in /nodeKinds");
  for (std::size_t i = 0; i < name.size(); ++i) {
    Node node = prototypes[static_cast<std::size_t>(kind[i])];
    node.name = name[i];
    node.zone = id<ZoneId>(zone[i]);
    node.rack = id<RackId>(rack[i]);
    node.schedulable = schedulable[i] != 0;
    tables_.start.nodes.push_back(std::move(node));
  }
  check_names(table, tables_.start.nodes);
}

void Reader::read_stores() {
  const View table = root_.at("stores");
  const std::vector<std::string> name = names(table);
  const auto kind = table.column("kind", name.size(), Whole{0, 2});
  const auto zone = table.column("zone", name.size(), index_below(tables_.start.zones.size()));
  const auto node = table.column("node", name.size(), id_below(tables_.start.nodes.size()));
  const auto capacity = table.column("capacity", name.size(), Real{0});
  const auto price = table.column("price", name.size(), Real{0});
  for (std::size_t i = 0; i < name.size(); ++i) {
    DataStore store;
    store.name = name[i];
    store.kind = static_cast<StoreKind>(kind[i]);
    store.zone = id<ZoneId>(zone[i]);
    store.node = id<NodeId>(node[i]);
    store.capacity = Mebibytes(capacity[i]);
    store.price = UsdPerMebibyteHour(price[i]);
    if (store.node.valid() && tables_.start.nodes.contains(store.node) &&
        tables_.start.nodes[store.node].zone != store.zone)
      table.problem(fmt::format("/zone/{}", i), fmt::format("zone {}", zone[i]), "the zone of the store's node");
    tables_.start.stores.push_back(std::move(store));
  }
  check_names(table, tables_.start.stores);
}

void Reader::read_blocks() {
  ClusterSnapshot& start = tables_.start;
  const View sets = root_.at("dataSets");
  const std::vector<std::string> name = names(sets);
  const View table = root_.at("blocks");
  const auto count = static_cast<std::size_t>(table.at("count").value(Whole{0, most_rows}));
  const auto first = sets.column("firstBlock", name.size(), id_below(count));
  const auto blocks = sets.column("blocks", name.size(), Whole{0, static_cast<std::int64_t>(count)});
  const auto n = sets.column("codeN", name.size(), Whole{0, 1000});
  const auto k = sets.column("codeK", name.size(), Whole{0, 1000});
  const View replicas = table.at("replicas");
  const auto data_set = table.column("dataSet", count, id_below(name.size()));
  const auto size = table.column("size", count, Real{0});
  const auto copies = table.column("copies", count, Whole{0, 1000});
  std::size_t next = 0;
  const std::size_t listed = replicas.list();
  const Whole store = index_below(start.stores.size());
  start.blocks.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    Block block;
    block.data_set = id<DataSetId>(data_set[i]);
    block.size = Mebibytes(size[i]);
    for (std::int64_t copy = 0; copy < copies[i] && next < listed; ++copy, ++next) {
      const Replica replica{id<StoreId>(replicas.cell(next, store)), false, {}};
      if (block.on(replica.store))
        replicas.problem(fmt::format("/{}", next), "a second replica in one store", "one replica a store");
      block.replicas.push_back(replica);
    }
    start.blocks.push_back(std::move(block));
  }
  std::int64_t wanted = 0;
  for (std::int64_t copy : copies) wanted += copy;
  if (static_cast<std::size_t>(wanted) != listed)
    replicas.problem("", fmt::format("{} replicas", listed), fmt::format("{}, the sum of copies", wanted));
  const View notes = table.at("notes");
  for (std::size_t i = 0, rows = notes.rows(4); i < rows; ++i) {
    const View row = notes.item(i);
    const auto block = static_cast<std::size_t>(row.cell(0, index_below(count)));
    const StoreId where = id<StoreId>(row.cell(1, store));
    if (block >= count) continue;
    for (Replica& replica : start.blocks[BlockId(static_cast<std::uint32_t>(block))].replicas)
      if (replica.store == where)
        replica.extra = row.cell(2, Whole{0, 1}) != 0,
        replica.last_read = time(row.cell(3, Whole{-any_time, any_time}));
  }
  for (std::size_t i = 0; i < name.size(); ++i) {
    DataSet added;
    added.name = name[i];
    added.first_block = id<BlockId>(first[i]);
    added.blocks = static_cast<std::uint32_t>(blocks[i]);
    added.code = {static_cast<std::int32_t>(n[i]), static_cast<std::int32_t>(k[i])};
    if (n[i] > 0 && (k[i] < 1 || k[i] >= n[i])) {
      sets.problem(fmt::format("/codeK/{}", i), fmt::format("{}", k[i]), "1 to codeN - 1, or codeN 0");
      break;
    }
    for (std::int64_t b = 0; b < blocks[i] + parity_blocks(added); ++b)
      if (first[i] < 0 || static_cast<std::size_t>(first[i] + b) >= count ||
          data_set[static_cast<std::size_t>(first[i] + b)] != static_cast<std::int64_t>(i)) {
        sets.problem(fmt::format("/blocks/{}", i), fmt::format("{} blocks from {}", blocks[i], first[i]),
                     "blocks whose dataSet is this one, without a gap, those of parity behind them");
        break;
      }
    start.data_sets.push_back(std::move(added));
  }
  check_names(sets, start.data_sets);
}

void Reader::read_network_and_pools() {
  const View network = root_.at("network");
  const auto bandwidth = [&](const char* key) { return MebibytesPerSecond(network.at(key).value(Real{0})); };
  tables_.start.network = {bandwidth("localRead"), bandwidth("nodeLink"),   bandwidth("rackLink"),
                           bandwidth("zoneLink"),  bandwidth("zoneStream"), bandwidth("remoteStream")};
  const View table = root_.at("pools");
  const std::vector<std::string> name = names(table);
  const auto weight = table.column("weight", name.size(), Real{0});
  const auto minimum = table.column("minimum", name.size(), Real{0});
  const auto maximum = table.column("maximum", name.size(), Real{0});
  const auto price = table.column("shortfallPrice", name.size(), Real{0});
  for (std::size_t i = 0; i < name.size(); ++i)
    tables_.start.pools.push_back(
        {name[i], weight[i], Cores(minimum[i]), Cores(maximum[i]), UsdPerCpuSecond(price[i])});
  check_names(table, tables_.start.pools);
}

void Reader::read_jobs() {
  const View table = root_.at("jobs");
  const std::vector<std::string> name = names(table);
  const std::size_t count = name.size();
  const Whole times{-any_time, any_time};
  const auto pool = table.column("pool", count, index_below(tables_.start.pools.size()));
  const auto arrival = table.column("arrival", count, times);
  const auto priority = table.column("priority", count, Whole{INT32_MIN, INT32_MAX});
  const auto constraint = table.column("constraint", count, id_below(tables_.start.constraints.size()));
  const auto cpu = table.column("cpu", count, Real{0});
  const auto memory = table.column("memory", count, Real{0});
  const auto slots = table.column("slots", count, Whole{0, 1'000'000});
  const auto shuffle = table.column("shuffle", count, Real{0});
  const auto maps = table.column("maps", count, Whole{0, most_rows});
  const auto reduces = table.column("reduces", count, Whole{0, most_rows});
  const auto completed = table.column("completed", count, times);
  const auto home = table.column("home", count, id_below(tables_.start.zones.size()));
  const auto locality = table.column("lastLocality", count, Whole{0, locality_levels - 1});
  tables_.jobs.resize(count);
  for (std::size_t i = 0; i < count; ++i) {
    Job& job = tables_.jobs[i].job;
    job.name = name[i];
    job.pool = id<PoolId>(pool[i]);
    job.arrival = time(arrival[i]);
    job.priority = static_cast<std::int32_t>(priority[i]);
    job.constraint = id<ConstraintId>(constraint[i]);
    job.request = {Cores(cpu[i]), Mebibytes(memory[i]), static_cast<std::int32_t>(slots[i])};
    job.shuffle = Mebibytes(shuffle[i]);
    job.map_tasks = static_cast<std::uint32_t>(maps[i]);
    job.reduce_tasks = static_cast<std::uint32_t>(reduces[i]);
    job.completed = time(completed[i]);
    job.memory.home = id<ZoneId>(home[i]);
    job.memory.last_locality = static_cast<Locality>(locality[i]);
    job.map_output.assign(tables_.start.zones.size(), Mebibytes(0));
    tasks_ += static_cast<std::size_t>(maps[i] + reduces[i]);
  }
  read_job_lists(table);
}

void Reader::read_memories(const View& table) {
  if (!table.has("memories")) return;
  const View memories = table.at("memories");
  const Whole flag{0, 1}, span{0, any_time}, count{0, most_ids};
  for (std::size_t i = 0, rows = memories.rows(13); i < rows && !tables_.jobs.empty(); ++i) {
    const View row = memories.item(i);
    const auto job = static_cast<std::size_t>(row.cell(0, index_below(tables_.jobs.size())));
    JobMemory& memory = tables_.jobs[job].job.memory;
    const auto wait_sum = [&](std::size_t cell) {
      return WaitSum{Duration(row.cell(cell, span)), static_cast<std::uint32_t>(row.cell(cell + 1, count))};
    };
    memory.home_decided = row.cell(1, flag) == 1;
    memory.launched = row.cell(2, flag) == 1;
    memory.refused_for = Duration(row.cell(3, span));
    if (row.cell(4, flag)) memory.refused_at = time(row.cell(5, Whole{-any_time, any_time}));
    memory.node_waits = wait_sum(6);
    memory.rack_waits = wait_sum(8);
    if (row.cell(10, flag)) memory.priority = static_cast<std::int8_t>(row.cell(11, Whole{-2, 2}));
    memory.opportunities = static_cast<std::uint32_t>(row.cell(12, count));
  }
}

void Reader::read_levels(const View& table) {
  if (!table.has("levels")) return;
  const View levels = table.at("levels");
  for (std::size_t i = 0, rows = levels.rows(3); i < rows && !tables_.jobs.empty(); ++i) {
    const View row = levels.item(i);
    Job& job = tables_.jobs[static_cast<std::size_t>(row.cell(0, index_below(tables_.jobs.size())))].job;
    job.output = id<DataSetId>(row.cell(1, id_below(tables_.start.data_sets.size())));
    job.held = row.cell(2, Whole{0, 1}) == 1;
  }
}

void Reader::read_wholes(const View& table) {
  if (!table.has("wholes")) return;
  const View wholes = table.at("wholes");
  const Whole count{0, most_rows};
  for (std::size_t i = 0, rows = wholes.rows(6); i < rows && !tables_.jobs.empty(); ++i) {
    const View row = wholes.item(i);
    const Whole any_job = index_below(tables_.jobs.size());
    WholeJob& whole = tables_.jobs[static_cast<std::size_t>(row.cell(0, any_job))].job.whole;
    whole.id = id<WholeJobId>(row.cell(1, any_job));
    whole.maps = static_cast<std::uint32_t>(row.cell(2, count));
    whole.reduces = static_cast<std::uint32_t>(row.cell(3, count));
    whole.finished_maps = static_cast<std::uint32_t>(row.cell(4, count));
    whole.reduce_work = CpuSeconds(row.cell(5, Real{0}));
  }
}

void Reader::read_shares() {
  if (!root_.has("shares")) return;
  const View table = root_.at("shares");
  table.known({"at", "leastJob", "smallPool", "slots"});
  ShareMemory shares;
  shares.at = time(table.at("at").value(Whole{-any_time, any_time}));
  shares.least_job = static_cast<std::uint32_t>(table.at("leastJob").value(Whole{0, most_ids}));
  shares.small_pool = table.at("smallPool").value(Whole{0, 1}) == 1;
  const View slots = table.at("slots");
  for (std::size_t i = 0, size = slots.list(); i < size; ++i) shares.slots.push_back(slots.cell(i, Real{0}));
  if (const std::size_t wanted = tables_.start.pools.size() + 1; shares.slots.size() != wanted)
    slots.problem("", fmt::format("{} shares", shares.slots.size()),
                  fmt::format("{}: the pools, then the small jobs", wanted));
  tables_.start.shares = std::move(shares);
}

void Reader::read_job_lists(const View& table) {
  const Whole job = index_below(tables_.jobs.size());
  const View passed = table.at("passedOver");
  for (std::size_t i = 0, rows = passed.rows(2); i < rows && !tables_.jobs.empty(); ++i)
    tables_.jobs[static_cast<std::size_t>(passed.item(i).cell(0, job))].job.memory.passed_over_since =
        time(passed.item(i).cell(1, Whole{-any_time, any_time}));
  read_memories(table);
  read_levels(table);
  read_wholes(table);
  const View inputs = table.at("inputs");
  for (std::size_t i = 0, rows = inputs.rows(3); i < rows && !tables_.jobs.empty(); ++i) {
    const View row = inputs.item(i);
    const DataSetId data_set = id<DataSetId>(row.cell(1, index_below(tables_.start.data_sets.size())));
    tables_.jobs[static_cast<std::size_t>(row.cell(0, job))].job.inputs.push_back({data_set, row.cell(2, Real{0})});
  }
  const View output = table.at("mapOutput");
  for (std::size_t i = 0, rows = output.rows(3); i < rows && !tables_.jobs.empty() && !tables_.start.zones.empty();
       ++i) {
    const View row = output.item(i);
    tables_.jobs[static_cast<std::size_t>(row.cell(0, job))]
        .job.map_output[static_cast<std::size_t>(row.cell(1, index_below(tables_.start.zones.size())))] =
        Mebibytes(row.cell(2, Real{0}));
  }
}

void Reader::read_tasks() {
  const View runs = root_.at("tasks");
  std::size_t job = 0, read = 0;
  const std::size_t blocks = tables_.start.blocks.size();
  for (std::size_t i = 0, rows = runs.rows(5); i < rows; ++i) {
    const View run = runs.item(i);
    const auto count = static_cast<std::size_t>(run.cell(0, Whole{1, most_ids}));
    Task task;
    task.cpu = CpuSeconds(run.cell(1, Real{0}));
    task.input = Mebibytes(run.cell(2, Real{0}));
    task.kind = run.cell(3, Whole{0, 1}) ? TaskKind::reduce : TaskKind::map;
    const std::int64_t first = run.cell(4, id_below(blocks));
    if (first >= 0 && static_cast<std::size_t>(first) + count > blocks)
      return run.problem("/0", fmt::format("{} tasks from block {}", count, first),
                         fmt::format("blocks below {}", blocks));
    if (read + count > tasks_)
      return runs.problem("", fmt::format("more than {} tasks", tasks_),
                          fmt::format("{}, the jobs' maps and reduces", tasks_));
    read += count;
    for (std::size_t t = 0; t < count; ++t) {
      while (tables_.jobs[job].tasks.size() == tables_.jobs[job].job.tasks()) ++job;
      const bool map = tables_.jobs[job].tasks.size() < tables_.jobs[job].job.map_tasks;
      if (map != (task.kind == TaskKind::map))
        return run.problem("/3", map ? "a reduce task" : "a map task",
                           fmt::format("the {} maps, then the reduces of job '{}'", tables_.jobs[job].job.map_tasks,
                                       tables_.jobs[job].job.name));
      if (first >= 0) task.block = BlockId(static_cast<std::uint32_t>(static_cast<std::size_t>(first) + t));
      tables_.jobs[job].tasks.push_back(task);
    }
  }
  if (read != tasks_)
    runs.problem("", fmt::format("{} tasks", read), fmt::format("{}, the jobs' maps and reduces", tasks_));
}

void Reader::read_placed_and_moves() {
  const View placed = root_.at("placed");
  for (std::size_t i = 0, rows = placed.rows(4); i < rows; ++i) {
    const View row = placed.item(i);
    tables_.placed.push_back({id<TaskId>(row.cell(0, index_below(tasks_))),
                              id<NodeId>(row.cell(1, id_below(tables_.start.nodes.size()))),
                              static_cast<TaskState>(row.cell(2, Whole{0, 2}) + static_cast<int>(TaskState::bound)),
                              time(row.cell(3, Whole{-any_time, any_time}))});
  }
  const View moves = root_.at("moves");
  const Whole store = index_below(tables_.start.stores.size());
  for (std::size_t i = 0, rows = moves.rows(4); i < rows; ++i) {
    const View row = moves.item(i);
    tables_.moves.push_back({id<MoveId>(row.cell(0, Whole{0, most_ids - 1})),
                             id<BlockId>(row.cell(1, index_below(tables_.start.blocks.size()))),
                             id<StoreId>(row.cell(2, store)), id<StoreId>(row.cell(3, store))});
  }
  const View transfer = root_.at("transfer");
  const std::size_t zones = tables_.start.zones.size();
  const std::size_t rows = transfer.rows(zones);
  if (rows != zones && transfer.size() != 0)
    transfer.problem("", fmt::format("{} rows", transfer.size()), fmt::format("{} rows of {}, or none", zones, zones));
  for (std::size_t from = 0; from < rows; ++from) {
    tables_.transfer.emplace_back();
    for (std::size_t to = 0; to < zones; ++to)
      tables_.transfer.back().emplace_back(transfer.item(from).cell(to, Real{0}));
  }
}

void Reader::read_beyond() {
  if (!root_.json().contains("beyond")) return;
  const View beyond = root_.at("beyond");
  const View names = beyond.at("names");
  for (std::size_t i = 0, count = names.list(); i < count; ++i)
    tables_.start.extended_names.push_back(names.cell(i, Text{}));
  if (tables_.start.extended_names.size() > most_extended)
    return names.problem("", fmt::format("{} names", names.size()), fmt::format("at most {}", most_extended));
  const auto each = [&](const char* key, std::size_t count, const auto& set) {
    const View table = beyond.at(key);
    for (std::size_t i = 0, rows = table.rows(8); i < rows && count > 0; ++i) {
      const View row = table.item(i);
      Resources resources{Cores(row.cell(1, Real{0})), Mebibytes(row.cell(2, Real{0})),
                          static_cast<std::int32_t>(row.cell(3, Whole{0, 1'000'000}))};
      for (std::size_t kind = 0; kind < most_extended; ++kind) resources.extended[kind] = row.cell(4 + kind, Real{0});
      set(static_cast<std::uint32_t>(row.cell(0, index_below(count))), resources);
    }
  };
  IdVector<NodeId, Node>& nodes = tables_.start.nodes;
  each("nodes", nodes.size(),
       [&](std::uint32_t i, const Resources& r) { nodes[NodeId(i)].capacity.extended = r.extended; });
  each("others", nodes.size(), [&](std::uint32_t i, const Resources& r) { nodes[NodeId(i)].others = r; });
  each("jobs", tables_.jobs.size(),
       [&](std::uint32_t i, const Resources& r) { tables_.jobs[i].job.request.extended = r.extended; });
}

void Reader::read_degraded() {
  if (!root_.json().contains("degraded")) return;
  const View table = root_.at("degraded");
  const View tasks = table.at("tasks");
  for (std::size_t i = 0, count = tasks.list(); i < count; ++i)
    tables_.degraded.push_back(id<TaskId>(tasks.cell(i, index_below(tasks_))));
  const auto read_times = [&](const char* key, std::size_t places, auto& times) {
    const View rows = table.at(key);
    times.resize(places);
    for (std::size_t i = 0, count = rows.rows(2); i < count && places > 0; ++i)
      times[id<typename std::decay_t<decltype(*times.ids().begin())>>(rows.item(i).cell(0, index_below(places)))] =
          time(rows.item(i).cell(1, Whole{-any_time, any_time}));
  };
  read_times("racks", tables_.start.racks.size(), tables_.start.rack_degraded);
  read_times("zones", tables_.start.zones.size(), tables_.start.zone_degraded);
}

SnapshotTables Reader::read() {
  root_.known({"format", "version", "now",      "zones",    "racks",   "profiles", "constraints", "nodeKinds",
               "nodes",  "stores",  "dataSets", "blocks",   "network", "pools",    "shares",      "jobs",
               "tasks",  "placed",  "moves",    "transfer", "beyond",  "exact",    "degraded"});
  if (!root_.json().is_object()) return {};
  if (root_.at("format").value(Text{}) != "lips-snapshot")
    root_.problem("/format", shown(root_.at("format").json()), "\"lips-snapshot\"");
  root_.at("version").value(Whole{1, 1});
  if (!problems_.messages.empty()) return {};
  tables_.start.now = time(root_.at("now").value(Whole{-any_time, any_time}));
  // Later tables point into earlier ones: with a wrong one they would only add noise.
  using Step = void (Reader::*)();
  for (Step step :
       {&Reader::read_places, &Reader::read_eligibility, &Reader::read_nodes, &Reader::read_stores,
        &Reader::read_blocks, &Reader::read_network_and_pools, &Reader::read_shares, &Reader::read_jobs,
        &Reader::read_tasks, &Reader::read_placed_and_moves, &Reader::read_beyond, &Reader::read_degraded}) {
    (this->*step)();
    if (!problems_.messages.empty()) break;
  }
  return std::move(tables_);
}

}  // namespace

Result<SnapshotFile> read_snapshot(const std::string& file, const std::string& text, SnapshotOrder order) {
  Json json;
  try {
    json = Json::parse(text);
  } catch (const Json::parse_error& error) {
    const auto end = text.begin() + static_cast<std::ptrdiff_t>(std::min(error.byte, text.size()));
    return fail(ErrorCode::invalid_input,
                fmt::format("{}:{}: found text that is not JSON (byte {}); allowed: a lips-snapshot file", file,
                            std::count(text.begin(), end, '\n') + 1, error.byte));
  }
  Problems problems{file, {}};
  SnapshotTables tables = Reader(json, problems).read();
  if (!problems.messages.empty())
    return fail(ErrorCode::invalid_input, fmt::format("{}", fmt::join(problems.messages, "\n")));
  if (order == SnapshotOrder::canonical) sort_by_name(tables);
  Result<SnapshotFile> snapshot = build_snapshot(file, std::move(tables));
  if (const auto exact = json.find("exact"); snapshot && order == SnapshotOrder::as_written && exact != json.end())
    if (Result<void> restored = restore_exact(*exact, file, snapshot->cluster); !restored)
      return tl::unexpected(restored.error());
  return snapshot;
}

Result<SnapshotFile> load_snapshot(const std::string& path, SnapshotOrder order) {
  const Result<std::string> text = read_text_file(path);
  if (!text) return tl::unexpected(text.error());
  return read_snapshot(path, *text, order);
}

}  // namespace lips
