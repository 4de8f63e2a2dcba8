// The analysis of section IV-B of Li, Lee and Hu (DSN 2014): run times of a map-only job with one node lost. Knows no
// simulator.
#pragma once

namespace lips::experiments {

struct LiCluster {
  double nodes = 40, racks = 4, map_slots = 4;  // N, R, L: slots a node
  double block_megabytes = 128;                 // S
  double rack_megabits = 1000;                  // W: download bandwidth of a rack
  double map_seconds = 20;                      // T
  double native_blocks = 1440;                  // F
  double n = 16, k = 12;
};

// The printed figures assume that 128 MB take 1.000 s at 1 Gbit/s: powers of two in both.
double li_block_seconds(const LiCluster& cluster);   // S / W
double li_degraded_read(const LiCluster& cluster);   // (R - 1) k S / (R W)
double li_normal(const LiCluster& cluster);          // F T / (N L)
double li_locality_first(const LiCluster& cluster);  // F T / (N L) + F / (N R) x (R - 1) k S / (R W) + T
double li_degraded_first(const LiCluster& cluster);  // max(F T / ((N - 1) L) + T, F / (N R) x (R - 1) k S / (R W) + T)
double li_reduction(const LiCluster& cluster);       // share of the run time that degraded-first saves

}  // namespace lips::experiments
