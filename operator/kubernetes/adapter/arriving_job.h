// Jobs whose pods are just being made. A Job's controller makes them in batches that double; a plan that sees the first
// pod alone chooses a home for all of them by one task's data, and orders a node for one task. Pure.
#pragma once

#include <map>
#include <string>

#include "kubernetes/adapter/job_pods.h"

namespace lips::kubernetes {

// Plans are so far apart anyway, and a controller that is slower, or may make no more, keeps nobody waiting.
inline constexpr Duration longest_arrival{1'000'000};

// `pods`: of one job, the first seen at that time. `jobs`: by uid. True: a Job among their owners does not have yet as
// many pods as it runs at once.
bool is_arriving(const PodsByName& pods, TimePoint first_seen, const std::map<std::string, BatchJob>& jobs,
                 TimePoint now);

}  // namespace lips::kubernetes
