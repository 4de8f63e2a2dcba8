#include "kubernetes/data/job_logs.h"

#include "kubernetes/data/move_jobs.h"

namespace lips::kubernetes {
namespace {

constexpr std::string_view log_limit = "?limitBytes=16777216";  // it is read in one piece

}  // namespace

void JobLogs::start(const std::string& job, const std::function<std::string()>& body, TimePoint now) {
  const std::string key = "Job/" + job;
  if (!writes_.free(key, now)) return;
  writes_.send(key, creation_of(jobs_path(name_space_), body()), [this, job](const Answer& answer) {
    if (!answer && answer.error().code != ErrorCode::conflict) logs_.erase(job);
  });
}

Result<const std::string*> JobLogs::of(const std::string& job, const std::function<std::string()>& body,
                                       TimePoint now) {
  if (const auto log = logs_.find(job); log != logs_.end()) return &log->second;
  const auto place = catalog_.jobs().find(job);
  if (place == catalog_.jobs().end()) {
    start(job, body, now);
    return nullptr;
  }
  if (place->second.deleting || place->second.state == WorkJob::State::running) return nullptr;
  const WorkPod* pod = nullptr;
  for (const auto& [name, each] : catalog_.pods())
    if (each.job == job) pod = &each;
  if (place->second.state == WorkJob::State::failed || !pod)
    return fail(ErrorCode::invalid_input,
                pod && !pod->message.empty() ? pod->message : place->second.why + " (its pod is gone)");
  const std::string key = "Job/" + job + "/log";
  if (!writes_.free(key, now)) return nullptr;
  ApiRequest request;
  request.path = pods_path_of(name_space_) + '/' + pod->meta.name + "/log" + std::string(log_limit);
  writes_.send(key, std::move(request), [this, job](const Answer& answer) {
    if (answer) logs_[job] = *answer;
  });
  return nullptr;
}

void JobLogs::end(const WorkJob& job, TimePoint now) {
  const std::string& name = job.meta.name;
  logs_.erase(name);
  const std::string key = "Job/" + name + "/end";
  if (!job.deleting && writes_.free(key, now)) writes_.send(key, deletion_of(jobs_path(name_space_) + '/' + name));
}

}  // namespace lips::kubernetes
