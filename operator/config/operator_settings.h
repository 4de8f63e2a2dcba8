// The configuration of the operator as a value, with its defaults. Knows no file.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/log.h"
#include "base/units.h"
#include "config/frameworks.h"
#include "config/name_nodes.h"
#include "invoice/commitments.h"
#include "model/network.h"
#include "model/pod_mode.h"
#include "policies/settings.h"

namespace lips {

enum class LogFormat : std::uint8_t { logfmt, json };

struct OperatorConfig {
  std::string scheduler_name = "lips";
  PodMode mode = PodMode::watch;
  bool fall_back = true;

  struct PolicyChoice {
    std::string name = "lips";
    std::uint32_t seed = 1;
    Duration epoch{0};
    PolicySettings settings;
    // The settings with `epoch` applied.
    PolicySettings effective() const;
  } policy;

  struct Prices {
    std::string region = "us-east-1", file, metrics;
    std::vector<std::pair<std::string, double>> instances;  // USD an hour, by instance type
    double spot_factor = 0.35;
    std::vector<std::pair<std::string, double>> spot_factors;  // by zone
    double unknown_core_hour = 0.05;
    double across_zones = 0.02, across_regions = 0.02;  // USD/GB
    bool gateway_endpoint = true;                       // for regional buckets
    double volume_month = 0.08, bucket_month = 0.023;   // USD/(GB month)
  } prices;

  Commitments commitments;

  // Work that is announced and has not come.
  struct Expected {
    std::string file;
  } expected;

  Network network{MebibytesPerSecond(0), MebibytesPerSecond(0),   MebibytesPerSecond(0),
                  MebibytesPerSecond(0), MebibytesPerSecond(119), MebibytesPerSecond(60)};

  // The nodes that the cluster's autoscaler may launch: every type in every zone and of every capacity type, or what
  // its NodePools say.
  struct Fleet {
    bool from_node_pools = false;
    std::vector<std::string> instance_types, zones, capacity_types{"spot", "on-demand"};
    Duration boot_time{60'000'000}, idle_time{60'000'000};
    double interruptions_per_hour = 0;  // of a spot node
    double limit_cores = 0;             // of all its nodes together; 0: any number
  } fleet;

  // The pods that belong to one application, and the assumptions about it where nobody says (docs/spark.md).
  struct Applications {
    Frameworks frameworks = default_frameworks();
    Mebibytes shuffle_per_cpu_second{1};
    bool learn_traffic = true;
    std::int32_t driver_port = 4040;
  } applications;

  struct LeaderElection {
    bool enabled = true;
    std::string name_space, name = "lips";
    Duration lease{15'000'000}, renew_deadline{10'000'000}, retry{2'000'000};
  } leader_election;

  struct Kubernetes {
    std::int32_t requests_in_flight = 32;
    std::int32_t events_per_minute = 300;
  } kubernetes;

  struct Moves {
    std::int32_t per_zone_pair = 4, total = 32, attempts = 5;
    MebibytesPerSecond bandwidth{0};  // of all moves of a zone pair together; 0: no limit
    std::string name_space, image = "docker.io/rclone/rclone:1.72.0", pull_policy = "IfNotPresent", service_account;
    bool serve_stores = true;
    Duration keep_finished{600'000'000}, unowned_every{86'400'000'000};
    std::int32_t run_as_user = 65532;       // for pods that mount no node directory; -1: the namespace decides
    double cpu_request = 0, cpu_limit = 0;  // cores; no limit: 0
    Mebibytes memory_request{0}, memory_limit{1024};
    std::string pod_spec;  // JSON, merged into the spec of the pods
    std::string key_secret = "lips-store-key";
  } moves;

  struct Data {
    std::int32_t blocks_per_name_space = 2'000'000, files_per_name_space = 100'000;
    std::int32_t blocks_and_replicas = 3'000'000;  // of all namespaces together
    Mebibytes size_per_name_space{0};              // no limit: 0
    std::vector<NameNode> discover_from;
  } data;

  struct Server {
    std::string listen = "0.0.0.0:8080", health;
    bool authorize = false;
    Duration stalled_after{60'000'000};
  } server;

  struct Journal {
    std::string directory;
    Mebibytes size{256};
    Duration least_interval{0};
    double time_share = 0.2;
  } journal;

  // Simulations of what the journal has seen under other policies.
  struct Twin {
    Duration every{600'000'000};
    Duration window{std::chrono::hours(24)};
    std::vector<std::string> policies{"spread", "most-allocated"};
  } twin;

  struct Logging {
    LogLevel level = LogLevel::info;
    LogFormat format = LogFormat::logfmt;
  } log;
};

}  // namespace lips
