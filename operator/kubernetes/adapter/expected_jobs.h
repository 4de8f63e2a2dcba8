// Work that is announced: the next runs of CronJobs, suspended and gated Jobs that say when they are expected, later
// steps of workflows that run, and what a file lists. Pure.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "kubernetes/adapter/announced_work.h"
#include "kubernetes/adapter/announcements.h"
#include "kubernetes/adapter/expected_pods.h"
#include "kubernetes/pods/job_codec.h"
#include "kubernetes/pods/workflow.h"

namespace lips::kubernetes {

struct Announcers {
  const std::map<std::string, BatchJob>& jobs;       // by uid
  const std::map<std::string, CronJob>& cron_jobs;   // by uid
  const std::map<std::string, Workflow>& workflows;  // by uid
  const std::vector<Announcement>& announced;        // by a file
  // When a job of that name has come last; one that comes near enough to its time is the one that was announced.
  const std::map<std::string, TimePoint>& arrivals;
  // Says whether a pod of the Job with this uid is past its gates: the gates of the template stay.
  std::function<bool(const std::string& uid)> released = {};
};

// The jobs that are expected within `reach`, or was and is not here yet.
ExpectedJobs expected_jobs(const Announcers& announcers, const ExpectationContext& context, TimePoint now,
                           Duration reach);

}  // namespace lips::kubernetes
