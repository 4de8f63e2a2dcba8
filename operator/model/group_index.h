// Finds the group of tasks that a task of a job belongs to, fast even where nearly every task is a group of its own.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "model/work.h"

namespace lips {

class GroupIndex {
 public:
  // The group that equals `wanted` except for chain and count; appended to the groups of the job when there is none.
  std::uint32_t find_or_add(JobId job, std::vector<TaskGroup>& groups, const TaskGroup& wanted);
  void forget(JobId job) { jobs_.erase(job); }

 private:
  // By hash, only for jobs with many groups: a handful is faster to compare than to hash.
  std::unordered_map<JobId, std::unordered_multimap<std::size_t, std::uint32_t>> jobs_;
};

}  // namespace lips
