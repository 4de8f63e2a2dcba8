#include "records/snapshot_pools_json.h"

#include <fmt/format.h>

#include <map>

namespace lips {

using namespace json_tables;

namespace {

void read_ends(const View& jobs, std::vector<JobArrived>& arrived) {
  if (!jobs.has("endsBy")) return;
  const View ends = jobs.at("endsBy");
  for (std::size_t i = 0, rows = ends.rows(2); i < rows && !arrived.empty(); ++i) {
    const View row = ends.item(i);
    arrived[static_cast<std::size_t>(row.cell(0, index_below(arrived.size())))].job.due.ends_by =
        time(row.cell(1, Whole{-any_time, any_time}));
  }
}

}  // namespace

void read_due(const View& jobs, std::vector<JobArrived>& arrived) {
  read_ends(jobs, arrived);
  if (!jobs.has("due")) return;
  const View due = jobs.at("due");
  const Whole flag{0, 1}, when{-any_time, any_time};
  for (std::size_t i = 0, rows = due.rows(5); i < rows && !arrived.empty(); ++i) {
    const View row = due.item(i);
    JobDue& job = arrived[static_cast<std::size_t>(row.cell(0, index_below(arrived.size())))].job.due;
    if (row.cell(1, flag) == 1) job.complete_by = time(row.cell(2, when));
    if (row.cell(3, flag) == 1) job.start_by = time(row.cell(4, when));
  }
}

void read_targets(const View& root, IdVector<PoolId, Pool>& pools) {
  if (!root.has("targets")) return;
  const View targets = root.at("targets");
  for (std::size_t i = 0, rows = targets.rows(5); i < rows && !pools.empty(); ++i) {
    const View row = targets.item(i);
    Pool& pool = pools[id<PoolId>(row.cell(0, index_below(pools.size())))];
    pool.targets = {Usd(row.cell(1, Real{0})), Duration(row.cell(2, Whole{0, any_time})),
                    Duration(row.cell(3, Whole{0, any_time}))};
    pool.waiting_factor = row.cell(4, Real{0});
  }
}

void read_reclaiming(const View& root, IdVector<PoolId, Pool>& pools) {
  if (!root.has("reclaimingPools")) return;
  const View list = root.at("reclaimingPools");
  for (std::size_t i = 0, count = list.list(); i < count && !pools.empty(); ++i)
    pools[id<PoolId>(list.cell(i, index_below(pools.size())))].reclaim = ReclaimRule::from_borrowers;
}

void read_unpaid_room(const View& root, IdVector<PoolId, Pool>& pools) {
  if (!root.has("unpaidRoom")) return;
  const View table = root.at("unpaidRoom");
  for (std::size_t i = 0, rows = table.rows(2); i < rows && !pools.empty(); ++i) {
    const View row = table.item(i);
    pools[id<PoolId>(row.cell(0, index_below(pools.size())))].unpaid_room = CpuSeconds(row.cell(1, Real{0}));
  }
}

void read_data_set_pools(const View& root, std::size_t pools, IdVector<DataSetId, DataSet>& data_sets) {
  if (!root.has("dataSetPools")) return;
  const View table = root.at("dataSetPools");
  for (std::size_t i = 0, rows = table.rows(2); i < rows && !data_sets.empty(); ++i) {
    const View row = table.item(i);
    data_sets[id<DataSetId>(row.cell(0, index_below(data_sets.size())))].pool =
        id<PoolId>(row.cell(1, index_below(pools)));
  }
}

namespace {

// Calls read(row, task) for each row of the table, which begins with a task on a node.
template <class Read>
void each_on_node(const View& table, std::size_t cells, std::size_t tasks, std::vector<PlacedTask>& placed,
                  const Read& read) {
  std::map<TaskId, PlacedTask*> on_nodes;
  for (PlacedTask& row : placed)
    if (row.state != TaskState::finished) on_nodes[row.task] = &row;
  for (std::size_t i = 0, rows = table.rows(cells); i < rows; ++i) {
    const View row = table.item(i);
    const auto task = id<TaskId>(row.cell(0, index_below(tasks)));
    if (const auto on_node = on_nodes.find(task); on_node != on_nodes.end())
      read(row, *on_node->second);
    else
      row.problem("", fmt::format("task {}, which is on no node", task.index()), "tasks on nodes");
  }
}

}  // namespace

void read_reclaimed(const View& root, std::size_t tasks, std::size_t pools, std::vector<PlacedTask>& placed) {
  if (!root.has("reclaimed")) return;
  each_on_node(root.at("reclaimed"), 3, tasks, placed, [&](const View& row, PlacedTask& task) {
    task.reclaimed_for = id<PoolId>(row.cell(1, id_below(pools)));
    task.stays_until = time(row.cell(2, Whole{-any_time, any_time}));
  });
}

void read_marked(const View& root, std::size_t tasks, std::vector<PlacedTask>& placed) {
  if (!root.has("marked")) return;
  each_on_node(root.at("marked"), 2, tasks, placed, [&](const View& row, PlacedTask& task) {
    task.marked_until = time(row.cell(1, Whole{-any_time, any_time}));
  });
}

std::vector<TargetDebt> read_target_debts(const View& root) {
  std::vector<TargetDebt> debts;
  if (!root.has("targetDebts")) return debts;
  const View table = root.at("targetDebts");
  for (std::size_t i = 0, rows = table.rows(3); i < rows; ++i) {
    const View row = table.item(i);
    debts.push_back({row.cell(0, Text{}), row.cell(1, any_real), row.cell(2, any_real)});
  }
  return debts;
}

std::optional<ShareMemory> read_shares(const View& root, std::size_t pools) {
  if (!root.has("shares")) return std::nullopt;
  const View table = root.at("shares");
  table.known({"at", "leastJob", "smallPool", "slots"});
  ShareMemory shares;
  shares.at = time(table.at("at").value(Whole{-any_time, any_time}));
  shares.least_job = static_cast<std::uint32_t>(table.at("leastJob").value(Whole{0, most_ids}));
  shares.small_pool = table.at("smallPool").value(Whole{0, 1}) == 1;
  const View slots = table.at("slots");
  for (std::size_t i = 0, size = slots.list(); i < size; ++i) shares.slots.push_back(slots.cell(i, Real{0}));
  if (const std::size_t wanted = pools + 1; shares.slots.size() != wanted)
    slots.problem("", fmt::format("{} shares", shares.slots.size()),
                  fmt::format("{}: the pools, then the small jobs", wanted));
  return shares;
}

}  // namespace lips
