// A scenario while it is read, with the state that its parts share. Internal to the scenario reader.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/price_sheet.h"
#include "config/transfer_prices.h"
#include "config/yaml_reader.h"
#include "simulation/scenario.h"
#include "simulation/scenario_options.h"
#include "simulation/scenario_totals.h"

namespace lips::simulation {

// How the replicas of a data set's blocks are spread.
struct Placement {
  std::uint32_t replicas = 3, zones_per_block = 1;
  bool by_rack = false;   // HDFS: a random node, one of another rack, another one of that rack
  bool together = false;  // all blocks of a data set choose the same zones
  ZoneId hot_zone;        // chosen with probability hot_share
  double hot_share = 0;
  StoreId store;             // all replicas go here instead
  ErasureCode code;          // n > 0: one copy of each block, and parity blocks for each stripe
  bool survive_rack = true;  // at most n - k blocks of a stripe in a rack
};

struct ScenarioDraft {
  Scenario scenario;
  FileErrors errors;
  PriceSheet prices;
  ScenarioOptions options;
  std::string config_folder;
  std::string region, as_of;
  std::string price_reading;
  double spot_factor = PriceSheet::spot_factor;
  std::map<std::string, double> spot_factors;  // by zone, where they differ
  double elastic_rate = 0;                     // work per second of the elastic nodes that `load` counts
  ScenarioTotals totals;
  std::vector<TransferEnd> ends;  // by zone
  Placement placement;
  Mebibytes block_size{128};
  std::vector<std::vector<NodeId>> nodes_in;  // by zone, those with a directory
  std::map<std::string, DataSetId> data_sets;
  std::map<std::string, PoolId> pools;
  std::map<std::string, std::vector<std::string>> copies_of;  // names of all jobs of each entry
  std::map<std::string, std::vector<std::string>> after;      // for each job the names of those that must end first
  std::map<std::string, std::string> writer_of;               // for data sets that a job writes

  ClusterSnapshot& cluster() { return scenario.cluster; }
  double spot_factor_in(ZoneId zone) {
    const auto found = spot_factors.find(cluster().zones[zone].name);
    return found == spot_factors.end() ? spot_factor : found->second;
  }
  bool elastic(NodeId node) const {
    for (const NodeOffer& offer : scenario.fleet.offers)
      if (node.index() >= offer.first.index() && node.index() - offer.first.index() < offer.limit) return true;
    return false;
  }
  void assume(std::string name, std::string value, std::string note = "") {
    scenario.assumptions.push_back({std::move(name), std::move(value), std::move(note)});
  }
};

// Streams of random numbers, one for each purpose.
enum class Draw : std::uint64_t {
  placement = 1,
  sample,
  applications,
  pools,
  failures,
  synthetic,
  announcements,
  sizes
};
// Says whether there is room for that many jobs of that many tasks each; if not, reports an error at the field.
bool room_for_jobs(YamlMap& fields, std::string_view key, double jobs, double tasks, ScenarioDraft& draft);
std::uint64_t seed_for(const ScenarioDraft& draft, Draw purpose);

// scenario_files.cpp: the content of a file that the field names, beside the scenario, among the shipped traces, or in
// the data folder's traces of that kind. None: it has reported an error, which says where such files come from.
std::optional<std::string> read_data_file(YamlMap& fields, std::string_view key, std::string_view kind,
                                          std::string_view source, ScenarioDraft& draft);

// scenario_cluster.cpp: zones, racks, nodes, stores, network
void read_cluster(YamlMap& root, ScenarioDraft& draft);
// scenario_fleet.cpp: the autoscaler
void read_autoscaler(YamlMap& root, ScenarioDraft& draft);
// scenario_tariff.cpp: prices of transfer and requests, commitments, which bill leads
void read_tariff(YamlMap& root, ScenarioDraft& draft);
ZoneId zone_named(YamlMap& fields, std::string_view key, ScenarioDraft& draft);
// scenario_resources.cpp: `extended` of nodes, which gives these resources their names
ExtendedAmounts read_node_extended(YamlMap& fields, ScenarioDraft& draft);
// `cores`, `memory` and `extended` of a task; only resources that nodes have
Resources read_request(YamlMap& fields, ScenarioDraft& draft);
// Sizes of tasks, of which each job draws one by weight.
struct RequestSize {
  Resources request;
  double weight = 1;
};
// `sizes`, or else the one request of the same mapping; never empty.
std::vector<RequestSize> read_sizes(YamlMap& fields, ScenarioDraft& draft);
// scenario_data.cpp: placement rules, data sets
void read_data(YamlMap& root, ScenarioDraft& draft);
Placement read_placement(YamlMap& fields, ScenarioDraft& draft);
// Says whether there is room for the copies of that many blocks of that size; if not, reports an error at the field.
bool room_for_blocks(YamlMap& fields, std::string_view key, Mebibytes size, Mebibytes block_size,
                     const Placement& placement, ScenarioDraft& draft);
DataSetId add_data_set(ScenarioDraft& draft, const std::string& name, Mebibytes size, Mebibytes block_size,
                       const Placement& placement);
// Adds a data set without replicas, which a job will write.
DataSetId add_output(ScenarioDraft& draft, const std::string& name, Mebibytes size, Mebibytes block_size);
// scenario_jobs.cpp: pools, jobs written one by one
void read_pools(YamlMap& root, ScenarioDraft& draft);
void read_jobs(YamlMap& root, ScenarioDraft& draft);
PoolId pool_named(YamlMap& fields, ScenarioDraft& draft);
// `nodeSelector` and `tolerations`
ConstraintId read_constraint(YamlMap& fields, ScenarioDraft& draft);
// scenario_services.cpp: pods beside the jobs
void read_services(YamlMap& root, ScenarioDraft& draft);
// scenario_workload.cpp: jobs from a trace or a synthetic day
void read_workload(YamlMap& root, ScenarioDraft& draft);
// scenario_announced.cpp: which jobs are announced before they come
void read_announced(YamlMap& root, ScenarioDraft& draft);

// Table I of the LiPS paper: ECU-seconds per 64 MB block, here per MiB.
struct Application {
  std::string_view name;
  double cpu_per_mebibyte;
};
const std::vector<Application>& applications();

}  // namespace lips::simulation
