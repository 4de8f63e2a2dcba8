// The Job controller of a virtual cluster: the Jobs of the scenario, their pods in batches, and a new pod for each that
// failed.
#include <algorithm>
#include <utility>

#include "base/check.h"
#include "kubernetes/api/time_text.h"
#include "virtual/pod_rules.h"
#include "virtual/quota_admission.h"
#include "virtual/virtual_kubernetes.h"

namespace lips::virtual_cluster {

JobStage VirtualKubernetes::stage_of(TaskId task) const {
  return {places_[task].job, kind_of(scenario_, places_[task])};
}

std::vector<TaskId> VirtualKubernetes::tasks_of(JobStage of) const {
  const Job& job = scenario_.jobs[of.job.index()].job;
  const bool maps = of.kind == TaskKind::map;
  const std::uint32_t first = first_task_[of.job.index()].index() + (maps ? 0 : job.map_tasks);
  std::vector<TaskId> tasks;
  for (std::uint32_t i = 0; i < (maps ? job.map_tasks : job.reduce_tasks); ++i) tasks.emplace_back(first + i);
  return tasks;
}

void VirtualKubernetes::make_job(JobId id) {
  make_job({id, TaskKind::map});
  if (rules_.mode == PodMode::watch) return make_reduces(id);
  make_job({id, TaskKind::reduce});
}

// Nobody holds reduces back for which nobody plans.
void VirtualKubernetes::make_reduces(JobId id) {
  const JobStage stage{id, TaskKind::reduce};
  const std::vector<TaskId> reduces = tasks_of(stage);
  if (!reduces.empty() && record_of(stage).key.empty() && truth_.waits(reduces.front())) make_job(stage);
}

void VirtualKubernetes::make_job(JobStage of) {
  const std::vector<TaskId> tasks = tasks_of(of);
  if (tasks.empty()) return;
  const StoredObject* made = server_.objects().create(jobs_path, job_object(scenario_, of, rules_.mode), loop_->now());
  LIPS_CHECK(made, "a job arrives once");
  StageRecord& record = record_of(of);
  record.key = key_of(*made->json);
  record.uid = text_in(look_in(*made->json, "metadata"), "uid");
  record.left = static_cast<std::uint32_t>(tasks.size());
  record.missing = {tasks.begin(), tasks.end()};
  record.batch = rules_.jobs.first_batch;
  make_pods(of);
}

// Looks at the Job at that time, unless a look before is due.
void VirtualKubernetes::look_at_job(JobStage of, TimePoint when) {
  StageRecord& record = record_of(of);
  if (record.next_look && record.next_look->first <= when) return;
  if (record.next_look) loop_->cancel(record.next_look->second);
  record.next_look.emplace(when, loop_->at(when, [this, of] {
    record_of(of).next_look.reset();
    make_pods(of);
  }));
}

// Makes a batch of the pods that are missing, the lowest indexes first. The first batch waits for the end of a
// back-off; the others are of the same round.
void VirtualKubernetes::make_pods(JobStage of) {
  StageRecord& record = record_of(of);
  if (over_ || record.failed) return;
  const TimePoint now = loop_->now(), ready = record.back_off.ends();
  if (record.batch == rules_.jobs.first_batch && now < ready) return look_at_job(of, ready);
  for (std::size_t i = 0; i < record.batch && !record.missing.empty(); ++i) {
    const TaskId task = *record.missing.begin();
    const bool needed = pods_[task].name.empty() && !truth_.runs(task) && !truth_.has_ended(task);
    if (needed && !make_pod(task)) {
      record.batch = rules_.jobs.first_batch;
      return look_at_job(of, now + record.back_off.refuse());
    }
    record.missing.erase(task);
  }
  if (record.missing.empty()) {
    record.batch = rules_.jobs.first_batch;
    return record.back_off.admit();
  }
  record.batch = std::min(2 * record.batch, rules_.jobs.largest_batch);
  look_at_job(of, now + rules_.jobs.between_batches);
}

// Returns false if a quota refuses the pod.
bool VirtualKubernetes::make_pod(TaskId task) {
  PodOfTask& record = pods_[task];
  Json pod = pod_object(scenario_, places_[task], record_of(stage_of(task)).uid, record.attempts, rules_.mode);
  begin_pod(pod);
  if (!admit_by_quotas(server_.objects(), pod).empty()) return false;
  ++record.attempts;
  record.name = key_of(pod);
  record.bound = false;
  task_of_[record.name] = task;
  LIPS_CHECK(server_.objects().create(pods_path, std::move(pod), loop_->now()), "each attempt has a name of its own");
  return true;
}

// The task's pod has failed or is gone. `counts`: the Job's policy does not ignore how it ended.
void VirtualKubernetes::replace_pod(TaskId task, bool counts) {
  const JobStage stage = stage_of(task);
  StageRecord& record = record_of(stage);
  if (record.failed) return;
  record.missing.insert(task);
  record.back_off.fail(loop_->now(), counts);
  if (record.back_off.exceeds_limit()) return fail_job(stage);
  look_at_job(stage, loop_->now() + rules_.jobs.after_changes);
}

void VirtualKubernetes::succeed(TaskId task) {
  const JobStage stage = stage_of(task);
  StageRecord& record = record_of(stage);
  record.back_off.succeed();
  if (--record.left == 0)
    finish_job(stage);
  else if (!record.missing.empty())
    look_at_job(stage, loop_->now() + rules_.jobs.after_changes);
  if (rules_.mode == PodMode::watch) make_reduces(stage.job);
}

void VirtualKubernetes::finish_job(JobStage of) {
  put_conditions(of, {"Complete"}, "CompletionsReached");
  remove_later(of);
}

// Pods that run end in their own time; those that wait are gone at once.
void VirtualKubernetes::fail_job(JobStage of) {
  StageRecord& record = record_of(of);
  record.failed = true;
  record.missing.clear();
  put_conditions(of, {"FailureTarget", "Failed"}, "BackoffLimitExceeded");
  for (const TaskId task : tasks_of(of)) {
    PodOfTask& pod = pods_[task];
    const StoredObject* found = server_.objects().find(pods_path, pod.name);
    if (!found) continue;
    if (truth_.runs(task)) {
      Json leaving = *found->json;
      leaving["metadata"]["deletionTimestamp"] = kubernetes::time_text(loop_->now());
      put_pod(pod.name, std::move(leaving));
      continue;
    }
    const std::string key = std::exchange(pod.name, "");
    pod.bound = pod.leaves = false;
    server_.objects().remove(pods_path, key);
  }
  truth_.give_up(of.job);
  remove_later(of);
}

void VirtualKubernetes::put_conditions(JobStage of, std::initializer_list<const char*> types, const char* reason) {
  const StoredObject* found = server_.objects().find(jobs_path, record_of(of).key);
  if (!found) return;
  Json job = *found->json;
  Json& conditions = job["status"]["conditions"] = Json::array();
  for (const char* type : types) conditions.push_back({{"type", type}, {"status", "True"}, {"reason", reason}});
  server_.objects().put(jobs_path, record_of(of).key, std::move(job));
}

void VirtualKubernetes::remove_later(JobStage of) {
  loop_->at(loop_->now() + rules_.jobs.keep_ended, [this, of, key = record_of(of).key] {
    server_.objects().remove(jobs_path, key);
    const std::string name_space = pool_name(scenario_, scenario_.jobs[of.job.index()].job.pool);
    for (const TaskId task : tasks_of(of))
      for (int attempt = 0; attempt < pods_[task].attempts; ++attempt)
        server_.objects().remove(pods_path, key_of(name_space, pod_name(scenario_, places_[task], attempt)));
  });
}

}  // namespace lips::virtual_cluster
