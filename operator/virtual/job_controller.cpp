// The Job controller of a virtual cluster: the Jobs of the scenario, their pods in batches, and a new pod for each that
// failed.
#include <algorithm>
#include <utility>

#include "base/check.h"
#include "virtual/pod_rules.h"
#include "virtual/quota_admission.h"
#include "virtual/virtual_kubernetes.h"

namespace lips::virtual_cluster {

VirtualKubernetes::StageRecord& VirtualKubernetes::stage_of(TaskId task) {
  return stages_[places_[task].job.index()][kind_of(scenario_, places_[task])];
}

std::vector<TaskId> VirtualKubernetes::tasks_of(JobId id, TaskKind kind) const {
  const Job& job = scenario_.jobs[id.index()].job;
  const std::uint32_t first = first_task_[id.index()].index() + (kind == TaskKind::map ? 0 : job.map_tasks);
  std::vector<TaskId> tasks;
  for (std::uint32_t i = 0; i < (kind == TaskKind::map ? job.map_tasks : job.reduce_tasks); ++i)
    tasks.emplace_back(first + i);
  return tasks;
}

void VirtualKubernetes::make_job(JobId id) {
  make_job(id, TaskKind::map);
  if (rules_.mode == PodMode::watch) return make_reduces(id);
  make_job(id, TaskKind::reduce);
}

// Nobody holds reduces back for which nobody plans.
void VirtualKubernetes::make_reduces(JobId id) {
  const std::vector<TaskId> reduces = tasks_of(id, TaskKind::reduce);
  if (reduces.empty() || !stages_[id.index()][TaskKind::reduce].key.empty() || !truth_.waits(reduces.front())) return;
  make_job(id, TaskKind::reduce);
}

void VirtualKubernetes::make_job(JobId id, TaskKind kind) {
  std::vector<TaskId> tasks = tasks_of(id, kind);
  if (tasks.empty()) return;
  const JobStage stage{id, kind};
  const StoredObject* made =
      server_.objects().create(jobs_path, job_object(scenario_, stage, rules_.mode), loop_->now());
  LIPS_CHECK(made, "a job arrives once");
  stages_[id.index()][kind] = {key_of(*made->json), text_in(look_in(*made->json, "metadata"), "uid"),
                               static_cast<std::uint32_t>(tasks.size())};
  std::reverse(tasks.begin(), tasks.end());  // taken from the back
  make_pods(std::move(tasks), rules_.jobs.first_batch);
}

void VirtualKubernetes::make_pods(std::vector<TaskId> tasks, std::size_t batch) {
  for (std::size_t i = 0; i < batch && !tasks.empty(); ++i) {
    make_pod(tasks.back());
    tasks.pop_back();
  }
  if (tasks.empty()) return;
  const std::size_t next = std::min(2 * batch, rules_.jobs.largest_batch);
  loop_->at(loop_->now() + rules_.jobs.between_batches,
            [this, tasks = std::move(tasks), next]() mutable { make_pods(std::move(tasks), next); });
}

void VirtualKubernetes::make_pod(TaskId task) {
  if (over_) return;
  PodOfTask& record = pods_[task];
  Json pod = pod_object(scenario_, places_[task], stage_of(task).uid, record.attempts++, rules_.mode);
  begin_pod(pod);
  if (!admit_by_quotas(server_.objects(), pod).empty()) {  // the Job controller tries again
    --record.attempts;
    record.name.clear();
    return make_pod_later(task);
  }
  record.name = key_of(pod);
  record.bound = false;
  task_of_[record.name] = task;
  LIPS_CHECK(server_.objects().create(pods_path, std::move(pod), loop_->now()), "each attempt has a name of its own");
}

void VirtualKubernetes::make_pod_later(TaskId task) {
  loop_->at(loop_->now() + rules_.jobs.back_off, [this, task] {
    if (pods_[task].name.empty() && !truth_.has_ended(task)) make_pod(task);
  });
}

void VirtualKubernetes::finish_job(JobId id, TaskKind kind) {
  StageRecord& stage = stages_[id.index()][kind];
  Json job = *server_.objects().find(jobs_path, stage.key)->json;
  job["status"]["conditions"] = Json::array({{{"type", "Complete"}, {"status", "True"}}});
  server_.objects().put(jobs_path, stage.key, std::move(job));
  loop_->at(loop_->now() + rules_.jobs.keep_ended, [this, id, kind, key = stage.key] {
    server_.objects().remove(jobs_path, key);
    const std::string name_space = key.substr(0, key.find('/'));
    for (const TaskId task : tasks_of(id, kind))
      for (int attempt = 0; attempt < pods_[task].attempts; ++attempt)
        server_.objects().remove(pods_path, key_of(name_space, pod_name(scenario_, places_[task], attempt)));
  });
}

}  // namespace lips::virtual_cluster
