// Groups pods that arrived together into jobs of the model: pods of one owner with equal needs are one Job of the
// model, which is a part of the owner's whole job. Pure.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "kubernetes/adapter/data_under_path.h"
#include "kubernetes/adapter/job_pods.h"
#include "kubernetes/adapter/model_index.h"
#include "kubernetes/adapter/quota_grants.h"
#include "kubernetes/adapter/readable_data.h"
#include "kubernetes/adapter/task_part.h"
#include "kubernetes/pods/job_codec.h"
#include "kubernetes/pods/learned_traffic.h"
#include "kubernetes/pods/pod_classes.h"
#include "kubernetes/pods/pod_record.h"
#include "kubernetes/pods/run_times.h"
#include "kubernetes/pods/task_work.h"

namespace lips::kubernetes {

struct JobContext {
  ModelIndex& index;
  const PodClasses& classes;
  const RunTimes& run_times;
  const std::map<std::string, BatchJob>& jobs;                       // by uid
  std::function<Result<std::string>(const PodRecord& pod)> pool_of;  // error: it may not use the pool that it names
  std::function<KnownJob(const std::string& key)> known;             // of the whole job
  Duration default_run_time{60'000'000};                             // of tasks of which nothing is known
  MayRead may_read = {};
  Mebibytes shuffle_per_cpu_second{0};      // of applications that do not say how much they exchange
  PathLookup data_under = {};               // none: no path is known
  const LearnedTraffic* traffic = nullptr;  // of applications; none: nobody learns
  const DataDivisions* divisions = nullptr;
  ContentsOf contents = {};
  WhyLost why_lost = {};                                      // empty: no block is
  const std::map<std::string, CronJob>* cron_jobs = nullptr;  // by uid; none: no clock of theirs counts
  QuotaGrants* grants = nullptr;                              // of peers to come; none: quotas do not count
};

struct GroupedJob {
  std::string key;  // of the whole job to which it belongs
  Job job;
  std::vector<Task> tasks;
  std::vector<PodRecord*> pods;            // by task
  std::vector<std::uint32_t> maps_before;  // see JobArrived
};

// Leaves out pods that cannot be told what to read, or could not read it, or that may not use their pool, and names
// them in `rejected` with the reason.
struct Rejection {
  PodRecord* pod = nullptr;
  UnschedulableReason reason = UnschedulableReason::none;
  std::string what;
};

// In order of arrival, then name; tasks in order of index, then name. Every pod has a class.
std::vector<GroupedJob> group_into_jobs(const std::vector<PodRecord*>& pods, const JobContext& context,
                                        std::vector<ClusterEvent>& events, std::vector<Rejection>& rejected);

// The work of a pod that reads so much; records in the pod what it declares.
CpuSeconds work_of_pod(PodRecord& pod, Mebibytes input, const WorkHistory& history);

// The needs of one of an application's pods that has not arrived: as a worker that has, else as its driver with the
// size of its workers where that is known; none: nobody knows.
std::optional<PodNeeds> needs_to_come(const KnownJob& job, const PodClasses& classes);

}  // namespace lips::kubernetes
