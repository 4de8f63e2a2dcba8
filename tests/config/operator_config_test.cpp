#include "config/operator_config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "config/config_table.h"
#include "config/node_prices.h"
#include "config/settings_reader.h"
#include "config/text_file.h"

namespace lips {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const std::string source = LIPS_SOURCE_DIR;
const std::string head = "apiVersion: config.lips.dev/v1alpha1\nkind: OperatorConfig\n";

std::string error_of(const std::string& text) {
  const Result<OperatorConfig> config = parse_operator_config("c.yaml", text);
  return config ? std::string() : config.error().message;
}

std::vector<std::string> paths(const std::vector<ConfigKey>& keys) {
  std::vector<std::string> result;
  for (const ConfigKey& key : keys) result.push_back(key.path);
  return result;
}

TEST(OperatorConfig, ShipsAFileThatEqualsTheDefaults) {
  const Result<std::string> text = read_text_file(source + "/config/operator/default.yaml");
  ASSERT_TRUE(text) << text.error().message;
  EXPECT_EQ(*text, default_config_text())
      << "write it anew: lips operator --print-config > config/operator/default.yaml";
  const Result<OperatorConfig> config = parse_operator_config("default.yaml", *text);
  ASSERT_TRUE(config) << config.error().message;
  EXPECT_THAT(paths(changed_keys({}, *config)), IsEmpty());
}

TEST(OperatorConfig, IsExplainedKeyByKeyInItsPage) {
  const Result<std::string> page = read_text_file(source + "/docs/operator.md");
  ASSERT_TRUE(page) << page.error().message;
  EXPECT_NE(page->find(config_table()), std::string::npos) << "put this table into docs/operator.md:\n"
                                                           << config_table();
}

TEST(OperatorConfig, ReadsCommitmentsAsScenariosHaveThem) {
  const auto config = parse_operator_config("c.yaml", head +
                                                          "commitments:\n  reserved:\n"
                                                          "  - {instanceType: m5.large, zone: us-east-1a, count: 3}\n"
                                                          "  - instanceType: c5.large\n"
                                                          "  savingsPlan: {perHour: 2.5, discount: 0.3}\n");
  ASSERT_TRUE(config) << config.error().message;
  const Commitments wanted{{{"m5.large", "us-east-1a", 3}, {"c5.large", "", 1}}, {UsdPerHour(2.5), 0.3}};
  EXPECT_EQ(config->commitments, wanted);
  EXPECT_THAT(error_of(head + "commitments: {reserved: [{count: 3}]}\n"), HasSubstr("instanceType"));
  EXPECT_THAT(error_of(head + "commitments: {savingsPlan: {discount: 0.3}}\n"), HasSubstr("perHour"));
  EXPECT_THAT(error_of(head + "commitments: {savingsPlan: {perHour: 1, discount: 1}}\n"), HasSubstr("0.9"));
  const std::vector<ConfigKey> changed = changed_keys({}, *config);
  EXPECT_THAT(paths(changed), ElementsAre("commitments.reserved", "commitments.savingsPlan"));
  EXPECT_TRUE(changed[0].live && changed[1].live);
}

// Namespaces of OpenShift have users above a billion; the greatest is that of Kubernetes.
TEST(OperatorConfig, TakesEveryUserThatKubernetesTakes) {
  for (const char* user : {"1000660000", "2147483647", "0", "-1"})
    EXPECT_EQ(error_of(head + "moves: {runAsUser: " + user + "}\n"), "") << user;
  for (const char* wrong : {"2147483648", "-2"})
    EXPECT_THAT(error_of(head + "moves: {runAsUser: " + wrong + "}\n"),
                HasSubstr("allowed: a whole number from -1 to 2147483647"))
        << wrong;
}

TEST(OperatorConfig, PrintsCommitmentsAsTheyCanBeRead) {
  for (const char* text : {"m5.large", "ig.\"m5.large\"", "a\\b", "[{x: 1}]", "#", "\t", "\x7F", "~"}) {
    OperatorConfig config;
    config.commitments = {{{text, text, 1'000'000}, {text, "", 1}}, {UsdPerHour(1e6 / 3), 0.3}};
    ConfigOverrides printed;
    for (const ConfigKey& key : changed_keys({}, config)) printed.emplace_back(key.path, key.value);
    const auto again = read_operator_config("", printed);
    ASSERT_TRUE(again) << again.error().message;
    EXPECT_EQ(again->commitments, config.commitments) << text;
  }
}

TEST(OperatorConfig, ReadsHowFrameworksMarkTheirPods) {
  const Result<OperatorConfig> config = parse_operator_config(
      "c.yaml", head +
                    "applications:\n  shufflePerCpuSecond: 512Ki\n  frameworks:\n"
                    "  - {name: ours, group: example.com/run, driver: role=head, exchanges: false}\n");
  ASSERT_TRUE(config) << config.error().message;
  EXPECT_EQ(config->applications.shuffle_per_cpu_second, Mebibytes(0.5));
  EXPECT_EQ(config->applications.frameworks, (Frameworks{{"ours", "example.com/run", "role=head", "", "", false}}));
  EXPECT_THAT(error_of(head + "applications: {frameworks: [{name: ours}]}\n"), HasSubstr("group"));
  const auto asking =
      parse_operator_config("c.yaml", head +
                                          "applications: {learnTraffic: false, driverPort: 4041, frameworks: "
                                          "[{name: ours, group: run, driver: a=b, same: app}]}\n");
  ASSERT_TRUE(asking);
  EXPECT_FALSE(asking->applications.learn_traffic);
  EXPECT_EQ(asking->applications.driver_port, 4041);
  EXPECT_EQ(asking->applications.frameworks[0].same, "app");
  EXPECT_THAT(error_of(head + "applications: {driverPort: 65536}\n"), HasSubstr("allowed: 1 to 65535"));
  EXPECT_THAT(error_of(head + "applications: {frameworks: [{name: a, group: b, driver: head}]}\n"),
              HasSubstr("label=value"));
}

TEST(OperatorConfig, ReadsWhoMayDiscoverWhatInHdfs) {
  const Result<OperatorConfig> config = parse_operator_config(
      "c.yaml", head +
                    "data:\n  discoverFrom:\n  - http://plain:9870/\n"
                    "  - {url: https://gateway/hdfs, namespaces: [etl, hr], paths: [/warehouse, /a b/], user: spark}\n"
                    "  - {url: 'http://open:9870', namespaces: '*'}\n");
  ASSERT_TRUE(config) << config.error().message;
  EXPECT_EQ(config->data.discover_from,
            (std::vector<NameNode>{{"http://plain:9870", {}, {}, ""},
                                   {"https://gateway/hdfs", {"etl", "hr"}, {"/warehouse", "/a b/"}, "spark"},
                                   {"http://open:9870", {"*"}, {}, ""}}));
  const Result<OperatorConfig> again = parse_operator_config("printed.yaml", config_text(*config));
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(again->data.discover_from, config->data.discover_from);
  const auto refused = [](const std::string& list) {
    return error_of(head + "data: {discoverFrom: [" + list + "]}\n");
  };
  EXPECT_THAT(refused("{url: 'http://nn', path: [/a]}"), HasSubstr("unknown field (did you mean 'paths'?)"));
  EXPECT_THAT(refused("{namespaces: [etl]}"), HasSubstr("data.discoverFrom[0].url: found nothing"));
  EXPECT_THAT(refused("{url: 'http://nn', namespaces: []}"), HasSubstr("found an empty list"));
  EXPECT_THAT(refused("{url: 'http://nn', paths: []}"), HasSubstr("found an empty list"));
  for (const char* path : {"data", "", "/data/..", "/a//b", "/%2e%2e", "/a/%2fb"})
    EXPECT_THAT(
        refused("{url: 'http://nn', paths: ['" + std::string(path) + "']}"),
        HasSubstr("data.discoverFrom[0].paths: found '" + std::string(path) + "'; allowed: folders from the root"))
        << path;
  for (const char* url :
       {"nn:9870", "hdfs://nn:8020", "http://", "http:///x", "http://nn?x", "http://nn#x", "http://a@nn"})
    for (const std::string& entry : {'\'' + std::string(url) + '\'', "{url: '" + std::string(url) + "'}"})
      EXPECT_THAT(refused(entry), HasSubstr("allowed: addresses such as http://namenode:9870")) << entry;
}

TEST(OperatorConfig, NeedsOnlyTheKeysThatDiffer) {
  const Result<OperatorConfig> config =
      parse_operator_config("c.yaml", head +
                                          "schedulerName: cheap\npolicy:\n  epoch: 10m\n  settings: {waitingPrice: 2}\n"
                                          "prices:\n  instances: {m5.large: 0.5}\nlog: {level: debug}\n");
  ASSERT_TRUE(config) << config.error().message;
  EXPECT_EQ(config->scheduler_name, "cheap");
  EXPECT_EQ(config->policy.effective().replan_every, std::chrono::minutes(10));
  EXPECT_EQ(config->policy.effective().paper.epoch, std::chrono::minutes(10));
  EXPECT_EQ(config->policy.settings.lips.waiting_price, 2);
  EXPECT_THAT(paths(changed_keys({}, *config)),
              ElementsAre("schedulerName", "policy.epoch", "policy.settings", "prices.instances", "log.level"));
}

TEST(OperatorConfig, LeavesPodsOfOtherSchedulersAloneUnlessToldOtherwise) {
  EXPECT_EQ(OperatorConfig().mode, PodMode::watch);
  const Result<OperatorConfig> config = parse_operator_config("c.yaml", head + "mode: steer\n");
  ASSERT_TRUE(config) << config.error().message;
  EXPECT_EQ(config->mode, PodMode::steer);
  EXPECT_THAT(paths(changed_keys({}, *config)), ElementsAre("mode"));
}

TEST(OperatorConfig, RefusesUnknownKeysWithFileLineFieldFoundAndAllowed) {
  EXPECT_THAT(error_of(head + "polices: {}\n"),
              testing::AllOf(HasSubstr("c.yaml:3"), HasSubstr("polices"), HasSubstr("did you mean 'policy'"),
                             HasSubstr("schedulerName")));
  EXPECT_THAT(
      error_of(head + "leaderElection:\n  leaseDurations: 4s\n"),
      testing::AllOf(HasSubstr("c.yaml:4"), HasSubstr("leaderElection.leaseDurations"), HasSubstr("retryPeriod")));
  EXPECT_THAT(error_of(head + "policy:\n  settings:\n    waitingprice: 2\n"), HasSubstr("c.yaml:5"));
}

TEST(OperatorConfig, RefusesValuesThatCannotBe) {
  EXPECT_THAT(error_of("kind: OperatorConfig\n"), HasSubstr("apiVersion"));
  EXPECT_THAT(error_of("apiVersion: config.lips.dev/v9\nkind: OperatorConfig\n"), HasSubstr("v1alpha1"));
  EXPECT_THAT(error_of(head + "policy: {name: lisp}\n"), testing::AllOf(HasSubstr("'lisp'"), HasSubstr("lips-paper")));
  EXPECT_THAT(error_of(head + "network: {zoneStream: 5}\n"), HasSubstr("1Gbit/s"));
  EXPECT_THAT(error_of(head + "leaderElection: {leaseDuration: 5s}\n"), HasSubstr("renewDeadline < leaseDuration"));
  EXPECT_THAT(error_of(head + "schedulerName: default-scheduler\n"), HasSubstr("schedulerName"));
  EXPECT_THAT(error_of(head + "mode: Steer\n"), testing::AllOf(HasSubstr("c.yaml:3"), HasSubstr("watch, steer, bind")));
  EXPECT_THAT(error_of(head + "journal: {timeShare: 2}\n"), HasSubstr("timeShare"));
  EXPECT_THAT(error_of(head + "server: {listen: 8080}\n"), HasSubstr("address:port"));
}

TEST(OperatorConfig, TakesOverridesByPath) {
  const Result<OperatorConfig> config =
      read_operator_config("", {{"policy.name", "fifo"}, {"server.listen", "127.0.0.1:0"}});
  ASSERT_TRUE(config) << config.error().message;
  EXPECT_EQ(config->policy.name, "fifo");
  EXPECT_EQ(config->server.listen, "127.0.0.1:0");
}

// Every setting differs from its default, so that one which reading or writing forgot shows.
TEST(PolicySettingsText, ReadsBackBitForBit) {
  const std::string text =
      R"({"billing": "use", "queueCharge": false, "expectedReach": "7201s", "moveCost": 0.0002, "budgetPerDay": 500.5, "meanWait": "600.000001s", "completeBy": "06:30", "waitingPrice": 0.1, "waitingPerJob": 0.25, "bucketEdges": ["0s", "1.000001s"], "replanEvery": "7.000003s", "replanLeast": "2s",)"
      R"( "expressLimit": 1e-05, "orderFactor": 3.3000000000000003, "homeZones": false, "settle": "4s", "keepRoom": "7m", "keepBudget": "3m", "keepCopies": false,)"
      R"( "dropCopiesAfter": "90m", "epoch": "11m", "adaptiveEpoch": true, "localityPrice": 3e-07,)"
      R"( "makespanTolerance": 0.05, "leastTask": 12.5, "heartbeat": "1s", "nodeDelay": "250ms", "rackDelay": "1d", "starburstWait": "5m",)"
      R"( "horizon": "600s", "planAhead": "0s", "copyColumns": true, "uptime": "1h", "lsapRackCost": 1,)"
      R"( "lsapZoneCost": 2, "lsapRemoteCost": 3, "lsapPatience": "1m", "lsapAlpha": 0.3, "lsapBeta": 0.7,)"
      R"( "lsapRounding": "up", "lsapUnreachable": "one", "degradedSources": "nearest",)"
      R"( "degradedNodeTest": "listing", "degradedPower": "ignored", "degradedReadTime": "12s",)"
      R"( "pipelineShares": "demand", "pipelineAmounts": "all", "pipelinePlaces": "lsap", "pipelineOrder": "fair",)"
      R"( "reduceSlots": 1, "smallJobPool": false, "demandShares": false, "resourceOrder": false,)"
      R"( "adaptiveDelays": false, "movingPriority": false, "sharesEvery": "250ms", "noneToNode": "printed",)"
      R"( "minorAdjustment": "off", "emptyRatio": "one", "pendingFirst": "least", "shareBase": "all", "delaySample": "sinceArrival"})";
  const auto read = [](const std::string& yaml) {
    PolicySettings settings;
    const Result<YamlValue> value = parse_yaml("s", yaml);
    EXPECT_TRUE(value) << value.error().message;
    FileErrors errors{"s", {}};
    read_policy_settings(YamlMap(*value, "", errors), settings);
    EXPECT_THAT(errors.messages, IsEmpty());
    return settings;
  };
  const PolicySettings settings = read(text);
  EXPECT_EQ(settings.replan_every, Duration(7'000'003));
  EXPECT_EQ(settings.lips.order_factor, 3.3000000000000003);
  EXPECT_EQ(settings.lsap.unreachable, UnreachableCost::one);
  EXPECT_EQ(settings.degraded.node_test, DegradedNodeTest::listing);
  EXPECT_EQ(settings.degraded.read_time, Duration(12'000'000));
  const std::string written = write_policy_settings(settings);
  EXPECT_EQ(write_policy_settings(read(written)), written);
  EXPECT_EQ(read(written).lips.fast_path_limit, settings.lips.fast_path_limit);
  EXPECT_EQ(read(written).lips.time_slot_edges, settings.lips.time_slot_edges);
  EXPECT_EQ(read(written).lips.waiting_price, settings.lips.waiting_price);
  EXPECT_EQ(read(write_policy_settings({})).lips.waiting_price, std::nullopt) << "the cluster decides there too";
  const auto defaults = nlohmann::json::parse(write_policy_settings({}));
  const auto changed = nlohmann::json::parse(written);
  for (const auto& [key, value] : changed.items()) EXPECT_NE(value, defaults.value(key, nlohmann::json())) << key;
}

PriceSheet sheet() {
  return PriceSheet(
      {{"us-east-1", "m5.large", Cores(2), std::nullopt, Mebibytes(8192), std::nullopt, UsdPerHour(0.096), "2024-01-01",
        ""},
       {"us-east-1", "m1.medium", Cores(1), 2.0, Mebibytes(3750), std::nullopt, UsdPerHour(0.087), "2013-01-01", ""}},
      {{"inter_region_out", "us-east-1", "us-west-2", 0.07}}, 0.08);
}

TEST(NodePrices, ComeFromTheSheetAndAreReplacedByTheConfiguration) {
  OperatorConfig::Prices config;
  config.instances = {{"m5.large", 0.5}};
  const NodePrices prices = *NodePrices::make(sheet(), config);
  EXPECT_DOUBLE_EQ(prices.node({"", "", "m5.large", CapacityType::on_demand, Cores(2)}).price.value(), 0.5);
  EXPECT_DOUBLE_EQ(prices.node({"us-east-1", "", "m5.large", CapacityType::spot, Cores(2)}).price.value(), 0.5 * 0.35);
  EXPECT_DOUBLE_EQ(prices.node({"us-east-1", "", "m1.medium", CapacityType::on_demand, Cores(1)}).speed, 2);
}

TEST(NodePrices, OfSpotNodesDifferByZone) {
  OperatorConfig::Prices config;
  config.spot_factor = 0.5;
  config.spot_factors = {{"zone-a", 0.25}};
  const NodePrices prices = *NodePrices::make(sheet(), config);
  const auto of = [&](const char* zone, CapacityType kind) {
    return prices.node({"", zone, "m1.medium", kind, Cores(1)}).price.value();
  };
  EXPECT_DOUBLE_EQ(of("zone-a", CapacityType::spot), 0.25 * 0.087);
  EXPECT_DOUBLE_EQ(of("zone-b", CapacityType::spot), 0.5 * 0.087);
  EXPECT_DOUBLE_EQ(of("zone-a", CapacityType::on_demand), 0.087);
  ASSERT_NE(prices.size("", "m1.medium"), nullptr);
  EXPECT_EQ(prices.size("", "m1.medium")->memory, Mebibytes(3750));
  EXPECT_EQ(prices.size("", "who-knows"), nullptr);
}

TEST(OperatorConfig, AFleetNeedsZonesAndCapacityTypesThatExist) {
  const auto refused = [](const std::string& fleet) {
    const Result<OperatorConfig> config = parse_operator_config("c.yaml", head + "fleet: " + fleet + "\n");
    return config ? std::string() : config.error().message;
  };
  EXPECT_EQ(refused("{instanceTypes: [m5.large], zones: [a, b]}"), "");
  EXPECT_EQ(refused("{zones: [a]}"), "");
  EXPECT_THAT(refused("{instanceTypes: [m5.large]}"), testing::HasSubstr("without zones"));
  EXPECT_THAT(refused("{instanceTypes: [m5.large], zones: [a], capacityTypes: [free]}"), testing::HasSubstr("free"));
  EXPECT_THAT(refused("{fromNodePools: true, instanceTypes: [m5.large], zones: [a]}"),
              testing::HasSubstr("fromNodePools beside instanceTypes"));
  EXPECT_EQ(refused("{fromNodePools: true, zones: [a], bootTime: 40s}"), "");
}

TEST(NodePrices, StateADefaultForUnknownNodes) {
  const NodePrices prices = *NodePrices::make(sheet(), {});
  const NodePrice found = prices.node({"eu-1", "", "who-knows", CapacityType::on_demand, Cores(4)});
  EXPECT_FALSE(found.known);
  EXPECT_DOUBLE_EQ(found.price.value(), 0.2);
}

TEST(NodePrices, ChargeTransfersByZoneAndRegion) {
  const NodePrices prices = *NodePrices::make(sheet(), {});
  const auto zone = [](const char* region, const char* name) { return TransferEnd{EndKind::zone, region, name}; };
  EXPECT_EQ(prices.transfer(zone("", "a"), zone("us-east-1", "a")).value(), 0);
  EXPECT_EQ(prices.transfer(zone("us-east-1", "a"), zone("", "b")), usd_per_gigabyte(0.02));
  EXPECT_EQ(prices.transfer(zone("us-east-1", "a"), zone("us-west-2", "a")), usd_per_gigabyte(0.07));
  EXPECT_EQ(prices.transfer(zone("us-west-2", "a"), zone("us-east-1", "a")), usd_per_gigabyte(0.02));
}

// AKS writes them into the zone label of nodes outside availability zones.
TEST(NodePrices, ChargeNothingBetweenFaultDomainsOfAzure) {
  const NodePrices prices = *NodePrices::make(sheet(), {});
  const auto zone = [](const char* region, const char* name) { return TransferEnd{EndKind::zone, region, name}; };
  EXPECT_EQ(prices.transfer(zone("eastus", "0"), zone("eastus", "2")).value(), 0);
  EXPECT_EQ(prices.transfer(zone("eastus", "0"), zone("eastus", "eastus-1")), usd_per_gigabyte(0.02));
  EXPECT_EQ(prices.transfer(zone("eastus", "0"), zone("westus", "0")), usd_per_gigabyte(0.02));
}

TEST(NodePrices, ChargeARegionalBucketByTheWayThatItsBytesTake) {
  const Result<PriceSheet> carried = read_price_sheet(source + "/config");
  ASSERT_TRUE(carried);
  const TransferEnd lake{EndKind::regional_bucket, "us-east-1", "store/lake"}, node{EndKind::zone, "", "us-east-1b"};
  OperatorConfig::Prices config;
  EXPECT_EQ(NodePrices::make(*carried, config)->transfer(lake, node).value(), 0);
  config.gateway_endpoint = false;
  EXPECT_EQ(NodePrices::make(*carried, config)->transfer(lake, node), usd_per_gigabyte(0.045));
  EXPECT_EQ(NodePrices::make(*carried, config)->transfer(lake, {EndKind::zone, "us-east-2", "us-east-2a"}),
            usd_per_gigabyte(0.01));
}

TEST(NodePrices, AgreeWithTheCarriedSheetWhereBothSayOne) {
  const Result<PriceSheet> carried = read_price_sheet(source + "/config");
  ASSERT_TRUE(carried) << carried.error().message;
  EXPECT_DOUBLE_EQ(OperatorConfig::Prices().across_zones, carried->cross_zone_usd_per_gigabyte());
  EXPECT_DOUBLE_EQ(OperatorConfig::Prices().volume_month, carried->storage_usd_per_gigabyte_month());
}

TEST(NodePrices, RefuseAFileThatIsNoPriceSheet) {
  OperatorConfig::Prices config;
  config.file = source + "/README.md";
  const Result<NodePrices> prices = NodePrices::make(sheet(), config);
  ASSERT_FALSE(prices);
  EXPECT_THAT(prices.error().message, HasSubstr("README.md:1"));
}

}  // namespace
}  // namespace lips
