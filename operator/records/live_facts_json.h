// LiveFacts as JSON. Does not know where it is kept.
#pragma once

#include <nlohmann/json.hpp>

#include "model/snapshot.h"
#include "records/live_facts.h"
#include "records/snapshot_json.h"

namespace lips {

nlohmann::ordered_json live_facts_json(const LiveFacts& facts);
// Reports problems to those of the view.
LiveFacts read_live_facts(const json_tables::View& json, const ClusterSnapshot& cluster);

}  // namespace lips
