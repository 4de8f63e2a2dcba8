// Which Jobs are parts of one job, and what those parts have in common: kept the same in all of them. For ClusterState
// alone; knows no task's state.
#pragma once

#include <vector>

#include "model/snapshot.h"

namespace lips {

class WholeJobs {
 public:
  // The part has come. `maps_before` is read of a whole job's first part.
  void join(ClusterSnapshot& cluster, JobId part, const std::vector<std::uint32_t>& maps_before);
  // A map of the part is over; `where` it left its output, none: it left none.
  void map_ended(ClusterSnapshot& cluster, JobId part, ZoneId where);
  // All tasks of the part are over: it is told no more.
  void part_ended(const Job& job, JobId part);

  // Whether some map of the job, in whatever part, has come and is not over: reduces wait for it.
  bool maps_under_way(const Job& job) const;
  // Of a Job that is no part: itself.
  std::vector<JobId> parts(const ClusterSnapshot& cluster, JobId part) const;

 private:
  struct Entry {
    WholeJob whole;
    Mebibytes shuffle;
    std::vector<std::uint32_t> maps_in;  // that have left their output, by zone
    std::uint32_t maps_under_way = 0;
    std::vector<JobId> parts;  // with tasks that are not over
  };
  void tell(ClusterSnapshot& cluster, const Entry& entry) const;

  IdVector<WholeJobId, Entry> entries_;
};

}  // namespace lips
