#include "policies/lips/data/new_data.h"

#include <algorithm>
#include <limits>
#include <map>
#include <tuple>

#include "model/leaving.h"

namespace lips {

namespace {

constexpr double least_gain = 1e-9;  // of the cost: ties stay with the writer

struct Capacity {
  double price, work;
  ZoneId zone;
};

bool writes(const Job& job, const Task& task) {
  return job.output.valid() && (task.kind == TaskKind::reduce) == (job.reduce_tasks > 0);
}

void add_reader(const ClusterSnapshot& cluster, const Job& job, DataSetId data_set,
                std::vector<ExpectedReader>& readers) {
  const auto input =
      std::find_if(job.inputs.begin(), job.inputs.end(), [&](const JobInput& one) { return one.data_set == data_set; });
  if (input == job.inputs.end()) return;
  const DataSet& data = cluster.data_sets[data_set];
  CpuSeconds work;
  Mebibytes size;
  for (std::uint32_t i = 0; i < job.map_tasks; ++i) {
    const Task& task = cluster.tasks[TaskId(job.first_task.index() + i)];
    if (!task.block.valid() || cluster.blocks[task.block].data_set != data_set) continue;
    work += task.cpu;
    size += cluster.blocks[task.block].size;
  }
  if (size.value() <= 0 || data.blocks == 0) return;
  readers.push_back({CpuSecondsPerMebibyte(work.value() / size.value()), input->fraction});
}

// The emptiest directory of the zone's cheapest nodes with room; ties by id.
StoreId emptiest_store(const ClusterSnapshot& cluster, ZoneId zone, Mebibytes size,
                       const IdVector<StoreId, Mebibytes>& planned) {
  StoreId best;
  std::tuple<double, double> least;
  for (const NodeId node : cluster.nodes.ids()) {
    const StoreId store = cluster.node_store[node];
    if (cluster.nodes[node].zone != zone || !cluster.nodes[node].schedulable || !store.valid()) continue;
    if (is_leaving(cluster.profiles[cluster.nodes[node].profile])) continue;
    const DataStore& directory = cluster.stores[store];
    const Mebibytes used = directory.used + planned[store];
    if (directory.capacity.value() > 0 && used + size > directory.capacity) continue;
    const std::tuple key(cluster.nodes[node].cpu_price.value(), used.value());
    if (!best.valid() || key < least) best = store, least = key;
  }
  return best;
}

StoreId store_in(const ClusterSnapshot& cluster, ZoneId zone, const NewBlock& block,
                 const IdVector<StoreId, Mebibytes>& planned) {
  const StoreId own = cluster.node_store[block.writer];
  if (cluster.nodes[block.writer].zone == zone && own.valid()) {
    const DataStore& directory = cluster.stores[own];
    if (directory.capacity.value() <= 0 || directory.used + planned[own] + block.size <= directory.capacity) return own;
  }
  return emptiest_store(cluster, zone, block.size, planned);
}

}  // namespace

std::vector<ExpectedReader> expected_readers(const ClusterSnapshot& cluster, DataSetId data_set) {
  std::vector<ExpectedReader> readers;
  for (const JobId job : cluster.held) add_reader(cluster, cluster.jobs[job], data_set, readers);
  for (const JobId job : cluster.pending) add_reader(cluster, cluster.jobs[job], data_set, readers);
  return readers;
}

ZonePrices zone_prices(const ClusterSnapshot& cluster, Duration horizon) {
  double left = 0;
  for (const JobId job : cluster.pending) left += cluster.jobs[job].pending_work.value();
  for (const JobId job : cluster.held) left += cluster.jobs[job].work.value();
  std::vector<Capacity> nodes;
  constexpr double none = std::numeric_limits<double>::infinity();
  IdVector<ZoneId, double> cheapest(cluster.zones.size(), none);
  for (const Node& node : cluster.nodes) {
    if (!node.schedulable) continue;
    nodes.push_back({node.cpu_price.value(), node.work_per(horizon).value(), node.zone});
    cheapest[node.zone] = std::min(cheapest[node.zone], node.cpu_price.value());
  }
  std::stable_sort(nodes.begin(), nodes.end(), [](const Capacity& a, const Capacity& b) { return a.price < b.price; });
  double marginal = 0;  // of the last node that the work needs
  for (const Capacity& node : nodes) {
    marginal = node.price;
    left -= node.work;
    if (left <= 0) break;
  }
  ZonePrices prices(cluster.zones.size());
  for (const ZoneId zone : cluster.zones.ids()) prices[zone] = UsdPerCpuSecond(std::max(marginal, cheapest[zone]));
  return prices;
}

UsdPerMebibyte cost_of_new_data(ZoneId written_in, ZoneId kept_in, const std::vector<ExpectedReader>& readers,
                                const CostModel& costs, const ZonePrices& prices) {
  double sum = kept_in == written_in ? 0 : costs.transfer(written_in, kept_in).value();
  for (const ExpectedReader& reader : readers) {
    double least = std::numeric_limits<double>::infinity();
    for (const ZoneId at : prices.ids()) {
      const double transfer = at == kept_in ? 0 : reader.fraction * costs.transfer(kept_in, at).value();
      least = std::min(least, reader.work.value() * prices[at].value() + transfer);
    }
    sum += least;
  }
  return UsdPerMebibyte(sum);
}

ZoneId zone_for_new_data(ZoneId written_in, const std::vector<ExpectedReader>& readers, const CostModel& costs,
                         const ZonePrices& prices) {
  const auto cost = [&](ZoneId zone) { return cost_of_new_data(written_in, zone, readers, costs, prices).value(); };
  ZoneId best = written_in;
  double least = cost(written_in);
  for (const ZoneId zone : prices.ids()) {
    if (!(prices[zone].value() < std::numeric_limits<double>::infinity())) continue;
    if (const double other = cost(zone); other < least * (1 - least_gain)) best = zone, least = other;
  }
  return best;
}

StoreId placement_of_new_data(const ClusterSnapshot& cluster, const CostModel& costs, const NewBlock& block) {
  const ZoneId zone = zone_for_new_data(cluster.nodes[block.writer].zone, expected_readers(cluster, block.data_set),
                                        costs, zone_prices(cluster, block.horizon));
  return store_in(cluster, zone, block, IdVector<StoreId, Mebibytes>(cluster.stores.size()));
}

void place_new_data(const PolicyInput& input, Duration horizon, Plan& plan) {
  const ClusterSnapshot& cluster = input.cluster;
  if (cluster.held.empty()) return;
  std::map<DataSetId, std::vector<ExpectedReader>> readers;
  std::map<std::pair<DataSetId, ZoneId>, ZoneId> zones;
  ZonePrices prices;
  IdVector<StoreId, Mebibytes> planned;
  for (Assignment& assignment : plan.assignments) {
    const Task& task = cluster.tasks[assignment.task];
    const Job& job = cluster.jobs[task.job];
    if (!writes(job, task)) continue;
    if (prices.empty()) {
      prices = zone_prices(cluster, horizon);
      planned.resize(cluster.stores.size());
    }
    const auto [known, added] = readers.try_emplace(job.output);
    if (added) known->second = expected_readers(cluster, job.output);
    if (known->second.empty()) continue;  // nobody is known to want it
    const ZoneId written_in = cluster.nodes[assignment.node].zone;
    const auto [zone, first] = zones.try_emplace({job.output, written_in});
    if (first) zone->second = zone_for_new_data(written_in, known->second, input.costs, prices);
    const std::uint32_t writers = job.reduce_tasks > 0 ? job.reduce_tasks : job.map_tasks;
    const Mebibytes size = cluster.data_sets[job.output].size / std::max(1u, writers);
    assignment.write_to = store_in(cluster, zone->second, {job.output, size, assignment.node, horizon}, planned);
    if (assignment.write_to.valid()) planned[assignment.write_to] += size;
  }
}

}  // namespace lips
