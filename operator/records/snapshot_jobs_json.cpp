#include "records/snapshot_jobs_json.h"

#include <fmt/format.h>

#include <string>
#include <vector>

#include "records/snapshot_columns.h"
#include "records/snapshot_pools_json.h"

namespace lips {

using namespace json_tables;

namespace {

// Reads a job's memory cell by cell, as the writer wrote it.
class MemoryCells {
 public:
  explicit MemoryCells(const View& row) : row_(row) {}

  template <class T>
  void read(T& member) {
    if constexpr (Described<T>) {
      each_field(member, [this](std::string_view, auto& inner) { read(inner); });
    } else if constexpr (requires { member.has_value(); }) {
      const bool there = row_.cell(next_++, Whole{0, 1}) == 1;
      typename T::value_type value{};
      read(value);
      if (there) member = value;
    } else {
      member = from_cell<T>(row_.cell(next_++, kind_of(member)));
    }
  }

 private:
  static Whole kind_of(const bool&) { return {0, 1}; }
  static Whole kind_of(const Duration&) { return {0, any_time}; }
  static Whole kind_of(const TimePoint&) { return {-any_time, any_time}; }
  static Whole kind_of(const std::int8_t&) { return {-2, 2}; }
  static Whole kind_of(const std::uint32_t&) { return {0, most_ids}; }

  const View& row_;
  std::size_t next_ = 1;
};

void read_memories(const View& table, SnapshotTables& tables) {
  if (!table.has("memories")) return;
  const View memories = table.at("memories");
  for (std::size_t i = 0, rows = memories.rows(13); i < rows && !tables.jobs.empty(); ++i) {
    const View row = memories.item(i);
    const auto job = static_cast<std::size_t>(row.cell(0, index_below(tables.jobs.size())));
    MemoryCells cells(row);
    each_field(tables.jobs[job].job.memory, [&](std::string_view name, auto& member) {
      if constexpr (!std::is_same_v<decltype(member), ZoneId&> && !std::is_same_v<decltype(member), Locality&>)
        if (!is_column_of_memory(name)) cells.read(member);
    });
  }
}

void read_levels(const View& table, SnapshotTables& tables) {
  if (!table.has("levels")) return;
  const View levels = table.at("levels");
  for (std::size_t i = 0, rows = levels.rows(3); i < rows && !tables.jobs.empty(); ++i) {
    const View row = levels.item(i);
    Job& job = tables.jobs[static_cast<std::size_t>(row.cell(0, index_below(tables.jobs.size())))].job;
    job.output = id<DataSetId>(row.cell(1, id_below(tables.start.data_sets.size())));
    job.held = row.cell(2, Whole{0, 1}) == 1;
  }
}

void read_wholes(const View& table, SnapshotTables& tables) {
  if (!table.has("wholes")) return;
  const View wholes = table.at("wholes");
  const Whole count{0, most_rows};
  const std::size_t all_cells = 11;  // files of earlier versions end before `began`
  for (std::size_t i = 0, rows = wholes.rows(6, all_cells); i < rows && !tables.jobs.empty(); ++i) {
    const View row = wholes.item(i);
    const Whole any_job = index_below(tables.jobs.size());
    WholeJob& whole = tables.jobs[static_cast<std::size_t>(row.cell(0, any_job))].job.whole;
    whole.id = id<WholeJobId>(row.cell(1, any_job));
    whole.maps = static_cast<std::uint32_t>(row.cell(2, count));
    whole.reduces = static_cast<std::uint32_t>(row.cell(3, count));
    whole.finished_maps = static_cast<std::uint32_t>(row.cell(4, count));
    whole.reduce_work = CpuSeconds(row.cell(5, Real{0}));
    if (row.size() < all_cells) {
      if (row.size() > 6) wholes.problem(fmt::format("/{}", i), fmt::format("{} cells", row.size()), "6 or 11 cells");
      continue;
    }
    if (row.cell(6, Whole{0, 1}) == 1) whole.began = time(row.cell(7, Whole{-any_time, any_time}));
    whole.work = CpuSeconds(row.cell(8, Real{0}));
    whole.arrivals = static_cast<std::uint32_t>(row.cell(9, Whole{1, most_rows}));
    whole.ended = static_cast<std::uint32_t>(row.cell(10, Whole{0, whole.arrivals}));
  }
}

void read_peers(const View& table, SnapshotTables& tables) {
  read_due(table, tables.jobs);
  if (!table.has("peers")) return;
  const View peers = table.at("peers");
  const std::size_t all_cells = 9;  // 8 in files of earlier versions
  for (std::size_t i = 0, rows = peers.rows(8, all_cells); i < rows && !tables.jobs.empty(); ++i) {
    const View row = peers.item(i);
    Job& job = tables.jobs[static_cast<std::size_t>(row.cell(0, index_below(tables.jobs.size())))].job;
    WholeJob& whole = job.whole;
    whole.peers = row.cell(1, Whole{0, 1}) == 1;
    whole.expected = static_cast<std::uint32_t>(row.cell(2, Whole{0, most_rows}));
    whole.arrived = time(row.cell(3, Whole{-any_time, any_time}));
    whole.each = {Cores(row.cell(4, Real{0})), Mebibytes(row.cell(5, Real{0})),
                  static_cast<std::int32_t>(row.cell(6, Whole{0, 1'000'000}))};
    job.coordinates = row.cell(7, Whole{0, 1}) == 1;
    if (row.size() == all_cells) whole.lacks_driver = row.cell(8, Whole{0, 1}) == 1;
  }
}

void read_gangs(const View& table, SnapshotTables& tables) {
  if (!table.has("gangs")) return;
  const View gangs = table.at("gangs");
  for (std::size_t i = 0, rows = gangs.rows(3); i < rows && !tables.jobs.empty(); ++i) {
    const View row = gangs.item(i);
    WholeJob& whole = tables.jobs[static_cast<std::size_t>(row.cell(0, index_below(tables.jobs.size())))].job.whole;
    whole.gang = static_cast<std::uint32_t>(row.cell(1, Whole{0, most_rows}));
    whole.guessed = row.cell(2, Whole{0, 1}) == 1;
  }
}

void read_job_lists(const View& table, SnapshotTables& tables) {
  const Whole job = index_below(tables.jobs.size());
  const View passed = table.at("passedOver");
  for (std::size_t i = 0, rows = passed.rows(2); i < rows && !tables.jobs.empty(); ++i)
    tables.jobs[static_cast<std::size_t>(passed.item(i).cell(0, job))].job.memory.passed_over_since =
        time(passed.item(i).cell(1, Whole{-any_time, any_time}));
  read_memories(table, tables);
  read_levels(table, tables);
  read_wholes(table, tables);
  read_peers(table, tables);
  read_gangs(table, tables);
  const View inputs = table.at("inputs");
  for (std::size_t i = 0, rows = inputs.rows(3); i < rows && !tables.jobs.empty(); ++i) {
    const View row = inputs.item(i);
    const DataSetId data_set = id<DataSetId>(row.cell(1, index_below(tables.start.data_sets.size())));
    tables.jobs[static_cast<std::size_t>(row.cell(0, job))].job.inputs.push_back({data_set, row.cell(2, Real{0})});
  }
  const View output = table.at("mapOutput");
  for (std::size_t i = 0, rows = output.rows(3); i < rows && !tables.jobs.empty() && !tables.start.zones.empty(); ++i) {
    const View row = output.item(i);
    tables.jobs[static_cast<std::size_t>(row.cell(0, job))]
        .job.map_output[static_cast<std::size_t>(row.cell(1, index_below(tables.start.zones.size())))] =
        Mebibytes(row.cell(2, Real{0}));
  }
}

}  // namespace

std::size_t read_jobs(const View& root, SnapshotTables& tables) {
  const View table = root.at("jobs");
  const std::vector<std::string> name = names_of(table);
  const std::size_t count = name.size();
  const Whole times{-any_time, any_time};
  const auto pool = table.column("pool", count, index_below(tables.start.pools.size()));
  const auto arrival = table.column("arrival", count, times);
  const auto priority = table.column("priority", count, Whole{INT32_MIN, INT32_MAX});
  const bool all_preempt = !table.has("preempts");
  const auto preempts =
      all_preempt ? std::vector<std::int64_t>(count, 1) : table.column("preempts", count, Whole{0, 1});
  const auto constraint = table.column("constraint", count, id_below(tables.start.constraints.size()));
  const auto cpu = table.column("cpu", count, Real{0});
  const auto memory = table.column("memory", count, Real{0});
  const auto slots = table.column("slots", count, Whole{0, 1'000'000});
  const auto shuffle = table.column("shuffle", count, Real{0});
  const auto maps = table.column("maps", count, Whole{0, most_rows});
  const auto reduces = table.column("reduces", count, Whole{0, most_rows});
  const auto completed = table.column("completed", count, times);
  const auto home = table.column("home", count, id_below(tables.start.zones.size()));
  const auto locality = table.column("lastLocality", count, Whole{0, enum_size<Locality> - 1});
  tables.jobs.resize(count);
  std::size_t tasks = 0;
  for (std::size_t i = 0; i < count; ++i) {
    Job& job = tables.jobs[i].job;
    job.name = name[i];
    job.pool = id<PoolId>(pool[i]);
    job.arrival = time(arrival[i]);
    job.priority = static_cast<std::int32_t>(priority[i]);
    job.preempts = preempts[i] == 1;
    job.constraint = id<ConstraintId>(constraint[i]);
    job.request = {Cores(cpu[i]), Mebibytes(memory[i]), static_cast<std::int32_t>(slots[i])};
    job.shuffle = Mebibytes(shuffle[i]);
    job.map_tasks = static_cast<std::uint32_t>(maps[i]);
    job.reduce_tasks = static_cast<std::uint32_t>(reduces[i]);
    job.completed = time(completed[i]);
    job.memory.home = id<ZoneId>(home[i]);
    job.memory.last_locality = static_cast<Locality>(locality[i]);
    job.map_output.assign(tables.start.zones.size(), Mebibytes(0));
    tasks += static_cast<std::size_t>(maps[i] + reduces[i]);
  }
  if (tasks > static_cast<std::size_t>(most_rows))
    table.problem("/maps", fmt::format("{} tasks in all", tasks), fmt::format("at most {}", most_rows));
  else
    read_job_lists(table, tables);
  return tasks;
}

void read_tasks(const View& root, std::size_t tasks, SnapshotTables& tables) {
  const View runs = root.at("tasks");
  std::size_t job = 0, read = 0;
  const std::size_t blocks = tables.start.blocks.size();
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
    if (read + count > tasks)
      return runs.problem("", fmt::format("more than {} tasks", tasks),
                          fmt::format("{}, the jobs' maps and reduces", tasks));
    read += count;
    for (std::size_t t = 0; t < count; ++t) {
      while (tables.jobs[job].tasks.size() == tables.jobs[job].job.tasks()) ++job;
      const bool map = tables.jobs[job].tasks.size() < tables.jobs[job].job.map_tasks;
      if (map != (task.kind == TaskKind::map))
        return run.problem("/3", map ? "a reduce task" : "a map task",
                           fmt::format("the {} maps, then the reduces of job '{}'", tables.jobs[job].job.map_tasks,
                                       tables.jobs[job].job.name));
      if (first >= 0) task.block = BlockId(static_cast<std::uint32_t>(static_cast<std::size_t>(first) + t));
      tables.jobs[job].tasks.push_back(task);
    }
  }
  if (read != tasks)
    runs.problem("", fmt::format("{} tasks", read), fmt::format("{}, the jobs' maps and reduces", tasks));
}

}  // namespace lips
