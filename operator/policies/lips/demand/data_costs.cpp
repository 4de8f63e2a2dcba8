#include "policies/lips/demand/data_costs.h"

#include <algorithm>

namespace lips {

double home_cost(const CostModel& costs, const Job& job, const TaskGroup& group, ZoneId home, ZoneId zone) {
  if (group.kind != TaskKind::map || !home.valid() || job.all_reduces() == 0 || home == zone) return 0;
  return ((job.shuffle / job.all_maps()) * costs.transfer(zone, home)).value();
}

double discount_shared_copy(ReadPrices& reads, const OtherReaders& readers, JobId job, const TaskGroup& group,
                            ByZone& usd) {
  if (!group.data_set.valid() || group.kind != TaskKind::map) return 0;
  const double others = readers.of(job, group);
  const double off = 1 - 1 / (1 + std::min(others, 2.0));
  const ByZone& price = reads.from(group.zones_soon());
  for (ZoneId z : usd.ids()) usd[z] -= off * (group.input.value() * price[z]);
  return others;
}

void non_cpu_costs(const ClusterSnapshot& cluster, ReadPrices& reads, const Job& job, const TaskGroup& group,
                   ZoneId home, ByZone& usd) {
  usd.assign(cluster.zones.size(), 0.0);
  const CostModel& costs = reads.costs();
  const ByZone* price = group.reads && group.kind != TaskKind::reduce ? &reads.from(group.zones_soon()) : nullptr;
  for (ZoneId zone : usd.ids()) {
    if (group.kind == TaskKind::reduce) {
      for (std::uint32_t from = 0; from < job.map_output.size(); ++from)
        usd[zone] += ((job.map_output[from] / job.all_reduces()) * costs.transfer(ZoneId(from), zone)).value();
      continue;
    }
    usd[zone] = price ? group.input.value() * (*price)[zone] : 0;
    usd[zone] += home_cost(costs, job, group, home, zone);
  }
}

}  // namespace lips
