// Finds the group of a job's tasks that a task belongs to, also where nearly every task is one of its own.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "model/work.h"

namespace lips {

class GroupIndex {
 public:
  // Of the job's groups the one alike, but for its chain and count; added at the end where there is none.
  std::uint32_t find_or_add(JobId job, std::vector<TaskGroup>& groups, const TaskGroup& wanted);
  void forget(JobId job) { jobs_.erase(job); }

 private:
  // By hash, of jobs with many groups alone: most have a handful, which are compared faster than they are hashed.
  std::unordered_map<JobId, std::unordered_multimap<std::size_t, std::uint32_t>> jobs_;
};

}  // namespace lips
