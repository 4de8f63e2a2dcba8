#include "kubernetes/pods/pod_annotations.h"

#include <fmt/format.h>

#include "config/quantities.h"
#include "config/ranges.h"
#include "kubernetes/api/time_text.h"
#include "kubernetes/pods/data_path.h"

namespace lips::kubernetes {
namespace {

// The value of an annotation, else of a label.
const std::string* note(const Pod& pod, const char* key) {
  const std::string* found = find_text(pod.annotations, key);
  return found ? found : find_text(pod.labels, key);
}

std::string wrong(const char* key, const std::string& found, std::string_view allowed) {
  return fmt::format("{}: found '{}'; allowed: {}", key, found, allowed);
}

// Reads a note, if present, with parse(text) -> optional; `problem` describes an invalid one.
template <class Value, class Parse>
void read(const Pod& pod, const char* key, std::string_view allowed, Parse parse, std::optional<Value>& value,
          std::string& problem) {
  const std::string* text = note(pod, key);
  if (!text) return;
  const auto parsed = parse(*text);
  if (parsed)
    value = Value(*parsed);
  else if (problem.empty())
    problem = wrong(key, *text, allowed);
}

// Ranges of declared quantities. A larger value is a mistake, and would spoil the numbers of the plan for all.
constexpr Duration longest_run_time = std::chrono::hours(24 * 366);
constexpr Mebibytes largest_size(1e9);  // 0.93 PiB
// A pod may take the place of one whose deadline has passed. One of long ago would make its waits dear for nothing.
constexpr Duration longest_past_deadline = longest_run_time;

std::optional<double> some_work(const std::string& text) {
  const std::optional<double> number = parse_number(text);
  return number && *number > 0 && *number <= most_task_work.value() ? number : std::nullopt;
}

std::optional<double> work_per_mebibyte(const std::string& text) {
  const std::optional<double> number = parse_number(text);
  return number && *number >= 0 && *number <= 1e6 ? number : std::nullopt;
}

std::optional<std::int32_t> task_count(const std::string& text) {
  const std::optional<double> number = parse_number(text);
  if (!number || *number < 1 || *number > 1e9 || *number != static_cast<double>(static_cast<std::int32_t>(*number)))
    return std::nullopt;
  return static_cast<std::int32_t>(*number);
}

std::optional<Duration> positive_duration(const std::string& text) {
  const std::optional<Duration> span = parse_duration(text);
  return span && *span > Duration(0) && *span <= longest_run_time ? span : std::nullopt;
}

std::optional<Mebibytes> some_size(const std::string& text) {
  const std::optional<Mebibytes> size = parse_size(text);
  return size && size->value() >= 0 && *size <= largest_size ? size : std::nullopt;
}

bool has_label(const Pod& pod, const std::string& label_and_value) {
  const std::size_t equals = label_and_value.find('=');
  const std::string* value = find_text(pod.labels, std::string_view(label_and_value).substr(0, equals));
  return value && equals != std::string::npos && *value == std::string_view(label_and_value).substr(equals + 1);
}

const std::string* either(const Pod& pod, const std::string& key) {
  const std::string* found = find_text(pod.labels, key);
  return found ? found : find_text(pod.annotations, key);
}

void read_data_set(const Pod& pod, PodAnnotations& result, std::string& problem) {
  const std::string* text = note(pod, annotation::data_set);
  if (!text || text->empty()) return;
  result.data_set = text->find('/') == std::string::npos ? pod.meta.name_space + '/' + *text : *text;
  if (!is_data_path(*text)) return;
  if (const Result<DataPath> path = read_data_path(*text); !path && problem.empty())
    problem = fmt::format("{}: {}", annotation::data_set, path.error().message);
}

void read_complete_by(const Pod& pod, PodAnnotations& result, std::string& problem) {
  const std::string* text = note(pod, annotation::complete_by);
  if (!text) return;
  const Result<TimePoint> when = parse_time(*text);
  if (const std::optional<Duration> time = parse_time_of_day(*text); time && *time > Duration(0))
    result.complete_by_time_of_day = time;
  else if (when && pod.created - *when <= longest_past_deadline)
    result.complete_by = *when;
  else if (problem.empty())
    problem =
        wrong(annotation::complete_by, *text,
              fmt::format("{}, or a time such as 2026-01-31T06:00:00Z, at most 366 days before the pod's creation",
                          allowed_times_of_day));
}

void join_application(const Pod& pod, const Frameworks& frameworks, PodAnnotations& result, std::string& problem) {
  std::optional<ApplicationMarks> marks = application_marks(pod, frameworks);
  if (!marks) return;
  result.in_application = true;
  result.driver = marks->driver;
  result.needs_driver = marks->framework.workers_first && !marks->driver;
  result.peers = marks->framework.exchanges && !note(pod, annotation::stage);
  result.application = std::move(marks->application);
  if (result.job.empty()) result.job = std::move(marks->run);
  if (const std::string& pods = marks->framework.pods; !pods.empty())
    read(pod, pods.c_str(), "a whole number, 1 to 1e9", task_count, result.pods, problem);
}

}  // namespace

std::optional<ApplicationMarks> application_marks(const Pod& pod, const Frameworks& frameworks) {
  for (const Framework& framework : frameworks) {
    const std::string* run = either(pod, framework.group);
    if (!run || run->empty() || (!framework.only.empty() && !has_label(pod, framework.only))) continue;
    ApplicationMarks marks{framework, *run, "", !framework.driver.empty() && has_label(pod, framework.driver)};
    const std::string* same = framework.same.empty() ? nullptr : find_text(pod.labels, framework.same);
    if (same) marks.application = *same;
    return marks;
  }
  return std::nullopt;
}

JobDue due_of(const PodAnnotations& pod, TimePoint created, TimePoint began) {
  JobDue due;
  due.complete_by = pod.complete_by;
  if (pod.complete_by_time_of_day) {
    const TimePoint midnight(one_day * (began.time_since_epoch() / one_day));
    due.complete_by = midnight + *pod.complete_by_time_of_day;
    if (*due.complete_by <= began) *due.complete_by += one_day;
  }
  if (pod.max_wait) due.start_by = created + *pod.max_wait;
  return due;
}

PodAnnotations with_defaults_of(PodAnnotations worker, const PodAnnotations& driver) {
  if (worker.pool.empty()) worker.pool = driver.pool;
  if (worker.data_set.empty()) worker.data_set = driver.data_set;
  if (!worker.cpu && !worker.cpu_per_mebibyte && !worker.run_time) worker.run_time = driver.run_time;
  if (!worker.shuffle) worker.shuffle = driver.shuffle;
  if (!worker.tasks) worker.tasks = driver.tasks;
  if (!worker.complete_by && !worker.complete_by_time_of_day) {
    worker.complete_by = driver.complete_by;
    worker.complete_by_time_of_day = driver.complete_by_time_of_day;
  }
  if (!worker.max_wait) worker.max_wait = driver.max_wait;
  if (worker.application.empty()) worker.application = driver.application;
  return worker;
}

Result<PodAnnotations> read_pod_annotations(const Pod& pod, const Frameworks& frameworks) {
  PodAnnotations result;
  std::string problem;
  const std::string* pool = note(pod, annotation::pool);
  if (pool) result.pool = *pool;
  read_data_set(pod, result, problem);
  read(pod, annotation::cpu, "a number of CPU-seconds above 0, at most 1e9", some_work, result.cpu, problem);
  read(pod, annotation::cpu_per_mebibyte, "a number of CPU-seconds, 0 to 1e6", work_per_mebibyte,
       result.cpu_per_mebibyte, problem);
  read(pod, annotation::run_time, "a time such as 90s or 1h30m, above 0 and at most 366 days", positive_duration,
       result.run_time, problem);
  read(pod, annotation::shuffle, "a size such as 1.5Gi, at most 1e9 MiB", some_size, result.shuffle, problem);
  read(pod, annotation::tasks, "a whole number, 1 to 1e9", task_count, result.tasks, problem);
  read(pod, annotation::max_wait, "a time such as 90s or 1h30m, above 0 and at most 366 days", positive_duration,
       result.max_wait, problem);
  read_complete_by(pod, result, problem);
  if (const std::string* stage = note(pod, annotation::stage)) {
    if (*stage != "map" && *stage != "reduce" && problem.empty())
      problem = wrong(annotation::stage, *stage, "map, reduce");
    result.stage = *stage == "reduce" ? TaskKind::reduce : TaskKind::map;
  }
  if (const std::string* job = note(pod, annotation::job)) result.job = *job;
  if (const std::string* path = note(pod, annotation::mounted_at)) result.mounted_at = *path;
  join_application(pod, frameworks, result, problem);
  if (!problem.empty()) return fail(ErrorCode::invalid_input, problem);
  return result;
}

}  // namespace lips::kubernetes
