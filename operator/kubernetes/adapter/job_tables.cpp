#include "kubernetes/adapter/job_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <utility>

#include "kubernetes/adapter/job_clocks.h"
#include "kubernetes/pods/data_path.h"

namespace lips::kubernetes {
namespace {

using JobKey = std::tuple<std::string, std::string, PodClassId, std::int32_t, bool, std::string, bool>;

std::string job_name(const PodRecord& pod) {
  const std::string given = given_job_name(pod);
  return pod.meta.name_space + '/' + (!given.empty() ? given : pod.owner ? pod.owner->name : pod.meta.name);
}

std::optional<LearnedTraffic::Known> learned_of(const PodRecord& pod, const JobContext& context) {
  if (!context.traffic || pod.work.application.empty()) return std::nullopt;
  return context.traffic->of(pod.meta.name_space + '/' + pod.work.application);
}

// Where nobody says how many peers will come, as many as in earlier runs.
void guess_peers(KnownJob& known, const JobContext& context) {
  const std::optional<LearnedTraffic::Known> learned = learned_of(*known.worker, context);
  if (!learned || learned->workers == 0) return;
  known.guessed = true;
  known.expected = learned->workers + known.drivers;
  known.maps = std::max(known.maps, known.expected);
}

// Pods that the quotas of its namespace refuse can never come.
void keep_within_quotas(const std::string& key, KnownJob& known, const JobContext& context) {
  if (!context.grants) return;
  const PodRecord& like = *known.worker;
  if (known.expected <= known.here) return context.grants->forget(like.meta.name_space, key);
  const std::optional<PodNeeds> needs = needs_to_come(known, context.classes);
  if (!needs) return;
  const std::int64_t come = context.grants->grant(like.meta.name_space, key, {needs->requests, like.priority_class},
                                                  known.expected - known.here);
  known.expected = known.here + static_cast<std::uint32_t>(come);
}

KnownJob known_of(const std::string& key, const JobContext& context) {
  KnownJob known = context.known ? context.known(key) : KnownJob{};
  if (!known.worker || known.complete) return known;
  if (known.expected == 0) guess_peers(known, context);
  keep_within_quotas(key, known, context);
  return known;
}

struct Reading {
  BlockId block;  // none: it reads nothing that has a place
  Mebibytes size;
};

// The data that pods name in lips.dev/dataset: a data set, or all that lies under a path.
struct NamedData {
  std::vector<BlockRun> runs;
  std::uint32_t blocks = 0;
};

class Readings {
 public:
  explicit Readings(const JobContext& context) : context_(context) {}

  // Records in the pod which blocks it reads. A driver reads none, but waits like its workers for data that is not
  // there: it would hold its room for nothing.
  Result<Reading> of(PodRecord& pod) {
    const Result<NamedData>& source = source_of(pod);
    if (!source) return tl::unexpected(source.error());
    if (source->blocks == 0 || pod.work.driver) {
      pod.reads.clear();
      pod.division.reset();
      return Reading{};
    }
    return shares_reading(pod) ? share_of(pod, *source) : part_of(pod, *source);
  }

  // The inputs of a job whose pods name the same data as this one.
  std::vector<JobInput> inputs_of(const PodRecord& pod) {
    std::vector<JobInput> inputs;
    if (pod.work.data_set.empty()) return inputs;
    const Result<NamedData>& source = source_of(pod);
    if (!source) return inputs;
    for (const BlockRun& run : source->runs) {
      const DataSetId id = context_.index.data_set(run.data_set)->id;
      if (inputs.empty() || inputs.back().data_set != id) inputs.push_back({id, 1});
    }
    const double part = shares_reading(pod) ? read_of(pod, *source) / size_of(*source) : 1;
    if (part < 1)
      for (JobInput& input : inputs) input.fraction = part;
    return inputs;
  }

 private:
  using Named = std::pair<std::string, std::string>;  // namespace, lips.dev/dataset
  struct Readers {
    std::uint32_t peers = 1, next = 0;
    std::optional<Mebibytes> read;  // by all of them
  };

  static Named named_by(const PodRecord& pod) { return {pod.meta.name_space, pod.work.data_set}; }

  const Result<NamedData>& source_of(const PodRecord& pod) {
    const auto known = sources_.find(named_by(pod));
    return known != sources_.end() ? known->second : sources_.emplace(named_by(pod), look_up(pod)).first->second;
  }

  Result<NamedData> look_up(const PodRecord& pod) const {
    const Result<std::vector<BlockRun>> runs = is_data_path(pod.work.data_set) ? under_path(pod) : whole(pod);
    if (!runs) return tl::unexpected(runs.error());
    NamedData source{*runs, 0};
    for (const BlockRun& run : source.runs) source.blocks += run.count;
    return source;
  }

  Result<std::vector<BlockRun>> whole(const PodRecord& pod) const {
    const std::string& name = pod.work.data_set;
    const ModelIndex::KnownDataSet* data_set =
        readable_data_set(context_.index, name, pod.meta.name_space, context_.may_read);
    // The same words for all cases, so they reveal nothing about other namespaces.
    const bool own = name.starts_with(pod.meta.name_space + '/');
    if (!data_set)
      return fail(
          ErrorCode::not_found,
          fmt::format("{}: data set '{}' does not exist or is not ready{}", annotation::data_set, beginning_of(name),
                      own ? "" : ", or does not list " + pod.meta.name_space + " among its spec.readers"));
    return std::vector<BlockRun>{{name, 0, data_set->native_blocks}};
  }

  Result<std::vector<BlockRun>> under_path(const PodRecord& pod) const {
    const std::string& path = pod.work.data_set;
    const auto wrong = [&](const Error& error) {
      return fail(error.code, fmt::format("{}: '{}': {}", annotation::data_set, beginning_of(path), error.message));
    };
    if (!context_.data_under) return wrong({ErrorCode::not_found, "the cluster has no DataSets"});
    Result<std::vector<BlockRun>> runs = context_.data_under(path, pod.meta.name_space);
    if (!runs) return wrong(runs.error());
    for (const BlockRun& run : *runs) {
      const ModelIndex::KnownDataSet* known = context_.index.data_set(run.data_set);
      if (!known || run.first + run.count > known->native_blocks)
        return wrong({ErrorCode::not_found, "its data sets have just changed"});
    }
    return runs;
  }

  BlockRun block_run(const NamedData& source, std::uint32_t number) const {
    auto run = source.runs.begin();
    for (; number >= run->count; ++run) number -= run->count;
    return {run->data_set, run->first + number, 1};
  }

  BlockId block_of(const NamedData& source, std::uint32_t number) const {
    const BlockRun one = block_run(source, number);
    return BlockId(context_.index.data_set(one.data_set)->first.index() + one.first);
  }

  Mebibytes size_of(const BlockRun& run) const {
    const BlockId first = context_.index.data_set(run.data_set)->first;
    return context_.index.size_of(BlockId(first.index() + run.first), run.count);
  }

  Mebibytes size_of(const NamedData& source) const {
    Mebibytes size;
    for (const BlockRun& run : source.runs) size += size_of(run);
    return size;
  }

  // All pods of its application together: what its earlier runs read, but not more than there is. Where they read
  // nothing that Spark counts, all.
  Mebibytes read_of(const PodRecord& pod, const NamedData& source) const {
    const Mebibytes all = size_of(source);
    const std::optional<LearnedTraffic::Known> learned = learned_of(pod, context_);
    const bool counts = learned && learned->runs > 0 && learned->bytes.input > Mebibytes(0);
    return counts ? std::min(all, learned->bytes.input) : all;
  }

  // A task's own range of the blocks.
  Result<Reading> part_of(PodRecord& pod, const NamedData& source) const {
    if (source.runs.size() > 1)
      return fail(ErrorCode::invalid_input,
                  fmt::format("{}: found a path with {} separate parts of data sets; allowed for tasks that are told "
                              "what they read: one, or a data set's name",
                              annotation::data_set, source.runs.size()));
    const BlockRun& run = source.runs.front();
    Result<TaskPart> part = part_of_task(pod, run, {context_.jobs, context_.divisions, context_.contents});
    if (!part) return tl::unexpected(std::move(part.error()));
    pod.division = std::move(part->division);
    pod.reads = {{run.data_set, run.first + part->span.first, part->span.count}};
    if (std::string lost = why_lost(pod.reads.front()); !lost.empty()) return fail(ErrorCode::gone, std::move(lost));
    return Reading{block_of(source, part->span.first), size_of(pod.reads.front())};
  }

  std::string why_lost(const BlockRun& run) const { return context_.why_lost ? context_.why_lost(run) : ""; }

  // Nobody says which blocks such peers read: those of a job that read all together, each as much as the others.
  Result<Reading> share_of(PodRecord& pod, const NamedData& source) {
    pod.reads = source.runs;
    pod.division.reset();
    Readers& readers = readers_of(pod);
    const std::uint32_t shares = std::min(readers.peers, source.blocks);
    const std::uint32_t turn = readers.next++;
    std::string lost;
    TaskBlocks share;
    for (std::uint32_t tried = 0; tried < shares; ++tried) {
      share = blocks_of_task((turn + tried) % shares, shares, source.blocks);
      lost = why_lost(block_run(source, share.first));
      if (lost.empty()) break;
    }
    if (!lost.empty()) return fail(ErrorCode::gone, std::move(lost));
    if (!readers.read) readers.read = read_of(pod, source);
    return Reading{block_of(source, share.first), *readers.read / readers.peers};
  }

  Readers& readers_of(const PodRecord& pod) {
    const auto [known, added] = readers_.try_emplace(job_key(pod));
    if (added && context_.known) {
      const KnownJob job = known_of(known->first, context_);
      known->second.peers = std::max(job.maps, job.drivers + 1) - job.drivers;
    }
    return known->second;
  }

  const JobContext& context_;
  std::map<Named, Result<NamedData>> sources_;
  std::map<std::string, Readers> readers_;  // by job
};

UnschedulableReason reason_of(ErrorCode unreadable) {
  switch (unreadable) {
    case ErrorCode::not_found:
      return UnschedulableReason::data_set_not_ready;
    case ErrorCode::conflict:
      return UnschedulableReason::data_changed;
    case ErrorCode::gone:
      return UnschedulableReason::blocks_missing;
    default:
      return UnschedulableReason::bad_annotation;
  }
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
  whole.guessed = known.guessed;
  whole.gang = known.gang;
  whole.lacks_driver = known.lacks_driver;
  whole.arrived = known.arrived;
  part.maps_before.assign(index.zones(), 0);
  for (const auto& [name, maps] : known.maps_in)
    if (const ZoneId zone = index.zone(name); zone.valid()) part.maps_before[zone.index()] = maps;
}

void earliest(std::optional<TimePoint>& of_all, const std::optional<TimePoint>& one) {
  if (one) of_all = std::min(of_all.value_or(*one), *one);
}

// A Job makes pods until its work is done.
TimePoint began(const PodRecord& pod, const JobContext& context) {
  const auto job = pod.owner ? context.jobs.find(pod.owner->uid) : context.jobs.end();
  if (job == context.jobs.end() || !job->second.started) return pod.created;
  return std::min(pod.created, *job->second.started);
}

std::optional<TimePoint> ends_by_clock_of(const PodRecord& pod, TimePoint began, const JobContext& context) {
  const auto job = pod.owner && pod.owner->is_batch_job() ? context.jobs.find(pod.owner->uid) : context.jobs.end();
  return job == context.jobs.end() ? std::nullopt : ends_by_clock(job->second, began, context.cron_jobs);
}

// Peers that do not say it exchange as much as in earlier runs, else by their work, and at least what an unfinished run
// has had.
void fill_in_shuffle(GroupedJob& part, const KnownJob& known, const JobContext& context) {
  Job& job = part.job;
  const std::optional<LearnedTraffic::Known> learned = learned_of(*part.pods.front(), context);
  if (learned) job.shuffle = learned->bytes.shuffle;
  if (learned && learned->runs > 0) return;
  CpuSeconds work;
  for (const Task& task : part.tasks) work += task.cpu;
  job.shuffle = std::max(
      job.shuffle, context.shuffle_per_cpu_second * (work.value() / job.tasks() * std::max(job.tasks(), known.maps)));
}

GroupedJob make_job(std::vector<Waiting>& waiting, const JobContext& context, Readings& readings,
                    std::vector<ClusterEvent>& events) {
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
  job.preempts = one.preempts;
  job.coordinates = one.work.driver;
  job.constraint = context.index.constraint(context.classes[one.pod_class].placement(), events);
  job.request = context.index.request(context.classes[one.pod_class]);
  job.arrival = TimePoint::max();
  job.inputs = readings.inputs_of(one);
  std::map<std::pair<std::string, TimePoint>, std::optional<TimePoint>> clocks;  // by uid of a Job and its start
  for (const Waiting& entry : waiting) {
    job.arrival = std::min(job.arrival, entry.pod->created);
    const TimePoint job_began = began(*entry.pod, context);
    earliest(job.whole.began, job_began);
    const JobDue due = due_of(entry.pod->work, entry.pod->created, job_began);
    earliest(job.due.complete_by, due.complete_by), earliest(job.due.start_by, due.start_by);
    if (entry.pod->owner) {
      const auto [clock, added] = clocks.try_emplace({entry.pod->owner->uid, job_began});
      if (added) clock->second = ends_by_clock_of(*entry.pod, job_began, context);
      earliest(job.due.ends_by, clock->second);
    }
    if (entry.pod->work.shuffle) job.shuffle = std::max(job.shuffle, *entry.pod->work.shuffle);
    ++(entry.task.kind == TaskKind::map ? job.map_tasks : job.reduce_tasks);
    result.tasks.push_back(entry.task);
    result.pods.push_back(entry.pod);
  }
  const KnownJob known = known_of(result.key, context);
  join_whole(result, known, context.index);
  if (const std::optional<PodNeeds> needs = needs_to_come(known, context.classes))
    job.whole.each = context.index.request(*needs);
  if (known.peers && job.shuffle.value() <= 0 && !one.work.shuffle) fill_in_shuffle(result, known, context);
  return result;
}

}  // namespace

CpuSeconds work_of_pod(PodRecord& pod, Mebibytes input, const WorkHistory& history) {
  const TaskWork work = work_of(pod.work, static_cast<double>(amount_of(pod.requests, "cpu")) / 1000.0, input,
                                template_of(pod.meta.name_space, pod.owner, pod.meta.name), history);
  pod.declared = work.declared;
  return work.cpu;
}

std::optional<PodNeeds> needs_to_come(const KnownJob& job, const PodClasses& classes) {
  if (!job.worker || !job.worker->pod_class.valid()) return std::nullopt;
  PodNeeds needs = classes[job.worker->pod_class];
  if (job.worker->work.driver && !job.worker->work.each.empty()) needs.requests = job.worker->work.each;
  return needs;
}

std::vector<GroupedJob> group_into_jobs(const std::vector<PodRecord*>& pods, const JobContext& context,
                                        std::vector<ClusterEvent>& events, std::vector<Rejection>& rejected) {
  std::map<JobKey, std::vector<Waiting>> groups;
  Readings readings(context);
  for (PodRecord* pod : pods) {
    Task task;
    task.kind = pod->work.stage;
    if (pod->work.data_set.empty() || task.kind != TaskKind::map) {
      if (!pod->on_node()) pod->reads.clear();
    } else {
      const Result<Reading> reading = readings.of(*pod);
      if (!reading && !pod->on_node()) {
        rejected.push_back({pod, reason_of(reading.error().code), reading.error().message});
        continue;
      }
      if (!reading && pod->reads.empty()) pod->reads = {reads_anything(*pod)};
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
    task.cpu = work_of_pod(*pod, task.input, {context.run_times, context.default_run_time});
    Waiting entry{pod, task, pool.value_or(pod->meta.name_space)};
    const JobKey key{job_key(*pod),  entry.pool,         pod->pod_class,   pod->priority,
                     !pod->preempts, pod->work.data_set, !pod->work.driver};
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
  for (const auto& [key, waiting] : order) result.push_back(make_job(*waiting, context, readings, events));
  return result;
}

}  // namespace lips::kubernetes
