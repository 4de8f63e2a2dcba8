#include "simulation/truth_shuffle.h"

#include <algorithm>
#include <utility>

namespace lips::simulation {

void TruthShuffle::count_map_output(JobId id, NodeId node) {
  JobRecord& record = world_.jobs[id.index()];
  if (!record.map_output.empty())
    record.map_output[world_.scenario.cluster.nodes[node].zone.index()] +=
        world_.job(id).shuffle / world_.job(id).map_tasks;
}

// The map output of each zone comes as one stream; all streams run at once.
void TruthShuffle::read_shuffle(std::uint32_t index) {
  Attempt& attempt = world_.attempts[index];
  const JobRecord& record = world_.jobs[attempt.job.index()];
  attempt.shuffled.assign(record.map_output.size(), Mebibytes(0));
  attempt.flows.assign(record.map_output.size(), FlowId::none());
  for (std::uint32_t zone = 0; zone < record.map_output.size(); ++zone) {
    const Mebibytes size = record.map_output[zone] / world_.job(attempt.job).reduce_tasks;
    if (size.value() <= 0) continue;
    attempt.shuffled[zone] = size;
    if (world_.scenario.shuffle_start == ShuffleStart::with_maps) continue;  // it is in the rack, or soon will be
    const Path path = world_.paths.shuffle(ZoneId(zone), attempt.assignment.node);
    if (path.count > 0) {
      attempt.flows[zone] = world_.start_flow(path, size, {FlowUse::attempt, index, zone});
      ++attempt.flows_left;
    } else if (path.limit.value() > 0) {
      attempt.read_end = std::max(attempt.read_end, world_.now + size / path.limit);
    }
  }
}

// Sends an equal part to each rack, where the reduces will run.
void TruthShuffle::push_map_output(JobId id, NodeId node) {
  if (world_.scenario.shuffle_start == ShuffleStart::after_maps || world_.job(id).reduce_tasks == 0) return;
  const auto& racks = world_.scenario.cluster.racks;
  const Mebibytes size =
      world_.job(id).shuffle / (static_cast<double>(world_.job(id).map_tasks) * static_cast<double>(racks.size()));
  if (size.value() <= 0) return;
  for (RackId rack : racks.ids()) {
    const Path path = world_.paths.push(node, rack);
    if (path.count == 0) continue;
    world_.start_flow(path, size, {FlowUse::push, id.index(), 0});
    ++world_.jobs[id.index()].pushes_left;
  }
}

// The attempt begins to compute when all map output of its job has arrived.
bool TruthShuffle::waits_for_pushes(std::uint32_t index) {
  Attempt& attempt = world_.attempts[index];
  JobRecord& record = world_.jobs[attempt.job.index()];
  if (record.pushes_left == 0 || world_.task(attempt.assignment.task).kind != TaskKind::reduce) return false;
  attempt.copying = true;
  record.wait_for_pushes.emplace_back(index, attempt.generation);
  return true;
}

std::vector<std::pair<std::uint32_t, std::uint32_t>> TruthShuffle::push_ended(JobId id) {
  JobRecord& record = world_.jobs[id.index()];
  if (--record.pushes_left > 0) return {};
  return std::exchange(record.wait_for_pushes, {});
}

}  // namespace lips::simulation
