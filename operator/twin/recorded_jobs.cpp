#include "twin/recorded_jobs.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "twin/find_or_add.h"

namespace lips::twin {

namespace {

// The facts of a job that hold on any cluster and at any time.
Job timeless(const Job& job, TimePoint began) {
  Job kept;
  kept.name = job.name;
  kept.arrival = std::max(TimePoint{}, TimePoint(job.arrival - began));
  kept.priority = job.priority;
  kept.preempts = job.preempts;
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
void RecordedJobs::add(const ClusterSnapshot& cluster, const std::optional<RecordedEnds>& ended, bool own_marks) {
  const bool first = !began_;
  if (first) began_ = cluster.now;
  ended_ = std::max(ended_, cluster.now);
  IdVector<JobId, bool> marked(cluster.jobs.size(), false);
  for (const RunningTask& run : cluster.running)
    if (own_marks && run.is_marked()) marked[run.job] = true;
  std::map<Key, std::size_t> here;
  for (const JobId id : cluster.jobs.ids()) {
    const Job& job = cluster.jobs[id];
    if (job.held) continue;  // it has its arrival when it is released
    Key key{job.name, job.arrival, job.request};
    std::get<Resources>(key).extended = {};  // its ids change
    std::vector<std::optional<std::size_t>>& known = known_[key];
    const std::size_t place = here[key]++;
    if (place < known.size()) {
      if (!known[place]) continue;
      look_at_tasks(cluster, job, jobs_[*known[place]]);
      jobs_[*known[place]].not_evicted |= marked[id];
      continue;
    }
    const bool over = first && job.finished();
    known.push_back(over ? std::nullopt : std::optional(jobs_.size()));
    if (over) continue;
    by_name_[{job.name, job.arrival}].push_back(jobs_.size());
    add_job(cluster, job, first);
    jobs_.back().not_evicted = marked[id];
  }
  knows_ends_ &= ended.has_value();
  if (!ended || first) return;  // ends before the first record
  unknown_.lost += ended->lost;
  for (const RecordedEnd& end : ended->tasks) take_end(end);
}

// Ended tasks of a job that the first record has are left out, and with them the order of its stages.
void RecordedJobs::add_job(const ClusterSnapshot& cluster, const Job& job, bool first) {
  const bool begun = first && job.finished_maps + job.finished_reduces > 0;
  const bool in_parts = job.whole.id.valid();
  const bool one_stage = begun || in_parts || job.map_tasks == 0;
  SeenJob seen{timeless(job, *began_), cluster.pools[job.pool].name, {}, {}, {}, {}, false};
  if (in_parts) seen.job.whole = whole_of(job);
  if (job.constraint.valid()) seen.constraint = cluster.constraints[job.constraint];
  for (const auto& [resource, amount] : job.request.extended)
    seen.extended.emplace_back(cluster.extended_names[resource], amount);
  for (std::uint32_t i = 0; i < job.tasks(); ++i) {
    const Task& task = cluster.tasks[TaskId(job.first_task.index() + i)];
    if (begun && task.state == TaskState::finished) continue;
    SeenTask kept{task.cpu, task.input, one_stage ? TaskKind::map : task.kind, task.kind};
    kept.place = i;
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
  unknown_.under_way += begun;
  unknown_.in_parts += in_parts;
  unknown_.outputs += job.output.valid();
  for (const JobInput& input : job.inputs)
    unknown_.released += std::ranges::any_of(
        cluster.jobs, [&](const Job& other) { return other.output == input.data_set && input.data_set.valid(); });
  look_at_tasks(cluster, job, seen);
  tasks_ += seen.tasks.size();
  jobs_.push_back(std::move(seen));
}

// Parts of one job stay parts of it, so that it counts once. All its tasks are of one stage here.
WholeJob RecordedJobs::whole_of(const Job& part) {
  const auto next = WholeJobId(static_cast<std::uint32_t>(wholes_.size()));
  WholeJob whole;
  whole.id = wholes_.try_emplace({part.name, part.whole.began.value_or(part.arrival)}, next).first->second;
  whole.maps = part.whole.maps + part.whole.reduces;
  return whole;
}

// A resync may report fewer tasks: those that have ended are gone then, and places mean other tasks.
void RecordedJobs::look_at_tasks(const ClusterSnapshot& cluster, const Job& job, SeenJob& seen) const {
  if (seen.tasks.empty() || seen.tasks.back().place >= job.tasks()) return;
  for (SeenTask& kept : seen.tasks) kept.last = cluster.tasks[TaskId(job.first_task.index() + kept.place)].state;
}

// The task of that place where it is the same, else another one that is like it.
RecordedJobs::SeenTask* RecordedJobs::task_of(const RecordedEnd& end, SeenJob& seen) {
  const auto is_like = [&](const SeenTask& task) {
    if (task.work || task.was != end.kind || task.cpu != end.expected) return false;
    if (task.data_set < 0) return end.data_set.empty();
    return task.block == end.block && seen.data_sets[static_cast<std::size_t>(task.data_set)].first == end.data_set;
  };
  const auto there = std::ranges::lower_bound(seen.tasks, end.place, {}, &SeenTask::place);
  if (there != seen.tasks.end() && there->place == end.place && is_like(*there)) return &*there;
  const auto other = std::ranges::find_if(seen.tasks, is_like);
  return other == seen.tasks.end() ? nullptr : &*other;
}

void RecordedJobs::take_end(const RecordedEnd& end) {
  const auto jobs = by_name_.find({end.job, end.arrival});
  if (jobs == by_name_.end()) {
    ++unknown_.unseen_tasks;
    unknown_.unseen_work += end.work;
    return;
  }
  for (const std::size_t index : jobs->second)
    if (SeenTask* task = task_of(end, jobs_[index])) {
      task->work = end.work, task->waited_for_data = end.waited_for_data;
      return;
    }
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

// True over expected work of all tasks of which it is known.
double RecordedJobs::work_over_expected() const {
  CpuSeconds work, expected;
  for (const SeenJob& seen : jobs_)
    for (const SeenTask& task : seen.tasks)
      if (task.work && !task.waited_for_data) work += *task.work, expected += task.cpu;
  return expected.value() > 0 ? work / expected : 1;
}

// Where a task may have waited for data, its job's other tasks say how much of its time was work.
void RecordedJobs::add_factors(const SeenJob& seen, double usual, Placed& result) const {
  CpuSeconds work, expected;
  for (const SeenTask& task : seen.tasks)
    if (task.work && !task.waited_for_data) work += *task.work, expected += task.cpu;
  if (expected.value() > 0) usual = work / expected;
  for (const SeenTask& task : seen.tasks) {
    const bool ended = task.work.has_value();
    result.unknown.unended += !ended && task.last != TaskState::finished;
    result.unknown.unseen_end += !ended && task.last == TaskState::finished;
    result.unknown.slow_reads += ended && task.waited_for_data;
    double factor = ended && task.cpu.value() > 0 ? *task.work / task.cpu : 1;
    if (ended && task.waited_for_data) factor = std::min(factor, usual);
    result.work_factors.push_back(factor);
  }
}

RecordedJobs::Placed RecordedJobs::place(ClusterSnapshot& cluster) const {
  Placed result;
  result.unknown = unknown_;
  DataSets data_sets;
  for (const DataSetId id : cluster.data_sets.ids()) data_sets.emplace(cluster.data_sets[id].name, id);
  std::map<std::pair<Resources, ConstraintId>, bool> takers;
  std::vector<std::pair<JobArrived, const SeenJob*>> kept;
  for (const SeenJob& seen : jobs_) {
    JobArrived arrived = placed(seen, data_sets, cluster, result.unknown.without_data);
    const auto [place, added] = takers.try_emplace({arrived.job.request, arrived.job.constraint}, false);
    if (added) place->second = somewhere(cluster, arrived.job);
    if (place->second)
      kept.emplace_back(std::move(arrived), &seen);
    else
      ++result.unknown.nowhere;
  }
  std::ranges::stable_sort(kept, {}, [](const auto& one) { return one.first.job.arrival; });
  const double usual = work_over_expected();
  for (auto& [arrived, seen] : kept) {
    add_factors(*seen, usual, result);
    result.jobs.push_back(std::move(arrived));
    result.not_evicted.push_back(seen->not_evicted);
  }
  if (std::ranges::all_of(result.work_factors, [](double factor) { return factor == 1; })) result.work_factors.clear();
  if (std::ranges::none_of(result.not_evicted, std::identity())) result.not_evicted.clear();
  return result;
}

}  // namespace lips::twin
