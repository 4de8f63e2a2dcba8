#include "shadow/watch_report.h"

namespace lips {

void WatchReport::add(const std::vector<WatchedChange>& changes, const std::string& day) {
  for (auto& [known, jobs] : days_)
    for (auto& [job, sum] : jobs) sum.running = 0;
  for (const WatchedChange& change : changes) {
    std::map<Job, WatchedSum>& jobs = days_[day];
    Job job{change.name_space, change.job};
    if (jobs.size() >= most_jobs_a_day && !jobs.contains(job)) job = {other_jobs, other_jobs};
    jobs[job] += change.more;
  }
  if (days_.size() > most_days) days_.erase(days_.begin());
}

std::vector<WatchedRow> WatchReport::rows() const {
  std::vector<WatchedRow> rows;
  for (const auto& [day, jobs] : days_)
    for (const auto& [job, sum] : jobs) rows.push_back({day, job.first, job.second, sum});
  return rows;
}

}  // namespace lips
