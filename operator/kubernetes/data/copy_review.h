// Looks now and then at each store for copies that nobody owns: a Job lists what lies below lips-copies, and the status
// of the DataStore says which of it belongs to no DataSet. Deletes nothing but its Jobs.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "kubernetes/api/events.h"
#include "kubernetes/data/data_catalog.h"
#include "kubernetes/data/job_logs.h"
#include "kubernetes/data/move_jobs.h"
#include "kubernetes/data/object_writes.h"
#include "kubernetes/data/unowned_copies.h"

namespace lips::kubernetes {

class CopyReview {
 public:
  // `every`: between two looks at a store; 0: never.
  CopyReview(DataCatalog& catalog, ObjectWrites& writes, EventRecorder& events, const WorkSettings& work,
             Duration every);
  // Call it while the catalog is complete: a DataSet that is not known yet would look as if it did not exist.
  void tick(TimePoint now);
  std::size_t kept() const { return looks_.size() + begun_.size() + not_before_.size() + logs_.kept(); }

 private:
  struct Look {
    std::string uid, job;  // of the store; the Job's name
    TimePoint begun;
    bool written = false;
  };
  struct Begun {
    std::string uid;
    TimePoint at;
  };
  void note_owners();
  void end_jobs_without_a_look(TimePoint now);
  void forget_what_is_gone();
  std::optional<TimePoint> due_since(const DataStoreResource& store, TimePoint now);
  void begin_some(TimePoint now);
  bool is_over(const std::string& name, const Look& look, TimePoint now);
  bool write(const DataStoreResource& store, UnownedCopies found, TimePoint now);
  void report_problem(const DataStoreResource& store, const std::string& what, TimePoint now);

  DataCatalog& catalog_;
  ObjectWrites& writes_;
  EventRecorder& events_;
  const WorkSettings& work_;
  const Duration every_;
  JobLogs logs_;
  std::map<std::string, Look> looks_;  // under way, by store
  // Everything that existed at any moment since these looks began: a DataSet may end, and its copies with it, while a
  // Job lists them.
  Owners owners_;
  std::uint64_t noted_version_ = 0;              // of the catalog
  std::map<std::string, Begun> begun_;           // by store, until its status says so
  std::map<std::string, TimePoint> not_before_;  // by store: after a failure
  TimePoint reviewed_{};
};

}  // namespace lips::kubernetes
