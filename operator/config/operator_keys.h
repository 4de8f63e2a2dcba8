// All keys of the operator's configuration, with their units and meanings. Reading, writing and the table in the
// documentation use this one list.
#pragma once

#include <array>
#include <string_view>

#include "config/operator_settings.h"

namespace lips {

inline constexpr std::array<std::string_view, 5> log_levels{"debug", "info", "warning", "error", "off"};
inline constexpr std::array<std::string_view, 2> log_formats{"logfmt", "json"};

// The words about a key.
struct KeyWords {
  std::string_view unit, meaning;
  bool live = false;
};
inline constexpr bool live = true;

template <class Fields>
void each_policy_key(Fields& fields, OperatorConfig& config) {
  fields.section("policy", "how plans are made", [&](auto& in) {
    in.policy("name", config.policy.name, {"", "the policy; 'lips policies' lists them", live});
    in.whole("seed", config.policy.seed, 0, {"", "seed of policies that draw at random", live});
    in.duration(
        "epoch", config.policy.epoch,
        {"duration",
         "longest time between two plans; sets settings.replanEvery and settings.epoch; 0: as the settings say", live});
    in.settings("settings", config.policy.settings,
                {"", "settings of the policies (docs/scenarios.md, 'Settings')", live});
  });
}

template <class Fields>
void each_price_key(Fields& fields, OperatorConfig& config) {
  auto& prices = config.prices;
  fields.section("prices", "prices of nodes, transfers and storage; a simulated cluster has its own", [&](auto& in) {
    in.text("region", prices.region, {"", "region of nodes that lack the label topology.kubernetes.io/region", live});
    in.text("file", prices.file,
            {"path",
             "CSV file with columns of config/prices/ec2-on-demand.csv, also zone and capacity_type; its rows replace "
             "those of the built-in sheet; `lips prices` writes one",
             live});
    in.text("metrics", prices.metrics,
            {"URL",
             "metrics page of Karpenter on AWS or of OpenCost, read every ten minutes; its prices by zone and "
             "capacity type replace those of the sheets",
             live});
    in.number_map("instances", prices.instances,
                  {"USD/h", "on-demand price by instance type, in every region; overrides every sheet", live});
    in.number("spotFactor", prices.spot_factor, {"", "price of a spot node as a share of the on-demand price", live});
    in.number_map("spotFactors", prices.spot_factors,
                  {"", "the same by zone, where it differs; overrides spotFactor", live});
    in.amount("unknownCoreHour", prices.unknown_core_hour, "USD",
              {"USD/core-hour", "price of nodes whose type is in no sheet; a metric counts them and the log names them",
               live});
    in.amount("acrossZones", prices.across_zones, "USD/GB",
              {"USD/GB", "transfer between two zones of a region, both directions' charges together", live});
    in.amount("acrossRegions", prices.across_regions, "USD/GB",
              {"USD/GB", "transfer between two regions that the built-in sheet lacks", live});
    in.flag("gatewayEndpoint", prices.gateway_endpoint,
            {"",
             "whether bytes of regional buckets pass a gateway endpoint, for nothing, and not a NAT gateway, at its "
             "price",
             live});
    in.amount("volumeMonth", prices.volume_month, "USD/GB",
              {"USD/GB-month", "storage in zonal volumes and node directories", live});
    in.amount("bucketMonth", prices.bucket_month, "USD/GB", {"USD/GB-month", "storage in buckets", live});
  });
  fields.section(
      "commitments", "hours of on-demand nodes that are paid for anyway: not in lips_node_dollars_total",
      [&](auto& in) {
        in.commitment(
            "reserved", config.commitments.reserved,
            {"", "list of instanceType, zone (any) and count: so many nodes are covered at every moment", live});
        in.commitment("savingsPlan", config.commitments.savings_plan,
                      {"USD/h", "perHour is paid and buys on-demand nodes at the discount", live});
      });
}

template <class Fields>
void each_expected_key(Fields& fields, OperatorConfig& config) {
  fields.section("expected", "jobs that are to come, for which plans leave room", [&](auto& in) {
    in.text("file", config.expected.file,
            {"path",
             "list of announcements beside those of CronJobs, suspended Jobs and workflows "
             "(docs/kubernetes.md#work-to-come); read again when it changes",
             live});
  });
}

template <class Fields>
void each_fleet_key(Fields& fields, OperatorConfig& config) {
  OperatorConfig::Fleet& fleet = config.fleet;
  fields.section(
      "fleet", "nodes that an autoscaler such as Karpenter may launch: plans ask for them where they pay",
      [&](auto& in) {
        in.flag("fromNodePools", fleet.from_node_pools,
                {"",
                 "read from Karpenter's NodePools what may be launched, where, and how much of it "
                 "(docs/steering.md#what-nodepools-allow); instanceTypes and idleTime are then without meaning"});
        in.texts(
            "instanceTypes", fleet.instance_types,
            {"",
             "that it may launch, with a price and a size in the sheet; empty, without fromNodePools: plans ask for "
             "no nodes"});
        in.texts("zones", fleet.zones,
                 {"", "in which it may launch them; empty, with fromNodePools: as the NodePools say"});
        in.texts("capacityTypes", fleet.capacity_types,
                 {"", "spot, on-demand or both; with fromNodePools: of those that the NodePools allow"});
        in.duration("bootTime", fleet.boot_time, {"duration", "from the launch of a node until pods start on it"});
        in.duration(
            "idleTime", fleet.idle_time,
            {"duration", "how long an empty node is kept: consolidateAfter and what the autoscaler takes itself"});
        in.number("interruptionsPerHour", fleet.interruptions_per_hour, {"", "of one spot node, in the mean"});
        in.number("limitCores", fleet.limit_cores,
                  {"cores",
                   "of all nodes that the autoscaler launches together; 0: any number; with fromNodePools: as the "
                   "NodePools say"});
      });
}

template <class Fields>
void each_application_key(Fields& fields, OperatorConfig& config) {
  fields.section("applications", "pods of one application are one job (docs/spark.md)", [&](auto& in) {
    in.frameworks("frameworks", config.applications.frameworks,
                  {"", "how frameworks mark the pods of an application; the first that matches a pod counts"});
    in.size("shufflePerCpuSecond", config.applications.shuffle_per_cpu_second,
            {"size", "exchanged by an application without lips.dev/shuffle, for each CPU-second of its work"});
    in.flag("learnTraffic", config.applications.learn_traffic,
            {"", "ask drivers of frameworks with `same` how much they read and exchange, for the next run"});
    in.whole("driverPort", config.applications.driver_port, 1, {"", "on which they answer: spark.ui.port"});
  });
}

template <class Fields>
void each_cluster_key(Fields& fields, OperatorConfig& config) {
  fields.section("network", "bandwidth that one reader can expect; 0: unlimited", [&](auto& in) {
    in.bandwidth("localRead", config.network.local_read, {"bandwidth", "reads from the task's own node"});
    in.bandwidth("nodeLink", config.network.node_link, {"bandwidth", "network interface of a node, per direction"});
    in.bandwidth("rackLink", config.network.rack_link, {"bandwidth", "uplink of a rack, per direction"});
    in.bandwidth("zoneLink", config.network.zone_link, {"bandwidth", "link between two zones, per direction"});
    in.bandwidth("zoneStream", config.network.zone_stream, {"bandwidth", "a single transfer inside a zone"});
    in.bandwidth("remoteStream", config.network.remote_stream, {"bandwidth", "a single transfer across zones"});
  });
  fields.section("leaderElection", "of several replicas of the operator, only the leader acts", [&](auto& in) {
    auto& election = config.leader_election;
    in.flag("enabled", election.enabled,
            {"", "false: every replica acts as leader; run one replica, and wait a few seconds before replacing it"});
    in.text("namespace", election.name_space, {"", "namespace of the Lease; empty: where the operator runs"});
    in.text("name", election.name, {"", "name of the Lease"});
    in.duration("leaseDuration", election.lease,
                {"duration", "another replica takes over when the lease was not renewed for this long"});
    in.duration("renewDeadline", election.renew_deadline,
                {"duration", "a leader that could not renew for this long stops acting; shorter than leaseDuration"});
    in.duration("retryPeriod", election.retry,
                {"duration", "pause between two attempts to renew; shorter than renewDeadline"});
  });
  fields.section("kubernetes", "requests to the API server", [&](auto& in) {
    in.whole("requestsInFlight", config.kubernetes.requests_in_flight, 1,
             {"", "requests in flight at once, each on its own connection"});
    in.whole("eventsPerMinute", config.kubernetes.events_per_minute, 0,
             {"", "most Event objects written in a minute; the rest are aggregated"});
  });
  fields.section("moves", "copies of data between stores", [&](auto& in) {
    in.whole("perZonePair", config.moves.per_zone_pair, 1, {"", "most moves at once from one zone to another"});
    in.whole("total", config.moves.total, 1, {"", "most moves at once"});
    in.whole("attempts", config.moves.attempts, 1, {"", "attempts before a move fails"});
    in.bandwidth("bandwidth", config.moves.bandwidth,
                 {"bandwidth", "limit for all moves between two zones together; 0: unlimited"});
    in.text("namespace", config.moves.name_space,
            {"", "namespace of the Jobs that copy; empty: where the operator runs"});
    in.text("image", config.moves.image, {"", "image of those Jobs: rclone 1.65 or later, and a shell"});
    in.text("imagePullPolicy", config.moves.pull_policy,
            {"", "pull policy of that image: IfNotPresent, Always or Never"});
    in.flag("serveStores", config.moves.serve_stores,
            {"", "run pods that serve node directories and volumes to readers elsewhere"});
    in.duration("keepFinished", config.moves.keep_finished,
                {"duration", "how long the operator keeps its own DataMoves after they end"});
    in.duration("unownedEvery", config.moves.unowned_every,
                {"duration",
                 "how often a Job looks in each store for copies that no DataSet owns; nothing is deleted; 0: never"});
    in.text("serviceAccount", config.moves.service_account,
            {"", "service account of the Jobs that copy; empty: the namespace's default"});
    in.whole("runAsUser", config.moves.run_as_user, -1,
             {"",
              "user of the copying pods that mount no node directory (those that do run as root); -1: the namespace "
              "decides"});
    in.number("cpuRequest", config.moves.cpu_request,
              {"cores", "CPU request of each copying or serving pod; they have to start on full nodes"});
    in.size("memoryRequest", config.moves.memory_request, {"size", "memory request of each of them"});
    in.number("cpuLimit", config.moves.cpu_limit, {"cores", "CPU limit of each of them; 0: no limit"});
    in.size("memoryLimit", config.moves.memory_limit, {"size", "memory limit of each of them; 0: no limit"});
    in.text(
        "podSpec", config.moves.pod_spec,
        {"JSON", "a part of a PodSpec, merged into that of these pods: tolerations, nodeSelector, imagePullSecrets"});
    in.text("keySecret", config.moves.key_secret,
            {"", "the Secret of that namespace with the key from which passwords of stores that are served are made"});
  });
  fields.section("data", "limits on the data of a namespace", [&](auto& in) {
    in.whole("blocksPerNamespace", config.data.blocks_per_name_space, 0,
             {"", "blocks of all data sets of a namespace; younger data sets that would exceed this are refused"});
    in.whole("blocksAndReplicas", config.data.blocks_and_replicas, 0,
             {"",
              "blocks and their replicas of all data sets of all namespaces, about 500 bytes of memory each; beyond "
              "this the largest sets of the namespaces with most are refused"});
    in.whole("filesPerNamespace", config.data.files_per_name_space, 0,
             {"", "listed and discovered files of all data sets of a namespace"});
    in.size("sizePerNamespace", config.data.size_per_name_space,
            {"size",
             "of all data sets of a namespace, each counted once: the room in stores that it can claim, because LiPS "
             "takes a set's word for what a store holds; 0: no limit"});
    in.name_nodes("discoverFrom", config.data.discover_from,
                  {"",
                   "HDFS name nodes that data sets may be discovered from: list of url, namespaces, paths and user "
                   "(docs/data-resources.md#name-nodes); a URL alone allows each namespace its /user/NAMESPACE; empty: "
                   "none"});
  });
}

template <class Fields>
void each_service_key(Fields& fields, OperatorConfig& config) {
  fields.section("server", "status page, metrics and health", [&](auto& in) {
    in.text("listen", config.server.listen,
            {"address:port", "address to serve on; port 0: any free port, which the log names; empty: serve nothing"});
    in.text("health", config.server.health,
            {"address:port", "/healthz and /readyz on a port of their own, open to all; empty: with the rest"});
    in.flag("authorize", config.server.authorize,
            {"", "only bearers of tokens to whom the API server grants 'get' on the path are answered; not on health"});
    in.duration("stalledAfter", config.server.stalled_after,
                {"duration", "/healthz fails when the main loop has not run for this long", live});
  });
  fields.section("journal", "a record of the last plans, from which 'lips replay' makes them again", [&](auto& in) {
    in.text("directory", config.journal.directory, {"path", "folder of the journal; empty: no journal"});
    in.size("size", config.journal.size,
            {"size", "size of all files together; the oldest plans are deleted first", live});
    in.duration("leastInterval", config.journal.least_interval,
                {"duration", "shortest time between two records; 0: record every plan", live});
    in.share("timeShare", config.journal.time_share,
             {"", "share of one core that writing may use; plans beyond it are not recorded", live});
  });
  fields.section(
      "twin",
      "the invoice of the same work under other policies, simulated from the journal (docs/metrics.md#the-twin); in "
      "mode watch that of the work of other schedulers under LiPS (docs/watching.md)",
      [&](auto& in) {
        in.duration("every", config.twin.every,
                    {"duration",
                     "pause between two comparisons; 0: none. It is at least 50 times the CPU time of the last one, so "
                     "that they take at most 2 % of a core",
                     live});
        in.duration("window", config.twin.window, {"duration", "the time before now that is compared", live});
        in.policies(
            "policies", config.twin.policies,
            {"", "policies to compare with; spread and most-allocated are the two scorings of kube-scheduler", live});
      });
  fields.section("log", "log lines on stderr", [&](auto& in) {
    in.choice("level", config.log.level, log_levels,
              {"", "least level that is written: debug, info, warning, error or off", live});
    in.choice("format", config.log.format, log_formats, {"", "format of the lines: logfmt or json"});
  });
}

template <class Fields>
void each_key(Fields& fields, OperatorConfig& config) {
  fields.text("schedulerName", config.scheduler_name,
              {"", "LiPS schedules the pods whose spec.schedulerName is this name"});
  fields.choice("mode", config.mode, pod_mode_names,
                {"",
                 "pods that name another scheduler: watch (nothing is written), steer (gated pods get a zone) or bind "
                 "(gates are taken away); a Pool's spec.mode wins (docs/steering.md)"});
  fields.flag("fallBack", config.fall_back,
              {"",
               "leave steered pods to their schedulers while plans fail their checks, and those of a pool that has "
               "overspent its budget of the day (docs/steering.md)",
               live});
  each_policy_key(fields, config);
  each_price_key(fields, config);
  each_expected_key(fields, config);
  each_fleet_key(fields, config);
  each_application_key(fields, config);
  each_cluster_key(fields, config);
  each_service_key(fields, config);
}

}  // namespace lips
