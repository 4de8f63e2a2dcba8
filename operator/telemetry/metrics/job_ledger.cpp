#include "telemetry/metrics/job_ledger.h"

#include <algorithm>

namespace lips {

void JobLedger::add(std::int64_t day, const std::string& pool, const std::string& job, const JobDollars& more) {
  Jobs& jobs = days_[day];
  jobs[{pool, job}] += more;
  if (jobs.size() > 2 * least_jobs_a_day) fold(jobs);
  if (days_.size() > most_days) days_.erase(days_.begin());
}

// The cheaper half of the jobs shares a row by pool, or, where pools are as many as jobs, one for all.
void JobLedger::fold(Jobs& jobs) {
  std::map<std::string, JobDollars> others;
  std::vector<Jobs::const_iterator> cheapest;
  for (auto job = jobs.cbegin(); job != jobs.cend(); ++job) {
    if (job->first.second == other_jobs)
      others[job->first.first] = job->second;
    else
      cheapest.push_back(job);
  }
  std::sort(cheapest.begin(), cheapest.end(), [](const auto& a, const auto& b) {
    const Usd here = a->second.spent.total(), there = b->second.spent.total();
    return here != there ? here < there : a->first < b->first;
  });
  cheapest.resize(cheapest.size() - std::min(least_jobs_a_day, cheapest.size()));
  for (const auto& job : cheapest) {
    others[job->first.first] += job->second;
    jobs.erase(job);
  }
  const bool many_pools = others.size() > least_jobs_a_day / 2;
  std::erase_if(jobs, [](const auto& job) { return job.first.second == other_jobs; });
  for (const auto& [pool, dollars] : others) jobs[{many_pools ? other_jobs : pool, other_jobs}] += dollars;
}

std::vector<JobDay> JobLedger::rows() const {
  std::vector<JobDay> rows;
  for (const auto& [day, jobs] : days_)
    for (const auto& [job, dollars] : jobs) rows.push_back({day, job.first, job.second, dollars});
  return rows;
}

}  // namespace lips
