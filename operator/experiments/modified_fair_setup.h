// The testbed of the modified fair scheduler's paper as a scenario, and one run on it. Equal shapes and seeds, equal
// scenarios.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "policies/settings.h"
#include "simulation/scenario.h"

namespace lips::experiments {

// The place of a block's only replica: a random node, or the writer's own node, where HDFS puts the first one; here
// that is the master, which is a slave too.
enum class FairPlacement : std::uint8_t { writer, random };

struct FairShape {
  std::uint32_t map_slots = 4;            // of a node
  std::vector<std::uint32_t> sizes = {};  // map tasks of each job; they arrive in random order
  double mean_gap = 0.1;                  // seconds between arrivals, exponential
  double rack_link_mbit = 100;            // between the two buildings
  FairPlacement placement = FairPlacement::writer;
  double map_work = 90;  // CPU-seconds; WordCount's 90 a block is from the LiPS paper's Table I
};

simulation::Scenario fair_scenario(const FairShape& shape, std::uint64_t seed);
// Delays of 3 s, a reduce slot a node, heartbeats every 0.3 s (HEARTBEAT_INTERVAL_MIN of Hadoop 1.2.1).
PolicySettings fair_settings();

struct FairFigures {
  double turnaround = 0;  // seconds, mean over jobs
  double node_local = 0;  // share of maps
};
FairFigures fair_run(std::string_view policy, const simulation::Scenario& scenario, const PolicySettings& settings);

// Seconds: no schedule that keeps to the pools' maxima has a lower mean turnaround. Work is divisible and all reads
// are local; each pool ends its jobs in the best order (shortest remaining work first). Jobs of the least size count
// as if they ran beside their pools for free, as in a pool of their own.
double least_turnaround_within_maxima(const simulation::Scenario& scenario);

}  // namespace lips::experiments