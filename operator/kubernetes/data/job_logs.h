// Runs Jobs for the text that their pods write to their logs. Does not know what it means.
#pragma once

#include <functional>
#include <map>
#include <string>

#include "kubernetes/data/data_catalog.h"
#include "kubernetes/data/object_writes.h"

namespace lips::kubernetes {

class JobLogs {
 public:
  // `name_space`: of the Jobs. All outlive it.
  JobLogs(const DataCatalog& catalog, ObjectWrites& writes, const std::string& name_space)
      : catalog_(catalog), writes_(writes), name_space_(name_space) {}

  // The log of a Job's pod once it has succeeded. Before that, starts the Job or requests the log, and returns nullptr.
  // The error says why there will be none. `body` is called where the Job is started.
  Result<const std::string*> of(const std::string& job, const std::function<std::string()>& body, TimePoint now);
  void forget(const std::string& job) { logs_.erase(job); }
  // Also deletes the Job.
  void end(const WorkJob& job, TimePoint now);
  template <class Gone>
  void forget_if(Gone gone) {
    std::erase_if(logs_, [&](const auto& log) { return gone(log.first); });
  }
  std::size_t kept() const { return logs_.size(); }

 private:
  void start(const std::string& job, const std::function<std::string()>& body, TimePoint now);

  const DataCatalog& catalog_;
  ObjectWrites& writes_;
  const std::string& name_space_;
  std::map<std::string, std::string> logs_;  // by Job
};

}  // namespace lips::kubernetes
