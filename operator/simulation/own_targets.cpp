#include "simulation/own_targets.h"

namespace lips::simulation {

void OwnTargetsRecorder::on_job(std::size_t tasks) {
  jobs_.push_back({tasks, {}, {}});
  started_.resize(started_.size() + tasks, false);
}

void OwnTargetsRecorder::on_start(TaskId task, JobId id, TimePoint now) {
  if (started_[task]) return;
  started_[task] = true;
  --jobs_[id].to_start;
  jobs_[id].last_start = now;
}

void OwnTargetsRecorder::on_job_end(JobId id, bool finished, TimePoint now) {
  if (finished) jobs_[id].done = now;
}

OwnTargets OwnTargetsRecorder::finish(TimePoint end) const {
  OwnTargets result;
  const auto count = [](OwnTarget& target, std::optional<Duration> late, const std::string& job) {
    if (!late) return;
    ++target.jobs;
    if (*late <= Duration(0)) return;
    ++target.missed;
    if (*late > target.worst) target.worst = *late, target.worst_job = job;
  };
  for (const JobId id : jobs_.ids()) {
    const Job& job = scenario_.jobs[id.index()].job;
    count(result.complete_by, beyond(OwnTargetKind::complete_by, job.due, jobs_[id], end), job.name);
    count(result.max_wait, beyond(OwnTargetKind::max_wait, job.due, jobs_[id], end), job.name);
  }
  return result;
}

}  // namespace lips::simulation
