// The blocks of its data that a task reads: the i-th of as many parts as its job has tasks. Pure.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>

#include "base/result.h"
#include "kubernetes/adapter/data_divisions.h"
#include "kubernetes/pods/job_codec.h"
#include "kubernetes/pods/pod_record.h"

namespace lips::kubernetes {

// The blocks that task i of N reads of B blocks: [i*B/N, (i+1)*B/N).
struct TaskBlocks {
  std::uint32_t first = 0, count = 0;
};
TaskBlocks blocks_of_task(std::uint32_t task, std::uint32_t tasks, std::uint32_t blocks);
// The number of tasks of the pod's job; none: unknown.
std::optional<std::uint32_t> task_count(const PodRecord& pod, const std::map<std::string, BatchJob>& jobs);

// Why no task can read the first of these blocks of which no store has a replica that can be read; empty: all have one.
using WhyLost = std::function<std::string(const BlockRun& run)>;

struct PartContext {
  const std::map<std::string, BatchJob>& jobs;  // by uid
  const DataDivisions* divisions = nullptr;     // of jobs that have begun; none: of no job
  const ContentsOf& contents;                   // empty: data sets do not change
};

struct TaskPart {
  TaskBlocks span;                       // from the run's first block on
  std::optional<DataDivision> division;  // none: it reads the whole run, alone
};

// `run`: what the pod names. `not_found`: it is to be tried again; `conflict`: what the job had when it began is no
// longer there; `invalid_input`: the pod has to be changed. A pod on a node keeps its part whatever has been scaled.
Result<TaskPart> part_of_task(const PodRecord& pod, const BlockRun& run, const PartContext& context);

}  // namespace lips::kubernetes
