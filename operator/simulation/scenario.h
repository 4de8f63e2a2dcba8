// All that a simulated run is given: the cluster at the start, prices, what arrives when, and what goes wrong. A value;
// knows no policy.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "invoice/tariff.h"
#include "model/cluster_event.h"
#include "model/costs.h"
#include "model/snapshot.h"
#include "policies/settings.h"
#include "simulation/fleet.h"

namespace lips::simulation {

struct NodeFailure {
  NodeId node;
  TimePoint at{};
  Duration down{};         // zero: for good
  bool data_lost = false;  // else its replicas come back with it
};

// A share of the tasks takes longer than their work says.
struct Stragglers {
  double share = 0;
  double slowdown = 1;
};

// Who places output as it is written: the plan where it says so, or always the file system as HDFS does.
enum class NewData : std::uint8_t { policy, hdfs };

enum class Thinking : std::uint8_t { free, fixed, measured };
enum class RackLink : std::uint8_t {
  between_racks,
  all
};  // what shares it: only what leaves or enters the rack, or reads inside it too
// With maps: output goes to the racks as maps end, evenly, and reduces compute once all of it is there.
enum class ShuffleStart : std::uint8_t { after_maps, with_maps };
enum class RemoteRead : std::uint8_t { stream, copy_first };

struct Assumption {
  std::string name, value, note;
};

struct Scenario {
  std::string name, description;
  ClusterSnapshot cluster;  // no jobs, no tasks; its nodes are those at the start and every place of an offer
  Fleet fleet;              // what an autoscaler may buy
  CostModel costs;
  Tariff tariff;
  Billing billing = Billing::invoice;     // which of the two bills leads
  std::vector<JobArrived> jobs;           // by arrival
  std::vector<std::vector<JobId>> after;  // by job: that must have ended, its input's writers among them; may be empty
  NewData new_data = NewData::policy;
  std::uint32_t new_data_replicas = 1;
  std::vector<NodeFailure> failures;
  Stragglers stragglers;
  Thinking thinking = Thinking::free;
  Duration thinking_time{};  // of a plan, when fixed
  RemoteRead remote_read = RemoteRead::stream;
  ShuffleStart shuffle_start = ShuffleStart::after_maps;
  RackLink rack_link = RackLink::between_racks;
  MebibytesPerSecond decoding;  // of what a degraded task has read; 0: takes no time
  double duration_noise =
      0;  // sigma of the log-normal factor between expected and true work; policies see the expected one
  std::uint64_t seed = 1;
  std::vector<std::string> policies;  // that `lips simulate` runs when none are named
  PolicySettings settings;
  std::vector<Assumption> assumptions;  // prices, scaling, whatever the reader of a result must know

  bool nodes_go() const { return !failures.empty() || !fleet.offers.empty(); }
  // As policies see it before anything was bought.
  ClusterSnapshot at_start() const { return before_purchases(cluster, fleet); }
};

}  // namespace lips::simulation
