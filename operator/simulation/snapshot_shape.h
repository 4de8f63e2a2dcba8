// The sizes and features of a random cluster, and its seed.
#pragma once

#include <cstdint>
#include <vector>

#include "base/units.h"
#include "model/nodes.h"

namespace lips::simulation {

struct OfferedType {
  Resources capacity;
  UsdPerHour price;  // on demand
};

struct SnapshotShape {
  std::uint32_t nodes = 100, zones = 3;
  std::uint32_t classes = 0;  // distinct zone x price x speed; 0: twelve a zone
  std::uint32_t racks_per_zone = 4;
  std::uint32_t tasks = 1000;  // pending maps and blocked reduces
  std::uint32_t jobs = 0;      // 0: a fiftieth of the tasks; sizes are heavy-tailed
  std::uint32_t pools = 3;
  double load = 0.8;  // work of pending tasks over cluster CPU in `horizon`; 0: 10 to 120 CPU-seconds a task
  Duration horizon = std::chrono::seconds(600);
  std::uint64_t seed = 1;

  std::uint32_t replicas = 3;               // of a block, on node directories
  std::uint32_t zones_per_block = 2;        // HDFS: one replica here, the others elsewhere; 1: all in one zone
  double skew = 0;                          // zone k of z is chosen in proportion to (k + 1)^-skew; 0: evenly
  double share_of_jobs_with_selectors = 0;  // also taints a tenth of the classes
  double share_of_jobs_sharing_data = 0;
  double share_of_jobs_with_shuffle = 0;
  double share_of_jobs_without_input = 0;
  double busy = 0;                              // share of the slots that run something at the start
  bool memory = false;                          // memory requests that can bind
  double share_of_jobs_with_extended = 0;       // that ask for GPUs or licences, which some nodes have
  double share_of_data_sets_with_codes = 0;     // erasure-coded; one in eight of their blocks is lost
  double share_of_jobs_in_parts = 0;            // whose reduces request something else than their maps
  double share_of_jobs_of_peers = 0;            // without reduces, that exchange data and start together
  double share_of_jobs_held = 0;                // whose inputs do not exist yet
  double share_of_blocks_moving = 0;            // on their way to one more store
  bool pool_limits = false;                     // maxima, minima, weights and shortfall prices
  bool offers = false;                          // an autoscaler would launch nodes, and launched some already
  std::vector<OfferedType> offered_types = {};  // beside those, in every zone, spot and on demand
  std::uint32_t announcements = 0;              // of work that is expected and has not come
  bool limited_stores = false;                  // with little room; a volume in each zone
  // Requests of parts of cores and of several, priorities, jobs that read half of a block or one block twice.
  bool odd_requests = false;
  bool homes_decided = false;  // of every other job
  bool leaving_nodes = false;  // one kind of node of each zone is about to go
  // adversarial
  bool nothing_fits = false;     // each task asks for more than any node has
  bool free_of_charge = false;   // every price is 0
  bool equal_prices = false;     // nodes differ in size and place only
  bool uneven_transfer = false;  // another price for each pair of zones and direction
};

}  // namespace lips::simulation
