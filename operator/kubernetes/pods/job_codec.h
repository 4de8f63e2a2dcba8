// The parts of batch/v1 Jobs and CronJobs that the operator reads: the number of tasks, the annotations in which it
// keeps memories, when Kubernetes ends them, and of those that have not begun what they will ask for.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "kubernetes/api/object_decoder.h"
#include "kubernetes/api/objects.h"
#include "kubernetes/pods/job_spec.h"

namespace lips::kubernetes {

struct BatchJob {
  ObjectMeta meta;
  TextMap annotations;  // those under lips.dev/
  JobSpec spec;
  bool deleting = false, ended = false;  // ended: it has succeeded or failed, or is about to
  std::optional<TimePoint> started;      // status.startTime
  std::string cron_job;                  // the uid of the CronJob that controls it; empty: none
  // Says whether its controller makes pods where some are missing.
  bool makes_pods() const { return !deleting && !ended && !spec.suspended; }
};

struct CronJob {
  ObjectMeta meta;
  TextMap annotations;  // its own under lips.dev/, not those of its Jobs
  std::string schedule, time_zone;
  bool suspended = false;
  TimePoint last_start{};                     // before the first one: when it was made
  bool one_at_a_time = false;                 // concurrencyPolicy: the next run waits for this one, or replaces it
  std::optional<Duration> starting_deadline;  // a run that has not started so long after its time is left out
  JobSpec job;
};

using JobDecoder = ObjectDecoder<BatchJob>;
using CronJobDecoder = ObjectDecoder<CronJob>;

}  // namespace lips::kubernetes
