#include "cmd/ask/expected_json.h"

namespace lips::cmd {

nlohmann::ordered_json expected_json(const ClusterSnapshot& cluster, const advice::ExpectedJob& job) {
  using Json = nlohmann::ordered_json;
  Json inputs = Json::array(), room = Json::object();
  for (const DataSetId id : job.inputs) inputs.push_back(cluster.data_sets[id].name);
  for (const auto& [zone, work] : job.room) room[cluster.zones[zone].name] = work.value();
  return {{"job", job.name},
          {"expectedInSeconds", to_seconds(job.in)},
          {"chance", job.chance},
          {"cpuSeconds", job.work.value()},
          {"dataSets", std::move(inputs)},
          {"roomCpuSecondsByZone", std::move(room)}};
}

}  // namespace lips::cmd
