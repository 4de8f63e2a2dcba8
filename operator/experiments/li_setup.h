// Whole simulated runs as in section V of Li, Lee and Hu (DSN 2014): one job on an erasure-coded cluster, with nodes
// lost before it starts. Equal shapes and seeds, equal scenarios.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "simulation/scenario.h"

namespace lips::experiments {

enum class LiFailure : std::uint8_t { none, one_node, two_nodes, rack };

enum class LiReports : std::uint8_t { rack_by_rack, racks_in_turn };

struct LiShape {
  std::uint32_t nodes = 40, racks = 4, map_slots = 4, reduces = 30;
  std::int32_t n = 20, k = 15;
  std::uint32_t native_blocks = 1440;
  double rack_gigabits = 1;  // of a rack, down and up; 128 MB take 1.000 s at 1
  double node_gigabits = 0;  // of a node, each direction; 0: as much as comes
  simulation::RackLink rack_link = simulation::RackLink::between_racks;
  LiReports reports = LiReports::rack_by_rack;
  double shuffle = 0.01;  // of what the maps read
  LiFailure failure = LiFailure::one_node;
  double slow_nodes = 0;    // share of the nodes
  double slow_speed = 0.5;  // of those
};

simulation::Scenario li_scenario(const LiShape& shape, std::uint32_t seed);

struct LiRun {
  double seconds = 0;   // of the job
  double degraded = 0;  // tasks that decoded their block
};
Result<LiRun> li_run(const simulation::Scenario& scenario, std::string_view policy,
                     const PolicySettings& settings = {});

}  // namespace lips::experiments
