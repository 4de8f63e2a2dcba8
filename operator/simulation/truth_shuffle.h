// Map output of a simulated cluster on its way to the reduces.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "simulation/world.h"

namespace lips::simulation {

class TruthShuffle {
 public:
  explicit TruthShuffle(World& world) : world_(world) {}

  void count_map_output(JobId job, NodeId node);
  void read_shuffle(std::uint32_t index);
  bool waits_for_pushes(std::uint32_t index);
  void push_map_output(JobId job, NodeId node);
  // The attempts that waited for this push; they may have ended since. (index, generation)
  [[nodiscard]] std::vector<std::pair<std::uint32_t, std::uint32_t>> push_ended(JobId job);

 private:
  World& world_;
};

}  // namespace lips::simulation
