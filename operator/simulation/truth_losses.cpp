#include "simulation/truth_losses.h"

#include "simulation/truth_data.h"
#include "simulation/truth_output.h"
#include "simulation/truth_services.h"
#include "simulation/truth_tasks.h"

namespace lips::simulation {

void lose_node(World& world, const Peers& peers, NodeId node, bool data_lost) {
  world.up[node.index()] = false;
  world.emit(NodeLost{node, data_lost});
  world.unreported_losses.push_back(node);
  for (std::uint32_t i = 0; i < world.attempts.size(); ++i)
    if (world.attempts[i].live && world.attempts[i].assignment.node == node) peers.tasks.lose_attempt(i, false);
  peers.services.lose(node);
  world.listener.on_node(node, false, world.now);
  world.update_heartbeat(node);
}

void lose_store(World& world, const Peers& peers, const LostStore& lost) {
  for (std::uint32_t i = 0; i < world.moves.size(); ++i)
    if (world.moves[i].live && (world.moves[i].what.from == lost.store || world.moves[i].what.to == lost.store))
      peers.output.end_transfer(i, false);
  peers.data.lose_replicas(lost.store, lost.comes_back, lost.failure);
  for (std::uint32_t i = 0; i < world.attempts.size(); ++i) {
    const Attempt& attempt = world.attempts[i];
    if (attempt.live && !attempt.refused && peers.tasks.reads_from(attempt, lost.store))
      peers.tasks.lose_attempt(i, true);
  }
}

}  // namespace lips::simulation
