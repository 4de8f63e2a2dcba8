#include "kubernetes/adapter/arriving_job.h"

#include <algorithm>
#include <cstdint>

namespace lips::kubernetes {
namespace {

struct Made {
  std::int64_t alive = 0, succeeded = 0;
};

std::int64_t at_once(const JobSpec& spec, std::int64_t succeeded) {
  const std::int64_t most = spec.parallelism.value_or(1);
  return spec.completions ? std::min(most, *spec.completions - succeeded) : most;
}

}  // namespace

bool is_arriving(const PodsByName& pods, TimePoint first_seen, const std::map<std::string, BatchJob>& jobs,
                 TimePoint now) {
  if (now - first_seen >= longest_arrival) return false;
  std::map<std::string, Made> made;  // by the uid of the owner
  for (const PodRecord* pod : pods) {
    if (!pod->owner || !pod->owner->is_batch_job()) continue;
    Made& of_owner = made[pod->owner->uid];
    of_owner.alive += pod->state != PodState::terminated;
    of_owner.succeeded += pod->succeeded;
  }
  return std::any_of(made.begin(), made.end(), [&](const auto& of_owner) {
    const auto job = jobs.find(of_owner.first);
    return job != jobs.end() && job->second.makes_pods() &&
           of_owner.second.alive < at_once(job->second.spec, of_owner.second.succeeded);
  });
}

}  // namespace lips::kubernetes
