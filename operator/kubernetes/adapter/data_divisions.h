// The division of each job's data among its tasks. The division is fixed when the first pod of the job is told what to
// read, and holds until the job ends, whatever grows or is scaled meanwhile. Annotations of the pods and of the
// batch/v1 Job keep the division, where the next process or leader finds it.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "base/result.h"
#include "kubernetes/api/api_client.h"
#include "kubernetes/api/events.h"
#include "kubernetes/pods/data_division.h"
#include "kubernetes/pods/job_codec.h"
#include "kubernetes/pods/pod_record.h"

namespace lips::kubernetes {

// A digest of the blocks as the catalog has them now; none: the data set has changed since the model was listed.
using ContentsOf = std::function<std::optional<std::string>(const BlockRun& run)>;

class DataDivisions {
 public:
  DataDivisions(ApiClient& client, std::function<bool()> may_act) : client_(client), may_act_(std::move(may_act)) {}

  // Objects were found with these annotations, whoever wrote them. A pod's count once it has begun.
  void found(const PodRecord& pod, const TextMap& annotations);
  void found(const BatchJob& job);
  // None: nobody has been told yet what to read.
  const DataDivision* of(const PodRecord& pod) const;
  // The pod is about to be told what it reads. `conflict`: its data set or its job has changed since it was planned.
  Result<void> fix(const PodRecord& pod, const ContentsOf& contents);
  // A warning, if the Job has another number of tasks than when its data were divided: tasks that run go on, and the
  // Job may end well without the rest of its data.
  std::optional<EventNote> why_divided_otherwise(const BatchJob& job) const;

  // Another process has led meanwhile: forgets what no object of the cluster says.
  void forget_unseen();
  // Forgets the divisions of all other jobs: "owner/" and the uid of a Job, or the key of a job of pods.
  void keep_only(const std::function<bool(const std::string& job)>& is_there);
  // Writes to Jobs what is new, as many as the rate allows; call it a few times a second.
  void flush();

 private:
  struct Entry {
    DataDivision division;
    std::string job;    // as keep_only() names it
    bool seen = false;  // on an object of the cluster
  };
  void found(const std::string& key, const std::string& job, const SaidDivision& said);

  ApiClient& client_;
  std::function<bool()> may_act_;
  std::map<std::string, Entry> entries_;
  std::map<std::string, std::pair<ObjectMeta, std::string>> to_write_;  // Jobs and the text for each, by key
  std::set<std::string> written_;                                       // uids of Jobs that carry one
};

// The annotation that LiPS writes on a pod that reads a part; empty: the pod reads none.
std::string division_text_of(const PodRecord& pod);

}  // namespace lips::kubernetes
