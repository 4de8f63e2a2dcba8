// Which Jobs are parts of one job, and the facts that these parts share, kept equal in all of them. For ClusterState
// alone; knows no task states.
#pragma once

#include <vector>

#include "model/snapshot.h"

namespace lips {

class WholeJobs {
 public:
  // Adds a part. `maps_before` counts for the first part of a whole job only.
  void join(ClusterSnapshot& cluster, JobId part, const std::vector<std::uint32_t>& maps_before);
  // A map of the part has ended. `where` is the zone of its output; none: it left no output.
  void map_ended(ClusterSnapshot& cluster, JobId part, ZoneId where);
  // Any task of the part has ended.
  void task_ended(ClusterSnapshot& cluster, JobId part);
  // The task needs this work instead of what it says.
  void learn(ClusterSnapshot& cluster, TaskId task, CpuSeconds work);
  // The part is held no more, and has its arrival.
  void released(ClusterSnapshot& cluster, JobId part);
  // A task of the part that coordinates has started: from now on the others are awaited.
  void driver_started(ClusterSnapshot& cluster, JobId part, TimePoint when);
  // No more peers come than have arrived. Does nothing if no part of the job has.
  void await_nobody(ClusterSnapshot& cluster, WholeJobId job);
  // So many maps of the job are awaited beside those that have arrived. Does nothing if no part of it has. Returns the
  // parts.
  std::vector<JobId> miss_maps(WholeJobId job, std::uint32_t maps);
  // All tasks of the part have ended: it gets no more updates.
  void part_ended(const Job& job, JobId part);

  // Says whether a map in any part of the job has arrived and not ended, or is missing: reduces wait for it.
  bool maps_under_way(const Job& job) const;
  // All parts of the job; a Job that is no part is its own only one.
  std::vector<JobId> parts(const ClusterSnapshot& cluster, JobId part) const;

 private:
  struct Entry {
    WholeJob whole;
    Mebibytes shuffle;
    std::vector<std::uint32_t> maps_in;  // with output, by zone
    std::uint32_t maps_under_way = 0, maps_missing = 0;
    std::vector<JobId> parts;  // with unfinished tasks
  };
  void tell(ClusterSnapshot& cluster, const Entry& entry) const;

  IdVector<WholeJobId, Entry> entries_;
};

}  // namespace lips
