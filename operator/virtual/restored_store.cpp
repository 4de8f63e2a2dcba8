// Kubelets and controllers after the server's store was restored: containers of pods that it does not know are stopped,
// pods that have ended say so again, Jobs that are gone are applied again, nodes are those that are up.
#include <utility>
#include <vector>

#include "virtual/virtual_kubernetes.h"

namespace lips::virtual_cluster {
namespace {

constexpr Duration they_begin = std::chrono::seconds(5), they_wait = std::chrono::minutes(15);

std::string phase_of(const Json& pod) { return pod.value(Json::json_pointer("/status/phase"), ""); }
bool is_bound(const Json& pod) { return !pod.value(Json::json_pointer("/spec/nodeName"), "").empty(); }
bool is_over(const Json& pod) { return phase_of(pod) == "Succeeded" || phase_of(pod) == "Failed"; }

}  // namespace

void VirtualKubernetes::restore(const ObjectStore::Backup& backup, std::uint64_t gap) {
  advance();
  const ObjectStore::Objects nodes = server_.objects().all(nodes_path);
  server_.objects().restore(backup, gap);
  task_of_.clear();
  for (std::uint32_t job = 0; job < jobs_arrived_; ++job)
    for (const TaskKind kind : {TaskKind::map, TaskKind::reduce}) restore_job({JobId(job), kind});
  restore_nodes(nodes);
  scheduler_->relist();
  quotas_->relist();
  std::vector<Json> jobs;
  for (const auto& [key, stored] : server_.objects().all(jobs_path)) jobs.push_back(*stored.json);
  loop_->at(loop_->now() + they_begin, [this, jobs = std::move(jobs)] {
    for (const Json& job : jobs)
      if (server_.objects().find(jobs_path, key_of(job))) movers_.end_again(job);
    order_nodes();
  });
}

void VirtualKubernetes::restore_job(JobStage of) {
  StageRecord& stage = record_of(of);
  if (stage.key.empty()) return;
  const bool there = server_.objects().find(jobs_path, stage.key) != nullptr;
  if (!there && stage.left > 0 && !stage.failed) {
    const StoredObject* made =
        server_.objects().create(jobs_path, job_object(scenario_, of, rules_.mode), loop_->now());
    stage.uid = (*made->json)["metadata"]["uid"];
  }
  for (const TaskId task : tasks_of(of)) restore_pods(task);
  if (stage.failed) return fail_job(of);
  if (there && stage.left == 0) finish_job(of);
}

// At most one of the pods goes on: the one that runs, else the newest that has not ended.
void VirtualKubernetes::restore_pods(TaskId task) {
  PodOfTask& record = pods_[task];
  const std::string name_space = pool_name(scenario_, scenario_.jobs[places_[task].job.index()].job.pool);
  const std::string running = truth_.runs(task) ? std::exchange(record.name, "") : "";
  record.name.clear();
  std::vector<std::string> open;
  for (int attempt = 0; attempt < record.attempts; ++attempt) {
    const std::string key = key_of(name_space, pod_name(scenario_, places_[task], attempt));
    const StoredObject* found = server_.objects().find(pods_path, key);
    if (!found) continue;
    task_of_[key] = task;
    if (!is_over(*found->json)) open.push_back(key);
  }
  const auto bound = [&](const std::string& key) { return is_bound(*server_.objects().find(pods_path, key)->json); };
  const auto report = [&](const std::string& key, const char* phase) {
    loop_->at(loop_->now() + they_begin, [this, key, phase] {
      const StoredObject* found = server_.objects().find(pods_path, key);
      if (!found || is_over(*found->json)) return;
      Json pod = *found->json;
      pod["status"]["phase"] = phase;
      put_pod(key, std::move(pod));
    });
  };
  if (!open.empty()) record.name = open.back();
  record.bound = false, record.leaves = false;
  for (const std::string& key : open)
    if (key != record.name) report(key, "Failed");
  const bool goes_on = !running.empty() && running == record.name && bound(running);
  record.forgotten = truth_.runs(task) && !goes_on;
  if (record.forgotten) truth_.reclaim({task, PoolId::none(), Usd(0)});
  const auto make_another = [&] {
    record_of(stage_of(task)).missing.insert(task);
    look_at_job(stage_of(task), loop_->now() + they_begin);
  };
  if (record.name.empty()) return make_another();
  record.bound = bound(record.name);
  // The simulated autoscaler buys for no task that has ended: whoever waits for a node to end once more gives up.
  if (!record.bound) {
    if (truth_.has_ended(task))
      loop_->at(loop_->now() + they_wait, [this, task, name = record.name] {
        if (pods_[task].name == name && !pods_[task].bound) end_pod(task, true);
      });
    return;
  }
  if (truth_.has_ended(task)) return report(record.name, "Succeeded");
  if (goes_on) return report(record.name, "Running");
  // It had ended otherwise, or runs elsewhere by now.
  report(std::exchange(record.name, ""), "Failed");
  record.bound = false;
  make_another();
}

// The nodes are those that were there before the restore.
void VirtualKubernetes::restore_nodes(const ObjectStore::Objects& before) {
  std::vector<std::string> gone;
  for (const auto& [name, node] : server_.objects().all(nodes_path))
    if (!before.contains(name)) gone.push_back(name);
  for (const std::string& name : gone) server_.objects().remove(nodes_path, name);
  for (const auto& [name, node] : before)
    if (server_.objects().find(nodes_path, name))
      server_.objects().put(nodes_path, name, *node.json);
    else
      server_.objects().create(nodes_path, *node.json, loop_->now());
}

}  // namespace lips::virtual_cluster
