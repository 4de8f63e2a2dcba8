// A JobSet (jobset.x-k8s.io): the parts that say which of its Jobs begin when others run or have ended. A value.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "kubernetes/pods/workflow_decoder.h"

namespace lips::kubernetes {

struct JobSet {
  struct Dependency {
    std::string name;
    bool ready = false;  // until its pods run; else until it has succeeded
  };
  struct ReplicatedJob {
    std::string name;
    std::int32_t replicas = 1;
    std::shared_ptr<const JobSpec> spec;
    std::vector<Dependency> depends_on;
  };
  struct Counts {  // of the Jobs of a replicated job
    std::int64_t ready = 0, succeeded = 0, failed = 0, active = 0, suspended = 0;
  };
  ObjectMeta meta;
  bool suspended = false, deleting = false, ended = false;
  bool in_order = false;  // each starts when the one before runs
  std::vector<ReplicatedJob> replicated_jobs;
  std::map<std::string, Counts> status;
};

// A step for each replicated job. Where the status says nothing of one, it is to come.
Workflow workflow_of(const JobSet& set);

using JobSetDecoder = WorkflowDecoder<JobSet>;

}  // namespace lips::kubernetes
