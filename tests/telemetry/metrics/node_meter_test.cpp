#include "telemetry/metrics/node_meter.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/random.h"
#include "invoice/invoice.h"

namespace lips {
namespace {

using namespace std::chrono_literals;

TimePoint since_start(Duration passed) { return TimePoint(passed); }

// Nodes of 4 cores at 3.6 USD an hour: a second costs 0.001 USD.
class NodeMeterTest : public testing::Test {
 protected:
  NodeMeterTest() {
    cluster_.zones.push_back({"a"});
    cluster_.zones.push_back({"b"});
  }
  Node& add(const std::string& name, FleetKind fleet = FleetKind::elastic) {
    Node node;
    node.name = name, node.zone = ZoneId(0), node.instance_type = "m5.large", node.fleet = fleet;
    node.capacity = {Cores(4), Mebibytes(1024), 4};
    node.price = UsdPerHour(3.6);
    return cluster_.nodes[cluster_.nodes.push_back(node)];
  }
  void leave(const std::string& name) {
    IdVector<NodeId, Node> left;
    for (const Node& node : cluster_.nodes)
      if (node.name != name) left.push_back(node);
    cluster_.nodes = left;
  }
  double dollars(Duration now) {
    meter_.count_until(since_start(now));
    return meter_.dollars().value();
  }
  NodeTerms terms(double reserved, Duration boot = {}) {
    NodeTerms terms;
    if (reserved > 0) terms.commitments.reserved = {{"m5.large", "", reserved}};
    terms.boot = boot;
    return terms;
  }

  ClusterSnapshot cluster_;
  MetricRegistry registry_;
  NodeMeter meter_{registry_};
};

TEST_F(NodeMeterTest, BillsTheBootOfANodeThatAnAutoscalerLaunched) {
  meter_.bill_by(terms(0, 45s), since_start({}));
  meter_.look(cluster_, since_start(10min));
  add("boots").schedulable = false;
  meter_.look(cluster_, since_start(11min));
  EXPECT_EQ(dollars(11min), 0);  // how long it has booted is known when it is done
  cluster_.nodes[NodeId(0)].schedulable = true;
  meter_.look(cluster_, since_start(12min));
  EXPECT_NEAR(dollars(12min), 0.060, 1e-9);  // at least a minute
  EXPECT_NEAR(dollars(20min), 0.480 + 0.045, 1e-9);
}

TEST_F(NodeMeterTest, BillsTheBootThatTheOfferOfItsKindNames) {
  meter_.bill_by(terms(0, 45s), since_start({}));
  add("offer");
  cluster_.nodes[NodeId(0)].schedulable = false;
  cluster_.offers.push_back({NodeId(0), 5, 90s, {}, 0});
  meter_.look(cluster_, since_start(10min));
  add("node");
  meter_.look(cluster_, since_start(11min));
  EXPECT_NEAR(dollars(11min), 0.090, 1e-9);
}

// Offers of a simulated cluster are places for nodes, and the first place describes the offer.
TEST_F(NodeMeterTest, BillsTheNodeThatDescribesAnOfferWhileItIsThere) {
  NodeTerms places = terms(0, 45s);
  places.lists_absent = true;
  meter_.bill_by(places, since_start({}));
  add("place-0").schedulable = false, add("place-1").schedulable = false;
  cluster_.offers.push_back({NodeId(0), 2, 45s, {}, 0});
  meter_.look(cluster_, since_start(10min));
  EXPECT_EQ(dollars(11min), 0);
  cluster_.nodes[NodeId(0)].schedulable = true;
  meter_.look(cluster_, since_start(12min));
  cluster_.nodes[NodeId(0)].schedulable = false;  // it drains
  meter_.look(cluster_, since_start(20min));
  EXPECT_NEAR(dollars(22min), 0.600 + 0.045, 1e-9);
  meter_.lost(cluster_.nodes[NodeId(0)], since_start(22min));
  meter_.look(cluster_, since_start(30min));
  EXPECT_NEAR(dollars(30min), 0.600 + 0.045, 1e-9);
}

TEST_F(NodeMeterTest, BillsEachLaunchForAMinuteAtLeast) {
  meter_.look(cluster_, since_start(10min));
  add("short");
  meter_.look(cluster_, since_start(11min));
  leave("short");
  meter_.look(cluster_, since_start(11min + 5s));
  EXPECT_NEAR(dollars(2h), 0.060, 1e-9);
  add("short");  // the name again, another launch
  meter_.look(cluster_, since_start(2h));
  EXPECT_NEAR(dollars(2h + 90s), 0.060 + 0.090, 1e-9);
}

TEST_F(NodeMeterTest, CountsWhatAnEarlierReplicaHasSeenFromItsOwnFirstLook) {
  meter_.bill_by(terms(0, 45s), since_start({}));
  add("fixed", FleetKind::fixed), add("cordoned").schedulable = false;
  meter_.look(cluster_, since_start(10min));
  EXPECT_NEAR(dollars(10min + 10s), 0.020, 1e-9);
  meter_.stop(since_start(11min));
  EXPECT_NEAR(dollars(5h), 0.120, 1e-9);
  meter_.look(cluster_, since_start(5h));
  EXPECT_NEAR(dollars(5h + 10s), 0.140, 1e-9);
}

TEST_F(NodeMeterTest, CountsAMachineOfASimulatedClusterOnlyWhileItIsThere) {
  NodeTerms terms;
  terms.lists_absent = true;
  terms.boot = 45s;
  meter_.bill_by(terms, since_start({}));
  Node& machine = add("machine");
  machine.schedulable = false;
  meter_.look(cluster_, since_start(10min));
  machine.schedulable = true;
  meter_.look(cluster_, since_start(20min));
  meter_.lost(machine, since_start(30min));
  machine.schedulable = false;
  meter_.look(cluster_, since_start(40min));
  EXPECT_NEAR(dollars(50min), 0.645, 1e-9);
}

TEST_F(NodeMeterTest, SeesANodeInAListingBetweenTwoPlans) {
  meter_.listed(cluster_, since_start(9min));  // before this replica makes plans: nothing counts
  meter_.look(cluster_, since_start(10min));
  add("new");
  meter_.listed(cluster_, since_start(11min));
  leave("new");
  meter_.listed(cluster_, since_start(14min));
  meter_.look(cluster_, since_start(20min));
  EXPECT_NEAR(dollars(20min), 0.180, 1e-9);
}

TEST_F(NodeMeterTest, LeavesOutHoursThatAReservationCovers) {
  meter_.bill_by(terms(1), since_start({}));
  add("one"), add("two");
  meter_.look(cluster_, since_start(1h));
  // Both use the hour of the reservation up at half past.
  EXPECT_NEAR(dollars(1h + 30min), 0, 1e-9);
  EXPECT_NEAR(dollars(1h + 45min), 1.8, 1e-9);
  EXPECT_NEAR(dollars(2h), 3.6, 1e-9);
  EXPECT_NEAR(dollars(2h + 30min), 3.6, 1e-9);
  EXPECT_NEAR(dollars(4h), 3 * 3.6, 1e-9);
}

TEST_F(NodeMeterTest, AReservationOfAZoneCoversNoOther) {
  NodeTerms terms;
  terms.commitments.reserved = {{"m5.large", "b", 1}};
  meter_.bill_by(terms, since_start({}));
  add("one");
  meter_.look(cluster_, since_start(1h));
  EXPECT_NEAR(dollars(2h), 3.6, 1e-9);
  cluster_.nodes[NodeId(0)].zone = ZoneId(1);
  meter_.look(cluster_, since_start(2h));
  EXPECT_NEAR(dollars(3h), 3.6, 1e-9);
}

TEST_F(NodeMeterTest, ASavingsPlanBuysNodesAtItsDiscount) {
  NodeTerms terms;
  terms.commitments.savings_plan = {UsdPerHour(1.8), 0.25};  // covers 2.4 USD of on-demand price an hour
  meter_.bill_by(terms, since_start({}));
  add("one");
  add("spot").capacity_type = CapacityType::spot;
  meter_.look(cluster_, since_start(1h));
  EXPECT_NEAR(dollars(3h), 2 * (3.6 - 2.4 + 3.6), 1e-9);
}

TEST_F(NodeMeterTest, NewCommitmentsCoverFromThenOn) {
  add("one");
  meter_.look(cluster_, since_start(1h));
  meter_.bill_by(terms(1), since_start(1h + 30min));
  EXPECT_NEAR(dollars(2h), 1.8, 1e-9);
  EXPECT_NEAR(dollars(3h), 1.8, 1e-9);
  meter_.bill_by(terms(0), since_start(3h));
  EXPECT_NEAR(dollars(4h), 1.8 + 3.6, 1e-9);
}

// Whatever comes and goes, what is told never falls, and once all hours are over it is the invoice of the same lives.
class NodeMeterRandomTest : public NodeMeterTest, public testing::WithParamInterface<std::uint64_t> {
 protected:
  void come(TimePoint now) {
    Node& node = add(std::to_string(lives_.size()));
    if (random_.below(2) == 0) node.zone = ZoneId(1);
    if (random_.below(3) == 0) node.instance_type = "c5.large", node.price = UsdPerHour(1.8);
    if (random_.below(4) == 0) node.capacity_type = CapacityType::spot;
    lives_.push_back({node.instance_type, node.zone, node.capacity_type, node.price, now, since_start(5h)});
  }
  void go(TimePoint now) {
    const std::string name = cluster_.nodes[NodeId(1 + random_.below(cluster_.nodes.size() - 1))].name;
    lives_[std::stoul(name)].ended = now;
    leave(name);
  }

  Random random_{GetParam()};
  std::vector<NodeLife> lives_;  // of nodes whose names are the places
};

TEST_P(NodeMeterRandomTest, NeverFallsAndEndsAtTheInvoice) {
  NodeTerms terms;
  terms.commitments = {{{"m5.large", "b", 1}, {"m5.large", "", 2}, {"c5.large", "", 1}}, {UsdPerHour(1), 0.2}};
  meter_.bill_by(terms, since_start({}));
  come(since_start(1h));
  meter_.look(cluster_, since_start(1h));
  double told = 0;
  for (TimePoint now = since_start(1h); now < since_start(5h); now += std::chrono::seconds(1 + random_.below(200))) {
    if (random_.below(3) == 0 && cluster_.nodes.size() > 1) go(now);
    if (random_.below(3) == 0) come(now);
    meter_.look(cluster_, now);
    EXPECT_GE(meter_.dollars().value(), told);
    told = meter_.dollars().value();
  }
  cluster_.nodes = {};
  meter_.look(cluster_, since_start(5h));
  Tariff tariff;
  tariff.reserved = {{"m5.large", ZoneId(1), 1}, {"m5.large", ZoneId::none(), 2}, {"c5.large", ZoneId::none(), 1}};
  tariff.savings_plan = {UsdPerHour(1), 0.2};
  Usage usage;
  usage.span = 5h;  // with the hour into which the least life of the last nodes may reach
  usage.nodes = lives_;
  const Invoice invoice = make_invoice(usage, CostModel(), tariff, {});
  EXPECT_GT(invoice.covered.value(), 0);
  EXPECT_GT(invoice.nodes.value(), 1);
  EXPECT_NEAR(dollars(6h), invoice.nodes.value(), 1e-9);
}

INSTANTIATE_TEST_SUITE_P(Seeds, NodeMeterRandomTest, testing::Range(std::uint64_t{1}, std::uint64_t{20}));

}  // namespace
}  // namespace lips
