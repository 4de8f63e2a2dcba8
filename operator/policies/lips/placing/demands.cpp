#include "policies/lips/placing/demands.h"

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

namespace lips {

namespace {

Resources least_request(const std::set<Resources>& requests) {
  constexpr double any = std::numeric_limits<double>::infinity();
  constexpr auto any_slots = std::numeric_limits<std::int32_t>::max();
  Resources least{Cores(any), Mebibytes(any), any_slots};
  for (const Resources& request : requests) {
    least.cpu = std::min(least.cpu, request.cpu > Cores(0) ? request.cpu : Cores(-any));
    least.memory = std::min(least.memory, request.memory > Mebibytes(0) ? request.memory : Mebibytes(-any));
    least.slots = std::min(least.slots, request.slots > 0 ? request.slots : -any_slots);
  }
  return least;
}

}  // namespace

Demands::Demands(const ClusterSnapshot& cluster, const Workload& workload, const IdVector<PortionId, bool>& first) {
  of_.reserve(workload.portions.size());
  JobId last;
  const Resources* request = nullptr;
  std::uint32_t lane = 0;
  std::map<std::pair<PoolId, const Resources*>, std::uint32_t> lanes;  // looked up only
  for (const PortionId id : workload.portions.ids()) {
    const Portion& portion = workload.portions[id];
    const Job& job = cluster.jobs[portion.job];
    if (portion.job != last) {
      request = &*requests_.insert(job.request).first;
      lane = lanes.try_emplace({job.pool, request}, static_cast<std::uint32_t>(lanes.size())).first->second;
    }
    last = portion.job;
    const TaskGroup& group = cluster.groups[portion.job][portion.group];
    const bool leads = first.contains(id) && first[id];
    of_.push_back({portion.work, group.reads ? group.input.value() : 0, portion.urgency, request, portion.commodity,
                   job.pool, leads ? std::numeric_limits<std::int32_t>::max() : job.priority, lane,
                   workload.commodities[portion.commodity].any_class});
  }
  lanes_ = lanes.size();
  least_ = least_request(requests_);
}

}  // namespace lips
