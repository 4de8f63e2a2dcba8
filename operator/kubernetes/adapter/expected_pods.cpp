#include "kubernetes/adapter/expected_pods.h"

#include <algorithm>
#include <cmath>

#include "model/costs.h"

namespace lips::kubernetes {
namespace {

constexpr double most_tasks = 1e9;
constexpr double longest_seconds = 366.0 * 24 * 3600;

double tasks_of(const PodsToCome& to_come, const PodAnnotations& task) {
  if (task.tasks) return *task.tasks;
  const JobSpec& spec = to_come.spec;
  const double each = spec.completions.value_or(spec.parallelism.value_or(1));
  return std::clamp(each * to_come.copies, 0.0, most_tasks);
}

// How many pods of a Job run one after the other.
double rounds(const JobSpec& spec) {
  if (!spec.completions) return 1;
  return std::ceil(std::max(0.0, double(*spec.completions)) / std::max(1, spec.parallelism.value_or(1)));
}

}  // namespace

Result<ExpectedPods> expected_pods(const PodsToCome& to_come, const ExpectationContext& context) {
  Pod pod;
  pod.meta.name_space = to_come.name_space;
  pod.annotations = to_come.spec.pod_notes.annotations;
  pod.labels = to_come.spec.pod_notes.labels;
  pod.scheduler = to_come.spec.scheduler;
  const Result<PodAnnotations> task = read_pod_annotations(pod);
  if (!task) return tl::unexpected(task.error());
  ExpectedPods result;
  if (!task->job.empty()) result.work.job = to_come.name_space + '/' + task->job;
  result.work.shuffle = task->shuffle.value_or(Mebibytes(0));
  result.tasks = tasks_of(to_come, *task);
  Mebibytes input;
  if (const ModelIndex::KnownDataSet* data_set =
          readable_data_set(context.index, task->data_set, to_come.name_space, context.may_read)) {
    result.work.input = data_set->id;
    input = context.index.size_of(data_set->first, data_set->native_blocks);
  }
  const std::string of = template_of(to_come.name_space, to_come.owner, "");
  const double cores = static_cast<double>(to_come.spec.cpu) / 1000;
  const CpuSeconds each =
      work_of(*task, cores, result.tasks > 0 ? input / result.tasks : input, of, context.history).cpu;
  result.work.work = each * result.tasks;
  result.lasts = seconds(std::min(longest_seconds, each.value() / std::max(least_cores, cores) * rounds(to_come.spec)));
  result.planned = context.planned(pod, *task);
  if (result.planned && context.pool) result.work.pool = context.pool(to_come.name_space, task->pool);
  return result;
}

}  // namespace lips::kubernetes
