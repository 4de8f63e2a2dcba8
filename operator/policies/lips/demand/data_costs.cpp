#include "policies/lips/demand/data_costs.h"

#include <algorithm>

namespace lips {

namespace {

// How often other pending jobs will still read the data set, in whole data sets.
double other_readers(const ClusterSnapshot& cluster, const IdVector<DataSetId, double>& readers, JobId job,
                     const TaskGroup& group) {
  double own = 0;
  for (const TaskGroup& other : cluster.groups[job])
    if (other.data_set == group.data_set) own += other.count * other.input.value();
  return std::max(0.0, readers[group.data_set] - own / cluster.data_sets[group.data_set].size.value());
}

}  // namespace

double home_cost(const CostModel& costs, const Job& job, const TaskGroup& group, ZoneId home, ZoneId zone) {
  if (group.kind != TaskKind::map || !home.valid() || job.all_reduces() == 0 || home == zone) return 0;
  return ((job.shuffle / job.all_maps()) * costs.transfer(zone, home)).value();
}

double discount_shared_copy(const ClusterSnapshot& cluster, ReadPrices& reads,
                            const IdVector<DataSetId, double>& readers, JobId job, const TaskGroup& group,
                            ByZone& usd) {
  if (!group.data_set.valid() || group.kind != TaskKind::map) return 0;
  const double others = other_readers(cluster, readers, job, group);
  const double off = 1 - 1 / (1 + std::min(others, 2.0));
  const ByZone& price = reads.from(group.zones);
  for (ZoneId z : usd.ids()) usd[z] -= off * (group.input.value() * price[z]);
  return others;
}

void non_cpu_costs(const ClusterSnapshot& cluster, ReadPrices& reads, const Job& job, const TaskGroup& group,
                   ZoneId home, ByZone& usd) {
  usd.assign(cluster.zones.size(), 0.0);
  const CostModel& costs = reads.costs();
  const ByZone* price = group.reads && group.kind != TaskKind::reduce ? &reads.from(group.zones) : nullptr;
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
