#include "kubernetes/adapter/node_orders.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/random.h"
#include "kubernetes/pods/volume_cache.h"
#include "model/eligibility.h"
#include "tests/kubernetes/adapter/planned.h"

namespace lips::kubernetes {
namespace {

using testing::SizeIs;
using Json = nlohmann::json;

const ObjectMeta own_pod{"lips-system", "lips-1", "uid-of-lips", ""};

Pod decoded(const std::string& body) {
  PodDecoder decoder;
  Result<Pod> pod = decoder.decode(body);
  EXPECT_TRUE(pod);
  return *pod;
}

PodNeeds needs_of(const Pod& pod) {
  PodNeeds needs;
  std::vector<UnschedulableCause> causes;
  for (const Filter& filter : filters()) filter.collect(pod, VolumeCache(), needs, causes);
  return needs;
}

LabelRequirement random_requirement(Random& random) {
  using Operator = LabelRequirement::Operator;
  const auto op = static_cast<Operator>(random.below(6));
  LabelRequirement result{fmt::format("l{}", random.below(3)), op, {}};
  if (random.below(8) == 0) return {node_name_key, random.below(2) == 0 ? Operator::in : Operator::not_in, {"n1"}};
  const bool list = op == Operator::in || op == Operator::not_in;
  if (list || op == Operator::greater || op == Operator::less)
    for (std::uint64_t i = list ? random.below(3) + 1 : 1; i > 0; --i)
      result.values.push_back(std::to_string(random.below(3)));
  return result;
}

std::vector<LabelRequirement> random_term(Random& random, std::uint64_t least) {
  std::vector<LabelRequirement> term;
  for (std::uint64_t i = least + random.below(2); i > 0; --i) term.push_back(random_requirement(random));
  return term;
}

Toleration random_toleration(Random& random) {
  constexpr std::array<const char*, 3> effects{"", "NoSchedule", "NoExecute"};
  Toleration result{fmt::format("t{}", random.below(2)), "", effects[random.below(3)], random.below(2) == 0};
  if (!result.exists) result.value = std::to_string(random.below(2));
  return result;
}

NodeProfile random_profile(Random& random) {
  NodeProfile result;
  for (int i = 0; i < 3; ++i)
    if (random.below(3) > 0) result.labels.emplace_back(fmt::format("l{}", i), std::to_string(random.below(3)));
  result.labels.emplace_back(node_name_key, fmt::format("n{}", random.below(2)));
  result.labels.emplace_back("zone", random.below(2) == 0 ? "a" : "b");
  if (random.below(2) == 0)
    result.taints.push_back({fmt::format("t{}", random.below(2)), std::to_string(random.below(2)), "NoSchedule"});
  return result;
}

// An autoscaler that reads the pod finds what the task needs, in the place, and nothing else.
TEST(NodeOrder, SuitsANodeExactlyIfTheTaskDoesAndThePlaceIsRight) {
  int suited = 0;
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    Random random(seed);
    NodeOrder order;
    order.place = {{"zone", "a"}};
    order.needs.requests = {{"cpu", static_cast<std::int64_t>(random.below(4000) + 1)}, {"memory", 1 << 30}};
    if (random.below(2) == 0) order.needs.requests.emplace_back("nvidia.com/gpu", 2);
    PlacementConstraint& constraint = order.needs.constraint;
    constraint.required = random_term(random, 0);
    for (std::uint64_t i = random.below(3); i > 0; --i) constraint.any_of.push_back(random_term(random, 1));
    for (std::uint64_t i = random.below(3); i > 0; --i) constraint.tolerations.push_back(random_toleration(random));
    const Pod pod = decoded(order_body({order, {}}, {"lips-system", "lips-orders", own_pod}, "o"));
    const PodNeeds needs = needs_of(pod);
    EXPECT_EQ(needs.requests, order.needs.requests);
    EXPECT_THAT(pod.not_understood, SizeIs(0));
    for (int i = 0; i < 20; ++i) {
      const NodeProfile profile = random_profile(random);
      const bool in_place = profile.labels.back().second == "a";
      const bool suits = in_place && eligible(constraint, profile);
      suited += suits;
      EXPECT_EQ(eligible(needs.constraint, profile), suits) << "seed " << seed;
    }
  }
  EXPECT_GT(suited, 2000);
}

// Tools that share out costs see whose node it is, and autoscalers how urgent it is.
TEST(NodeOrder, SaysForWhomItIs) {
  const auto body_for = [](const OrderOwner& owner) {
    return Json::parse(order_body({{}, owner}, {"lips-system", "lips-orders", own_pod}, "o"));
  };
  const Json urgent = body_for({"team", "nightly", "high"});
  EXPECT_EQ(urgent["metadata"]["labels"]["lips.dev/for-namespace"], "team");
  EXPECT_EQ(urgent["metadata"]["labels"]["lips.dev/for-job"], "nightly");
  EXPECT_EQ(urgent["spec"]["priorityClassName"], "high");
  const Json plain = body_for({"team", "-Ein Name: mit allem!" + std::string(100, 'x') + "_", ""});
  EXPECT_FALSE(plain["spec"].contains("priorityClassName"));
  EXPECT_EQ(plain["metadata"]["labels"]["lips.dev/for-job"], "Ein-Name--mit-allem-" + std::string(42, 'x'));
  EXPECT_FALSE(body_for({"team", "!?", ""})["metadata"]["labels"].contains("lips.dev/for-job"));
}

// One application that is to become large does not keep others from the nodes that they need.
TEST(NodeOrdersOfMany, AreSharedByNamespace) {
  FakeCluster cluster;
  const std::unique_ptr<ApiClient> client = cluster.link().connect(quick_client());
  SilentLog log;
  NodeOrders orders({*client, [] { return true; }, [] {}, log}, {"lips-system", "lips-orders", own_pod});
  NodeOrder order;
  order.place = {{"zone", "a"}};
  order.needs.requests = {{"cpu", 1000}};
  orders.want({{{order, {"aaa", "large", ""}}, 100'000}, {{order, {"zzz", "small", ""}}, 3}});
  EXPECT_EQ(orders.wanted_for("zzz"), 3u);
  EXPECT_EQ(orders.wanted_for("aaa"), 1997u);
}

std::size_t orders_in(const FakeCluster& cluster, const std::string& zone) {
  std::size_t count = 0;
  for (const auto& [name, pod] : cluster.created_pods()) count += pod.dump().find(zone) != std::string::npos;
  return count;
}

bool all_marked(const FakeCluster& cluster) {
  const auto pods = cluster.created_pods();
  return std::all_of(pods.begin(), pods.end(), [](const auto& entry) {
    const Json& status = entry.second["status"];
    return status.contains("conditions") && status["conditions"][0]["reason"] == "Unschedulable";
  });
}

std::size_t creations(const FakeCluster& cluster) {
  const auto requests = cluster.requests();
  return static_cast<std::size_t>(std::count_if(requests.begin(), requests.end(), [](const ReceivedRequest& request) {
    return request.method == "POST" && request.path == "/api/v1/namespaces/lips-system/pods";
  }));
}

class NodeOrdersTest : public testing::Test {
 protected:
  NodeOrdersTest() {
    for (int i = 0; i < 3; ++i) cluster_.put_pod(fmt::format("p{}", i), pod_of(1));
  }
  std::size_t marked() const {
    const auto pods = cluster_.pods();
    return static_cast<std::size_t>(std::count_if(
        pods.begin(), pods.end(), [](const auto& entry) { return entry.second.reason == "Unschedulable"; }));
  }
  FakeCluster cluster_;
};

TEST_F(NodeOrdersTest, EachTaskThatAsksHasOneInItsPlaceAndIsNotMarkedItself) {
  Planned planned(cluster_, own_pod);
  ASSERT_TRUE(planned.until_pending(3));
  planned.request(2, in_a);
  ASSERT_TRUE(planned.until([&] { return orders_in(cluster_, "zone-a") == 2 && all_marked(cluster_); }));
  for (const auto& [name, pod] : cluster_.created_pods()) {
    EXPECT_EQ(pod["metadata"]["ownerReferences"][0]["uid"], own_pod.uid);
    EXPECT_EQ(pod["spec"]["schedulerName"], "lips-orders");
    EXPECT_EQ(pod["spec"]["containers"][0]["resources"]["requests"]["cpu"], "1000m");
  }
  planned.run_for(std::chrono::milliseconds(1500));
  EXPECT_EQ(marked(), 0u) << "a pod that is marked itself gets a node anywhere";
  EXPECT_EQ(cluster_.pod("p0").reason, "NodeOrdered");
  planned.request(2, in_a);
  planned.run_for(std::chrono::milliseconds(500));
  EXPECT_EQ(creations(cluster_), 2u) << "a plan that asks for the same orders nothing anew";
  planned.request(1, in_c);
  EXPECT_TRUE(planned.until([&] { return orders_in(cluster_, "zone-a") == 0 && orders_in(cluster_, "zone-c") == 1; }));
  planned.request_none();
  EXPECT_TRUE(planned.until([&] { return cluster_.created_pods().empty(); }));
}

TEST_F(NodeOrdersTest, TheNextProcessTakesThemOver) {
  {
    Planned first(cluster_, own_pod);
    ASSERT_TRUE(first.until_pending(3));
    first.request(2, in_a);
    ASSERT_TRUE(first.until([&] { return cluster_.created_pods().size() == 2 && all_marked(cluster_); }));
  }
  Planned second(cluster_, {own_pod.name_space, "", "", ""});
  ASSERT_TRUE(second.until_pending(3));
  second.run_for(std::chrono::milliseconds(500));
  EXPECT_THAT(cluster_.created_pods(), SizeIs(2)) << "before its first plan it does not know";
  second.request(1, in_a);
  EXPECT_TRUE(second.until([&] { return cluster_.created_pods().size() == 1; }));
}

TEST_F(NodeOrdersTest, OneThatIsRemovedIsMadeAgain) {
  Planned planned(cluster_, own_pod);
  ASSERT_TRUE(planned.until_pending(3));
  planned.request(1, in_a);
  ASSERT_TRUE(planned.until([&] { return cluster_.created_pods().size() == 1 && all_marked(cluster_); }));
  cluster_.remove_created(cluster_.created_pods().begin()->first);
  EXPECT_TRUE(planned.until([&] { return cluster_.created_pods().size() == 1 && all_marked(cluster_); }));
  EXPECT_EQ(creations(cluster_), 2u);
}

TEST_F(NodeOrdersTest, WhereTheyAreRefusedThePodsAreMarkedThemselves) {
  cluster_.forbid("lips-system/pods");
  Planned planned(cluster_, own_pod);
  ASSERT_TRUE(planned.until_pending(3));
  EXPECT_TRUE(planned.until([&] {
    planned.request(1, in_a);
    return marked() == 1;
  }));
  EXPECT_THAT(cluster_.created_pods(), SizeIs(0));
}

// A pod without its gate would wait as long as its scheduler pauses, and others would take the room that was for it.
TEST_F(NodeOrdersTest, AGatedPodKeepsItsGateUntilItsNodeIsThere) {
  cluster_.put_pod("g", gated());
  Planned planned(cluster_, own_pod);
  ASSERT_TRUE(planned.until_pending(4));
  planned.request(4, in_a);
  ASSERT_TRUE(planned.until([&] { return orders_in(cluster_, "zone-a") == 4 && all_marked(cluster_); }));
  EXPECT_FALSE(cluster_.pod("g").gates.empty());
  EXPECT_TRUE(planned.until_pending(4)) << "it is still a task";
}

// As after a time in which orders were refused.
TEST_F(NodeOrdersTest, AGatedPodIsNotOrderedForWhereOneWithoutGateIsOnItsWay) {
  FakePod sent = gated();
  sent.gates.clear();
  sent.annotations["lips.dev/steered"] = "zone-a";
  sent.selector = {{"topology.kubernetes.io/zone", "zone-a"}, {"karpenter.sh/capacity-type", "on-demand"}};
  cluster_.put_pod("sent", sent);
  for (int i = 0; i < 3; ++i) cluster_.remove_pod(fmt::format("p{}", i));
  for (int i = 0; i < 3; ++i) cluster_.put_pod(fmt::format("g{}", i), gated());
  Planned planned(cluster_, own_pod);
  ASSERT_TRUE(planned.until_pending(3));
  planned.request(3, in_a);
  ASSERT_TRUE(planned.until([&] { return orders_in(cluster_, "zone-a") == 2; }));
  planned.run_for(std::chrono::milliseconds(300));
  EXPECT_EQ(creations(cluster_), 2u);
}

TEST_F(NodeOrdersTest, WhereTheyAreRefusedGatedPodsAreSentToThePlace) {
  cluster_.forbid("lips-system/pods");
  cluster_.put_pod("g", gated());
  Planned planned(cluster_, own_pod);
  ASSERT_TRUE(planned.until_pending(4));
  planned.request(4, in_a);
  EXPECT_TRUE(planned.until([&] {
    if (planned.pending() == 4) planned.request(4, in_a);
    return cluster_.pod("g").gates.empty();
  }));
  EXPECT_EQ(cluster_.pod("g").selector.at("topology.kubernetes.io/zone"), "zone-a");
}

// They name no class of tasks that LiPS knows, and take no room.
TEST_F(NodeOrdersTest, AreNoTasks) {
  Planned planned(cluster_, own_pod);
  ASSERT_TRUE(planned.until_pending(3));
  planned.request(3, in_a);
  ASSERT_TRUE(planned.until([&] { return cluster_.created_pods().size() == 3 && all_marked(cluster_); }));
  EXPECT_TRUE(planned.until_pending(3));
}

// Without that the plan would ask for the same node for ever.
TEST_F(NodeOrdersTest, APlaceInWhichNoNodeComesCountsAsSoldOutUntilOneComes) {
  AwaitedNodes::Patience patience;
  patience.beyond_boot = std::chrono::seconds(1) - offer_in("zone-a", 0.2).boot;
  patience.look_every = std::chrono::milliseconds(200);
  Planned planned(cluster_, own_pod, {}, patience);
  ASSERT_TRUE(planned.until_pending(3));
  planned.request(2, in_a);
  ASSERT_TRUE(planned.until([&] { return planned.left(in_a) == 0; }));
  EXPECT_GT(planned.left(in_c), 0u);
  planned.request(2, in_c);
  ASSERT_TRUE(planned.until([&] { return planned.left(in_c) == 0; }));
  FakeNode node;
  node.more = R"(,"karpenter.sh/capacity-type":"on-demand")";
  cluster_.put_node("new", node);
  ASSERT_TRUE(planned.until([&] { return planned.left(in_a) > 0; }));
  EXPECT_EQ(planned.left(in_c), 0u);
  planned.request_none();
  EXPECT_TRUE(planned.until([&] { return cluster_.created_pods().empty(); }));
}

}  // namespace
}  // namespace lips::kubernetes
