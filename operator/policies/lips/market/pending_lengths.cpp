#include "policies/lips/market/pending_lengths.h"

#include <algorithm>
#include <cmath>

#include "policies/lips/market/requests.h"

namespace lips {

PendingLengths::PendingLengths(const ClusterSnapshot& cluster)
    : at_least_(steps, Resources{Cores(0), Mebibytes(0), 0}) {
  for (const JobId id : cluster.pending) {
    Resources request = cluster.jobs[id].request;
    request.slots = 0;  // a whole number, of which there may be too many
    for (const TaskGroup& group : cluster.groups[id])
      at_least_[step_of(group.cpu.value() / cores_of(request))] += request * static_cast<std::int32_t>(group.count);
  }
  for (std::size_t step = steps - 1; step > 0; --step) at_least_[step - 1] += at_least_[step];
}

std::size_t PendingLengths::step_of(double seconds) {
  const double half_doublings = seconds > 1 ? 2 * std::log2(seconds) : 0;
  return static_cast<std::size_t>(std::min(half_doublings, static_cast<double>(steps - 1)));
}

double PendingLengths::seconds_of(std::size_t step) { return step == 0 ? 0 : std::exp2(static_cast<double>(step) / 2); }

}  // namespace lips
