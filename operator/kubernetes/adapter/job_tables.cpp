#include "kubernetes/adapter/job_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

namespace lips::kubernetes {
namespace {

// Of a pod that asks for no CPU: what its work counts as.
constexpr double least_cores = 0.1;

using JobKey = std::tuple<std::string, std::string, KindId, std::int32_t, std::string>;

std::string pool_of(const PodRecord& pod, const JobContext& context) {
  if (!pod.work.pool.empty()) return pod.work.pool;
  return context.pool_of ? context.pool_of(pod.meta.name_space) : pod.meta.name_space;
}

JobKey key_of(const PodRecord& pod, const JobContext& context) {
  return {memory_key(pod), pool_of(pod, context), pod.kind, pod.priority, pod.work.data_set};
}

std::string job_name(const PodRecord& pod) {
  const std::string& name = !pod.work.job.empty() ? pod.work.job : pod.owner ? pod.owner->name : pod.meta.name;
  return pod.meta.name_space + '/' + name;
}

struct Reading {
  BlockId block;
  Mebibytes size;
};

// Notes in the pod which blocks it reads.
Result<Reading> reading_of(PodRecord& pod, const JobContext& context) {
  const ModelIndex::KnownDataSet* data_set = context.index.data_set(pod.work.data_set);
  if (!data_set || data_set->native_blocks == 0)
    return fail(ErrorCode::not_found,
                fmt::format("{}: there is no data set '{}' that is ready", notes::data_set, pod.work.data_set));
  const std::optional<std::uint32_t> tasks = task_count(pod, context.jobs);
  const std::uint32_t count = tasks.value_or(data_set->native_blocks);
  const std::uint32_t task = static_cast<std::uint32_t>(pod.index.value_or(0));
  if (count > data_set->native_blocks)
    return fail(
        ErrorCode::invalid_input,
        fmt::format("{}: the job has {} tasks, but data set '{}' has {} blocks; allowed: at most one task a block",
                    notes::data_set, count, pod.work.data_set, data_set->native_blocks));
  if (task >= count) return fail(ErrorCode::invalid_input, fmt::format("task {} of a job of {}", task, count));
  const TaskBlocks span = pod.index || tasks ? blocks_of_task(task, count, data_set->native_blocks)
                                             : TaskBlocks{0, data_set->native_blocks};
  pod.data_set = pod.work.data_set;
  pod.first_block = span.first;
  pod.block_count = span.count;
  Reading reading{BlockId(data_set->first.index() + span.first), Mebibytes(0)};
  for (std::uint32_t i = 0; i < span.count; ++i)
    reading.size += context.index.block_size(BlockId(reading.block.index() + i));
  return reading;
}

CpuSeconds cpu_of(const PodRecord& pod, Mebibytes input, const JobContext& context) {
  if (pod.work.cpu) return *pod.work.cpu;
  if (pod.work.cpu_per_mebibyte && input.value() > 0) return *pod.work.cpu_per_mebibyte * input;
  const double cores = std::max(least_cores, static_cast<double>(amount_of(pod.requests, "cpu")) / 1000.0);
  Duration span = context.default_run_time;
  if (pod.work.run_time)
    span = *pod.work.run_time;
  else if (const auto learned = context.run_times.mean(template_of(pod.meta.name_space, pod.owner, pod.meta.name)))
    span = *learned;
  return CpuSeconds(cores * to_seconds(span));
}

struct Waiting {
  PodRecord* pod = nullptr;
  Task task;
};

// What the job's maps have left in which zone, of reduce tasks whose maps are no longer waiting: each map left as much.
void add_map_output(const PodRecord& one, const JobContext& context, Job& job) {
  if (job.map_tasks > 0 || job.shuffle.value() <= 0 || !context.map_nodes || context.index.zones() == 0) return;
  std::vector<ZoneId> zones;
  for (const std::string& name : context.map_nodes(one))
    if (const ZoneId zone = context.index.zone_of_node(name); zone.valid()) zones.push_back(zone);
  if (zones.empty()) return;
  job.map_output.assign(context.index.zones(), Mebibytes(0));
  for (const ZoneId zone : zones) job.map_output[zone.index()] += job.shuffle / static_cast<double>(zones.size());
}

GroupedJob make_job(std::vector<Waiting>& waiting, const JobContext& context, std::vector<ClusterEvent>& events) {
  std::sort(waiting.begin(), waiting.end(), [](const Waiting& a, const Waiting& b) {
    return std::tuple(a.task.kind, a.pod->index.value_or(0), std::cref(a.pod->meta.name).get()) <
           std::tuple(b.task.kind, b.pod->index.value_or(0), std::cref(b.pod->meta.name).get());
  });
  const PodRecord& one = *waiting.front().pod;
  GroupedJob result;
  result.memory_key = memory_key(one);
  Job& job = result.job;
  job.name = job_name(one);
  job.pool = context.index.pool(pool_of(one, context), events);
  job.priority = one.priority;
  job.constraint = context.index.constraint(context.kinds[one.kind].constraint, events);
  job.request = context.index.request(context.kinds[one.kind]);
  job.arrival = TimePoint::max();
  if (const auto* data_set = context.index.data_set(one.work.data_set)) job.inputs.push_back({data_set->id, 1});
  for (const Waiting& entry : waiting) {
    job.arrival = std::min(job.arrival, entry.pod->created);
    if (entry.pod->work.shuffle) job.shuffle = std::max(job.shuffle, *entry.pod->work.shuffle);
    ++(entry.task.kind == TaskKind::map ? job.map_tasks : job.reduce_tasks);
    result.tasks.push_back(entry.task);
    result.pods.push_back(entry.pod);
  }
  add_map_output(one, context, job);
  return result;
}

}  // namespace

std::string memory_key(const PodRecord& pod) {
  if (!pod.work.job.empty()) return "job/" + pod.meta.name_space + '/' + pod.work.job;
  return pod.owner ? "owner/" + pod.owner->uid : "pod/" + pod.meta.uid;
}

TaskBlocks blocks_of_task(std::uint32_t task, std::uint32_t tasks, std::uint32_t blocks) {
  const auto bound = [&](std::uint64_t i) { return static_cast<std::uint32_t>(i * blocks / tasks); };
  return {bound(task), bound(std::uint64_t{task} + 1) - bound(task)};
}

std::optional<std::uint32_t> task_count(const PodRecord& pod, const std::map<std::string, BatchJob>& jobs) {
  if (pod.work.tasks) return static_cast<std::uint32_t>(*pod.work.tasks);
  if (!pod.owner) return std::nullopt;
  const auto job = jobs.find(pod.owner->uid);
  if (job == jobs.end() || !job->second.completions) return std::nullopt;
  return static_cast<std::uint32_t>(std::max(1, *job->second.completions));
}

std::vector<GroupedJob> group_into_jobs(const std::vector<PodRecord*>& pods, const JobContext& context,
                                        std::vector<ClusterEvent>& events, std::vector<Rejection>& rejected) {
  std::map<JobKey, std::vector<Waiting>> groups;
  for (PodRecord* pod : pods) {
    Task task;
    task.kind = pod->work.stage;
    if (!pod->work.data_set.empty() && task.kind == TaskKind::map) {
      const Result<Reading> reading = reading_of(*pod, context);
      if (!reading && !pod->on_node()) {
        const bool missing = reading.error().code == ErrorCode::not_found;
        rejected.push_back({pod, missing ? data_set_not_ready : bad_annotation, reading.error().message});
        continue;
      }
      if (reading) {
        task.block = reading->block;
        task.input = reading->size;
      }
    }
    task.cpu = cpu_of(*pod, task.input, context);
    groups[key_of(*pod, context)].push_back({pod, task});
  }
  std::vector<std::pair<const JobKey*, std::vector<Waiting>*>> order;
  for (auto& [key, waiting] : groups) order.emplace_back(&key, &waiting);
  const auto arrival = [](const std::vector<Waiting>& waiting) {
    TimePoint first = TimePoint::max();
    for (const Waiting& entry : waiting) first = std::min(first, entry.pod->created);
    return first;
  };
  std::stable_sort(order.begin(), order.end(), [&](const auto& a, const auto& b) {
    return std::tuple(arrival(*a.second), job_name(*a.second->front().pod)) <
           std::tuple(arrival(*b.second), job_name(*b.second->front().pod));
  });
  std::vector<GroupedJob> result;
  for (const auto& [key, waiting] : order) result.push_back(make_job(*waiting, context, events));
  return result;
}

}  // namespace lips::kubernetes
