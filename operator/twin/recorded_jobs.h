// The jobs of a journal: each one once, when it came, whatever ids it had from record to record, and how much work each
// of its tasks turned out to be. Knows no files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "model/cluster_event.h"
#include "model/snapshot.h"
#include "records/ended_tasks.h"

namespace lips::twin {

// Facts that the records do not have, in numbers.
struct UnknownJobs {
  std::size_t under_way = 0;     // jobs of which some tasks had ended before the first record
  std::size_t in_parts = 0;      // jobs that came in parts, or whose tasks are peers
  std::size_t released = 0;      // jobs that waited for others to write their input
  std::size_t outputs = 0;       // jobs that wrote data sets
  std::size_t nowhere = 0;       // jobs that are left out: no node of the cluster may take their tasks
  std::size_t without_data = 0;  // tasks that read nothing: no record had their data
  std::size_t unended = 0;       // tasks that had not ended in the last record
  std::size_t unseen_end = 0;    // tasks that ended, and no record says when
  std::size_t slow_reads = 0;  // tasks that took longer and may have waited for data: their job says how much was work
  std::size_t unseen_tasks = 0;  // tasks that ended, of jobs that came and went between two records
  CpuSeconds unseen_work;        // of them
  std::uint64_t lost = 0;        // attempts that ended before their task did
};

class RecordedJobs {
 public:
  // Records in the order in which they were made; `ended` of it, none: an older record. `own_marks`: marks against
  // eviction are those of the pods themselves, not of plans.
  void add(const ClusterSnapshot& cluster, const std::optional<RecordedEnds>& ended, bool own_marks);

  struct Placed {
    std::vector<JobArrived> jobs;      // by arrival, counted from the first record
    std::vector<double> work_factors;  // of their tasks, one after the other: true work over expected work
    std::vector<bool> not_evicted;     // by job; empty: none has a mark of its own
    UnknownJobs unknown;
  };
  // Gives the jobs places in the tables of the cluster; adds pools, constraints and resources that it lacks.
  Placed place(ClusterSnapshot& cluster) const;

  TimePoint began() const { return began_.value_or(TimePoint{}); }
  std::size_t tasks() const { return tasks_; }  // that are kept
  Duration span() const { return began_ ? ended_ - *began_ : Duration(0); }
  bool knows_ends() const { return knows_ends_; }  // every record says which tasks had ended

 private:
  struct SeenTask {
    CpuSeconds cpu;
    Mebibytes input;
    TaskKind kind = TaskKind::map;  // here
    TaskKind was = TaskKind::map;
    std::int32_t data_set = -1;  // of SeenJob::data_sets
    std::uint32_t block = 0;     // of it
    std::uint32_t place = 0;     // in the job
    std::optional<CpuSeconds> work = {};
    bool waited_for_data = false;
    TaskState last = TaskState::blocked;  // in the last record that has the job
  };
  struct SeenJob {
    Job job;  // without ids
    std::string pool;
    std::optional<PlacementConstraint> constraint;
    std::vector<std::pair<std::string, double>> extended;
    std::vector<std::pair<std::string, double>> data_sets;  // name, fraction
    std::vector<SeenTask> tasks;
    bool not_evicted = false;
  };
  using Key = std::tuple<std::string, TimePoint, Resources>;
  using DataSets = std::unordered_map<std::string, DataSetId>;

  void add_job(const ClusterSnapshot& cluster, const Job& job, bool first);
  WholeJob whole_of(const Job& part);
  void look_at_tasks(const ClusterSnapshot& cluster, const Job& job, SeenJob& seen) const;
  void take_end(const RecordedEnd& end);
  static SeenTask* task_of(const RecordedEnd& end, SeenJob& seen);
  static std::int32_t data_set_of(const ClusterSnapshot& cluster, const Job& job, DataSetId id, SeenJob& seen);
  static JobArrived placed(const SeenJob& seen, const DataSets& known, ClusterSnapshot& cluster,
                           std::size_t& without_data);
  double work_over_expected() const;
  void add_factors(const SeenJob& seen, double usual, Placed& result) const;

  std::map<Key, std::vector<std::optional<std::size_t>>> known_;                   // jobs; none: left out
  std::map<std::pair<std::string, TimePoint>, std::vector<std::size_t>> by_name_;  // the same
  std::map<std::pair<std::string, TimePoint>, WholeJobId> wholes_;                 // by its first arrival
  std::vector<SeenJob> jobs_;
  std::size_t tasks_ = 0;
  std::optional<TimePoint> began_;
  TimePoint ended_{};
  bool knows_ends_ = true;
  UnknownJobs unknown_;
};

}  // namespace lips::twin
