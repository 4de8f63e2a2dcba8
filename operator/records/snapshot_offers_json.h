// The part of a snapshot file about nodes that an autoscaler could launch, and of the limits that offers share.
#pragma once

#include <cstddef>

#include "model/offers.h"
#include "records/snapshot_json.h"

namespace lips {

LaunchLimits read_launch_limits(const json_tables::View& root);
// Reads the offers of `nodes` nodes and `limits` limits.
IdVector<OfferId, Offer> read_offers(const json_tables::View& root, std::size_t nodes, std::size_t limits);

}  // namespace lips
