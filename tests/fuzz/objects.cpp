// Pods, nodes and Jobs as the API server has them, and what pods' annotations say.
#include "kubernetes/adapter/memory_text.h"
#include "kubernetes/api/codec.h"
#include "kubernetes/pods/job_codec.h"
#include "kubernetes/pods/task_notes.h"
#include "tests/fuzz/fuzz_target.h"

namespace lips::kubernetes {

FUZZ_TARGET(objects, json) {
  static PodDecoder pods;
  static NodeDecoder nodes;
  static JobDecoder jobs;
  if (const auto pod = pods.decode(input)) (void)read_task_notes(*pod);
  (void)nodes.decode(input);
  if (const auto job = jobs.decode(input))
    for (const auto& [key, value] : job->annotations) (void)read_memory(value);
}

}  // namespace lips::kubernetes
