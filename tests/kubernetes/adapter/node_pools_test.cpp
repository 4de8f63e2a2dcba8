// The adapter beside Karpenter, or without it: what it reads of NodePools, and what it orders.
#include "kubernetes/adapter/node_pools.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "kubernetes/adapter/fleet_offers.h"
#include "model/launch_room.h"
#include "tests/kubernetes/adapter/planned.h"

namespace lips::kubernetes {
namespace {

using testing::Contains;
using testing::Pair;
using testing::SizeIs;
using Json = nlohmann::json;

const ObjectMeta own_pod_of_orders{"lips-system", "lips-1", "uid-of-lips", ""};

std::string pool_text(const std::string& name, int version, const std::string& requirements = "[]",
                      const std::string& limits = "{}") {
  return fmt::format(
      R"({{"metadata":{{"name":"{0}","uid":"{0}","resourceVersion":"{1}"}},"spec":{{"limits":{3},"template":{{"spec":{{)"
      R"("requirements":{2}}}}},"disruption":{{"consolidateAfter":"30s"}}}},"status":{{"conditions":[{{"type":"Ready",)"
      R"("status":"True"}}]}}}})",
      name, version, requirements, limits);
}

PoolOffers by_sheet() {
  InstanceOffer size;
  size.region = "r", size.instance_type = "m5.xlarge";
  size.vcpu = Cores(4), size.memory = Mebibytes(16 << 10), size.price = UsdPerHour(0.2);
  OperatorConfig::Prices prices;
  prices.region = "r";
  const NodePrices known = *NodePrices::make(PriceSheet({size}, {}, 0), prices);
  OperatorConfig::Fleet fleet;
  fleet.zones = {"zone-a", "zone-c"};
  fleet.capacity_types = {"on-demand"};
  return {
      [known, fleet](const std::vector<NodePool>& pools, const NodeCache& nodes) {
        return pool_offers(pools, nodes, fleet, known);
      },
      [known](const std::vector<NodePool>& pools, const NodeCache& nodes) { return pool_limits(pools, nodes, known); },
      [known, fleet](const std::vector<NodePool>& pools, const NodeCache& nodes) {
        return pool_problems(pools, nodes, fleet, known);
      }};
}

std::size_t offers_left(const Planned& planned) {
  std::size_t count = 0;
  for (const lips::Offer& offer : planned.snapshot().offers) count += nodes_left(planned.snapshot(), offer) > 0;
  return count;
}

TEST(NodePools, AClusterWithoutKarpenterIsPlannedWithoutOffers) {
  FakeCluster cluster;
  cluster.put_pod("p", pod_of(1));
  Planned planned(cluster, {}, by_sheet());
  ASSERT_TRUE(planned.until_pending(1));
  EXPECT_THAT(planned.snapshot().offers, SizeIs(0));
  EXPECT_EQ(cluster.requests_for("/nodepools"), 0u);
}

TEST(NodePools, OfKarpenterThatIsInstalledLaterAreFound) {
  FakeCluster cluster;
  cluster.put_pod("p", pod_of(1));
  Planned planned(cluster, {}, by_sheet());
  ASSERT_TRUE(planned.until_pending(1));
  cluster.put_resource("nodepools", "batch", pool_text("batch", 1));
  EXPECT_TRUE(planned.until([&] { return offers_left(planned) == 2; }));
  EXPECT_EQ(planned.pending(), 1u);
}

TEST(NodePools, AreInTheFirstPlanWhereTheyAreThere) {
  FakeCluster cluster;
  cluster.put_pod("p", pod_of(1));
  cluster.put_resource("nodepools", "batch", pool_text("batch", 1));
  Planned planned(cluster, {}, by_sheet());
  ASSERT_TRUE(planned.until_pending(1));
  EXPECT_EQ(offers_left(planned), 2u);
}

TEST(NodePools, ThatChangeChangeWhatIsOffered) {
  FakeCluster cluster;
  cluster.put_resource("nodepools", "batch", pool_text("batch", 1));
  Planned planned(cluster, {}, by_sheet());
  ASSERT_TRUE(planned.until([&] { return offers_left(planned) == 2; }));
  cluster.put_resource(
      "nodepools", "batch",
      pool_text("batch", 2, R"([{"key":"topology.kubernetes.io/zone","operator":"In","values":["zone-c"]}])"));
  ASSERT_TRUE(planned.until([&] { return offers_left(planned) == 1; }));
  cluster.put_resource("nodepools", "batch", pool_text("batch", 3, "[]", R"({"nodes":"1"})"));
  ASSERT_TRUE(planned.until([&] { return offers_left(planned) == 2; }));
  cluster.put_node("bought", {.ready = false, .more = R"(,"karpenter.sh/nodepool":"batch")"});
  ASSERT_TRUE(planned.until([&] { return planned.snapshot().nodes.size() == 3; }));
  EXPECT_EQ(offers_left(planned), 2u);
  const int listings = planned.listings();
  cluster.put_node("bought", {.more = R"(,"karpenter.sh/nodepool":"batch")"});
  EXPECT_TRUE(planned.until([&] { return offers_left(planned) == 0; })) << "the limit is reached";
  EXPECT_EQ(planned.listings(), listings) << "which needs no new ids";
}

// A kubelet and the DaemonSets keep a part of each machine.
TEST(NodePools, OffersHoldWhatNodesOfTheTypeLeaveToPods) {
  FakeCluster cluster;
  cluster.put_resource("nodepools", "batch", pool_text("batch", 1));
  Planned planned(cluster, {}, by_sheet());
  const auto offered = [&] {
    const ClusterSnapshot& snapshot = planned.snapshot();
    return snapshot.offers.empty() ? Cores(0) : snapshot.nodes[snapshot.offers[OfferId(0)].like].capacity.cpu;
  };
  ASSERT_TRUE(planned.until([&] { return offers_left(planned) == 2; }));
  EXPECT_EQ(offered(), Cores(3.92)) << "of four";
  cluster.put_node("bought", {.cpu = 3, .more = R"(,"karpenter.sh/nodepool":"batch")"});
  FakePod agent{.owner = "agent", .scheduler = "default-scheduler", .node = "bought", .owner_kind = "DaemonSet"};
  cluster.put_pod("agent", agent);
  EXPECT_TRUE(planned.until([&] { return offered() == Cores(2); }));
  cluster.remove_node("bought");
  ASSERT_TRUE(planned.until([&] { return planned.snapshot().nodes.size() == 2 || planned.pending() > 0; }));
  EXPECT_EQ(offered(), Cores(2)) << "the next one will be like it";
}

TEST(NodePools, WhatIsNotUnderstoodOffersNothingAndIsReportedOnce) {
  FakeCluster cluster;
  const std::string gpus = R"([{"key":"karpenter.k8s.aws/instance-gpu-count","operator":"Gt","values":["0"]}])";
  cluster.put_resource("nodepools", "gpus", pool_text("gpus", 1, gpus));
  cluster.put_resource("nodepools", "odd", pool_text("odd", 1, R"([{"key":"a","operator":"Near","values":["1"]}])"));
  cluster.put_resource("nodepools", "batch", pool_text("batch", 1));
  Planned planned(cluster, {}, by_sheet());
  ASSERT_TRUE(planned.until([&] { return offers_left(planned) == 2; }));
  cluster.put_node("n", {});  // they are looked at again
  planned.run_for(std::chrono::milliseconds(1500));
  EXPECT_THAT(planned.counted().rejections(), Contains(Pair("nodepools requirement", 1)));
  EXPECT_THAT(planned.counted().rejections(), Contains(Pair("nodepools malformed", 1)));
  cluster.put_resource("nodepools", "batch", pool_text("batch", 2, R"([{"key":"a","operator":"Near","values":["1"]}])"));
  EXPECT_TRUE(planned.until([&] { return offers_left(planned) == 0; })) << "what it was before counts no more";
}

TEST(NodePools, ThatOfferNothingAreReported) {
  FakeCluster cluster;
  cluster.put_resource("nodepools", "batch", pool_text("batch", 1, R"([{"key":"node.kubernetes.io/instance-type","operator":"In","values":["x"]}])"));
  cluster.put_resource("nodepools", "few", pool_text("few", 1, R"([{"key":"node.kubernetes.io/instance-type","operator":"Exists","minValues":2}])"));
  Planned planned(cluster, {}, by_sheet());
  EXPECT_TRUE(planned.until([&] {
    return planned.counted().rejections() == std::map<std::string, int>{{"nodepools requirement", 1}, {"nodepools minValues", 1}};
  }));
  EXPECT_EQ(offers_left(planned), 0u);
}

TEST(NodePools, AnOrderNamesThePoolOfTheOffer) {
  FakeCluster cluster;
  cluster.put_pod("p", pod_of(1));
  cluster.put_resource("nodepools", "batch", pool_text("batch", 1));
  Planned planned(cluster, own_pod_of_orders, by_sheet());
  ASSERT_TRUE(planned.until_pending(1));
  planned.request(1, OfferId(1));
  ASSERT_TRUE(planned.until([&] { return cluster.created_pods().size() == 1; }));
  const Json terms =
      cluster.created_pods().begin()->second["spec"]["affinity"]["nodeAffinity"]
                                            ["requiredDuringSchedulingIgnoredDuringExecution"]["nodeSelectorTerms"];
  std::map<std::string, std::string> place;
  for (const Json& one : terms[0]["matchExpressions"]) place[one["key"]] = one["values"][0];
  EXPECT_EQ(place, (std::map<std::string, std::string>{{"karpenter.sh/capacity-type", "on-demand"},
                                                       {"karpenter.sh/nodepool", "batch"},
                                                       {"topology.kubernetes.io/zone", "zone-c"}}));
}

// A right is missing: everything but the offers goes on.
TEST(NodePools, ThatCannotBeListedHoldNothingUp) {
  Counting counted;
  SilentLog log;
  int woken = 0;
  NodePools pools({counted, log, [&] { ++woken; }}, by_sheet());
  EXPECT_FALSE(pools.settled());
  pools.failed({ErrorCode::unavailable, "nodepools is forbidden"});
  EXPECT_TRUE(pools.settled());
  EXPECT_GT(woken, 0);
}

}  // namespace
}  // namespace lips::kubernetes
