// Where a cluster's data lies, and what is being copied. Decides nothing.
#pragma once

#include <cstdint>
#include <vector>

#include "model/costs.h"
#include "model/snapshot.h"

namespace lips::advice {

struct DataPlaces {
  IdVector<DataSetId, IdVector<ZoneId, Mebibytes>> held;  // a block counts once in each zone with a replica
  IdVector<DataSetId, std::uint32_t> lost;                // blocks without a replica
};
DataPlaces data_places(const ClusterSnapshot& cluster);

// Moves in flight of one data set between two stores.
struct MovesUnderWay {
  DataSetId data_set;  // none: of blocks without a data set
  StoreId from, to;
  std::uint64_t blocks = 0;
  Mebibytes size;
  Usd dollars;
};
std::vector<MovesUnderWay> moves_under_way(const ClusterSnapshot& cluster, const CostModel& costs);

}  // namespace lips::advice
