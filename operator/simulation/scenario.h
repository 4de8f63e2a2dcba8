// The input of a simulated run: the cluster at the start, prices, arrivals and failures. A value; knows no policy.
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
#include "simulation/services.h"

namespace lips::simulation {

struct NodeFailure {
  NodeId node;
  TimePoint at{};
  Duration down{};         // zero: for good
  bool data_lost = false;  // false: its replicas come back with it
};

// A share of the tasks takes longer than their work says.
struct Stragglers {
  double share = 0;
  double slowdown = 1;
};

// Who places new output: the plan where it names a place, or always the file system, as HDFS does.
enum class NewData : std::uint8_t { policy, hdfs };

enum class Thinking : std::uint8_t { free, fixed, measured };
// Which traffic shares the link of a rack: only traffic that enters or leaves the rack, or reads inside it too.
enum class RackLink : std::uint8_t { between_racks, all };
// with_maps: output goes to the racks evenly as maps end, and reduces compute once all of it is there.
enum class ShuffleStart : std::uint8_t { after_maps, with_maps };
enum class RemoteRead : std::uint8_t { stream, copy_first };

struct Assumption {
  std::string name, value, note;
};

struct Scenario {
  std::string name, description;
  ClusterSnapshot cluster;  // no jobs, no tasks; its nodes are those at the start and all places of offers
  Fleet fleet;              // nodes that an autoscaler may buy
  CostModel costs;
  Tariff tariff;
  Billing billing = Billing::invoice;  // the leading one of the two bills
  std::vector<JobArrived> jobs;        // by arrival
  // By job: autoscalers evict none of its tasks, whatever the policy, because its pods say so; may be empty.
  std::vector<bool> not_evicted;
  // For each job those that must end first, including the writers of its input; may be empty.
  std::vector<std::vector<JobId>> after;
  NewData new_data = NewData::policy;
  std::uint32_t new_data_replicas = 1;
  std::vector<Service> services;
  std::vector<NodeFailure> failures;
  Stragglers stragglers;
  Thinking thinking = Thinking::free;
  Duration thinking_time{};  // of a plan, when fixed
  RemoteRead remote_read = RemoteRead::stream;
  ShuffleStart shuffle_start = ShuffleStart::after_maps;
  RackLink rack_link = RackLink::between_racks;
  MebibytesPerSecond decoding;  // of the blocks that a degraded task has read; 0: takes no time
  // Every price of a node that policies see is too high or too low by this share, by instance type, zone and capacity
  // type. Bills are at the true ones.
  double price_error = 0;
  // Sigma of the log-normal factor between expected and true work. Policies see the expected work.
  double duration_noise = 0;
  // True over expected work of each task, one job after the other, where it is known; empty: drawn.
  std::vector<double> work_factors;
  std::uint64_t seed = 1;
  std::vector<std::string> policies;  // `lips simulate` runs these when none are named
  PolicySettings settings;
  std::vector<Assumption> assumptions;  // prices, scaling and whatever else a reader of the results must know

  bool nodes_go() const { return !failures.empty() || !fleet.offers.empty(); }
  // The cluster before any purchase, as policies see it.
  ClusterSnapshot at_start() const;
};

}  // namespace lips::simulation
