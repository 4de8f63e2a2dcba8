#include "kubernetes/adapter/job_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <utility>

namespace lips::kubernetes {
namespace {

constexpr CpuSeconds least_work(0.1);  // of a task: no declaration makes a task free

using JobKey = std::tuple<std::string, std::string, PodClassId, std::int32_t, std::string, bool>;

std::string job_name(const PodRecord& pod) {
  const std::string& name = !pod.work.job.empty() ? pod.work.job : pod.owner ? pod.owner->name : pod.meta.name;
  return pod.meta.name_space + '/' + name;
}

struct Reading {
  BlockId block;
  Mebibytes size;
};

Result<const ModelIndex::KnownDataSet*> data_set_of(const PodRecord& pod, const JobContext& context) {
  const ModelIndex::KnownDataSet* data_set = context.index.data_set(pod.work.data_set);
  // The same words for both cases, so they reveal nothing about other namespaces.
  const bool own = pod.work.data_set.starts_with(pod.meta.name_space + '/');
  const bool allowed = own || !context.may_read || context.may_read(pod.work.data_set, pod.meta.name_space);
  if (!data_set || data_set->native_blocks == 0 || !allowed)
    return fail(
        ErrorCode::not_found,
        fmt::format("{}: data set '{}' does not exist or is not ready{}", annotation::data_set, pod.work.data_set,
                    own ? "" : ", or does not list " + pod.meta.name_space + " among its spec.readers"));
  return data_set;
}

// Records in the pod which blocks it reads.
Result<Reading> reading_of(PodRecord& pod, const JobContext& context) {
  const Result<const ModelIndex::KnownDataSet*> known = data_set_of(pod, context);
  if (!known) return tl::unexpected(known.error());
  const ModelIndex::KnownDataSet* data_set = *known;
  const std::optional<std::uint32_t> tasks = task_count(pod, context.jobs);
  const std::uint32_t count = tasks.value_or(data_set->native_blocks);
  const std::uint32_t task = static_cast<std::uint32_t>(pod.index.value_or(0));
  if (count > data_set->native_blocks)
    return fail(
        ErrorCode::invalid_input,
        fmt::format("{}: the job has {} tasks, but data set '{}' has {} blocks; allowed: at most one task per block",
                    annotation::data_set, count, pod.work.data_set, data_set->native_blocks));
  if (task >= count)
    return fail(ErrorCode::invalid_input, fmt::format("found task {} of a job of {} tasks", task, count));
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

// Nobody says which blocks such peers read: those of a job that read all together, each as much as the others.
class PeerReadings {
 public:
  explicit PeerReadings(const JobContext& context) : context_(context) {}

  Result<Reading> of(PodRecord& pod) {
    const Result<const ModelIndex::KnownDataSet*> data_set = data_set_of(pod, context_);
    if (!data_set) return tl::unexpected(data_set.error());
    pod.data_set = pod.work.data_set;
    pod.first_block = 0;
    pod.block_count = (*data_set)->native_blocks;
    Readers& readers = readers_of(pod);
    const std::uint32_t shares = std::min(readers.peers, pod.block_count);
    const TaskBlocks share = blocks_of_task(readers.next++ % shares, shares, pod.block_count);
    return Reading{BlockId((*data_set)->first.index() + share.first), size_of(pod, **data_set) / readers.peers};
  }

 private:
  struct Readers {
    std::uint32_t peers = 1, next = 0;
  };
  Readers& readers_of(const PodRecord& pod) {
    const auto [known, added] = readers_.try_emplace(job_key(pod));
    if (added && context_.known) {
      const KnownJob job = context_.known(known->first);
      known->second.peers = std::max(job.maps, job.drivers + 1) - job.drivers;
    }
    return known->second;
  }
  Mebibytes size_of(const PodRecord& pod, const ModelIndex::KnownDataSet& data_set) {
    const auto [known, added] = sizes_.try_emplace(pod.data_set);
    for (std::uint32_t i = 0; added && i < data_set.native_blocks; ++i)
      known->second += context_.index.block_size(BlockId(data_set.first.index() + i));
    return known->second;
  }

  const JobContext& context_;
  std::map<std::string, Readers> readers_;  // by job
  std::map<std::string, Mebibytes> sizes_;  // by data set
};

// The declared work of the pod as a run time on its cores; none: it declares nothing.
std::optional<double> declared_seconds(const PodRecord& pod, Mebibytes input, double cores) {
  if (pod.work.cpu) return pod.work.cpu->value() / cores;
  if (pod.work.cpu_per_mebibyte && input.value() > 0) return (*pod.work.cpu_per_mebibyte * input).value() / cores;
  if (pod.work.run_time) return to_seconds(*pod.work.run_time);
  return std::nullopt;
}

// Declared work counts until tasks of the template have taken more than twice as long.
CpuSeconds cpu_of(PodRecord& pod, Mebibytes input, const JobContext& context) {
  const double cores = std::max(least_cores, static_cast<double>(amount_of(pod.requests, "cpu")) / 1000.0);
  const std::string of = template_of(pod.meta.name_space, pod.owner, pod.meta.name);
  const std::optional<double> declared = declared_seconds(pod, input, cores);
  pod.declared = declared ? std::max(seconds(*declared), Duration(1)) : Duration(0);
  const double span = declared ? *declared * context.run_times.excess(of)
                               : to_seconds(context.run_times.mean(of).value_or(context.default_run_time));
  return CpuSeconds(std::clamp(cores * span, least_work.value(), most_task_work.value()));
}

struct Waiting {
  PodRecord* pod = nullptr;
  Task task;
  std::string pool;
};

void join_whole(GroupedJob& part, const KnownJob& known, ModelIndex& index) {
  WholeJob& whole = part.job.whole;
  whole.id = index.whole_job(part.key);
  whole.maps = known.maps;
  whole.reduces = known.reduces;
  whole.finished_maps = known.finished_maps;
  whole.peers = known.peers;
  whole.expected = known.expected;
  whole.arrived = known.arrived;
  part.maps_before.assign(index.zones(), 0);
  for (const auto& [name, maps] : known.maps_in)
    if (const ZoneId zone = index.zone(name); zone.valid()) part.maps_before[zone.index()] = maps;
}

GroupedJob make_job(std::vector<Waiting>& waiting, const JobContext& context, std::vector<ClusterEvent>& events) {
  std::sort(waiting.begin(), waiting.end(), [](const Waiting& a, const Waiting& b) {
    return std::tuple(a.task.kind, a.pod->index.value_or(0), std::cref(a.pod->meta.name).get()) <
           std::tuple(b.task.kind, b.pod->index.value_or(0), std::cref(b.pod->meta.name).get());
  });
  const PodRecord& one = *waiting.front().pod;
  GroupedJob result;
  result.key = job_key(one);
  Job& job = result.job;
  job.name = job_name(one);
  job.pool = context.index.pool(waiting.front().pool, events);
  job.priority = one.priority;
  job.coordinates = one.work.driver;
  job.constraint = context.index.constraint(context.classes[one.pod_class].placement(), events);
  job.request = context.index.request(context.classes[one.pod_class]);
  job.arrival = TimePoint::max();
  if (const auto* data_set = context.index.data_set(one.work.data_set)) job.inputs.push_back({data_set->id, 1});
  for (const Waiting& entry : waiting) {
    job.arrival = std::min(job.arrival, entry.pod->created);
    if (entry.pod->work.shuffle) job.shuffle = std::max(job.shuffle, *entry.pod->work.shuffle);
    ++(entry.task.kind == TaskKind::map ? job.map_tasks : job.reduce_tasks);
    result.tasks.push_back(entry.task);
    result.pods.push_back(entry.pod);
  }
  const KnownJob known = context.known ? context.known(result.key) : KnownJob{};
  join_whole(result, known, context.index);
  if (known.worker && known.worker->pod_class.valid())
    job.whole.each = context.index.request(context.classes[known.worker->pod_class]);
  if (known.peers && job.shuffle.value() <= 0 && !one.work.shuffle) {
    CpuSeconds work;
    for (const Task& task : result.tasks) work += task.cpu;
    job.shuffle = context.shuffle_per_cpu_second * (work.value() / job.tasks() * std::max(job.tasks(), known.maps));
  }
  return result;
}

}  // namespace

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
  PeerReadings peers(context);
  for (PodRecord* pod : pods) {
    Task task;
    task.kind = pod->work.stage;
    if (!pod->work.data_set.empty() && task.kind == TaskKind::map && !pod->work.driver) {
      const Result<Reading> reading = shares_reading(*pod) ? peers.of(*pod) : reading_of(*pod, context);
      if (!reading && !pod->on_node()) {
        const UnschedulableReason reason = reading.error().code == ErrorCode::not_found
                                               ? UnschedulableReason::data_set_not_ready
                                               : UnschedulableReason::bad_annotation;
        rejected.push_back({pod, reason, reading.error().message});
        continue;
      }
      if (reading) {
        task.block = reading->block;
        task.input = reading->size;
      }
    }
    Result<std::string> pool = context.pool_of ? context.pool_of(*pod) : pod->meta.name_space;
    if (!pool && !pod->on_node()) {
      rejected.push_back({pod, UnschedulableReason::pool_not_allowed, pool.error().message});
      continue;
    }
    task.cpu = cpu_of(*pod, task.input, context);
    Waiting entry{pod, task, pool.value_or(pod->meta.name_space)};
    const JobKey key{job_key(*pod), entry.pool, pod->pod_class, pod->priority, pod->work.data_set, !pod->work.driver};
    groups[key].push_back(std::move(entry));
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
