// The cost of jobs, by day, pool and job. Bounded: the oldest days go, and so do the cheapest jobs of a day, into
// one row of their pool.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "model/job_dollars.h"

namespace lips {

class JobLedger {
 public:
  static constexpr std::size_t most_days = 31;
  static constexpr std::size_t least_jobs_a_day = 500;  // that keep their rows: the dearest, of at most twice as many
  static constexpr const char* other_jobs = "(other jobs)";

  void add(std::int64_t day, const std::string& pool, const std::string& job, const JobDollars& more);
  std::vector<JobDay> rows() const;  // by day, pool, job

 private:
  using Job = std::pair<std::string, std::string>;  // pool, name
  using Jobs = std::map<Job, JobDollars>;
  static void fold(Jobs& jobs);

  std::map<std::int64_t, Jobs> days_;
};

}  // namespace lips
