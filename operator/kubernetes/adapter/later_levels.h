// The later levels of workflows: steps that wait until others have ended, so that nobody has made their pods yet. When
// they will come, and what they will need. Pure.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "kubernetes/adapter/announced_work.h"
#include "kubernetes/adapter/expected_pods.h"
#include "kubernetes/pods/job_codec.h"
#include "kubernetes/pods/workflow.h"

namespace lips::kubernetes {

// The begin of each step for which it is known, if others that it waits for have not ended. `lasts`: from when a
// step begins until it ends. An error: steps wait for themselves.
Result<IdVector<StepIndex, std::optional<TimePoint>>> later_begins(const IdVector<StepIndex, Step>& steps,
                                                                   const IdVector<StepIndex, Duration>& lasts,
                                                                   TimePoint now);

// Both by uid.
ExpectedJobs later_levels(const std::map<std::string, Workflow>& workflows, const std::map<std::string, BatchJob>& jobs,
                          const ExpectationContext& context, TimePoint now);

}  // namespace lips::kubernetes
