// The needs of a template's pods that nobody has made yet. Pure.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "base/result.h"
#include "kubernetes/adapter/readable_data.h"
#include "kubernetes/pods/job_codec.h"
#include "kubernetes/pods/task_work.h"
#include "model/expected_work.h"

namespace lips::kubernetes {

struct ExpectationContext {
  const ModelIndex& index;
  WorkHistory history;
  // Says whether the operator plans such a pod: it has no name yet.
  std::function<bool(const Pod& pod, const PodAnnotations& task)> planned;
  MayRead may_read = {};
  // The pool of a namespace's pods that ask for that one; the text may be empty. Empty: not known.
  std::function<PoolId(const std::string& name_space, const std::string& wanted)> pool = {};
};

struct PodsToCome {
  const std::string& name_space;
  Owner owner;  // that they will have
  const JobSpec& spec;
  std::int32_t copies = 1;  // of the whole, side by side
};

struct ExpectedPods {
  ExpectedWork work;     // without its time, and without the job unless the pods themselves name one
  double tasks = 0;      // that it is the work of
  Duration lasts{};      // until the last has ended, if as many run beside each other as may
  bool planned = false;  // by the operator
};

// The error says which annotation cannot be read.
Result<ExpectedPods> expected_pods(const PodsToCome& to_come, const ExpectationContext& context);

}  // namespace lips::kubernetes
