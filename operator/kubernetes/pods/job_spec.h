// The part of a spec that a Job and a template of Jobs have in common, as the operator reads it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "kubernetes/api/objects.h"

namespace lips::kubernetes {

// The notes of a template on its pods in its metadata: all under lips.dev/.
struct PodNotes {
  TextMap annotations, labels;
  friend bool operator==(const PodNotes&, const PodNotes&) = default;
};

// spec of a Job, or of the Jobs that a CronJob makes.
struct JobSpec {
  std::optional<std::int32_t> completions, parallelism;
  bool suspended = false;
  std::optional<Duration> active_deadline;  // its controller ends it so long after its start
  // Those of each pod to come.
  std::string scheduler;
  PodNotes pod_notes;
  std::int64_t cpu = 0;  // thousandths of a core, requested by its containers
  bool gated = false;    // behind a scheduling gate of others
};

}  // namespace lips::kubernetes
