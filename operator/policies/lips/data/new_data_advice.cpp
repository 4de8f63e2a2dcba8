#include "policies/lips/data/new_data_advice.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace lips {

namespace {

using Directory = NewDataAdvice::Directory;

bool has_room(const Directory& directory, Mebibytes size) {
  return !directory.store.empty() && (directory.capacity.value() <= 0 || directory.used + size <= directory.capacity);
}

const Directory* directory_in(const NewDataAdvice& advice, ZoneId zone, const Directory& writer, Mebibytes size) {
  if (writer.zone == zone && has_room(writer, size)) return &writer;
  const Directory* best = nullptr;
  const auto key = [](const Directory& of) { return std::tuple(of.cpu_price.value(), of.used.value()); };
  for (const Directory& one : advice.directories)
    if (one.zone == zone && one.takes_tasks && has_room(one, size) && (!best || key(one) < key(*best))) best = &one;
  return best;
}

}  // namespace

NewDataAdvice advice_of(const ClusterSnapshot& cluster, const CostModel& costs, Duration horizon) {
  NewDataAdvice advice{cluster.now, {}, {}, costs, zone_prices(cluster, horizon)};
  for (const Zone& zone : cluster.zones) advice.zones.push_back(zone.name);
  for (const NodeId id : cluster.nodes.ids()) {
    const Node& node = cluster.nodes[id];
    Directory directory{node.name, "", node.zone, node.cpu_price, {}, {}, node.schedulable};
    if (const StoreId store = cluster.node_store[id]; store.valid()) {
      directory.store = cluster.stores[store].name;
      directory.used = cluster.stores[store].used;
      directory.capacity = cluster.stores[store].capacity;
    }
    advice.directories.push_back(std::move(directory));
  }
  return advice;
}

Result<NewDataAnswer> place_for(const NewDataAdvice& advice, const NewDataQuestion& question) {
  const auto writer = std::ranges::find(advice.directories, question.writer, &Directory::node);
  if (writer == advice.directories.end())
    return fail(ErrorCode::not_found, "node: there is no node '" + question.writer + "'");
  const ZoneId zone = zone_for_new_data(writer->zone, question.readers, advice.costs, advice.prices);
  const auto cost = [&](ZoneId at) {
    return cost_of_new_data(writer->zone, at, question.readers, advice.costs, advice.prices);
  };
  NewDataAnswer answer{advice.zones[zone.index()], "", "", zone == writer->zone, cost(writer->zone) - cost(zone)};
  if (const Directory* directory = directory_in(advice, zone, *writer, question.size))
    answer.node = directory->node, answer.store = directory->store;
  return answer;
}

}  // namespace lips
