#include "cmd/ask/subject.h"

#include <fmt/format.h>

#include <charconv>
#include <optional>
#include <vector>

#include "cmd/cli/arguments.h"

namespace lips::cmd {

namespace {

std::optional<Subject> pod_named(const EpochRecord& record, const std::string& name) {
  if (!record.live) return std::nullopt;
  for (const PodOfTask& pod : record.live->pods)
    if (pod.name == name) return Subject{pod.name, pod.task, ""};
  for (const HeldPod& pod : record.live->held)
    if (pod.name == name) return Subject{pod.name, TaskId::none(), pod.why};
  return std::nullopt;
}

std::string name_of(const EpochRecord& record, TaskId task) {
  if (record.live)
    for (const PodOfTask& pod : record.live->pods)
      if (pod.task == task) return pod.name;
  const ClusterSnapshot& cluster = record.snapshot.cluster;
  const Job& job = cluster.jobs[cluster.tasks[task].job];
  return fmt::format("{}/{}", job.name, task.index() - job.first_task.index());
}

// "etl/17" is the task 17 of the job etl.
std::optional<TaskId> numbered_task(const ClusterSnapshot& cluster, const std::string& name) {
  const std::size_t slash = name.rfind('/');
  if (slash == std::string::npos) return std::nullopt;
  std::uint32_t number = 0;
  const char* end = name.data() + name.size();
  const auto [stopped, code] = std::from_chars(name.data() + slash + 1, end, number);
  if (code != std::errc() || stopped != end) return std::nullopt;
  for (const Job& job : cluster.jobs)
    if (job.name == name.substr(0, slash) && number < job.tasks()) return TaskId(job.first_task.index() + number);
  return std::nullopt;
}

// A part of a whole job has the name of the others.
std::optional<TaskId> task_of_job(const ClusterSnapshot& cluster, const std::string& name) {
  std::optional<TaskId> best;
  const auto rank = [&](TaskId task) {
    switch (cluster.tasks[task].state) {
      case TaskState::pending:
        return 0;
      case TaskState::blocked:
        return 1;
      case TaskState::bound:
      case TaskState::running:
        return 2;
      case TaskState::finished:
        break;
    }
    return 3;
  };
  for (const Job& job : cluster.jobs) {
    if (job.name != name) continue;
    for (std::uint32_t i = 0; i < job.tasks(); ++i)
      if (const TaskId task(job.first_task.index() + i); !best || rank(task) < rank(*best)) best = task;
  }
  return best;
}

std::vector<std::string> known_names(const EpochRecord& record) {
  std::vector<std::string> names;
  if (record.live) {
    for (const PodOfTask& pod : record.live->pods) names.push_back(pod.name);
    for (const HeldPod& pod : record.live->held) names.push_back(pod.name);
  }
  for (const Job& job : record.snapshot.cluster.jobs) names.push_back(job.name);
  return names;
}

}  // namespace

Result<Subject> find_subject(const EpochRecord& record, const std::string& name, const std::string& name_space) {
  const ClusterSnapshot& cluster = record.snapshot.cluster;
  const std::string full = name_space + "/" + name;
  for (const std::string& candidate : {full, name}) {
    if (std::optional<Subject> pod = pod_named(record, candidate)) return *std::move(pod);
    if (const auto task = numbered_task(cluster, candidate)) return Subject{name_of(record, *task), *task, ""};
    if (const auto task = task_of_job(cluster, candidate)) return Subject{name_of(record, *task), *task, ""};
  }
  const std::vector<std::string> names = known_names(record);
  std::string similar = did_you_mean(full, names);
  if (similar.empty()) similar = did_you_mean(name, names);
  return fail(ErrorCode::invalid_input,
              fmt::format("there is no pod or job '{}' among those that the operator plans{}", name, similar));
}

}  // namespace lips::cmd
