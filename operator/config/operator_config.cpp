#include "config/operator_config.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <functional>
#include <span>

#include "config/commitments.h"
#include "config/quantities.h"
#include "config/settings_reader.h"
#include "config/text_file.h"
#include "config/yaml_text.h"
#include "policies/registry/registry.h"

namespace lips {
namespace {

constexpr std::string_view api_version = "config.lips.dev/v1alpha1", kind = "OperatorConfig";
constexpr std::array<std::string_view, 5> log_levels{"debug", "info", "warning", "error", "off"};
constexpr std::array<std::string_view, 2> log_formats{"logfmt", "json"};

struct About {
  std::string_view unit, meaning;
  bool live = false;
};
constexpr bool live = true;

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
             {"", "blocks and their replicas of all data sets of all namespaces, about 500 bytes of memory each; beyond "
                  "this the largest sets of the namespaces with most are refused"});
    in.whole("filesPerNamespace", config.data.files_per_name_space, 0,
             {"", "listed and discovered files of all data sets of a namespace"});
    in.size("sizePerNamespace", config.data.size_per_name_space,
            {"size",
             "of all data sets of a namespace, each counted once: the room in stores that it can claim, because LiPS "
             "takes a set's word for what a store holds; 0: no limit"});
    in.texts("discoverFrom", config.data.discover_from,
             {"", "URLs of HDFS name nodes that data sets may be discovered from; empty: none"});
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
  fields.section("baselines", "policies whose costs on the same snapshots savings are measured against", [&](auto& in) {
    in.policies("policies", config.baselines.policies, {"", "policies to compare with", live});
    in.whole("every", config.baselines.every, 1, {"epochs", "plans from one comparison to the next", live});
    in.share("timeShare", config.baselines.time_share,
             {"", "share of one core that comparisons may use; plans beyond it are not compared", live});
    in.whole("mostTasks", config.baselines.most_tasks, 0,
             {"tasks", "most pending tasks; larger snapshots are not compared", live});
    in.flag(
        "watched", config.baselines.watched,
        {"",
         "plan batch pods of other schedulers too, for the report of what LiPS would have saved (docs/watching.md)"});
  });
  fields.section("log", "log lines on stderr", [&](auto& in) {
    in.choice("level", config.log.level, log_levels,
              {"", "least level that is written: debug, info, warning, error or off", live});
    in.choice("format", config.log.format, log_formats, {"", "format of the lines: logfmt or json"});
  });
}

// All keys. Reading, writing and the table in the documentation use this one list.
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

Result<void> known_policy(const std::string& name) {
  for (const PolicyEntry& entry : policy_registry())
    if (entry.name == name) return {};
  std::vector<std::string_view> names;
  for (const PolicyEntry& entry : policy_registry()) names.push_back(entry.name);
  return fail(ErrorCode::not_found, fmt::format("{}", fmt::join(names, ", ")));
}

class Reading {
 public:
  explicit Reading(YamlMap& fields) : fields_(fields) {}

  template <class Each>
  void section(std::string_view key, std::string_view, Each each) {
    std::optional<YamlMap> inner = fields_.map(key);
    if (!inner) return;
    Reading reading(*inner);
    each(reading);
    inner->finish();
  }
  void text(std::string_view key, std::string& value, About) { value = fields_.text(key, value); }
  void policy(std::string_view key, std::string& value, About) {
    value = fields_.text(key, value);
    if (const Result<void> known = known_policy(value); !known)
      fields_.error(key, "'" + value + "'", known.error().message);
  }
  void policies(std::string_view key, std::vector<std::string>& value, About) {
    if (!fields_.has(key)) return;
    value = fields_.texts(key);
    for (const std::string& name : value)
      if (const Result<void> known = known_policy(name); !known)
        fields_.error(key, "'" + name + "'", known.error().message);
  }
  void texts(std::string_view key, std::vector<std::string>& value, About) {
    if (fields_.has(key)) value = fields_.texts(key);
  }
  void frameworks(std::string_view key, Frameworks& value, About) {
    if (!fields_.has(key)) return;
    value.clear();
    for (YamlMap& one : fields_.maps(key)) {
      value.push_back(framework(one));
      one.finish();
    }
  }
  template <class Commitment>
  void commitment(std::string_view key, Commitment& value, About) {
    read_commitment(fields_, key, value);
  }
  template <class Whole>
  void whole(std::string_view key, Whole& value, std::int64_t least, About) {
    value = static_cast<Whole>(fields_.integer(key, value, least, INT32_MAX));
  }
  void number(std::string_view key, double& value, About) { value = fields_.number(key, value, not_negative); }
  void share(std::string_view key, double& value, About) { value = fields_.number(key, value, share_range); }
  void amount(std::string_view key, double& value, std::string_view unit, About) {
    value = fields_.amount(key, value, unit);
  }
  void number_map(std::string_view key, std::vector<std::pair<std::string, double>>& value, About) {
    if (fields_.has(key)) value = fields_.number_map(key, price_range);
  }
  void flag(std::string_view key, bool& value, About) { value = fields_.flag(key, value); }
  void duration(std::string_view key, Duration& value, About) { value = fields_.duration(key, value); }
  void size(std::string_view key, Mebibytes& value, About) { value = fields_.size(key, value); }
  void bandwidth(std::string_view key, MebibytesPerSecond& value, About) { value = fields_.bandwidth(key, value); }
  template <class Choice>
  void choice(std::string_view key, Choice& value, std::span<const std::string_view> names, About) {
    value = static_cast<Choice>(fields_.choice(key, names, static_cast<std::size_t>(value)));
  }
  void settings(std::string_view key, PolicySettings& value, About) {
    if (std::optional<YamlMap> inner = fields_.map(key)) read_policy_settings(*inner, value);
  }

 private:
  static Framework framework(YamlMap& fields) {
    Framework result;
    for (const char* key : {"name", "group"}) fields.require(key);
    result.name = fields.text("name");
    result.group = fields.text("group");
    result.driver = fields.text("driver");
    result.only = fields.text("only");
    result.pods = fields.text("pods");
    result.exchanges = fields.flag("exchanges", true);
    result.same = fields.text("same");
    result.workers_first = fields.flag("workersFirst", false);
    if (result.workers_first && result.driver.empty())
      fields.error("workersFirst", "true without a driver", "true where `driver` names one");
    for (const auto& [key, text] : {std::pair("driver", &result.driver), std::pair("only", &result.only)})
      if (!text->empty() && text->find('=') == std::string::npos)
        fields.error(key, "'" + *text + "'", "label=value, such as spark-role=driver");
    return result;
  }
  YamlMap& fields_;
};

std::string duration_text(Duration value) {
  const std::int64_t count = value.count();
  if (count == 0) return "0s";
  if (count % 1'000 != 0) return fmt::format("{}.{:03}ms", count / 1'000, count % 1'000);
  if (count % 1'000'000 != 0) return fmt::format("{}ms", count / 1'000);
  if (count % 60'000'000 != 0 || count == 60'000'000) return fmt::format("{}s", count / 1'000'000);
  if (count % 3'600'000'000 != 0) return fmt::format("{}m", count / 60'000'000);
  return fmt::format("{}h", count / 3'600'000'000);
}

// Sections and keys with their values in YAML, to print or compare them.
class Listing {
 public:
  using Section = std::function<void(std::string_view key, std::string_view meaning)>;
  using Key = std::function<void(const ConfigKey&)>;
  Listing(std::string prefix, const Section& section, const Key& key)
      : prefix_(std::move(prefix)), section_(section), key_(key) {}

  template <class Each>
  void section(std::string_view key, std::string_view meaning, Each each) {
    section_(key, meaning);
    Listing inner(fmt::format("{}{}.", prefix_, key), section_, key_);
    each(inner);
  }
  void text(std::string_view key, const std::string& value, About about) { say(key, quoted(value), about); }
  void policy(std::string_view key, const std::string& value, About about) { say(key, value, about); }
  void policies(std::string_view key, const std::vector<std::string>& value, About about) {
    say(key, fmt::format("[{}]", fmt::join(value, ", ")), about);
  }
  void texts(std::string_view key, const std::vector<std::string>& value, About about) {
    std::string list;
    for (const std::string& text : value) list += (list.empty() ? "" : ", ") + quoted(text);
    say(key, "[" + list + "]", about);
  }
  void frameworks(std::string_view key, const Frameworks& value, About about) {
    std::string list;
    for (const Framework& one : value) {
      list += fmt::format("{}{{name: {}, group: {}", list.empty() ? "" : ", ", quoted(one.name), quoted(one.group));
      if (!one.driver.empty()) list += ", driver: " + quoted(one.driver);
      if (!one.only.empty()) list += ", only: " + quoted(one.only);
      if (!one.pods.empty()) list += ", pods: " + quoted(one.pods);
      if (!one.exchanges) list += ", exchanges: false";
      if (!one.same.empty()) list += ", same: " + quoted(one.same);
      if (one.workers_first) list += ", workersFirst: true";
      list += "}";
    }
    say(key, "[" + list + "]", about);
  }
  template <class Commitment>
  void commitment(std::string_view key, const Commitment& value, About about) {
    say(key, commitment_text(value), about);
  }
  template <class Whole>
  void whole(std::string_view key, Whole value, std::int64_t, About about) {
    say(key, fmt::format("{}", value), about);
  }
  void number(std::string_view key, double value, About about) { say(key, fmt::format("{}", value), about); }
  void share(std::string_view key, double value, About about) { number(key, value, about); }
  void amount(std::string_view key, double value, std::string_view, About about) { number(key, value, about); }
  void number_map(std::string_view key, const std::vector<std::pair<std::string, double>>& value, About about) {
    std::string list;
    for (const auto& [name, number] : value)
      list += fmt::format("{}{}: {}", list.empty() ? "" : ", ", quoted(name), number);
    say(key, "{" + list + "}", about);
  }
  void flag(std::string_view key, bool value, About about) { say(key, value ? "true" : "false", about); }
  void duration(std::string_view key, Duration value, About about) { say(key, duration_text(value), about); }
  void size(std::string_view key, Mebibytes value, About about) { say(key, fmt::format("{}Mi", value.value()), about); }
  void bandwidth(std::string_view key, MebibytesPerSecond value, About about) {
    say(key, value.value() == 0 ? "0" : fmt::format("{}MiB/s", value.value()), about);
  }
  template <class Choice>
  void choice(std::string_view key, Choice value, std::span<const std::string_view> names, About about) {
    say(key, std::string(names[static_cast<std::size_t>(value)]), about);
  }
  void settings(std::string_view key, const PolicySettings& value, About about) {
    std::string text = write_policy_settings(value);
    if (text == write_policy_settings({})) text = "{}";
    say(key, std::move(text), about);
  }

 private:
  void say(std::string_view key, std::string value, About about) {
    key_({fmt::format("{}{}", prefix_, key), std::move(value), std::string(about.unit), std::string(about.meaning),
          about.live});
  }
  std::string prefix_;
  const Section& section_;
  const Key& key_;
};

void list_keys(const OperatorConfig& config, const Listing::Section& section, const Listing::Key& key) {
  OperatorConfig copy = config;
  Listing listing("", section, key);
  each_key(listing, copy);
}

void check(YamlMap& root, const OperatorConfig& config) {
  const auto& election = config.leader_election;
  if (const std::string& url = config.prices.metrics;
      !url.empty() && !url.starts_with("http://") && !url.starts_with("https://"))
    root.error("prices", "metrics: " + quoted(url), "http://HOST:PORT/metrics, or https");
  for (const std::string& type : config.fleet.capacity_types)
    if (type != "spot" && type != "on-demand")
      root.error("fleet", "capacityTypes with " + quoted(type), "spot, on-demand");
  if (config.fleet.from_node_pools && !config.fleet.instance_types.empty())
    root.error("fleet", "fromNodePools beside instanceTypes",
               "one of them: NodePools or a list says what may be launched");
  if (!config.fleet.instance_types.empty() && (config.fleet.zones.empty() || config.fleet.capacity_types.empty()))
    root.error("fleet", "instanceTypes without zones or capacityTypes", "some of each");
  if (election.renew_deadline >= election.lease)
    root.error("leaderElection", "a renewDeadline that is not shorter than leaseDuration",
               "retryPeriod < renewDeadline < leaseDuration");
  if (election.retry >= election.renew_deadline || election.retry <= Duration(0))
    root.error("leaderElection", "a retryPeriod that is not between 0 and renewDeadline",
               "retryPeriod < renewDeadline < leaseDuration");
  if (config.policy.epoch != Duration(0) && config.policy.epoch < std::chrono::milliseconds(1))
    root.error("policy", fmt::format("an epoch of {} s", to_seconds(config.policy.epoch)), "0, or 1ms or more");
  if (config.scheduler_name.empty() || config.scheduler_name == "default-scheduler")
    root.error("schedulerName", "'" + config.scheduler_name + "'",
               "a name of its own: 'default-scheduler' is Kubernetes' own");
  for (const auto& [key, address] :
       {std::pair("listen", &config.server.listen), std::pair("health", &config.server.health)})
    if (!address->empty() && address->rfind(':') == std::string::npos)
      root.error("server", fmt::format("'{}' as {}", *address, key), "address:port, such as 0.0.0.0:8080, or nothing");
  if (config.applications.driver_port > 65535)
    root.error("applications", fmt::format("a driverPort of {}", config.applications.driver_port), "1 to 65535");
  if (config.server.authorize && config.server.health.empty() && !config.server.listen.empty())
    root.error("server", "authorize without health",
               "health on a port of its own, which a kubelet asks without a token");
}

}  // namespace

PolicySettings OperatorConfig::PolicyChoice::effective() const {
  PolicySettings result = settings;
  if (epoch > Duration(0)) result.replan_every = result.paper.epoch = epoch;
  return result;
}

std::vector<ConfigKey> keys_of(const OperatorConfig& config) {
  std::vector<ConfigKey> keys;
  list_keys(
      config, [](std::string_view, std::string_view) {}, [&](const ConfigKey& key) { keys.push_back(key); });
  return keys;
}

std::vector<ConfigKey> changed_keys(const OperatorConfig& before, const OperatorConfig& now) {
  const std::vector<ConfigKey> old = keys_of(before);
  std::vector<ConfigKey> changed = keys_of(now);
  std::size_t at = 0;
  std::erase_if(changed, [&](const ConfigKey& key) { return key.value == old[at++].value; });
  return changed;
}

Result<OperatorConfig> parse_operator_config(const std::string& file, const std::string& text,
                                             const ConfigOverrides& set) {
  Result<YamlValue> root = parse_yaml(file, text);
  if (!root) return tl::unexpected(root.error());
  if (root->kind == YamlValue::Kind::nothing) root->kind = YamlValue::Kind::map;
  for (const auto& [path, value] : set)
    if (Result<void> done = override_yaml(*root, path, value); !done) return tl::unexpected(done.error());
  FileErrors errors{file, {}};
  OperatorConfig config;
  YamlMap fields(*root, "", errors);
  for (const auto& [key, wanted] : {std::pair("apiVersion", api_version), std::pair("kind", kind)})
    if (fields.require(key))
      if (const std::string found = fields.text(key, std::string(wanted)); found != wanted)
        fields.error(key, "'" + found + "'", wanted);
  Reading reading(fields);
  each_key(reading, config);
  check(fields, config);
  fields.finish();
  if (!errors.messages.empty()) return errors.as_error();
  return config;
}

Result<OperatorConfig> read_operator_config(const std::string& file, const ConfigOverrides& set) {
  if (file.empty())
    return parse_operator_config("configuration", fmt::format("apiVersion: {}\nkind: {}\n", api_version, kind), set);
  const Result<std::string> text = read_text_file(file);
  if (!text) return tl::unexpected(text.error());
  return parse_operator_config(file, *text, set);
}

namespace {
std::string text_with(std::string_view headline, const OperatorConfig& config) {
  std::string out = fmt::format(
      "# {}\n"
      "# [live]: takes effect at run time when the file changes; all other keys need a restart.\n"
      "apiVersion: {}\nkind: {}\n",
      headline, api_version, kind);
  std::string_view indent;
  list_keys(
      config,
      [&](std::string_view key, std::string_view meaning) {
        out += fmt::format("\n# {}\n{}:\n", meaning, key), indent = "  ";
      },
      [&](const ConfigKey& key) {
        const std::string name = key.path.substr(key.path.rfind('.') + 1);
        out += fmt::format("{}# {}{}{}\n{}{}: {}\n", indent, key.meaning, key.unit.empty() ? "" : " (" + key.unit + ")",
                           key.live ? " [live]" : "", indent, name, key.value);
      });
  return out;
}

}  // namespace

std::string config_text(const OperatorConfig& config) {
  return text_with("The operator's configuration with every key. A file needs only the keys that differ from the default.",
                   config);
}

std::string default_config_text() {
  return text_with(
      "The operator's configuration with every key at its default. A file needs only the keys that differ.", {});
}

}  // namespace lips
