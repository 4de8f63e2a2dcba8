// The jobs of a journal: each one once, when it came, whatever ids it had from record to record. Knows no files.
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

namespace lips::cmd {

class RecordedJobs {
 public:
  // Records in the order in which they were made.
  void add(const ClusterSnapshot& cluster);

  struct Placed {
    std::vector<JobArrived> jobs;  // by arrival, counted from the first record
    std::size_t nowhere = 0;       // jobs that are left out: no node of the cluster may take their tasks
    std::size_t without_data = 0;  // tasks that read nothing here, because the cluster has not their data any more
  };
  // Gives the jobs places in the tables of the cluster; adds pools, constraints and resources that it lacks.
  Placed place(ClusterSnapshot& cluster) const;

  Duration span() const { return began_ ? ended_ - *began_ : Duration(0); }
  std::size_t under_way() const { return under_way_; }  // jobs of which some tasks had ended before the first record
  std::size_t in_parts() const { return in_parts_; }    // jobs that came in parts, or whose tasks are peers

 private:
  struct SeenTask {
    CpuSeconds cpu;
    Mebibytes input;
    TaskKind kind = TaskKind::map;
    std::int32_t data_set = -1;  // of SeenJob::data_sets
    std::uint32_t block = 0;     // of it
  };
  struct SeenJob {
    Job job;  // without ids
    std::string pool;
    std::optional<PlacementConstraint> constraint;
    std::vector<std::pair<std::string, double>> extended;
    std::vector<std::pair<std::string, double>> data_sets;  // name, fraction
    std::vector<SeenTask> tasks;
  };
  using Key = std::tuple<std::string, TimePoint, Resources>;
  using DataSets = std::unordered_map<std::string, DataSetId>;

  void add_job(const ClusterSnapshot& cluster, const Job& job, bool first);
  static std::int32_t data_set_of(const ClusterSnapshot& cluster, const Job& job, DataSetId id, SeenJob& seen);
  static JobArrived placed(const SeenJob& seen, const DataSets& known, ClusterSnapshot& cluster,
                           std::size_t& without_data);

  std::map<Key, std::size_t> known_;  // how many jobs
  std::vector<SeenJob> jobs_;
  std::optional<TimePoint> began_;
  TimePoint ended_{};
  std::size_t under_way_ = 0, in_parts_ = 0;
};

}  // namespace lips::cmd
