// Which task a name on the command line means. Plans nothing.
#pragma once

#include <string>

#include "base/result.h"
#include "records/epoch_record.h"

namespace lips::cmd {

struct Subject {
  std::string name;  // as an answer names it
  TaskId task;       // none: the pod is held
  std::string held;  // why
};

// The pod of that name in the namespace, or "NAMESPACE/POD"; the task "JOB/NUMBER"; a job's first task that waits, else
// its first that runs. invalid_input suggests a similar name.
Result<Subject> find_subject(const EpochRecord& record, const std::string& name, const std::string& name_space);

}  // namespace lips::cmd
