// TwinState as JSON. Does not know where it is kept.
#pragma once

#include <nlohmann/json.hpp>

#include "model/twin_report.h"
#include "records/snapshot_json.h"

namespace lips {

nlohmann::ordered_json twin_state_json(const TwinState& twin);
// Reports problems to those of the view.
TwinState read_twin_state(const json_tables::View& json);

}  // namespace lips
