// The part of a snapshot file about work that has arrived, as a fading sum, and of work that is expected.
#pragma once

#include <cstddef>
#include <vector>

#include "model/arrivals.h"
#include "model/expected_work.h"
#include "records/snapshot_json.h"

namespace lips {

ArrivalMemory read_arrival_memory(const json_tables::View& root);
std::vector<ExpectedWork> read_expected(const json_tables::View& root, std::size_t data_sets, std::size_t pools);

}  // namespace lips
