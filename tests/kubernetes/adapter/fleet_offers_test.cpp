#include "kubernetes/adapter/fleet_offers.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <set>
#include <tuple>

#include "base/random.h"
#include "config/price_import.h"

namespace lips::kubernetes {
namespace {

using testing::Contains;
using testing::Each;
using testing::ElementsAre;
using testing::Field;
using testing::IsEmpty;
using testing::IsSupersetOf;
using testing::Pair;
using testing::SizeIs;
using testing::UnorderedElementsAre;
using Operator = LabelRequirement::Operator;

constexpr const char *type_key = "node.kubernetes.io/instance-type", *zone_key = "topology.kubernetes.io/zone";
constexpr const char *capacity_key = "karpenter.sh/capacity-type", *aws = "karpenter.k8s.aws/instance-";

InstanceOffer row(const std::string& type, double cores, double gibibytes, double price) {
  InstanceOffer result;
  result.region = "us-east-1", result.instance_type = type;
  result.vcpu = Cores(cores), result.memory = Mebibytes(gibibytes * 1024), result.price = UsdPerHour(price);
  result.as_of = "2026-01-01";
  return result;
}

InstanceOffer zonal(const std::string& type, const std::string& zone, CapacityType kind, double price,
                    std::string_view source) {
  InstanceOffer result = row(type, 0, 0, price);
  result.zone = zone, result.capacity_type = kind, result.source = source;
  return result;
}

const std::vector<InstanceOffer>& types() {
  static const std::vector<InstanceOffer> all{row("m6i.large", 2, 8, 0.1), row("m6i.xlarge", 4, 16, 0.2),
                                              row("c6g.xlarge", 4, 8, 0.14), row("r5.2xlarge", 8, 64, 0.5)};
  return all;
}

NodePrices prices_with(const std::vector<InstanceOffer>& fed = {}) {
  return *NodePrices::make(PriceSheet(types(), {}, 0), {}, fed);
}

NodePool pool_named(const std::string& name) {
  NodePool pool;
  pool.meta.name = name;
  pool.ready = true;
  pool.provider = "karpenter.k8s.aws";
  return pool;
}

Node node_in(const std::string& name, const std::string& zone) {
  Node node;
  node.meta.name = name;
  node.ready = true;
  node.labels = {{type_key, "m6i.xlarge"}, {zone_key, zone}};
  node.allocatable = {{"cpu", 3900}, {"memory", std::int64_t(15) << 30}, {"pods", 110}};
  return node;
}

Node node_of(const std::string& pool, const std::string& name) {
  Node node = node_in(name, "us-east-1a");
  node.labels.emplace_back(node_pool_label, pool);
  std::sort(node.labels.begin(), node.labels.end());
  return node;
}

class PoolOffersTest : public testing::Test {
 protected:
  PoolOffersTest() { nodes_.update(node_in("here", "us-east-1a")); }
  std::vector<OfferEntry> offers() const { return pool_offers(pools_, nodes_, fleet_, prices_); }
  Offered offered() const { return {offers(), pool_limits(pools_, nodes_, prices_)}; }
  // The offers of nodes of the type, alone.
  std::uint32_t left_of(const std::string& type) const {
    const Offered all = offered();
    for (const OfferEntry& offer : all.offers)
      if (offer.instance_type == type)
        return offer.within.valid() ? all.limits[offer.within].most(offer.capacity) : LaunchLimit::any_number;
    return 0;
  }
  std::set<std::string> types_offered() const {
    std::set<std::string> result;
    for (const OfferEntry& offer : offers()) result.insert(offer.instance_type);
    return result;
  }
  std::set<std::string> zones_offered() const {
    std::set<std::string> result;
    for (const OfferEntry& offer : offers()) result.insert(offer.zone);
    return result;
  }
  NodePool& pool() { return pools_[0]; }

  std::vector<NodePool> pools_{pool_named("batch")};
  NodeCache nodes_;
  OperatorConfig::Fleet fleet_;
  NodePrices prices_ = prices_with();
};

// ---- requirements ----

// The rule of Kubernetes for node selectors, once more and without our code: by the label's value, or none.
bool plainly_meets(const LabelRequirement& rule, const std::string* value) {
  const std::set<std::string> values(rule.values.begin(), rule.values.end());
  if (rule.op == Operator::exists) return value != nullptr;
  if (rule.op == Operator::does_not_exist) return value == nullptr;
  if (rule.op == Operator::not_in) return !value || values.count(*value) == 0;
  if (!value) return false;
  if (rule.op == Operator::in) return values.count(*value) == 1;
  if (value->find_first_not_of("0123456789") != std::string::npos) return false;
  const long have = std::stol(*value), want = std::stol(rule.values[0]);
  return rule.op == Operator::greater ? have > want : have < want;
}

using Kind = std::tuple<std::string, std::string, std::string>;  // type, zone, capacity type

std::map<std::string, std::string> labels_by_hand(const Kind& kind) {
  const auto& [type, zone, capacity] = kind;
  std::map<std::string, std::string> labels{{type_key, type}, {zone_key, zone}, {capacity_key, capacity}};
  labels["topology.kubernetes.io/region"] = "us-east-1", labels["kubernetes.io/os"] = "linux";
  labels["kubernetes.io/arch"] = type == "c6g.xlarge" ? "arm64" : "amd64";
  const std::map<std::string, std::array<const char*, 6>> known{
      {"m6i.large", {"m6i", "m", "large", "6", "2", "8192"}},
      {"m6i.xlarge", {"m6i", "m", "xlarge", "6", "4", "16384"}},
      {"c6g.xlarge", {"c6g", "c", "xlarge", "6", "4", "8192"}},
      {"r5.2xlarge", {"r5", "r", "2xlarge", "5", "8", "65536"}}};
  int at = 0;
  for (const char* name : {"family", "category", "size", "generation", "cpu", "memory"})
    labels[aws + std::string(name)] = known.at(type)[static_cast<std::size_t>(at++)];
  return labels;
}

const std::vector<std::pair<std::string, std::vector<std::string>>>& keys() {
  static const std::vector<std::pair<std::string, std::vector<std::string>>> all{
      {type_key, {"m6i.large", "m6i.xlarge", "c6g.xlarge", "r5.2xlarge", "x9.large"}},
      {zone_key, {"us-east-1a", "us-east-1b"}},
      {"topology.kubernetes.io/region", {"us-east-1", "eu-west-1"}},
      {capacity_key, {"spot", "on-demand", "reserved"}},
      {"kubernetes.io/arch", {"amd64", "arm64"}},
      {"kubernetes.io/os", {"linux", "windows"}},
      {aws + std::string("family"), {"m6i", "c6g", "r5"}},
      {aws + std::string("category"), {"m", "c", "r"}},
      {aws + std::string("size"), {"large", "xlarge", "2xlarge"}},
      {aws + std::string("generation"), {"5", "6"}},
      {aws + std::string("cpu"), {"1", "2", "4", "8"}},
      {aws + std::string("memory"), {"8192", "16384", "65536"}}};
  return all;
}

LabelRequirement random_rule(Random& random) {
  const auto& [key, values] = keys()[random.below(keys().size())];
  LabelRequirement rule{key, static_cast<Operator>(random.below(6)), {}};
  const bool compares = rule.op == Operator::greater || rule.op == Operator::less;
  const bool lists = rule.op == Operator::in || rule.op == Operator::not_in;
  for (std::uint64_t i = compares ? 1 : lists ? random.below(3) + 1 : 0; i > 0; --i)
    rule.values.push_back(compares ? std::to_string(random.below(20000)) : values[random.below(values.size())]);
  return rule;
}

TEST_F(PoolOffersTest, AreWhatMeetsEveryRequirementAndLabel) {
  nodes_.update(node_in("there", "us-east-1b"));
  std::size_t offered = 0, refused = 0;
  for (std::uint64_t seed = 0; seed < 4000; ++seed) {
    Random random(seed);
    pool().requirements.clear(), pool().labels.clear();
    for (std::uint64_t i = random.below(5); i > 0; --i) pool().requirements.push_back(random_rule(random));
    if (random.below(3) == 0) {
      const auto& [key, values] = keys()[random.below(keys().size())];
      pool().labels.emplace_back(key, values[random.below(values.size())]);
    }
    std::set<Kind> expected, found;
    for (const InstanceOffer& type : types())
      for (const char* zone : {"us-east-1a", "us-east-1b"})
        for (const char* capacity : {"spot", "on-demand"}) {
          const Kind kind{type.instance_type, zone, capacity};
          const std::map<std::string, std::string> labels = labels_by_hand(kind);
          std::vector<LabelRequirement> rules = pool().requirements;
          for (const auto& [key, value] : pool().labels) rules.push_back({key, Operator::in, {value}});
          const bool met = std::all_of(rules.begin(), rules.end(), [&](const LabelRequirement& rule) {
            const auto label = labels.find(rule.key);
            return plainly_meets(rule, label == labels.end() ? nullptr : &label->second);
          });
          if (met) expected.insert(kind);
          (met ? offered : refused) += 1;
        }
    for (const OfferEntry& offer : offers())
      found.emplace(offer.instance_type, offer.zone, std::string(to_string(offer.capacity_type)));
    EXPECT_EQ(found, expected) << "seed " << seed;
  }
  EXPECT_GT(offered, 5000u);
  EXPECT_GT(refused, 5000u);
}

TEST_F(PoolOffersTest, HaveSizePriceLabelsAndTaintsOfTheirNodes) {
  pool().requirements = {{type_key, Operator::in, {"m6i.xlarge"}},
                         {capacity_key, Operator::in, {"spot"}},
                         {"tier", Operator::in, {"night"}}};
  pool().labels = {{"team", "etl"}};
  pool().taints = {{"batch", "yes", "NoSchedule"}};
  fleet_.boot_time = std::chrono::seconds(40), fleet_.interruptions_per_hour = 0.2;
  const std::vector<OfferEntry> found = offers();
  ASSERT_THAT(found, SizeIs(1));
  const OfferEntry& offer = found[0];
  EXPECT_EQ(offer.capacity, (Resources{Cores(4), Mebibytes(16384), 110}));
  EXPECT_DOUBLE_EQ(offer.price.value(), 0.2 * 0.35);
  EXPECT_EQ(offer.pool, "batch");
  EXPECT_EQ(offer.region, "us-east-1");
  EXPECT_EQ(offer.boot, std::chrono::seconds(40));
  EXPECT_EQ(offer.interruptions, 0.2);
  EXPECT_THAT(offer.taints, ElementsAre(Taint{"batch", "yes", "NoSchedule"}));
  EXPECT_THAT(offer.labels, IsSupersetOf(TextMap{{"team", "etl"},
                                                 {"tier", "night"},
                                                 {"kubernetes.io/arch", "amd64"},
                                                 {"karpenter.k8s.aws/instance-family", "m6i"}}));
  EXPECT_EQ(place_labels(offer),
            (TextMap{{capacity_key, "spot"}, {node_pool_label, "batch"}, {zone_key, "us-east-1a"}}));
}

TEST_F(PoolOffersTest, HaveTheLabelsThatTheirProviderWrites) {
  const auto has = [&](const char* key) {
    const std::vector<OfferEntry> found = offers();
    return std::any_of(found.begin(), found.end(), [&](const OfferEntry& one) { return find_text(one.labels, key); });
  };
  EXPECT_TRUE(has("karpenter.k8s.aws/instance-cpu"));
  pool().provider = "eks.amazonaws.com";
  EXPECT_TRUE(has("eks.amazonaws.com/instance-cpu"));
  EXPECT_FALSE(has("karpenter.k8s.aws/instance-cpu"));
  pool().provider = "karpenter.kwok.sh";
  EXPECT_FALSE(has("karpenter.k8s.aws/instance-cpu"));
  EXPECT_TRUE(has("kubernetes.io/arch"));
}

TEST_F(PoolOffersTest, LeaveOutAPoolOfWhichNamesAndPricesDoNotDecide) {
  pool().requirements = {{"karpenter.k8s.aws/instance-gpu-count", Operator::greater, {"0"}}};
  EXPECT_EQ(undecided_key(pool()), "karpenter.k8s.aws/instance-gpu-count");
  EXPECT_THAT(offers(), IsEmpty());
  pool().requirements = {{"team", Operator::in, {"a", "b"}}};
  EXPECT_EQ(undecided_key(pool()), "team") << "Karpenter chooses one of them for each node";
  pool().requirements = {{"team", Operator::in, {"a"}}};
  EXPECT_EQ(undecided_key(pool()), "");
  EXPECT_THAT(offers(), Not(IsEmpty()));
  pool().labels = {{"karpenter.azure.com/sku-family", "D"}};
  EXPECT_EQ(undecided_key(pool()), "karpenter.azure.com/sku-family");
  EXPECT_THAT(offers(), IsEmpty());
  pool().labels = {{"node-role.kubernetes.io/batch", ""}};
  EXPECT_EQ(undecided_key(pool()), "");
}

// NotIn is met by a label that a node does not have; here nobody knows whether it has it.
TEST_F(PoolOffersTest, LeaveOutTypesOfWhichTheNameSaysNothing) {
  std::vector<InstanceOffer> more = types();
  more.push_back(row("n2-standard-4", 4, 16, 0.2));
  prices_ = *NodePrices::make(PriceSheet(more, {}, 0), {});
  EXPECT_THAT(types_offered(), Contains("n2-standard-4"));
  pool().requirements = {{"kubernetes.io/arch", Operator::not_in, {"arm64"}}};
  EXPECT_THAT(types_offered(), UnorderedElementsAre("m6i.large", "m6i.xlarge", "r5.2xlarge"));
}

TEST_F(PoolOffersTest, AreNoneOfAPoolThatLaunchesNothing) {
  EXPECT_THAT(offers(), Not(IsEmpty()));
  for (bool NodePool::*stops : {&NodePool::deleting, &NodePool::fixed}) {
    pool().*stops = true;
    EXPECT_THAT(offers(), IsEmpty());
    pool().*stops = false;
  }
  pool().ready = false;
  EXPECT_THAT(offers(), IsEmpty());
}

// ---- zones ----

TEST_F(PoolOffersTest, LieInTheZonesOfRequirementsElseOfPricesAndNodes) {
  EXPECT_THAT(zones_offered(), ElementsAre("us-east-1a"));
  InstanceOffer elsewhere = zonal("m6i.large", "eu-west-1a", CapacityType::spot, 0.01, "spot price history");
  elsewhere.region = "eu-west-1";
  prices_ = prices_with({zonal("m6i.large", "us-east-1c", CapacityType::spot, 0.01, "spot price history"), elsewhere});
  EXPECT_THAT(zones_offered(), ElementsAre("us-east-1a", "us-east-1c")) << "not in a region without nodes";
  pool().requirements = {{zone_key, Operator::in, {"us-east-1d"}}};
  EXPECT_THAT(zones_offered(), ElementsAre("us-east-1d"));
  fleet_.zones = {"us-east-1c", "us-east-1d"};
  EXPECT_THAT(zones_offered(), ElementsAre("us-east-1d"));
  pool().requirements.clear();
  EXPECT_THAT(zones_offered(), ElementsAre("us-east-1c", "us-east-1d"));
  nodes_.forget("here");
  fleet_.zones.clear();
  EXPECT_THAT(zones_offered(), ElementsAre("us-east-1c"));
}

TEST_F(PoolOffersTest, AreThoseThatKarpentersPricesNameWhereTheyAreRead) {
  prices_ = prices_with({zonal("m6i.large", "us-east-1a", CapacityType::spot, 0.02, source_karpenter),
                         zonal("m6i.large", "us-east-1a", CapacityType::on_demand, 0.1, source_karpenter),
                         zonal("r5.2xlarge", "us-east-1b", CapacityType::on_demand, 0.6, source_karpenter)});
  std::vector<std::string> found;
  for (const OfferEntry& offer : offers())
    found.push_back(fmt::format("{} {} {}", offer.instance_type, offer.zone, to_string(offer.capacity_type)));
  EXPECT_THAT(found, UnorderedElementsAre("m6i.large us-east-1a spot", "m6i.large us-east-1a on-demand",
                                          "r5.2xlarge us-east-1b on-demand"));
}

// Nobody knows the price of a zone without a spot price, and an order there would wait for ever.
TEST_F(PoolOffersTest, AreNoSpotNodesInAZoneWithoutASpotPriceWhereOthersHaveOne) {
  prices_ = prices_with({zonal("m6i.large", "us-east-1b", CapacityType::spot, 0.06, "spot price history"),
                         zonal("m6i.large", "us-east-1c", CapacityType::spot, 0.07, "spot price history")});
  std::set<std::string> spot, on_demand, of_other_type;
  for (const OfferEntry& offer : offers()) {
    const bool is_spot = offer.capacity_type == CapacityType::spot;
    if (offer.instance_type == "m6i.large") (is_spot ? spot : on_demand).insert(offer.zone);
    if (offer.instance_type == "m6i.xlarge" && is_spot) of_other_type.insert(offer.zone);
  }
  EXPECT_THAT(spot, ElementsAre("us-east-1b", "us-east-1c"));
  EXPECT_THAT(on_demand, ElementsAre("us-east-1a", "us-east-1b", "us-east-1c"));
  EXPECT_THAT(of_other_type, ElementsAre("us-east-1a", "us-east-1b", "us-east-1c")) << "nobody knows its spot prices";
  fleet_.instance_types = {"m6i.large"};
  fleet_.zones = {"us-east-1a", "us-east-1b"};
  std::vector<std::string> listed;
  for (const OfferEntry& offer : listed_offers(fleet_, prices_, nodes_).offers)
    listed.push_back(fmt::format("{} {}", offer.zone, to_string(offer.capacity_type)));
  EXPECT_THAT(listed, UnorderedElementsAre("us-east-1a on-demand", "us-east-1b spot", "us-east-1b on-demand"));
}

// An empty cluster and the usual NodePool, which names no zone.
TEST_F(PoolOffersTest, LieInZonesThatSpotFactorsNameWhereNothingElseDoes) {
  nodes_.forget("here");
  EXPECT_THAT(offers(), IsEmpty());
  OperatorConfig::Prices prices;
  prices.spot_factors = {{"us-east-1a", 0.3}, {"us-east-1b", 0.4}, {"eu-west-1a", 0.2}};
  prices_ = *NodePrices::make(PriceSheet(types(), {}, 0), prices);
  EXPECT_THAT(zones_offered(), ElementsAre("us-east-1a", "us-east-1b")) << "not in another region";
}

TEST_F(PoolOffersTest, SayWhyThereAreNone) {
  const auto problems = [&] { return pool_problems(pools_, nodes_, fleet_, prices_); };
  const auto reason = [&](const char* word, const char* why) {
    return ElementsAre(AllOf(Field(&PoolProblem::pool, "batch"), Field(&PoolProblem::reason, word),
                             Field(&PoolProblem::why, testing::HasSubstr(why))));
  };
  EXPECT_THAT(problems(), reason("", "only in us-east-1a, where nodes are"));
  nodes_.update(node_in("there", "us-east-1b"));
  EXPECT_THAT(problems(), IsEmpty());
  pool().requirements = {{"karpenter.k8s.aws/instance-gpu-count", Operator::greater, {"0"}}};
  EXPECT_THAT(problems(),
              reason("requirement",
                     "prices do not say which nodes meet its requirement of karpenter.k8s.aws/instance-gpu-count"));
  pool().requirements = {{type_key, Operator::in, {"x9.large"}}};
  EXPECT_THAT(problems(),
              reason("requirement", "no type that is sold in us-east-1a, us-east-1b meets its requirements"));
  pool().requirements = {{zone_key, Operator::in, {"eastus-1"}}};
  EXPECT_THAT(problems(), reason("price", "no instance type of eastus is known with price and size"));
  pool().requirements.clear();
  nodes_.forget("here"), nodes_.forget("there");
  EXPECT_THAT(problems(), reason("zone", "no zone is known: name zones in fleet.zones"));
  pool().ready = false;
  EXPECT_THAT(problems(), IsEmpty()) << "Karpenter launches none either";
}

// Karpenter launches nothing where fewer values are left than minValues says.
TEST_F(PoolOffersTest, KeepToPlacesThatLeaveAsManyValuesAsMinValuesSays) {
  const std::string family = aws + std::string("family");
  pool().requirements = {{family, Operator::exists, {}}};
  pool().min_values = {{family, 3}};
  EXPECT_THAT(types_offered(), SizeIs(4)) << "m6i, c6g and r5";
  pool().min_values = {{family, 4}};
  EXPECT_THAT(offers(), IsEmpty());
  EXPECT_THAT(pool_problems(pools_, nodes_, fleet_, prices_),
              ElementsAre(AllOf(Field(&PoolProblem::reason, "minValues"),
                                Field(&PoolProblem::why, testing::HasSubstr("as minValues asks for")))));
  pool().requirements = {{family, Operator::in, {"m6i", "c6g"}}};
  pool().min_values = {{type_key, 3}};
  EXPECT_THAT(types_offered(), SizeIs(3));
  pool().min_values = {{type_key, 4}};
  EXPECT_THAT(offers(), IsEmpty());
  pool().min_values = {{capacity_key, 2}};
  EXPECT_THAT(offers(), IsEmpty()) << "an order names one";
  prices_ = prices_with({zonal("m6i.large", "us-east-1a", CapacityType::spot, 0.06, "spot price history"),
                         zonal("m6i.xlarge", "us-east-1b", CapacityType::spot, 0.06, "spot price history"),
                         zonal("c6g.xlarge", "us-east-1b", CapacityType::spot, 0.06, "spot price history")});
  pool().min_values = {{type_key, 2}};
  std::set<std::string> spot_zones;
  for (const OfferEntry& offer : offers())
    if (offer.capacity_type == CapacityType::spot) spot_zones.insert(offer.zone);
  EXPECT_THAT(spot_zones, ElementsAre("us-east-1b")) << "one type is sold in the other";
}

TEST_F(PoolOffersTest, KeepToTheCapacityTypesOfTheConfiguration) {
  fleet_.capacity_types = {"on-demand"};
  EXPECT_THAT(offers(), Each(Field(&OfferEntry::capacity_type, CapacityType::on_demand)));
  EXPECT_THAT(offers(), SizeIs(types().size()));
}

// ---- limits, idle time, weight ----

TEST_F(PoolOffersTest, AreAsManyAsTheLimitsLeave) {
  EXPECT_EQ(left_of("m6i.xlarge"), LaunchLimit::any_number);
  pool().limits = {{"cpu", 21'000}};
  EXPECT_EQ(left_of("m6i.xlarge"), 5u);
  EXPECT_EQ(left_of("r5.2xlarge"), 2u);
  pool().limits = {{"cpu", 21'000}, {"memory", std::int64_t(64) << 30}};
  EXPECT_EQ(left_of("m6i.xlarge"), 4u);
  EXPECT_EQ(left_of("r5.2xlarge"), 1u);
  pool().limits = {{"cpu", 21'000}, {"nodes", 3}};
  EXPECT_EQ(left_of("m6i.xlarge"), 3u);
  nodes_.update(node_of("other", "n0"));
  EXPECT_EQ(left_of("m6i.xlarge"), 3u) << "another pool's";
  nodes_.update(node_of("batch", "n1"));
  nodes_.update(node_of("batch", "n2"));
  EXPECT_EQ(left_of("m6i.xlarge"), 1u);
  pool().limits = {{"cpu", 15'900}};
  EXPECT_EQ(left_of("m6i.xlarge"), 1u);
  EXPECT_EQ(left_of("r5.2xlarge"), 0u) << "limits count what a machine has, not what it has for pods";
  pool().limits = {{"cpu", 8'000}};
  EXPECT_EQ(left_of("m6i.large"), 0u);
  pool().limits = {{"cpu", 21'000}, {"example.com/licence", 0}};
  EXPECT_EQ(left_of("m6i.large"), 6u);
}

// It stands for the order that is still there: both would count the same room.
TEST_F(PoolOffersTest, CountANodeAgainstTheLimitsFromWhenItIsReady) {
  pool().limits = {{"nodes", 1}};
  Node node = node_of("batch", "n1");
  node.ready = false;
  nodes_.update(node);
  EXPECT_EQ(left_of("m6i.large"), 1u);
  node.labels.insert(node.labels.begin(), {"karpenter.sh/initialized", "true"});
  nodes_.update(node);
  EXPECT_EQ(left_of("m6i.large"), 0u) << "it was ready once";
}

TEST_F(PoolOffersTest, ShareTheLimitsOfTheirPoolAndOfNoOther) {
  pools_ = {pool_named("a"), pool_named("b"), pool_named("c")};
  pools_[0].limits = {{"cpu", 20'000}};
  pools_[2].limits = {{"nodes", 3}};
  nodes_.update(node_of("c", "n1"));
  const Offered all = offered();
  ASSERT_EQ(all.limits.size(), 2u);
  EXPECT_EQ(all.limits[LimitId(0)], (LaunchLimit{.cores = Cores(20)}));
  EXPECT_EQ(all.limits[LimitId(1)], (LaunchLimit{.nodes = 2}));
  for (const OfferEntry& offer : all.offers)
    EXPECT_EQ(offer.within, offer.pool == "a" ? LimitId(0) : offer.pool == "c" ? LimitId(1) : LimitId::none());
}

TEST_F(PoolOffersTest, AreIdleAsLongAsTheirPoolKeepsEmptyNodes) {
  const auto idle = [&] { return offers()[0].idle; };
  pool().consolidate_after = std::chrono::seconds(30);
  EXPECT_EQ(idle(), std::chrono::seconds(55)) << "and until Karpenter looks, looks again, and the machine is off";
  pool().consolidate_after = std::chrono::hours(3);
  EXPECT_EQ(idle(), std::chrono::seconds(3625));
  pool().consolidate_after = std::nullopt;
  EXPECT_EQ(idle(), std::chrono::seconds(3625)) << "never: it finds other work";
}

TEST_F(PoolOffersTest, ComeInTheOrderInWhichKarpenterUsesPools) {
  pools_ = {pool_named("a"), pool_named("b"), pool_named("c")};
  pools_[1].weight = 10;
  std::vector<std::string> order;
  for (const OfferEntry& offer : offers())
    if (order.empty() || order.back() != offer.pool) order.push_back(offer.pool);
  EXPECT_THAT(order, ElementsAre("b", "a", "c"));
}

TEST(ListedOffers, AreEveryTypeInEveryZoneAndOfEveryCapacityType) {
  OperatorConfig::Fleet fleet;
  fleet.instance_types = {"m6i.large", "in-no-sheet", "r5.2xlarge"};
  fleet.zones = {"us-east-1a", "us-east-1b"};
  fleet.idle_time = std::chrono::seconds(20);
  NodeCache nodes;
  const std::vector<OfferEntry> found = listed_offers(fleet, prices_with(), nodes).offers;
  ASSERT_THAT(found, SizeIs(8));
  EXPECT_THAT(found, Each(Field(&OfferEntry::pool, "")));
  EXPECT_EQ(found[0].idle, std::chrono::seconds(20));
  EXPECT_EQ(place_labels(found[0]), (TextMap{{capacity_key, "spot"}, {zone_key, "us-east-1a"}}));
}

TEST(ListedOffers, ShareTheCoresThatTheConfigurationAllows) {
  OperatorConfig::Fleet fleet;
  fleet.instance_types = {"m6i.large", "r5.2xlarge"};
  fleet.zones = {"us-east-1a"};
  NodeCache nodes;
  nodes.update(node_of("any", "bought"));
  nodes.update(node_in("fixed", "us-east-1a"));
  Node booting = node_of("any", "booting");
  booting.ready = false;
  nodes.update(booting);
  EXPECT_TRUE(listed_offers(fleet, prices_with(), nodes).limits.empty());
  fleet.limit_cores = 10;
  const Offered offered = listed_offers(fleet, prices_with(), nodes);
  EXPECT_THAT(offered.limits.items(), ElementsAre(LaunchLimit{.cores = Cores(6)}));
  EXPECT_THAT(offered.offers, Each(Field(&OfferEntry::within, LimitId(0))));
  fleet.limit_cores = 3;
  EXPECT_THAT(listed_offers(fleet, prices_with(), nodes).limits.items(), ElementsAre(LaunchLimit{.cores = Cores(0)}));
}

}  // namespace
}  // namespace lips::kubernetes
