#include "policies/lips/homes.h"

#include <algorithm>

namespace lips {

namespace {

constexpr double closed_price = 1e9;  // USD per CPU-second

bool asks(const ClusterSnapshot& cluster, JobId id, const std::vector<bool>& skip) {
  const Job& job = cluster.jobs[id];
  return !job.memory.home_decided && job.reduce_tasks > 0 && job.map_tasks > 0 && job.shuffle.value() > 0 &&
         (skip.empty() || !skip[id.index()]);
}

// min over zones of what the job's maps cost, when their output has to go to `home` (none: wherever it falls).
double maps_cost(const PolicyInput& input, JobId id, ZoneId home, const std::vector<double>& zone_price,
                 std::vector<double>& usd, std::vector<double>& maps_in) {
  const ClusterSnapshot& cluster = input.cluster;
  maps_in.assign(zone_price.size(), 0.0);
  double total = 0;
  for (const TaskGroup& group : cluster.groups[id]) {
    if (group.count == 0 || group.kind != TaskKind::map) continue;
    extra_costs(cluster, input.costs, cluster.jobs[id], group, home, usd);
    std::size_t best = 0;
    for (std::size_t z = 0; z < usd.size(); ++z) {
      usd[z] += std::max(least_work, group.cpu.value()) * zone_price[z];
      if (usd[z] < usd[best]) best = z;
    }
    total += group.count * usd[best];
    maps_in[best] += group.count;
  }
  return total;
}

// A zone in which nothing may run is no home, whatever its row's price says.
void close_empty_zones(const NodeClasses& classes, std::vector<double>& zone_price) {
  std::vector<bool> open(zone_price.size(), false);
  for (const NodeClass& group : classes.classes) open[group.zone.index()] = true;
  for (std::size_t z = 0; z < open.size(); ++z)
    if (!open[z]) zone_price[z] = closed_price;
}

}  // namespace

bool anyone_needs_a_home(const ClusterSnapshot& cluster, const std::vector<bool>& skip) {
  return std::any_of(cluster.pending.begin(), cluster.pending.end(), [&](JobId id) { return asks(cluster, id, skip); });
}

Homes choose_homes(const PolicyInput& input, const NodeClasses& classes, std::vector<double> zone_price,
                   const std::vector<bool>& skip) {
  const ClusterSnapshot& cluster = input.cluster;
  close_empty_zones(classes, zone_price);
  Homes homes;
  homes.zone.resize(cluster.jobs.size());
  std::vector<double> usd, maps_in;
  for (JobId id : cluster.pending) {
    if (!asks(cluster, id, skip)) continue;
    const Job& job = cluster.jobs[id];
    double reduce_work = least_work;
    for (std::uint32_t r = 0; r < job.reduce_tasks; ++r)
      reduce_work += cluster.tasks[TaskId(job.first_task.index() + job.map_tasks + r)].cpu.value();
    // Without a home the maps go where they are cheapest and the reducers where most of their output then lies.
    double best = maps_cost(input, id, ZoneId::none(), zone_price, usd, maps_in);
    const std::vector<double> spread = maps_in;
    double reducers = 1e300;
    for (std::size_t z = 0; z < zone_price.size(); ++z) {
      double here = reduce_work * zone_price[z];
      for (std::size_t from = 0; from < zone_price.size(); ++from)
        here += ((job.shuffle / job.map_tasks) * spread[from] *
                 input.costs.transfer(ZoneId(static_cast<std::uint32_t>(from)), ZoneId(static_cast<std::uint32_t>(z))))
                    .value();
      reducers = std::min(reducers, here);
    }
    best += reducers;
    for (std::uint32_t h = 0; h < zone_price.size(); ++h) {
      const double cost = maps_cost(input, id, ZoneId(h), zone_price, usd, maps_in) + reduce_work * zone_price[h];
      if (cost < best * (1 - 1e-12)) {
        best = cost;
        homes.zone[id.index()] = ZoneId(h);
      }
    }
    homes.decided.push_back(id);
  }
  return homes;
}

}  // namespace lips
