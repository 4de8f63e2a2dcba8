// Who reads which data: pending readers of data sets and blocks, and blocks that several portions share.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "model/jobs_in_parts.h"
#include "policies/lips/market/workload.h"

namespace lips {

// Pending readers' unread share of each data set, in whole data sets.
IdVector<DataSetId, double> pending_readers(const ClusterSnapshot& cluster);

// The reads that other jobs still have of the data sets of one.
class OtherReaders {
 public:
  explicit OtherReaders(const ClusterSnapshot& cluster);  // outlives it
  // In whole data sets, of the group's: by pending jobs but this one, which is all of its parts.
  double of(JobId job, const TaskGroup& group) const;

 private:
  using Reads = std::unordered_map<DataSetId, double>;  // MiB
  const Reads& own(JobId job) const;

  const ClusterSnapshot& cluster_;
  PendingParts parts_;
  IdVector<DataSetId, double> all_;
  mutable std::unordered_map<JobId, Reads> own_;  // by the first part
};

// Pending readers of each block: the least cost of a group's reads. Counts the readers of a data set when it is first
// asked about.
class PendingReads {
 public:
  explicit PendingReads(const ClusterSnapshot& cluster);
  struct Of {
    std::uint32_t most_readers = 1;  // of one of the group's blocks
    ZoneSet zones;                   // that hold one of them, or will
  };
  Of of(const TaskGroup& group) const;
  std::uint32_t readers(BlockId block) const;

 private:
  struct Counted {
    std::vector<std::uint32_t> readers;  // by block, from the data set's first
    bool shared = false;                 // some block has several
  };
  struct Reader {
    DataSetId data_set;
    JobId job;
    std::uint32_t group = 0;
  };
  std::size_t place_of(BlockId block) const;
  const Counted& counted(DataSetId data_set) const;

  const ClusterSnapshot& cluster_;
  std::vector<Reader> readers_;  // by data set
  mutable std::unordered_map<DataSetId, Counted> counted_;
};

// Which portions read the same blocks.
class SharedData {
 public:
  explicit SharedData(const ClusterSnapshot& cluster);
  const IdVector<SharedObjectId, SharedObject>& objects() const { return objects_; }
  // None where the portion shares nothing, or shares some of its blocks only.
  SharedObjectId object(JobId job, std::uint32_t group) const { return of_[job][group].object; }
  // One over the pending readers of the portion's most read block: the share of each when all share one copy, so never
  // more than in any plan with copies.
  double fair_share(JobId job, std::uint32_t group) const { return 1.0 / of_[job][group].most_readers; }

 private:
  struct Entry {
    SharedObjectId object;
    std::uint32_t most_readers = 1;
  };
  void count_readers(const ClusterSnapshot& cluster);
  void find_objects(const ClusterSnapshot& cluster);

  IdVector<SharedObjectId, SharedObject> objects_;
  IdVector<JobId, std::vector<Entry>> of_;
  IdVector<BlockId, std::uint32_t> readers_;
};

}  // namespace lips
