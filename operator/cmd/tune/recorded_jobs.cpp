#include "cmd/tune/recorded_jobs.h"

#include <algorithm>
#include <utility>

namespace lips::cmd {

namespace {

template <class IdType, class T, class Same>
IdType find_or_add(IdVector<IdType, T>& table, const T& wanted, Same same) {
  for (const IdType id : table.ids())
    if (same(table[id], wanted)) return id;
  return table.push_back(wanted);
}

constexpr auto equal = [](const auto& a, const auto& b) { return a == b; };
constexpr auto of_one_name = [](const auto& a, const auto& b) { return a.name == b.name; };

// The facts of a job that hold on any cluster and at any time.
Job timeless(const Job& job, TimePoint began) {
  Job kept;
  kept.name = job.name;
  kept.arrival = std::max(TimePoint{}, TimePoint(job.arrival - began));
  kept.priority = job.priority;
  kept.request = job.request;
  kept.request.extended = {};
  if (job.due.complete_by) kept.due.complete_by = TimePoint(*job.due.complete_by - began);
  if (job.due.start_by) kept.due.start_by = TimePoint(*job.due.start_by - began);
  return kept;
}

bool somewhere(const ClusterSnapshot& cluster, const Job& job) {
  for (const NodeId node : cluster.nodes.ids())
    if (cluster.eligible(job.constraint, node) && fits(job.request, cluster.nodes[node].capacity)) return true;
  return false;
}

}  // namespace

// Several jobs can have one key, and a resync may report them as one.
void RecordedJobs::add(const ClusterSnapshot& cluster) {
  const bool first = !began_;
  if (first) began_ = cluster.now;
  ended_ = std::max(ended_, cluster.now);
  std::map<Key, std::size_t> here;
  for (const Job& job : cluster.jobs) {
    if (job.held) continue;  // it has its arrival when it is released
    Key key{job.name, job.arrival, job.request};
    std::get<Resources>(key).extended = {};  // its ids change
    std::size_t& known = known_[key];
    if (here[key]++ < known) continue;
    ++known;
    if (!first || !job.finished()) add_job(cluster, job, first);
  }
}

// Ended tasks of a job that the first record has are left out, and with them the order of its stages.
void RecordedJobs::add_job(const ClusterSnapshot& cluster, const Job& job, bool first) {
  const bool begun = first && job.finished_maps + job.finished_reduces > 0;
  const bool in_parts = job.whole.id.valid();
  const bool one_stage = begun || in_parts || job.map_tasks == 0;
  SeenJob seen{timeless(job, *began_), cluster.pools[job.pool].name, {}, {}, {}, {}};
  if (job.constraint.valid()) seen.constraint = cluster.constraints[job.constraint];
  for (const auto& [resource, amount] : job.request.extended)
    seen.extended.emplace_back(cluster.extended_names[resource], amount);
  for (std::uint32_t i = 0; i < job.tasks(); ++i) {
    const Task& task = cluster.tasks[TaskId(job.first_task.index() + i)];
    if (begun && task.state == TaskState::finished) continue;
    SeenTask kept{task.cpu, task.input, one_stage ? TaskKind::map : task.kind};
    if (task.kind == TaskKind::reduce && one_stage) kept.input = Mebibytes(0);
    if (const DataSetId data_set = task.block.valid() ? cluster.blocks[task.block].data_set : DataSetId::none();
        data_set.valid()) {
      kept.data_set = data_set_of(cluster, job, data_set, seen);
      kept.block = task.block.index() - cluster.data_sets[data_set].first_block.index();
    }
    ++(kept.kind == TaskKind::map ? seen.job.map_tasks : seen.job.reduce_tasks);
    seen.tasks.push_back(kept);
  }
  if (!one_stage) seen.job.shuffle = job.shuffle;
  under_way_ += begun;
  in_parts_ += in_parts;
  jobs_.push_back(std::move(seen));
}

// Its place among those of the job.
std::int32_t RecordedJobs::data_set_of(const ClusterSnapshot& cluster, const Job& job, DataSetId id, SeenJob& seen) {
  const std::string& name = cluster.data_sets[id].name;
  for (std::size_t i = 0; i < seen.data_sets.size(); ++i)
    if (seen.data_sets[i].first == name) return static_cast<std::int32_t>(i);
  const auto input = std::ranges::find(job.inputs, id, &JobInput::data_set);
  seen.data_sets.emplace_back(name, input == job.inputs.end() ? 1 : input->fraction);
  return static_cast<std::int32_t>(seen.data_sets.size() - 1);
}

JobArrived RecordedJobs::placed(const SeenJob& seen, const DataSets& known, ClusterSnapshot& cluster,
                                std::size_t& without_data) {
  JobArrived arrived{seen.job, {}};
  Job& job = arrived.job;
  Pool pool;
  pool.name = seen.pool;
  job.pool = find_or_add(cluster.pools, pool, of_one_name);
  if (seen.constraint) job.constraint = find_or_add(cluster.constraints, *seen.constraint, equal);
  for (const auto& [name, amount] : seen.extended)
    job.request.extended.set(find_or_add(cluster.extended_names, name, equal), amount);
  std::vector<DataSetId> data_sets;
  for (const auto& [name, fraction] : seen.data_sets) {
    const auto found = known.find(name);
    data_sets.push_back(found == known.end() ? DataSetId::none() : found->second);
    if (data_sets.back().valid()) job.inputs.push_back({data_sets.back(), fraction});
  }
  for (const SeenTask& had : seen.tasks) {
    Task& task = arrived.tasks.emplace_back();
    task.kind = had.kind, task.cpu = had.cpu, task.input = had.input;
    if (had.data_set < 0) continue;
    const DataSetId id = data_sets[static_cast<std::size_t>(had.data_set)];
    if (id.valid() && had.block < cluster.data_sets[id].blocks)
      task.block = BlockId(cluster.data_sets[id].first_block.index() + had.block);
    if (!task.block.valid() || cluster.blocks[task.block].replicas.empty())
      task.block = BlockId::none(), task.input = Mebibytes(0), ++without_data;
  }
  return arrived;
}

RecordedJobs::Placed RecordedJobs::place(ClusterSnapshot& cluster) const {
  Placed result;
  DataSets data_sets;
  for (const DataSetId id : cluster.data_sets.ids()) data_sets.emplace(cluster.data_sets[id].name, id);
  std::map<std::pair<Resources, ConstraintId>, bool> takers;
  for (const SeenJob& seen : jobs_) {
    JobArrived arrived = placed(seen, data_sets, cluster, result.without_data);
    const auto [place, added] = takers.try_emplace({arrived.job.request, arrived.job.constraint}, false);
    if (added) place->second = somewhere(cluster, arrived.job);
    if (place->second)
      result.jobs.push_back(std::move(arrived));
    else
      ++result.nowhere;
  }
  std::ranges::stable_sort(result.jobs, {}, [](const JobArrived& arrived) { return arrived.job.arrival; });
  return result;
}

}  // namespace lips::cmd
