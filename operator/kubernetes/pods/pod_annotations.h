// Describes a pod's work by its annotations and labels: the data that it reads, the CPU time that it needs, its pool.
// Knows no cluster.
#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "config/frameworks.h"
#include "kubernetes/api/objects.h"
#include "model/work.h"

namespace lips::kubernetes {

// More than any task needs: 31 years of a core.
inline constexpr CpuSeconds most_task_work(1e9);

struct PodAnnotations {
  std::string pool;               // empty: the namespace's
  std::string data_set;           // "namespace/name", or a path (data_path.h); empty: the task reads none
  std::optional<CpuSeconds> cpu;  // of the whole task
  std::optional<CpuSecondsPerMebibyte> cpu_per_mebibyte;
  std::optional<Duration> run_time;   // on as many cores of speed 1 as it requests
  std::optional<Mebibytes> shuffle;   // all map output of the job
  std::optional<std::int32_t> tasks;  // of the job; else its completions
  // When the job has to be done: a time, or a time of day after the pod's creation; how long a task may wait.
  std::optional<TimePoint> complete_by;
  std::optional<Duration> complete_by_time_of_day, max_wait;
  TaskKind stage = TaskKind::map;
  std::string mounted_at;  // where the pod mounts a store of its node; empty: where the store says
  std::string job;         // joins pods of several owners in one job; empty: the owner is the job
  // True for a framework's application: its name is `job` unless the pod says another.
  bool in_application = false;
  bool driver = false;               // starts the others
  bool needs_driver = false;         // which may come after it
  bool peers = false;                // its pods exchange data while they run
  std::optional<std::int32_t> pods;  // of the application, the driver included
  ResourceAmounts each;              // of a driver: what a worker requests; empty: not known
  std::string application;           // its name in every run; empty: not known
  std::string group;                 // its PodGroup; empty: none
  std::int32_t gang = 0;             // of which so many start together; 0: each for itself

  friend bool operator==(const PodAnnotations&, const PodAnnotations&) = default;
};

// When the pod's job is due.
// A time of day is the next one after `began`, when its job did: whatever pods it still makes, the day stays the same.
JobDue due_of(const PodAnnotations& pod, TimePoint created, TimePoint began);
// The error names the annotation, the value found, and the values allowed.
Result<PodAnnotations> read_pod_annotations(const Pod& pod, const Frameworks& frameworks = {});
// As the labels and annotations of the framework say it that matches the pod first; none: it is of no application.
struct ApplicationMarks {
  const Framework& framework;
  std::string run;          // of one run of the application
  std::string application;  // of all of its runs; empty: not known
  bool driver = false;
};
std::optional<ApplicationMarks> application_marks(const Pod& pod, const Frameworks& frameworks);
// The annotations of a worker; where it has none, those of its driver for all.
PodAnnotations with_defaults_of(PodAnnotations worker, const PodAnnotations& driver);

namespace annotation {
inline constexpr const char *pool = "lips.dev/pool", *data_set = "lips.dev/dataset", *cpu = "lips.dev/cpu-seconds",
                            *cpu_per_mebibyte = "lips.dev/cpu-seconds-per-mebibyte", *run_time = "lips.dev/run-time",
                            *shuffle = "lips.dev/shuffle", *tasks = "lips.dev/tasks", *stage = "lips.dev/stage",
                            *complete_by = "lips.dev/complete-by", *max_wait = "lips.dev/max-wait",
                            *expected_at = "lips.dev/expected-at", *expected_chance = "lips.dev/expected-chance",
                            *job = "lips.dev/job", *input = "lips.dev/input", *read_from = "lips.dev/read-from",
                            *memory = "lips.dev/memory", *finished_maps = "lips.dev/finished-maps",
                            *memory_of = "lips.dev/memory-of", *mounted_at = "lips.dev/data-path",
                            *steered = "lips.dev/steered", *capacity_type = "lips.dev/capacity-type",
                            *division = "lips.dev/division", *kept_for = "lips.dev/kept-for",
                            *do_not_disrupt = do_not_disrupt_annotation;
}

}  // namespace lips::kubernetes
