// The pods beside the tasks in a record.
#pragma once

#include <nlohmann/json.hpp>
#include <vector>

#include "model/service_pods.h"
#include "records/snapshot_json.h"

namespace lips {

nlohmann::ordered_json service_pods_json(const std::vector<ServicePods>& services);
std::vector<ServicePods> read_service_pods(const json_tables::View& json);

}  // namespace lips
