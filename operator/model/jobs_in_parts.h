// A job as its owner sees it, all parts together: when it began, its work, and what is left and waits of it. Jobs are
// weighed and ordered by these, so that it makes no difference in how many parts the pods of a job arrived.
#pragma once

#include <unordered_map>
#include <vector>

#include "model/snapshot.h"

namespace lips {

// The first arrival of any part.
TimePoint began(const Job& part);
// Tasks that are declared and have not arrived count as the mean of those that have.
CpuSeconds all_work(const Job& part);
// The same, of the tasks that have not ended.
CpuSeconds all_work_left(const Job& part);

// The parts of each job that have pending tasks.
class PendingParts {
 public:
  explicit PendingParts(const ClusterSnapshot& cluster);  // outlives it
  CpuSeconds pending_work(JobId part) const;
  // Calls visit(id) for each part of the job with pending tasks, in their order in ClusterSnapshot::pending.
  template <class Visit>
  void each(JobId part, const Visit& visit) const {
    const Parts* parts = find(part);
    if (!parts) return cluster_.jobs[part].pending > 0 ? visit(part) : void();
    visit(parts->first);
    for (const JobId other : parts->others) visit(other);
  }
  // The first of them, else the part: the same for each that has any.
  JobId first(JobId part) const;

 private:
  struct Parts {
    JobId first;
    std::vector<JobId> others;
    CpuSeconds pending_work;
  };
  const Parts* find(JobId part) const;

  const ClusterSnapshot& cluster_;
  std::unordered_map<WholeJobId, Parts> parts_;
};

}  // namespace lips
