// The times at which Kubernetes itself ends a Job, or wants to start the next one in its place: spec.activeDeadlineSeconds, and the
// next run of a CronJob that allows one run at a time. Pure.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "kubernetes/pods/job_codec.h"

namespace lips::kubernetes {

// `began`: when the Job started, as far as that is known. None: nothing ends it.
std::optional<TimePoint> ends_by_clock(const BatchJob& job, TimePoint began,
                                       const std::map<std::string, CronJob>* cron_jobs);

// The last moment at which the controller still starts the run of that time.
std::optional<TimePoint> last_start_of_run(const CronJob& cron, TimePoint at);

// The name that the controller gives to the Job of the run that is planned for that time.
std::string name_of_run(const CronJob& cron, TimePoint at);

}  // namespace lips::kubernetes
