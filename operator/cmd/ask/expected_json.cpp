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

std::string names_of_inputs(const ClusterSnapshot& cluster, const advice::ExpectedJob& job) {
  std::string names;
  for (const DataSetId id : job.inputs) names += (names.empty() ? "" : ", ") + cluster.data_sets[id].name;
  return names;
}

std::string zones_with_room(const ClusterSnapshot& cluster, const advice::ExpectedJob& job) {
  std::string names;
  for (const auto& [zone, work] : job.room) names += (names.empty() ? "" : ", ") + cluster.zones[zone].name;
  return names;
}

}  // namespace lips::cmd
