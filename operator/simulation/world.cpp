#include "simulation/world.h"

#include <algorithm>

namespace lips::simulation {

namespace {

Resources least_request_of(const Scenario& scenario) {
  Resources least{Cores(1e300), Mebibytes(1e300), 1 << 30};
  for (const JobArrived& arrival : scenario.jobs) {
    least.cpu = std::min(least.cpu, arrival.job.request.cpu);
    least.memory = std::min(least.memory, arrival.job.request.memory);
    least.slots = std::min(least.slots, arrival.job.request.slots);
  }
  return least;
}

}  // namespace

World::World(const Scenario& given, const Cadence& beats, RunListener& told)
    : scenario(given),
      listener(told),
      cadence(beats),
      now(given.cluster.now),
      paths(given.cluster, given.rack_link, network),
      heartbeats(std::max<std::size_t>(1, given.cluster.nodes.size()), std::max(beats.interval, Duration(1)), now),
      least_request(least_request_of(given)),
      pods(given.cluster.nodes.size()),
      up(given.cluster.nodes.size(), true),
      cordoned(given.cluster.nodes.size(), false),
      stores(given.cluster.stores.size()),
      last_progress(now),
      last_task(now) {
  for (const Node& node : given.cluster.nodes) free.push_back(node.capacity);
  for (NodeId node : given.cluster.nodes.ids()) cordoned[node.index()] = !given.cluster.nodes[node].schedulable;
  for (const NodeOffer& offer : given.fleet.offers)
    for (const NodeId node : offer.places()) up[node.index()] = false;
  for (NodeId node : given.cluster.nodes.ids()) update_heartbeat(node);
  jobs.reserve(given.jobs.size());
}

void World::update_heartbeat(NodeId node) {
  if (cadence.trigger != Cadence::Trigger::heartbeats) return;
  heartbeats.set_open(node, up[node.index()] && !cordoned[node.index()] && fits(least_request, free[node]));
}

void World::count_pod(NodeId node, int by) {
  pods[node].count = static_cast<std::uint32_t>(static_cast<int>(pods[node].count) + by);
  pods[node].changed = now;
}

void World::change_waiting(JobId id, std::int64_t by) {
  JobRecord& record = jobs[id.index()];
  record.waiting = static_cast<std::size_t>(static_cast<std::int64_t>(record.waiting) + by);
  if (by > 0) more_wait = true;
  if (!record.failed) waiting = static_cast<std::size_t>(static_cast<std::int64_t>(waiting) + by);
}

bool World::loss_unreported(NodeId node) const {
  return std::find(unreported_losses.begin(), unreported_losses.end(), node) != unreported_losses.end();
}

const Task& World::task(TaskId id) const {
  const JobId owner = tasks[id].job;
  return scenario.jobs[owner.index()].tasks[id.index() - jobs[owner.index()].first_task.index()];
}

FlowId World::start_flow(const Path& path, Mebibytes size, const FlowOwner& owner) {
  const FlowId flow = network.start(path, size, now);
  if (flow_owner.size() <= flow.index()) flow_owner.resize(flow.index() + 1);
  flow_owner[flow.index()] = owner;
  return flow;
}

}  // namespace lips::simulation
