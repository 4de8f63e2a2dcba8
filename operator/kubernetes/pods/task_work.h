// How much CPU time a task needs: as its annotations declare, as earlier tasks of its template took, or as assumed.
#pragma once

#include <string>

#include "kubernetes/pods/pod_annotations.h"
#include "kubernetes/pods/run_times.h"

namespace lips::kubernetes {

struct WorkHistory {
  const RunTimes& run_times;
  Duration default_run_time;  // of tasks of which nothing is known
};

struct TaskWork {
  CpuSeconds cpu;
  Duration declared{};  // run time by its annotations; 0: not declared
};

// The work of a task of that template (template_of) that requests so many cores and reads so much.
TaskWork work_of(const PodAnnotations& task, double cores, Mebibytes input, const std::string& of,
                 const WorkHistory& history);

}  // namespace lips::kubernetes
