#include "policies/lips/market/workload.h"

#include <algorithm>

namespace lips {

namespace {

double fastest_in_zone(const Network& network) {
  double fastest = 0;
  for (const Locality level : {Locality::node, Locality::rack, Locality::zone}) {
    const double stream = network.stream(level).value();
    if (stream <= 0) return 0;  // not limited
    fastest = std::max(fastest, stream);
  }
  return fastest;
}

}  // namespace

bool takes_time(const Commodity& commodity, Terms terms) {
  return terms != Terms::least || commodity.any_class || commodity.request.cpu.value() > 0;
}

double read_time(const ClusterSnapshot& cluster, const Commodity& commodity, ZoneId zone, Terms terms) {
  if (commodity.any_class || commodity.zones.empty()) return 0;
  const bool near = (terms == Terms::least ? commodity.least.zones : commodity.zones).contains(zone);
  const double bandwidth = near && terms == Terms::least
                               ? fastest_in_zone(cluster.network)
                               : cluster.network.stream(near ? Locality::zone : Locality::remote).value();
  return bandwidth > 0 ? commodity.input_per_work / bandwidth * cores_of(commodity.request) : 0;
}

double occupancy(const ClusterSnapshot& cluster, const Commodity& commodity, const NodeClass& group, Terms terms) {
  if (!takes_time(commodity, terms)) return 0;
  return std::max(1.0, read_time(cluster, commodity, group.zone, terms) * group.speed);
}

double class_time(const ClusterSnapshot& cluster, const Commodity& commodity, const NodeClass& group, double work) {
  return commodity.any_class ? work : work * occupancy(cluster, commodity, group);
}

double run_seconds(const ClusterSnapshot& cluster, const Commodity& commodity, const NodeClass& group,
                   const Resources& request, double work) {
  return class_time(cluster, commodity, group, work) / (cores_of(request) * group.speed);
}

}  // namespace lips
