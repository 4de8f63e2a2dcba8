// Placement of new blocks: the paper's ReplicationTargetChooser with the model's prices for future readers. Pure;
// knows no file system and no simulator.
#pragma once

#include <vector>

#include "policies/policy.h"

namespace lips {

// A job that waits for the data, or already reads it.
struct ExpectedReader {
  CpuSecondsPerMebibyte work;  // per MiB of the data
  double fraction = 1;         // of every block that it reads (JD)
};
std::vector<ExpectedReader> expected_readers(const ClusterSnapshot& cluster, DataSetId data_set);

// The price of one more CPU-second in each zone when all pending and held work fills the nodes by price over the
// horizon: the duals of the model without transfer. Infinite where no node takes tasks.
using ZonePrices = IdVector<ZoneId, UsdPerCpuSecond>;
ZonePrices zone_prices(const ClusterSnapshot& cluster, Duration horizon);

// Cost of a MiB written in one zone and kept in another: its transfer, plus work and transfer of its readers, each in
// its best zone.
UsdPerMebibyte cost_of_new_data(ZoneId written_in, ZoneId kept_in, const std::vector<ExpectedReader>& readers,
                                const CostModel& costs, const ZonePrices& prices);
// The zone of least transfer from where the block is written, plus work and transfer of its readers, each in its best
// zone. The writer's own zone unless another one is cheaper.
ZoneId zone_for_new_data(ZoneId written_in, const std::vector<ExpectedReader>& readers, const CostModel& costs,
                         const ZonePrices& prices);

struct NewBlock {
  DataSetId data_set;
  Mebibytes size;
  NodeId writer;
  Duration horizon = std::chrono::hours(1);
};
// The store for the block's first replica: the writer's own directory when its zone is the one; else the emptiest
// directory of that zone's cheapest nodes. None when no store there has room: the file system decides.
StoreId placement_of_new_data(const ClusterSnapshot& cluster, const CostModel& costs, const NewBlock& block);

// Fills write_to of the plan's assignments whose output has readers.
void place_new_data(const PolicyInput& input, Duration horizon, Plan& plan);

}  // namespace lips
