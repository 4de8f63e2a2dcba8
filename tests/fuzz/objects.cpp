// Pods, nodes and Jobs as the API server has them, and what pods' annotations say.
#include "config/cron_schedule.h"
#include "kubernetes/adapter/memory_text.h"
#include "kubernetes/api/codec.h"
#include "kubernetes/pods/job_codec.h"
#include "kubernetes/pods/pod_annotations.h"
#include "tests/fuzz/fuzz_target.h"

namespace lips::kubernetes {

FUZZ_TARGET(objects, json) {
  static PodDecoder pods;
  static NodeDecoder nodes;
  static JobDecoder jobs;
  static CronJobDecoder cron_jobs;
  const auto pod = pods.decode(input);
  if (pod) (void)read_pod_annotations(*pod);
  const bool taken = nodes.decode(input).has_value();
  if (const auto job = jobs.decode(input))
    for (const auto& [key, value] : job->annotations) (void)read_memory(value);
  const auto cron = cron_jobs.decode(input);
  if (cron) (void)CronSchedule::parse(cron->schedule);
  return taken || pod || (cron && !cron->schedule.empty());
}

}  // namespace lips::kubernetes
