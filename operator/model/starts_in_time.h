// When the tasks of a part of a job that wait can all have started, those of its other parts that have to start no
// later included: pods of one job that came one by one wait for the same nodes.
#pragma once

#include <map>
#include <utility>
#include <vector>

#include "model/jobs_in_parts.h"
#include "model/last_starts.h"

namespace lips {

class StartsInTime {
 public:
  StartsInTime(const ClusterSnapshot& cluster, const PendingParts& parts)  // both outlive it
      : cluster_(cluster), parts_(parts), last_starts_(cluster) {}

  // Seconds from now, at the least, until so many tasks of the part have started. Infinity: no node takes one.
  double of(JobId part, std::size_t tasks);
  // The last start of all pending tasks of the job.
  LastStarts::Last of_all(JobId part);

 private:
  // By the time at which they have to start at the latest: all that have to by then.
  using Earlier = std::vector<std::pair<TimePoint, double>>;
  const Earlier& earlier(JobId part);

  const ClusterSnapshot& cluster_;
  const PendingParts& parts_;
  LastStarts last_starts_;
  std::map<JobId, Earlier> earlier_;  // by the first part of the job
};

}  // namespace lips
