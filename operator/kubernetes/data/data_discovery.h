// Discovers files and replicas for data sets that request it: runs Jobs that list a folder or query HDFS, reads their
// logs, and writes the result into the DataSet's status.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "kubernetes/api/events.h"
#include "kubernetes/api/turns.h"
#include "kubernetes/data/data_catalog.h"
#include "kubernetes/data/discovered.h"
#include "kubernetes/data/hdfs_walk.h"
#include "kubernetes/data/job_logs.h"
#include "kubernetes/data/move_jobs.h"
#include "kubernetes/data/object_writes.h"

namespace lips::kubernetes {

class DataDiscovery {
 public:
  DataDiscovery(DataCatalog& catalog, ObjectWrites& writes, EventRecorder& events, const WorkSettings& work);
  void tick(TimePoint now);
  std::size_t kept() const { return logs_.kept() + walks_.size() + not_before_.size(); }

 private:
  void forget_what_is_gone();
  void note_jobs(TimePoint now);
  void begin_some(TimePoint now);
  bool is_under_way(const CatalogDataSet& set) const;
  bool due(const CatalogDataSet& set, TimePoint now) const;
  void discover(const CatalogDataSet& set, TimePoint now);
  void discover_hdfs(const CatalogDataSet& set, TimePoint now);
  // All files, once every folder is listed; before that, and where one cannot be, nullptr.
  const std::vector<DataFile>* walk_hdfs(const CatalogDataSet& set, TimePoint now);
  // See JobLogs; nullptr also where the Job has failed, which is told.
  const std::string* log_of(const CatalogDataSet& set, const std::string& job, const std::function<std::string()>& body,
                            TimePoint now);
  void keep(const CatalogDataSet& set, const Result<Discovered>& found, TimePoint now);
  void refuse_size(const CatalogDataSet& set, std::string why, TimePoint now);
  void report_problem(const CatalogDataSet& set, const std::string& what, TimePoint now);
  void remove_jobs(const CatalogDataSet& set, TimePoint now);

  DataCatalog& catalog_;
  ObjectWrites& writes_;
  EventRecorder& events_;
  const WorkSettings& work_;
  JobLogs logs_;
  std::map<std::string, HdfsWalk> walks_;                    // by the first Job of a look
  std::map<std::string, TimePoint> not_before_;              // by data set: after a failure
  std::map<std::string, std::vector<const WorkJob*>> jobs_;  // by uid of the data set, in this tick
  struct Begun {
    std::string name_space;
    TimePoint at;
  };
  std::map<std::string, Begun> begun_;    // by uid of a data set whose first Job is not seen yet
  Turns<const CatalogDataSet*> waiting_;  // for their turn, in this tick
};

}  // namespace lips::kubernetes
