#include "records/snapshot_reader_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <string>
#include <unordered_set>
#include <vector>

#include "model/stripe.h"
#include "records/snapshot_arrivals_json.h"
#include "records/snapshot_columns.h"
#include "records/snapshot_eligibility_json.h"
#include "records/snapshot_jobs_json.h"
#include "records/snapshot_offers_json.h"
#include "records/snapshot_pools_json.h"

namespace lips {

namespace {

using namespace json_tables;

class Reader {
 public:
  Reader(const Json& json, Problems& problems) : root_(json, "", problems), problems_(problems) {}
  SnapshotTables read();

 private:
  template <class Member>
  auto kind_of() const;
  // Reads a row for each name, with the columns of the struct that the file keeps.
  template <class Row>
  std::vector<Row> rows_of(const View& table);
  void check_codes(const View& sets);
  void read_places();
  void read_eligibility();
  void read_nodes();
  void read_offers() {
    ClusterSnapshot& start = tables_.start;
    start.launch_limits = read_launch_limits(root_);
    start.offers = lips::read_offers(root_, start.nodes.size(), start.launch_limits.size());
  }
  void read_stores();
  void read_blocks();
  void read_network();
  void read_jobs() { tasks_ = lips::read_jobs(root_, tables_); }
  void read_arrivals() {
    tables_.start.arrivals = read_arrival_memory(root_);
    tables_.expected = read_expected(root_, tables_.start.data_sets.size(), tables_.start.pools.size());
  }
  void read_tasks() { lips::read_tasks(root_, tasks_, tables_); }
  void read_placed_and_moves();
  void read_beyond();
  void read_degraded();

  View root_;
  Problems& problems_;
  SnapshotTables tables_;
  std::size_t tasks_ = 0, blocks_ = 0;
};

// The values that a column of such members may have; ids refer to tables that were read before.
template <class Member>
auto Reader::kind_of() const {
  const ClusterSnapshot& start = tables_.start;
  if constexpr (std::is_same_v<Member, ZoneId>)
    return index_below(start.zones.size());
  else if constexpr (std::is_same_v<Member, NodeId>)
    return id_below(start.nodes.size());
  else if constexpr (std::is_same_v<Member, BlockId>)
    return id_below(blocks_);
  else if constexpr (std::is_same_v<Member, StoreKind>)
    return Whole{0, enum_size<StoreKind> - 1};
  else if constexpr (std::is_same_v<Member, std::int32_t>)
    return Whole{0, 1000};
  else if constexpr (std::is_same_v<Member, std::uint32_t>)
    return Whole{0, most_rows};
  else
    return Real{0};
}

template <class Row>
std::vector<Row> Reader::rows_of(const View& table) {
  const std::vector<std::string> name = names_of(table);
  std::vector<Row> rows(name.size());
  each_kept_field<Row>([&]<class Get>(std::string_view key, Get get) {
    using Member = std::decay_t<decltype(get(rows.front()))>;
    if constexpr (std::is_same_v<Member, std::string>) {
      for (std::size_t i = 0; i < rows.size(); ++i) get(rows[i]) = name[i];
    } else {
      const auto cells = table.column(std::string(key), rows.size(), kind_of<Member>());
      for (std::size_t i = 0; i < rows.size(); ++i) get(rows[i]) = from_cell<Member>(cells[i]);
    }
  });
  return rows;
}

template <class Table>
void check_names(const View& view, const Table& table) {
  std::unordered_set<std::string_view> seen;
  for (const auto& row : table)
    if (!seen.insert(row.name).second) view.problem("/name", fmt::format("'{}' twice", row.name), "every name once");
}

template <class Table, class Row>
void take(std::vector<Row> rows, Table& table) {
  table.reserve(rows.size());
  for (Row& row : rows) table.push_back(std::move(row));
}

void Reader::read_places() {
  const View zones = root_.at("zones");
  for (std::size_t i = 0, count = zones.list(); i < count; ++i) tables_.start.zones.push_back({zones.cell(i, Text{})});
  check_names(root_, tables_.start.zones);
  if (zones.size() > ZoneSet::max_zones) zones.problem("", fmt::format("{} zones", zones.size()), "at most 64");
  const View racks = root_.at("racks");
  take(rows_of<Rack>(racks), tables_.start.racks);
  check_names(racks, tables_.start.racks);
}

void Reader::read_eligibility() {
  const View profiles = root_.at("profiles");
  for (std::size_t i = 0, count = profiles.list(); i < count; ++i)
    tables_.start.profiles.push_back(read_profile(profiles.item(i)));
  const View constraints = root_.at("constraints");
  for (std::size_t i = 0, count = constraints.list(); i < count; ++i)
    tables_.start.constraints.push_back(read_constraint(constraints.item(i)));
}

void Reader::read_nodes() {
  const View kinds = root_.at("nodeKinds");
  std::vector<Node> prototypes;
  for (std::size_t i = 0, rows = kinds.rows(9, 10); i < rows; ++i) {
    const View row = kinds.item(i);
    Node node;
    node.instance_type = row.cell(0, Text{});
    const std::int64_t bought = row.cell(1, Whole{0, 3});
    node.capacity_type = bought % 2 == 1 ? CapacityType::spot : CapacityType::on_demand;
    node.fleet = bought >= 2 ? FleetKind::elastic : FleetKind::fixed;
    node.capacity.cpu = Cores(row.cell(2, Real{0}));
    node.capacity.memory = Mebibytes(row.cell(3, Real{0}));
    node.capacity.slots = static_cast<std::int32_t>(row.cell(4, Whole{0, 1'000'000}));
    node.speed = row.cell(5, Real{0});
    node.price = UsdPerHour(row.cell(6, Real{0}));
    node.cpu_price = UsdPerCpuSecond(row.cell(7, Real{0}));
    node.profile = id<ProfileId>(row.cell(8, index_below(tables_.start.profiles.size())));
    if (row.size() > 9) node.preference = row.cell(9, Real{0});
    if (!(node.speed > 0)) row.problem("/5", fmt::format("{}", node.speed), "a speed above 0");
    prototypes.push_back(std::move(node));
  }
  const View table = root_.at("nodes");
  const std::vector<std::string> name = names_of(table);
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
  ClusterSnapshot& start = tables_.start;
  take(rows_of<DataStore>(table), start.stores);
  for (const StoreId id : start.stores.ids())
    if (const DataStore& store = start.stores[id];
        store.node.valid() && start.nodes.contains(store.node) && start.nodes[store.node].zone != store.zone)
      table.problem(fmt::format("/zone/{}", id.index()), fmt::format("zone {}", cell_of(store.zone)),
                    "the zone of the store's node");
  check_names(table, start.stores);
}

void Reader::read_blocks() {
  ClusterSnapshot& start = tables_.start;
  const View sets = root_.at("dataSets"), table = root_.at("blocks");
  const auto count = static_cast<std::size_t>(table.at("count").value(Whole{0, most_rows}));
  blocks_ = count;
  take(rows_of<DataSet>(sets), start.data_sets);
  const View replicas = table.at("replicas");
  const auto data_set = table.column("dataSet", count, id_below(start.data_sets.size()));
  const auto size = table.column("size", count, Real{0});
  const auto copies = table.column("copies", count, Whole{0, 1000});
  std::size_t next = 0, listed = replicas.list();
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
  const auto wanted = std::accumulate(copies.begin(), copies.end(), std::int64_t{0});
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
  check_codes(sets);
}

void Reader::check_codes(const View& sets) {
  const ClusterSnapshot& start = tables_.start;
  IdVector<DataSetId, std::uint64_t> listed(start.data_sets.size(), 0);
  for (const Block& block : start.blocks)
    if (block.data_set.valid() && block.data_set.index() < listed.size()) ++listed[block.data_set];
  for (const DataSetId id : start.data_sets.ids()) {
    const DataSet& set = start.data_sets[id];
    const auto [n, k] = set.code;
    if (n > 0 && (k < 1 || k >= n))
      return sets.problem(fmt::format("/codeK/{}", id.index()), fmt::format("{}", k), "1 to codeN - 1, or codeN 0");
    const std::uint64_t stripes =
        n > 0 ? (std::uint64_t{set.blocks} + static_cast<std::uint64_t>(k) - 1) / static_cast<std::uint64_t>(k) : 0;
    const std::uint64_t all = set.blocks + stripes * static_cast<std::uint64_t>(n - k);
    bool here = all == 0 || (set.first_block.valid() && set.first_block.index() + all <= start.blocks.size());
    for (std::uint64_t b = 0; here && b < all; ++b)
      here = start.blocks[BlockId(static_cast<std::uint32_t>(set.first_block.index() + b))].data_set == id;
    if (!here || listed[id] != all)
      return sets.problem(fmt::format("/blocks/{}", id.index()),
                          fmt::format("{} blocks from {}", set.blocks, cell_of(set.first_block)),
                          "all blocks whose dataSet is this one, without a gap, then the parity blocks");
  }
  check_names(sets, start.data_sets);
}

void Reader::read_network() {
  const View network = root_.at("network");
  each_field(tables_.start.network, [&](std::string_view name, MebibytesPerSecond& bandwidth) {
    bandwidth = MebibytesPerSecond(network.at(std::string(name)).value(Real{0}));
  });
  const View table = root_.at("pools");
  take(rows_of<Pool>(table), tables_.start.pools);
  check_names(table, tables_.start.pools);
  read_targets(root_, tables_.start.pools);
  read_reclaiming(root_, tables_.start.pools);
  read_unpaid_room(root_, tables_.start.pools);
  read_data_set_pools(root_, tables_.start.pools.size(), tables_.start.data_sets);
  tables_.start.shares = read_shares(root_, tables_.start.pools.size());
  tables_.start.target_debts = read_target_debts(root_);
}

void Reader::read_placed_and_moves() {
  const View placed = root_.at("placed");
  for (std::size_t i = 0, rows = placed.rows(4); i < rows; ++i) {
    const View row = placed.item(i);
    tables_.placed.push_back({id<TaskId>(row.cell(0, index_below(tasks_))),
                              id<NodeId>(row.cell(1, id_below(tables_.start.nodes.size()))),
                              static_cast<TaskState>(row.cell(2, Whole{0, 2}) + static_cast<int>(TaskState::bound)),
                              time(row.cell(3, Whole{-any_time, any_time})),
                              {},
                              {},
                              {}});
  }
  read_reclaimed(root_, tasks_, tables_.start.pools.size(), tables_.placed);
  read_marked(root_, tasks_, tables_.placed);
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
  const auto each = [&](const char* key, std::size_t count, const auto& set) {
    const View table = beyond.at(key);
    // Files of earlier versions have four cells for names, however many there are.
    const std::size_t all = 4 + std::max<std::size_t>(4, tables_.start.extended_names.size());
    for (std::size_t i = 0, rows = table.rows(4, all); i < rows && count > 0; ++i) {
      const View row = table.item(i);
      Resources resources{Cores(row.cell(1, Real{0})), Mebibytes(row.cell(2, Real{0})),
                          static_cast<std::int32_t>(row.cell(3, Whole{0, 1'000'000}))};
      for (const ResourceId resource : tables_.start.extended_names.ids())
        if (const std::size_t cell = 4 + resource.index(); cell < row.size())
          resources.extended.set(resource, row.cell(cell, Real{0}));
      set(static_cast<std::uint32_t>(row.cell(0, index_below(count))), resources);
    }
  };
  IdVector<NodeId, Node>& nodes = tables_.start.nodes;
  each("nodes", nodes.size(),
       [&](std::uint32_t i, const Resources& r) { nodes[NodeId(i)].capacity.extended = r.extended; });
  each("others", nodes.size(), [&](std::uint32_t i, const Resources& r) { nodes[NodeId(i)].others = r; });
  each("jobs", tables_.jobs.size(),
       [&](std::uint32_t i, const Resources& r) { tables_.jobs[i].job.request.extended = r.extended; });
  if (beyond.has("peers"))
    each("peers", tables_.jobs.size(),
         [&](std::uint32_t i, const Resources& r) { tables_.jobs[i].job.whole.each.extended = r.extended; });
}

void Reader::read_degraded() {
  if (!root_.json().contains("degraded")) return;
  const View table = root_.at("degraded");
  const View tasks = table.at("tasks");
  for (std::size_t i = 0, count = tasks.list(); i < count; ++i)
    tables_.degraded.push_back(id<TaskId>(tasks.cell(i, index_below(tasks_))));
  const auto read_times = [&]<class Place>(const char* key, std::size_t places,
                                           IdVector<Place, std::optional<TimePoint>>& times) {
    const View rows = table.at(key);
    for (std::size_t i = 0, count = rows.rows(2); i < count && places > 0; ++i) {
      const auto place = id<Place>(rows.item(i).cell(0, index_below(places)));
      if (!times.contains(place)) times.resize(place.index() + 1);
      times[place] = time(rows.item(i).cell(1, Whole{-any_time, any_time}));
    }
  };
  read_times("racks", tables_.start.racks.size(), tables_.start.rack_degraded);
  read_times("zones", tables_.start.zones.size(), tables_.start.zone_degraded);
}

SnapshotTables Reader::read() {
  root_.known(
      {"format",   "version",      "now",    "zones",    "racks",       "profiles",  "constraints",     "nodeKinds",
       "nodes",    "launchLimits", "offers", "stores",   "dataSets",    "blocks",    "network",         "pools",
       "shares",   "arrivals",     "jobs",   "targets",  "targetDebts", "tasks",     "placed",          "moves",
       "transfer", "beyond",       "exact",  "degraded", "expected",    "reclaimed", "reclaimingPools", "unpaidRoom",
       "marked",   "dataSetPools"});
  if (!root_.json().is_object()) return {};
  if (root_.at("format").value(Text{}) != "lips-snapshot")
    root_.problem("/format", shown(root_.at("format").json()), "\"lips-snapshot\"");
  root_.at("version").value(Whole{1, 1});
  if (!problems_.empty()) return {};
  tables_.start.now = time(root_.at("now").value(Whole{-any_time, any_time}));
  // Later tables refer to earlier ones: after a faulty one their errors would be noise.
  using Step = void (Reader::*)();
  for (Step step :
       {&Reader::read_places, &Reader::read_eligibility, &Reader::read_nodes, &Reader::read_offers,
        &Reader::read_stores, &Reader::read_blocks, &Reader::read_network, &Reader::read_arrivals, &Reader::read_jobs,
        &Reader::read_tasks, &Reader::read_placed_and_moves, &Reader::read_beyond, &Reader::read_degraded}) {
    (this->*step)();
    if (!problems_.empty()) break;
  }
  return std::move(tables_);
}

}  // namespace

SnapshotTables read_tables(const Json& json, Problems& problems) { return Reader(json, problems).read(); }

}  // namespace lips