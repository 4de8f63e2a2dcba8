#include "cmd/ask/job_file.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "config/yaml_reader.h"

namespace lips::cmd {

namespace {

constexpr std::int64_t most_tasks = 1'000'000;

template <class Table>
auto find_named(const Table& table, const std::string& name) {
  for (const auto id : table.ids())
    if (table[id].name == name) return id;
  return decltype(*table.ids().begin()){};
}

// Task i of n reads the i-th of n equal parts of the blocks, which begins with its first one.
void give_blocks(const ClusterSnapshot& cluster, const DataSet& data_set, std::vector<Task>& tasks) {
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    const std::size_t first = i * data_set.blocks / tasks.size(), end = (i + 1) * data_set.blocks / tasks.size();
    tasks[i].block = BlockId(data_set.first_block.index() + static_cast<std::uint32_t>(first));
    for (std::size_t block = first; block < end; ++block)
      tasks[i].input += cluster.blocks[BlockId(data_set.first_block.index() + static_cast<std::uint32_t>(block))].size;
  }
}

}  // namespace

Result<advice::JobAdded> read_job(const std::string& file, const ClusterSnapshot& cluster) {
  const Result<YamlValue> root = parse_yaml_file(file);
  if (!root) return tl::unexpected(root.error());
  FileErrors errors{file, {}};
  YamlMap map(*root, "", errors);
  advice::JobAdded added;
  Job& job = added.job;
  job.name = map.text("name", "what-if");
  const std::string pool = map.text("pool", cluster.pools.empty() ? "" : cluster.pools[PoolId(0)].name);
  job.pool = find_named(cluster.pools, pool);
  if (!job.pool.valid()) map.error("pool", "'" + pool + "'", "a pool of the cluster");
  const auto count = static_cast<std::uint32_t>(map.integer("tasks", 1, 1, most_tasks));
  job.map_tasks = count;
  const NumberRange cores{0, 1e6};
  job.request = {Cores(map.number("cpu", 1, cores)), map.size("memory", Mebibytes(0)), 1};
  constexpr std::int32_t any = std::numeric_limits<std::int32_t>::max();
  job.priority = static_cast<std::int32_t>(map.integer("priority", 0, -any, any));
  Task task;
  task.cpu = CpuSeconds(std::max(1e-3, map.number("cpuSeconds", 60, {0, 1e9})));
  added.tasks.assign(count, task);
  if (const std::string name = map.text("dataSet"); !name.empty()) {
    const DataSetId data_set = find_named(cluster.data_sets, name);
    if (!data_set.valid())
      map.error("dataSet", "'" + name + "'", "a data set of the cluster");
    else if (cluster.data_sets[data_set].blocks < count)
      map.error("tasks", std::to_string(count),
                "at most " + std::to_string(cluster.data_sets[data_set].blocks) + ", the blocks of the data set");
    else
      give_blocks(cluster, cluster.data_sets[data_set], added.tasks), job.inputs.push_back({data_set, 1});
  }
  for (const auto& [key, value] : map.text_map("nodeSelector"))
    added.constraint.required.push_back({key, LabelRequirement::Operator::in, {value}});
  map.finish();
  if (!errors.messages.empty()) return errors.as_error();
  return added;
}

}  // namespace lips::cmd
