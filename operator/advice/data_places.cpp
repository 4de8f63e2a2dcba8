#include "advice/data_places.h"

#include <map>
#include <tuple>

namespace lips::advice {

DataPlaces data_places(const ClusterSnapshot& cluster) {
  DataPlaces places;
  places.held.resize(cluster.data_sets.size(), IdVector<ZoneId, Mebibytes>(cluster.zones.size()));
  places.lost.resize(cluster.data_sets.size(), 0);
  for (const Block& block : cluster.blocks) {
    if (!block.data_set.valid()) continue;
    for (const ZoneId zone : cluster.zones.ids())
      if (block.zones.contains(zone)) places.held[block.data_set][zone] += block.size;
    places.lost[block.data_set] += block.replicas.empty();
  }
  return places;
}

std::vector<MovesUnderWay> moves_under_way(const ClusterSnapshot& cluster, const CostModel& costs) {
  std::map<std::tuple<DataSetId, StoreId, StoreId>, MovesUnderWay> groups;
  for (const MoveInFlight& move : cluster.moves) {
    const Block& block = cluster.blocks[move.block];
    MovesUnderWay& group = groups[{block.data_set, move.from, move.to}];
    group.data_set = block.data_set, group.from = move.from, group.to = move.to;
    ++group.blocks;
    group.size += block.size;
    group.dollars += block.size * costs.transfer(cluster.stores[move.from].zone, cluster.stores[move.to].zone);
  }
  std::vector<MovesUnderWay> moves;
  for (const auto& [key, group] : groups) moves.push_back(group);
  return moves;
}

}  // namespace lips::advice
