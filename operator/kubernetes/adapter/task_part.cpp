#include "kubernetes/adapter/task_part.h"

#include <fmt/format.h>

#include <algorithm>

#include "kubernetes/pods/data_path.h"

namespace lips::kubernetes {
namespace {

using Tasks = std::optional<std::uint32_t>;

tl::unexpected<Error> wrong(ErrorCode code, const std::string& what) {
  return fail(code, fmt::format("{}: {}", annotation::data_set, what));
}

// None: unknown.
Result<Tasks> tasks_that_divide(const PodRecord& pod, const PartContext& context) {
  const auto job = pod.owner ? context.jobs.find(pod.owner->uid) : context.jobs.end();
  const bool known = job != context.jobs.end();
  if (!known && pod.owner && pod.owner->is_batch_job())
    return wrong(ErrorCode::not_found, "the pod's Job is not known yet");
  if (known && pod.index && job->second.spec.completions)
    return static_cast<std::uint32_t>(std::max(1, *job->second.spec.completions));
  return task_count(pod, context.jobs);
}

std::string place(const PodRecord& pod, const BlockRun& run) {
  return fmt::format("data set '{}'{}", run.data_set, is_data_path(pod.work.data_set) ? " under that path" : "");
}

Result<std::string> contents_of(const BlockRun& run, const PartContext& context) {
  if (!context.contents) return std::string("-");
  std::optional<std::string> contents = context.contents(run);
  if (!contents) return wrong(ErrorCode::not_found, fmt::format("data set '{}' has just changed", run.data_set));
  return *std::move(contents);
}

// An error, unless the blocks that were divided are still there, under the same numbers.
Result<void> check_contents(const PodRecord& pod, const BlockRun& run, const DataDivision& division,
                            const PartContext& context) {
  const bool there = run.first == division.first && division.blocks <= run.count;
  Result<std::string> contents = std::string();
  if (there) contents = contents_of({run.data_set, division.first, division.blocks}, context);
  if (!contents) return tl::unexpected(contents.error());
  if (there && *contents == division.contents) return {};
  return wrong(ErrorCode::conflict,
               fmt::format("the files of {} have changed since its {} blocks were divided among the job's {} tasks; "
                           "what helps: the files as they were (new ones may follow them), or a new job",
                           place(pod, run), division.blocks, division.tasks));
}

// An error, unless as many tasks as then read all that there is now.
Result<void> check_counts(const PodRecord& pod, const BlockRun& run, const DataDivision& division, Tasks tasks) {
  if (tasks.value_or(division.tasks) < division.tasks)
    return wrong(ErrorCode::conflict,
                 fmt::format("the {} blocks of {} were divided among {} tasks when the job began; with {} tasks nobody "
                             "reads the rest; what helps: {} tasks again, or a new job",
                             division.blocks, place(pod, run), division.tasks, *tasks, division.tasks));
  const bool one_run = pod.owner && (pod.owner->is_batch_job() || pod.work.job.empty());
  if (one_run || run.count == division.blocks) return {};
  return wrong(ErrorCode::conflict,
               fmt::format("{} had {} blocks when the job began and has {} now, and pods of that job are there that "
                           "divide the former; what helps: another {}",
                           place(pod, run), division.blocks, run.count, annotation::job));
}

Result<DataDivision> fixed_division(const PodRecord& pod, const BlockRun& run, const DataDivision& division,
                                    const PartContext& context) {
  if (Result<void> same = check_contents(pod, run, division, context); !same)
    return tl::unexpected(std::move(same.error()));
  if (pod.on_node()) return division;
  const Result<Tasks> tasks = tasks_that_divide(pod, context);
  if (!tasks) return tl::unexpected(tasks.error());
  if (Result<void> all = check_counts(pod, run, division, *tasks); !all) return tl::unexpected(std::move(all.error()));
  if (static_cast<std::uint32_t>(*pod.index) < division.tasks) return division;
  return wrong(ErrorCode::conflict,
               fmt::format("the {} blocks of {} were divided among {} tasks when the job began, so nothing is left for "
                           "task {}; what helps: a new job",
                           division.blocks, place(pod, run), division.tasks, *pod.index));
}

Result<DataDivision> new_division(const PodRecord& pod, const BlockRun& run, std::uint32_t tasks,
                                  const PartContext& context) {
  if (tasks > run.count)
    return wrong(ErrorCode::invalid_input,
                 fmt::format("the job has {} tasks, but data set '{}' has {} blocks{}; allowed: at most one task per "
                             "block",
                             tasks, run.data_set, run.count,
                             is_data_path(pod.work.data_set) ? " under that path" : ""));
  if (static_cast<std::uint32_t>(*pod.index) >= tasks)
    return fail(ErrorCode::invalid_input, fmt::format("found task {} of a job of {} tasks", *pod.index, tasks));
  Result<std::string> contents = contents_of(run, context);
  if (!contents) return tl::unexpected(std::move(contents.error()));
  return DataDivision{tasks, run.first, run.count, *std::move(contents)};
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
  if (job == jobs.end() || !job->second.spec.completions) return std::nullopt;
  return static_cast<std::uint32_t>(std::max(1, *job->second.spec.completions));
}

Result<TaskPart> part_of_task(const PodRecord& pod, const BlockRun& run, const PartContext& context) {
  const DataDivision* fixed = pod.index && context.divisions ? context.divisions->of(pod) : nullptr;
  Result<DataDivision> division;
  if (fixed) {
    division = fixed_division(pod, run, *fixed, context);
  } else {
    const Result<Tasks> tasks = tasks_that_divide(pod, context);
    if (!tasks) return tl::unexpected(tasks.error());
    if (!pod.index && tasks->value_or(1) == 1) return TaskPart{{0, run.count}, std::nullopt};
    if (!pod.index)
      return wrong(ErrorCode::invalid_input,
                   fmt::format("the job has {} tasks, and nothing says which of them a pod is, so all would read the "
                               "same part; allowed: a Job with completionMode: Indexed, or pods with the annotation "
                               "batch.kubernetes.io/job-completion-index",
                               **tasks));
    division = new_division(pod, run, tasks->value_or(run.count), context);
  }
  if (!division) return tl::unexpected(division.error());
  const TaskBlocks span = blocks_of_task(static_cast<std::uint32_t>(*pod.index), division->tasks, division->blocks);
  return TaskPart{span, *std::move(division)};
}

}  // namespace lips::kubernetes
