#include "targets/least_cost.h"

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "model/launch_room.h"
#include "model/targets.h"

namespace lips {

namespace {

struct Source {
  UsdPerCpuSecond price;
  CpuSeconds most;
  LimitId within = {};  // of the cores of offers
  double speed = 1;
};

Usd fill(std::vector<Source> sources, const LaunchLimits& limits, CpuSeconds work) {
  std::sort(sources.begin(), sources.end(), [](const Source& a, const Source& b) { return a.price < b.price; });
  IdVector<LimitId, double> core_seconds;
  for (const LaunchLimit& limit : limits) core_seconds.push_back(limit.cores.value() * to_seconds(one_day));
  Usd usd;
  for (const Source& source : sources) {
    CpuSeconds used = std::min(work, source.most);
    if (source.within.valid()) {
      used = std::min(used, CpuSeconds(core_seconds[source.within] * source.speed));
      core_seconds[source.within] -= used.value() / source.speed;
    }
    usd += used * source.price;
    work -= used;
  }
  return usd;
}

}  // namespace

Usd least_cost_of_day(const ClusterSnapshot& cluster, Billing billing, CpuSeconds work) {
  std::vector<Source> sources;
  Usd fixed;
  for (const Node& node : cluster.nodes) {
    if (!node.schedulable) continue;
    const bool paid = billing == Billing::invoice && node.fleet == FleetKind::fixed;
    if (paid) fixed += node.price * one_day;
    const UsdPerCpuSecond price =
        billing == Billing::use ? node.cpu_price : full_packing_price(node.price, node.capacity.cpu, node.speed);
    sources.push_back({paid ? UsdPerCpuSecond(0) : price, node.work_per(one_day)});
  }
  for (const Offer& offer : cluster.offers) {
    const Node& node = cluster.nodes[offer.like];
    if (node.capacity.cpu.value() <= 0) continue;
    sources.push_back(
        {billing == Billing::use ? node.cpu_price : full_packing_price(node.price, node.capacity.cpu, node.speed),
         node.work_per(one_day) * nodes_left(cluster, offer), offer.within, node.speed});
  }
  return fixed + fill(std::move(sources), cluster.launch_limits, work);
}

}  // namespace lips
