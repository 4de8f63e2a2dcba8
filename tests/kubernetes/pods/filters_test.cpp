#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kubernetes/pods/filters/filter.h"
#include "kubernetes/pods/pod_conditions.h"
#include "kubernetes/pods/volumes.h"

namespace lips::kubernetes {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

struct Collected {
  PodNeeds needs;
  std::vector<Obstacle> obstacles;
};

Collected collect(const Pod& pod, const ClaimLookup& claims = VolumeBook()) {
  Collected result;
  for (const Filter& filter : filters()) filter.collect(pod, claims, result.needs, result.obstacles);
  return result;
}

Node node(const std::string& name = "n") {
  Node result;
  result.meta.name = name;
  result.ready = true;
  result.labels = {{"arch", "amd64"}, {"zone", "a"}};
  result.allocatable = {{"cpu", 4000}, {"memory", 8 << 20}, {"nvidia.com/gpu", 1}, {"pods", 10}};
  return result;
}

// The names of the filters that reject the node; with others on it as given.
std::vector<std::string> rejecting(const Pod& pod, const Node& on, const ResourceAmounts& taken = {},
                                   const ClaimLookup& claims = VolumeBook()) {
  std::vector<std::string> names;
  const Collected collected = collect(pod, claims);
  for (const Filter& filter : filters())
    if (!filter.rejects(collected.needs, {on, taken}).empty()) names.emplace_back(filter.name);
  return names;
}

using Names = std::vector<std::string>;

TEST(ResourceFilter, CountsEveryResourceAndThePods) {
  Pod pod;
  pod.requests = {{"cpu", 1000}, {"nvidia.com/gpu", 1}};
  EXPECT_EQ(rejecting(pod, node()), Names{});
  EXPECT_EQ(rejecting(pod, node(), {{"cpu", 3001}}), Names{"resources"});
  EXPECT_EQ(rejecting(pod, node(), {{"nvidia.com/gpu", 1}}), Names{"resources"});
  EXPECT_EQ(rejecting(pod, node(), {{"pods", 10}}), Names{"resources"});
  pod.requests = {{"example.com/fpga", 1}};
  EXPECT_EQ(rejecting(pod, node()), Names{"resources"});
}

TEST(NodeAffinityFilter, JoinsSelectorAndRequiredTerms) {
  Pod pod;
  pod.node_selector = {{"arch", "amd64"}};
  EXPECT_EQ(rejecting(pod, node()), Names{});
  pod.node_selector = {{"arch", "arm64"}};
  EXPECT_EQ(rejecting(pod, node()), Names{"node affinity"});
  pod.node_selector.clear();
  pod.required_affinity.emplace();  // no term: no node
  EXPECT_EQ(rejecting(pod, node()), Names{"node affinity"});
  pod.required_affinity->push_back({{}, {{"metadata.name", SelectorOperator::in, {"other", "n"}}}});
  EXPECT_EQ(rejecting(pod, node("n")), Names{});
  EXPECT_EQ(rejecting(pod, node("m")), Names{"node affinity"});
}

TEST(TaintFilter, AsksForATolerationOfEachTaintThatKeepsPodsAway) {
  Node tainted = node();
  tainted.taints = {{"dedicated", "batch", TaintEffect::no_schedule}, {"slow", "", TaintEffect::prefer_no_schedule}};
  Pod pod;
  EXPECT_EQ(rejecting(pod, tainted), Names{"taints"});
  pod.tolerations = {{"dedicated", Toleration::Compare::equal, "batch", std::nullopt}};
  EXPECT_EQ(rejecting(pod, tainted), Names{});
  pod.tolerations = {{"dedicated", Toleration::Compare::equal, "web", std::nullopt}};
  EXPECT_EQ(rejecting(pod, tainted), Names{"taints"});
  pod.tolerations = {{"", Toleration::Compare::exists, "", TaintEffect::no_schedule}};
  EXPECT_EQ(rejecting(pod, tainted), Names{});
  pod.tolerations = {{"", Toleration::Compare::exists, "", TaintEffect::no_execute}};
  EXPECT_EQ(rejecting(pod, tainted), Names{"taints"});
}

TEST(NodeStateFilter, SendsNothingToCordonedUnreadyOrLeavingNodes) {
  for (const auto change : {+[](Node& n) { n.unschedulable = true; }, +[](Node& n) { n.ready = false; },
                            +[](Node& n) { n.deleting = true; }}) {
    Node changed = node();
    change(changed);
    EXPECT_EQ(rejecting(Pod(), changed), Names{"node state"});
  }
}

TEST(VolumeTopologyFilter, HoldsPodsWhoseClaimsAreNotBoundAndFollowsVolumes) {
  VolumeBook book;
  Pod pod;
  pod.meta.name_space = "default";
  pod.claims = {"scratch"};
  ASSERT_THAT(collect(pod, book).obstacles, SizeIs(1));
  EXPECT_THAT(collect(pod, book).obstacles[0].text, HasSubstr("there is no PersistentVolumeClaim 'scratch'"));
  Claim claim;
  claim.meta = {"default", "scratch", "u", "1"};
  book.see(claim);
  EXPECT_THAT(collect(pod, book).obstacles[0].text, HasSubstr("not bound"));
  claim.bound = true;
  claim.volume = "pv";
  book.see(claim);
  EXPECT_THAT(collect(pod, book).obstacles[0].text, HasSubstr("does not exist"));
  Volume volume;
  volume.meta.name = "pv";
  volume.required = {{{{"zone", SelectorOperator::in, {"b"}}}, {}}};
  book.see(volume);
  EXPECT_THAT(collect(pod, book).obstacles, IsEmpty());
  EXPECT_EQ(rejecting(pod, node(), {}, book), Names{"volume topology"});
  volume.required = {{{{"zone", SelectorOperator::in, {"a"}}}, {}}};
  book.see(volume);
  EXPECT_EQ(rejecting(pod, node(), {}, book), Names{});
  book.forget_claim(claim.meta);
  EXPECT_THAT(collect(pod, book).obstacles, SizeIs(1));
}

TEST(PodLevelFilters, NameGatesAndWhatIsNotHonoured) {
  Pod pod;
  pod.gates = {"example.com/wait"};
  pod.not_understood = {"spec.resourceClaims"};
  pod.host_ports = {{80, "TCP", ""}};
  const auto obstacles = collect(pod).obstacles;
  ASSERT_THAT(obstacles, SizeIs(3));
  EXPECT_EQ(obstacles[0].reason, scheduling_gated);
  EXPECT_EQ(obstacles[1].reason, not_honoured);
  EXPECT_THAT(obstacles[1].text, HasSubstr("spec.resourceClaims"));
  EXPECT_THAT(obstacles[2].text, HasSubstr("hostPort"));
}

TEST(Diagnosis, CountsNodesByTheFirstConditionThatFailsAndSaysWhatHelps) {
  NodeBook nodes;
  for (int i = 0; i < 3; ++i) {
    Node small = node("small-" + std::to_string(i));
    small.allocatable = {{"cpu", 1000}, {"pods", 10}};
    nodes.see(small);
  }
  Node cordoned = node("cordoned");
  cordoned.unschedulable = true;
  nodes.see(cordoned);
  PodNeeds needs;
  needs.requests = {{"cpu", 2000}};
  const Diagnosis nowhere = diagnose(needs, nodes, false);
  EXPECT_TRUE(nowhere.nowhere);
  EXPECT_EQ(
      nowhere.sentence,
      "0/4 nodes can run it: 3 have too little cpu, 1 are cordoned. What helps: ask for less or add larger nodes");
  nodes.see(node("large"));
  EXPECT_FALSE(diagnose(needs, nodes, false).nowhere);
  nodes.take("large", {{"cpu", 3000}}, NodeBook::Whose::ours);
  EXPECT_FALSE(diagnose(needs, nodes, false).nowhere);
  EXPECT_TRUE(diagnose(needs, nodes, true).nowhere);
}

}  // namespace
}  // namespace lips::kubernetes
