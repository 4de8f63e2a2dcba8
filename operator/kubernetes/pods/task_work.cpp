#include "kubernetes/pods/task_work.h"

#include <algorithm>
#include <optional>

#include "model/costs.h"

namespace lips::kubernetes {
namespace {

constexpr CpuSeconds least_work(0.1);  // no declaration makes a task free

std::optional<double> declared_seconds(const PodAnnotations& task, Mebibytes input, double cores) {
  if (task.cpu) return task.cpu->value() / cores;
  if (task.cpu_per_mebibyte && input.value() > 0) return (*task.cpu_per_mebibyte * input).value() / cores;
  if (task.run_time) return to_seconds(*task.run_time);
  return std::nullopt;
}

}  // namespace

// Declared work counts until tasks of the template have taken more than twice as long.
TaskWork work_of(const PodAnnotations& task, double cores, Mebibytes input, const std::string& of,
                 const WorkHistory& history) {
  cores = std::max(least_cores, cores);
  TaskWork result;
  const std::optional<double> declared = declared_seconds(task, input, cores);
  if (declared) result.declared = std::max(seconds(*declared), Duration(1));
  const double span = declared ? *declared * history.run_times.excess(of)
                               : to_seconds(history.run_times.mean(of).value_or(history.default_run_time));
  result.cpu = CpuSeconds(std::clamp(cores * span, least_work.value(), most_task_work.value()));
  return result;
}

}  // namespace lips::kubernetes
