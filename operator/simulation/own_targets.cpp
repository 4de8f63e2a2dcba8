#include "simulation/own_targets.h"

#include <algorithm>

namespace lips::simulation {

void OwnTargetsRecorder::on_job(std::size_t tasks) {
  jobs_.push_back({tasks, {}, {}});
  started_.resize(started_.size() + tasks, false);
}

void OwnTargetsRecorder::on_start(TaskId task, JobId id, TimePoint now) {
  const std::optional<TimePoint> by = scenario_.jobs[id.index()].job.due.start_by;
  if (!by || started_[task]) return;
  started_[task] = true;
  --jobs_[id].to_start;
  jobs_[id].late_start = std::max(jobs_[id].late_start, now - *by);
}

void OwnTargetsRecorder::on_job_end(JobId id, bool finished, TimePoint now) {
  if (finished) jobs_[id].done = now;
}

OwnTargets OwnTargetsRecorder::finish(TimePoint end) const {
  OwnTargets result;
  const auto count = [](OwnTarget& target, Duration beyond, const std::string& job) {
    ++target.jobs;
    if (beyond <= Duration(0)) return;
    ++target.missed;
    if (beyond > target.worst) target.worst = beyond, target.worst_job = job;
  };
  for (const JobId id : jobs_.ids()) {
    const Job& job = scenario_.jobs[id.index()].job;
    const Record& record = jobs_[id];
    if (job.due.complete_by) count(result.complete_by, record.done.value_or(end) - *job.due.complete_by, job.name);
    if (job.due.start_by)
      count(result.max_wait, record.to_start > 0 ? end - *job.due.start_by : record.late_start, job.name);
  }
  return result;
}

}  // namespace lips::simulation
