// From pods that arrived together to the model's jobs: pods of one owner that ask for the same are a Job of the model,
// a part of the whole job that the owner means. Pure.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "kubernetes/adapter/job_pods.h"
#include "kubernetes/adapter/model_index.h"
#include "kubernetes/pods/job_codec.h"
#include "kubernetes/pods/pod_classes.h"
#include "kubernetes/pods/pod_record.h"
#include "kubernetes/pods/run_times.h"

namespace lips::kubernetes {

struct JobContext {
  ModelIndex& index;
  const PodClasses& classes;
  const RunTimes& run_times;
  const std::map<std::string, BatchJob>& jobs;                       // by uid
  std::function<Result<std::string>(const PodRecord& pod)> pool_of;  // error: it may not be in the one that it names
  std::function<KnownJob(const std::string& key)> known;             // of the whole job
  Duration default_run_time{60'000'000};                             // of tasks of which nothing is known
  // Whether pods of that namespace may read the data set; none: all may.
  std::function<bool(const std::string& data_set, const std::string& name_space)> may_read = {};
};

struct GroupedJob {
  std::string key;  // of the whole job of which it is a part
  Job job;
  std::vector<Task> tasks;
  std::vector<PodRecord*> pods;            // by task
  std::vector<std::uint32_t> maps_before;  // see JobArrived
};

// Pods whose data set is not there, or has too few blocks for them, or that may not be in their pool, are left out and
// named in `rejected` with what is wrong.
struct Rejection {
  PodRecord* pod = nullptr;
  UnschedulableReason reason = UnschedulableReason::none;
  std::string what;
};

// In order of arrival, then name; tasks in order of index, then name. Every pod has a class.
std::vector<GroupedJob> group_into_jobs(const std::vector<PodRecord*>& pods, const JobContext& context,
                                        std::vector<ClusterEvent>& events, std::vector<Rejection>& rejected);

// Which blocks task i of N reads of B: [i*B/N, (i+1)*B/N).
struct TaskBlocks {
  std::uint32_t first = 0, count = 0;
};
TaskBlocks blocks_of_task(std::uint32_t task, std::uint32_t tasks, std::uint32_t blocks);
// How many tasks the pod's job has; none: nothing says so.
std::optional<std::uint32_t> task_count(const PodRecord& pod, const std::map<std::string, BatchJob>& jobs);

}  // namespace lips::kubernetes
