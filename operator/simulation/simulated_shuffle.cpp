// Map output of a simulated cluster on its way to the reduces.
#include <utility>

#include "simulation/simulated_cluster.h"

namespace lips::simulation {

void SimulatedCluster::count_map_output(JobId id, NodeId node) {
  JobRecord& record = jobs_[id.index()];
  if (!record.map_output.empty())
    record.map_output[scenario_.cluster.nodes[node].zone.index()] += job(id).shuffle / job(id).map_tasks;
}

// Each zone's share of the map output comes as one stream; all of them run at once.
void SimulatedCluster::read_shuffle(std::uint32_t index) {
  Attempt& attempt = attempts_[index];
  const JobRecord& record = jobs_[attempt.job.index()];
  attempt.shuffled.assign(record.map_output.size(), Mebibytes(0));
  attempt.flows.assign(record.map_output.size(), FlowId::none());
  for (std::uint32_t zone = 0; zone < record.map_output.size(); ++zone) {
    const Mebibytes size = record.map_output[zone] / job(attempt.job).reduce_tasks;
    if (size.value() <= 0) continue;
    attempt.shuffled[zone] = size;
    if (scenario_.shuffle_start == ShuffleStart::with_maps) continue;  // it is in the rack, or soon will be
    const Path path = paths_.shuffle(ZoneId(zone), attempt.assignment.node);
    if (path.count > 0) {
      attempt.flows[zone] = start_flow(path, size, {FlowUse::attempt, index, zone});
      ++attempt.flows_left;
    } else if (path.limit.value() > 0) {
      attempt.read_end = std::max(attempt.read_end, now_ + size / path.limit);
    }
  }
}

// An equal part to each rack, where the reduces will be.
void SimulatedCluster::push_map_output(JobId id, NodeId node) {
  if (scenario_.shuffle_start == ShuffleStart::after_maps || job(id).reduce_tasks == 0) return;
  const auto& racks = scenario_.cluster.racks;
  const Mebibytes size = job(id).shuffle / (static_cast<double>(job(id).map_tasks) * static_cast<double>(racks.size()));
  if (size.value() <= 0) return;
  for (RackId rack : racks.ids()) {
    const Path path = paths_.push(node, rack);
    if (path.count == 0) continue;
    start_flow(path, size, {FlowUse::push, id.index(), 0});
    ++jobs_[id.index()].pushes_left;
  }
}

// The attempt begins to compute when the last of its job's map output has come.
bool SimulatedCluster::waits_for_pushes(std::uint32_t index) {
  Attempt& attempt = attempts_[index];
  JobRecord& record = jobs_[attempt.job.index()];
  if (record.pushes_left == 0 || task(attempt.assignment.task).kind != TaskKind::reduce) return false;
  attempt.copying = true;
  record.wait_for_pushes.emplace_back(index, attempt.generation);
  return true;
}

void SimulatedCluster::push_ended(JobId id) {
  JobRecord& record = jobs_[id.index()];
  if (--record.pushes_left > 0) return;
  for (const auto& [index, generation] : std::exchange(record.wait_for_pushes, {}))
    if (attempts_[index].live && attempts_[index].generation == generation) compute(index);
}

}  // namespace lips::simulation
