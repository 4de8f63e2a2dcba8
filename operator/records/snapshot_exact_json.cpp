#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "records/snapshot_exact_json.h"

namespace lips {

namespace {

using Json = nlohmann::json;

template <class IdType>
std::int64_t number(IdType id) {
  return id.valid() ? static_cast<std::int64_t>(id.index()) : -1;
}

template <class IdType>
IdType id_of(const Json& json, std::size_t count) {
  const auto value = json.get<std::int64_t>();
  if (value < -1 || value >= static_cast<std::int64_t>(count)) throw std::out_of_range("an id out of range");
  return value < 0 ? IdType::none() : IdType(static_cast<std::uint32_t>(value));
}

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

template <class Visit>
void visit_runs(const Json& runs, std::size_t tasks, Visit visit) {
  for (std::size_t i = 0; i + 1 < runs.size(); i += 2) {
    const auto first = runs[i].get<std::uint64_t>(), count = runs[i + 1].get<std::uint64_t>();
    if (first + count > tasks) throw std::out_of_range("a task out of range");
    for (std::uint64_t task = first; task < first + count; ++task) visit(TaskId(static_cast<std::uint32_t>(task)));
  }
}

Json groups_of(const ClusterSnapshot& cluster, JobId job) {
  Json list = Json::array();
  for (const TaskGroup& group : cluster.groups[job]) {
    Runs tasks;
    for (const TaskId task : cluster.tasks_of(group)) tasks.add(task);
    list.push_back({static_cast<int>(group.kind), group.reads, group.zones.bits(), group.cpu.value(),
                    group.input.value(), number(group.data_set), std::move(tasks).done()});
    if (group.degraded) list.back().push_back(true);
  }
  return list;
}

// As a job's arrival would make it from the replicas of now.
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
    list.push_back({number(node), std::move(tasks).done()});
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
      later.push_back({number(node), std::move(runs).done()});
    }
    list.push_back({number(job), pairs_of(locality.at_arrival), std::move(later)});
  }
  return list;
}

void restore_sums(const Json& exact, ClusterSnapshot& cluster) {
  for (const Json& row : exact.at("free")) {
    const auto node = id_of<NodeId>(row.at(0), cluster.nodes.size());
    Resources& free = cluster.free[node];
    free.cpu = Cores(row.at(1).get<double>());
    free.memory = Mebibytes(row.at(2).get<double>());
    free.slots = row.at(3).get<std::int32_t>();
    for (std::size_t i = 0; i < most_extended; ++i) free.extended[i] = row.at(4 + i).get<double>();
  }
  const auto column = [&](const char* key, auto& table, auto set) {
    const Json& values = exact.at(key);
    if (values.size() != table.size()) throw std::out_of_range(std::string("another number of rows in ") + key);
    std::size_t i = 0;
    for (auto& row : table) set(row, values[i++].get<double>());
  };
  column("poolCores", cluster.pool_cores, [](Cores& cores, double value) { cores = Cores(value); });
  column("pendingWork", cluster.jobs, [](Job& job, double value) { job.pending_work = CpuSeconds(value); });
  column("storeUsed", cluster.stores, [](DataStore& store, double value) { store.used = Mebibytes(value); });
  column("dataSetSize", cluster.data_sets, [](DataSet& set, double value) { set.size = Mebibytes(value); });
  for (const Json& job : exact.at("homeDecided"))
    cluster.jobs[id_of<JobId>(job, cluster.jobs.size())].memory.home_decided = true;
  cluster.copies_reviewed = TimePoint(Duration(exact.at("copiesReviewed").get<std::int64_t>()));
  cluster.extra_copies.clear();
  for (const Json& row : exact.at("extraCopies"))
    cluster.extra_copies.emplace_back(id_of<BlockId>(row.at(0), cluster.blocks.size()),
                                      id_of<StoreId>(row.at(1), cluster.stores.size()));
}

void restore_running(const Json& exact, ClusterSnapshot& cluster) {
  std::vector<std::uint32_t> place(cluster.tasks.size(), ~std::uint32_t{0});
  for (std::uint32_t i = 0; i < cluster.running.size(); ++i) place[cluster.running[i].task.index()] = i;
  std::vector<RunningTask> ordered;
  visit_runs(exact.at("running"), cluster.tasks.size(), [&](TaskId task) {
    if (place[task.index()] >= cluster.running.size()) throw std::out_of_range("a running task that does not run");
    ordered.push_back(cluster.running[place[task.index()]]);
  });
  if (ordered.size() != cluster.running.size()) throw std::out_of_range("another number of running tasks");
  cluster.running = std::move(ordered);
}

void restore_groups(const Json& exact, ClusterSnapshot& cluster) {
  for (const Json& row : exact.at("groups")) {
    const auto job = id_of<JobId>(row.at(0), cluster.jobs.size());
    std::vector<TaskGroup> groups;
    for (const Json& given : row.at(1)) {
      TaskGroup group;
      group.kind = given.at(0).get<int>() == 0 ? TaskKind::map : TaskKind::reduce;
      group.reads = given.at(1).get<bool>();
      group.zones = ZoneSet(given.at(2).get<std::uint64_t>());
      group.cpu = CpuSeconds(given.at(3).get<double>());
      group.input = Mebibytes(given.at(4).get<double>());
      group.data_set = id_of<DataSetId>(given.at(5), cluster.data_sets.size());
      group.degraded = given.size() > 7 && given.at(7).get<bool>();
      visit_runs(given.at(6), cluster.tasks.size(), [&](TaskId id) {
        Task& task = cluster.tasks[id];
        if (task.job != job || task.state != TaskState::pending)
          throw std::out_of_range("a group's task is not pending");
        task.group = static_cast<std::uint32_t>(groups.size());
        task.previous_pending = group.last, task.next_pending = TaskId::none();
        if (group.last.valid())
          cluster.tasks[group.last].next_pending = id;
        else
          group.first = id;
        group.last = id;
        ++group.count;
      });
      groups.push_back(group);
    }
    cluster.groups[job] = std::move(groups);
  }
}

void restore_localities(const Json& exact, ClusterSnapshot& cluster) {
  for (const Json& row : exact.at("locality")) {
    JobLocality locality;
    for (const Json& entry : row.at(1)) {
      const auto node = id_of<NodeId>(entry.at(0), cluster.nodes.size());
      visit_runs(entry.at(1), cluster.tasks.size(), [&](TaskId task) { locality.at_arrival.emplace_back(node, task); });
    }
    for (const Json& entry : row.at(2)) {
      std::vector<TaskId>& tasks = locality.since[id_of<NodeId>(entry.at(0), cluster.nodes.size())];
      visit_runs(entry.at(1), cluster.tasks.size(), [&](TaskId task) { tasks.push_back(task); });
    }
    cluster.locality[id_of<JobId>(row.at(0), cluster.jobs.size())] = std::move(locality);
  }
}

}  // namespace

Json exact_part(const ClusterSnapshot& cluster) {
  Json exact;
  Json& free = exact["free"] = Json::array();
  for (const NodeId node : cluster.nodes.ids())
    if (const Resources& now = cluster.free[node]; now != cluster.nodes[node].capacity)
      free.push_back({number(node), now.cpu.value(), now.memory.value(), now.slots, now.extended[0], now.extended[1],
                      now.extended[2], now.extended[3]});
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
    if (cluster.jobs[job].memory.home_decided) decided.push_back(number(job));
    if (!cluster.groups[job].empty()) groups.push_back({number(job), groups_of(cluster, job)});
  }
  exact["copiesReviewed"] = cluster.copies_reviewed.time_since_epoch().count();
  Json& copies = exact["extraCopies"] = Json::array();
  for (const auto& [block, store] : cluster.extra_copies) copies.push_back({number(block), number(store)});
  Runs running;
  for (const RunningTask& run : cluster.running) running.add(run.task);
  exact["running"] = std::move(running).done();
  exact["locality"] = localities(cluster);
  return exact;
}

Result<void> restore_exact(const Json& exact, const std::string& file, ClusterSnapshot& cluster) {
  try {
    for (const NodeId node : cluster.nodes.ids()) cluster.free[node] = cluster.nodes[node].capacity;
    restore_sums(exact, cluster);
    restore_running(exact, cluster);
    restore_groups(exact, cluster);
    restore_localities(exact, cluster);
    return {};
  } catch (const std::exception& error) {
    return fail(ErrorCode::invalid_input,
                fmt::format("{}: /exact: found {}; allowed: what belongs to this snapshot", file, error.what()));
  }
}

}  // namespace lips
