#include "records/snapshot_exact_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "model/degraded_read.h"
#include "model/pending_tasks.h"
#include "records/snapshot_columns.h"
#include "records/snapshot_json.h"

namespace lips {

namespace {

using namespace json_tables;

// Ids in any order as [first, count, first, count, ...] of runs that rise by one.
class Runs {
 public:
  void add(TaskId task) {
    if (!json_.empty() && task.index() == next_) {
      json_.back() = json_.back().get<std::int64_t>() + 1;
    } else {
      json_.push_back(task.index());
      json_.push_back(1);
    }
    next_ = task.index() + 1;
  }
  Json done() && { return std::move(json_); }

 private:
  Json json_ = Json::array();
  std::uint32_t next_ = 0;
};

Json groups_of(const ClusterSnapshot& cluster, JobId job) {
  Json list = Json::array();
  for (const TaskGroup& group : cluster.groups[job]) {
    Runs tasks;
    for (const TaskId task : cluster.tasks_of(group)) tasks.add(task);
    list.push_back({static_cast<int>(group.kind), group.reads, group.zones.bits(), group.cpu.value(),
                    group.input.value(), cell_of(group.data_set), std::move(tasks).done()});
    if (group.degraded || !group.coming.empty()) list.back().push_back(group.degraded);
    if (!group.coming.empty()) list.back().push_back(group.coming.bits());
  }
  return list;
}

// The locality that the job would get if it arrived now, with the current replicas.
std::vector<std::pair<NodeId, TaskId>> locality_now(const ClusterSnapshot& cluster, JobId id) {
  std::vector<std::pair<NodeId, TaskId>> pairs;
  const Job& job = cluster.jobs[id];
  for (std::uint32_t i = 0; i < job.tasks(); ++i) {
    const TaskId task(job.first_task.index() + i);
    const BlockId block = cluster.tasks[task].block;
    if (!block.valid()) continue;
    for (const Replica& replica : cluster.blocks[block].replicas)
      if (const NodeId node = cluster.stores[replica.store].node; node.valid()) pairs.emplace_back(node, task);
  }
  std::sort(pairs.begin(), pairs.end());
  return pairs;
}

Json pairs_of(const std::vector<std::pair<NodeId, TaskId>>& pairs) {
  Json list = Json::array();
  for (std::size_t i = 0; i < pairs.size();) {
    Runs tasks;
    const NodeId node = pairs[i].first;
    for (; i < pairs.size() && pairs[i].first == node; ++i) tasks.add(pairs[i].second);
    list.push_back({cell_of(node), std::move(tasks).done()});
  }
  return list;
}

Json localities(const ClusterSnapshot& cluster) {
  Json list = Json::array();
  for (const JobId job : cluster.jobs.ids()) {
    const JobLocality& locality = cluster.locality[job];
    if (cluster.jobs[job].finished()) continue;  // forgotten on both sides
    std::vector<std::pair<NodeId, std::vector<TaskId>>> since(locality.since.begin(), locality.since.end());
    std::erase_if(since, [](const auto& entry) { return entry.second.empty(); });
    if (since.empty() && locality.at_arrival == locality_now(cluster, job)) continue;
    std::sort(since.begin(), since.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    Json later = Json::array();
    for (const auto& [node, tasks] : since) {
      Runs runs;
      for (const TaskId task : tasks) runs.add(task);
      later.push_back({cell_of(node), std::move(runs).done()});
    }
    list.push_back({cell_of(job), pairs_of(locality.at_arrival), std::move(later)});
  }
  return list;
}

// Puts the exact part into a snapshot that was read without it. Checks that it belongs to that snapshot, because a file
// may contain anything.
class Restoring {
 public:
  Restoring(View exact, ClusterSnapshot& cluster) : exact_(std::move(exact)), cluster_(cluster) {}

  void all() {
    const auto keys = {"free",           "poolCores",   "pendingWork", "storeUsed", "dataSetSize", "homeDecided",
                       "copiesReviewed", "extraCopies", "running",     "groups",    "locality"};
    for (const char* key : keys) exact_.at(key);
    free();
    sums();
    marks();
    running();
    groups();
    localities();
  }

 private:
  template <class Table>
  Whole row_of(const Table& table) const {
    return index_below(table.size());
  }
  // Calls visit(task) for each task of [first, count, ...]; false where that is not a list of tasks.
  template <class Visit>
  bool visit_runs(const View& runs, Visit visit) {
    const std::size_t cells = runs.list();
    for (std::size_t i = 0; i < cells; i += 2) {
      const auto first = runs.cell(i, row_of(cluster_.tasks));
      const auto rest = static_cast<std::int64_t>(cluster_.tasks.size()) - first;
      const std::int64_t count = i + 1 < cells ? runs.cell(i + 1, Whole{1, rest}) : 0;
      if (count < 1) return runs.problem("", "a run without tasks", "a first task and how many"), false;
      for (std::int64_t task = first; task < first + count; ++task)
        if (!visit(id<TaskId>(task))) return false;
    }
    return true;
  }

  void free() {
    for (const NodeId node : cluster_.nodes.ids()) cluster_.free[node] = cluster_.nodes[node].capacity;
    const View rows = exact_.at("free");
    const std::size_t kinds = cluster_.extended_names.size();  // the first format always had four of them
    for (std::size_t i = 0, count = rows.rows(4 + kinds, std::max<std::size_t>(8, 4 + kinds));
         i < count && !cluster_.nodes.empty(); ++i) {
      const View row = rows.item(i);
      Resources& free = cluster_.free[id<NodeId>(row.cell(0, row_of(cluster_.nodes)))];
      free.cpu = Cores(row.cell(1, any_real));
      free.memory = Mebibytes(row.cell(2, any_real));
      free.slots = static_cast<std::int32_t>(row.cell(3, Whole{INT32_MIN, INT32_MAX}));
      free.extended = {};
      for (const ResourceId resource : cluster_.extended_names.ids())
        free.extended.set(resource, row.cell(4 + resource.index(), any_real));
    }
  }

  void sums() {
    const auto column = [&](const char* key, auto& table, auto set) {
      const View values = exact_.at(key);
      if (values.list() != table.size())
        return values.problem("", fmt::format("{} rows", values.size()), fmt::format("{} rows", table.size()));
      std::size_t i = 0;
      for (auto& row : table) set(row, values.cell(i++, any_real));
    };
    column("poolCores", cluster_.pool_cores, [](Cores& cores, double value) { cores = Cores(value); });
    column("pendingWork", cluster_.jobs, [](Job& job, double value) { job.pending_work = CpuSeconds(value); });
    column("storeUsed", cluster_.stores, [](DataStore& store, double value) { store.used = Mebibytes(value); });
    column("dataSetSize", cluster_.data_sets, [](DataSet& set, double value) { set.size = Mebibytes(value); });
  }

  void marks() {
    const View decided = exact_.at("homeDecided");
    for (std::size_t i = 0, count = decided.list(); i < count && !cluster_.jobs.empty(); ++i)
      cluster_.jobs[id<JobId>(decided.cell(i, row_of(cluster_.jobs)))].memory.home_decided = true;
    cluster_.copies_reviewed = time(exact_.at("copiesReviewed").value(Whole{-any_time, any_time}));
    cluster_.extra_copies.clear();
    const View copies = exact_.at("extraCopies");
    for (std::size_t i = 0, count = copies.rows(2); i < count; ++i)
      cluster_.extra_copies.emplace_back(id<BlockId>(copies.item(i).cell(0, row_of(cluster_.blocks))),
                                         id<StoreId>(copies.item(i).cell(1, row_of(cluster_.stores))));
  }

  void running() {
    std::vector<std::uint32_t> place(cluster_.tasks.size(), ~std::uint32_t{0});
    for (std::uint32_t i = 0; i < cluster_.running.size(); ++i) place[cluster_.running[i].task.index()] = i;
    std::vector<RunningTask> ordered;
    const View runs = exact_.at("running");
    const bool each_once = visit_runs(runs, [&](TaskId task) {
      std::uint32_t& at = place[task.index()];
      if (at >= cluster_.running.size()) return false;
      ordered.push_back(cluster_.running[std::exchange(at, ~std::uint32_t{0})]);
      return true;
    });
    if (!each_once || ordered.size() != cluster_.running.size())
      return runs.problem("", "other tasks", "each task on a node, once");
    cluster_.running = std::move(ordered);
  }

  // Says whether the task can belong to the group.
  bool belongs(const TaskGroup& group, JobId job, const Task& task) const {
    if (task.job != job || task.state != TaskState::pending || task.kind != group.kind || task.cpu != group.cpu ||
        task.input != group.input || task.block.valid() != group.reads)
      return false;
    if (!group.reads) return group.zones.empty() && !group.degraded && group.coming.empty() && !group.data_set.valid();
    const Block& block = cluster_.blocks[task.block];
    // Files of earlier versions do not say where copies are under way.
    if (!group.coming.empty() && group.coming != group_for(cluster_, task).coming) return false;
    return group.zones == block.zones && group.data_set == block.data_set &&
           group.degraded == (block.zones.empty() && decodable(cluster_, task.block));
  }

  TaskGroup group(const View& given) {
    TaskGroup group;
    group.kind = given.cell(0, Whole{0, 1}) == 0 ? TaskKind::map : TaskKind::reduce;
    group.reads = given.cell(1, Flag{});
    group.zones = ZoneSet(given.cell(2, Natural{}));
    group.cpu = CpuSeconds(given.cell(3, Real{0}));
    group.input = Mebibytes(given.cell(4, Real{0}));
    group.data_set = id<DataSetId>(given.cell(5, id_below(cluster_.data_sets.size())));
    group.degraded = given.size() > 7 && given.cell(7, Flag{});
    if (given.size() > 8) group.coming = ZoneSet(given.cell(8, Natural{}));
    return group;
  }

  void groups() {
    std::vector<bool> seen(cluster_.tasks.size());
    std::uint64_t tasks = 0;
    const View rows = exact_.at("groups");
    for (JobId job : cluster_.jobs.ids()) cluster_.groups[job].clear();
    for (std::size_t i = 0, count = rows.rows(2); i < count && !cluster_.jobs.empty(); ++i) {
      const auto job = id<JobId>(rows.item(i).cell(0, row_of(cluster_.jobs)));
      const View list = rows.item(i).item(1);
      for (std::size_t g = 0, groups = list.list(); g < groups; ++g) {
        const View given = list.item(g);
        if (given.list() < 7) return given.problem("", fmt::format("{} cells", given.size()), "a list of 7 to 9 cells");
        TaskGroup group = this->group(given);
        const bool fits = visit_runs(given.item(6), [&](TaskId task) {
          if (seen[task.index()] || !belongs(group, job, cluster_.tasks[task])) return false;
          seen[task.index()] = true;
          append(group, task, static_cast<std::uint32_t>(cluster_.groups[job].size()));
          return true;
        });
        if (!fits)
          return given.problem("/6", "other tasks", "pending tasks of the job that are as the group says, once");
        tasks += group.count;
        cluster_.groups[job].push_back(group);
      }
    }
    if (tasks != cluster_.pending_tasks)
      rows.problem("", fmt::format("{} tasks", tasks), fmt::format("{}, the pending ones", cluster_.pending_tasks));
  }

  void append(TaskGroup& group, TaskId id, std::uint32_t number) {
    Task& task = cluster_.tasks[id];
    task.group = number;
    task.previous_pending = group.last, task.next_pending = TaskId::none();
    (group.last.valid() ? cluster_.tasks[group.last].next_pending : group.first) = id;
    group.last = id;
    ++group.count;
  }

  void localities() {
    const View rows = exact_.at("locality");
    for (std::size_t i = 0, count = rows.rows(3); i < count && !cluster_.jobs.empty(); ++i) {
      const View row = rows.item(i);
      const auto job = id<JobId>(row.cell(0, row_of(cluster_.jobs)));
      JobLocality locality;
      each_node(row.item(1), job, [&](NodeId node, TaskId task) { locality.at_arrival.emplace_back(node, task); });
      each_node(row.item(2), job, [&](NodeId node, TaskId task) { locality.since[node].push_back(task); });
      if (!std::is_sorted(locality.at_arrival.begin(), locality.at_arrival.end()))
        return row.problem("/1", "nodes or tasks out of order", "nodes by id, the tasks of each by id");
      cluster_.locality[job] = std::move(locality);
    }
  }
  template <class Visit>
  void each_node(const View& list, JobId job, Visit visit) {
    for (std::size_t i = 0, count = list.rows(2); i < count && !cluster_.nodes.empty(); ++i) {
      const auto node = id<NodeId>(list.item(i).cell(0, row_of(cluster_.nodes)));
      const View runs = list.item(i).item(1);
      const bool its_own = visit_runs(runs, [&](TaskId task) {
        if (cluster_.tasks[task].job != job) return false;
        visit(node, task);
        return true;
      });
      if (!its_own) runs.problem("", "other tasks", "tasks of the job");
    }
  }

  View exact_;
  ClusterSnapshot& cluster_;
};

}  // namespace

Json exact_part(const ClusterSnapshot& cluster) {
  Json exact;
  Json& free = exact["free"] = Json::array();
  for (const NodeId node : cluster.nodes.ids())
    if (const Resources& now = cluster.free[node]; now != cluster.nodes[node].capacity) {
      Json& row = free.emplace_back(Json::array({cell_of(node), now.cpu.value(), now.memory.value(), now.slots}));
      for (const ResourceId resource : cluster.extended_names.ids()) row.push_back(now.extended[resource]);
    }
  const auto column = [&](const char* key, const auto& table, auto get) {
    Json& list = exact[key] = Json::array();
    for (const auto& row : table) list.push_back(get(row).value());
  };
  column("poolCores", cluster.pool_cores, [](Cores cores) { return cores; });
  column("pendingWork", cluster.jobs, [](const Job& job) { return job.pending_work; });
  column("storeUsed", cluster.stores, [](const DataStore& store) { return store.used; });
  column("dataSetSize", cluster.data_sets, [](const DataSet& set) { return set.size; });
  Json& decided = exact["homeDecided"] = Json::array();
  Json& groups = exact["groups"] = Json::array();
  for (const JobId job : cluster.jobs.ids()) {
    if (cluster.jobs[job].memory.home_decided) decided.push_back(cell_of(job));
    if (!cluster.groups[job].empty()) groups.push_back({cell_of(job), groups_of(cluster, job)});
  }
  exact["copiesReviewed"] = cluster.copies_reviewed.time_since_epoch().count();
  Json& copies = exact["extraCopies"] = Json::array();
  for (const auto& [block, store] : cluster.extra_copies) copies.push_back({cell_of(block), cell_of(store)});
  Runs running;
  for (const RunningTask& run : cluster.running) running.add(run.task);
  exact["running"] = std::move(running).done();
  exact["locality"] = localities(cluster);
  return exact;
}

void restore_exact(const Json& file, Problems& problems, ClusterSnapshot& cluster) {
  if (!file.contains("exact")) return;
  Restoring(View(file, "", problems).at("exact"), cluster).all();
}

}  // namespace lips
