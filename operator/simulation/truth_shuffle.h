// Map output of a simulated cluster on its way to the reduces.
#pragma once

#include <cstdint>

#include "simulation/world.h"

namespace lips::simulation {

class TruthShuffle {
 public:
  TruthShuffle(World& world, const Peers& peers) : world_(world), peers_(peers) {}

  void count_map_output(JobId job, NodeId node);
  void read_shuffle(std::uint32_t index);
  bool waits_for_pushes(std::uint32_t index);
  void push_map_output(JobId job, NodeId node);
  void push_ended(JobId job);

 private:
  World& world_;
  const Peers& peers_;
};

}  // namespace lips::simulation
