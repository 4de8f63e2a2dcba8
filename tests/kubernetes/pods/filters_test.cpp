#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/random.h"
#include "kubernetes/pods/filters/filter.h"
#include "kubernetes/pods/pod_conditions.h"
#include "kubernetes/pods/volume_cache.h"
#include "model/leaving.h"

namespace lips::kubernetes {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

struct Collected {
  PodNeeds needs;
  std::vector<UnschedulableCause> causes;
};

Collected collect(const Pod& pod, const ClaimLookup& claims = VolumeCache()) {
  Collected result;
  for (const Filter& filter : filters()) filter.collect(pod, claims, result.needs, result.causes);
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
                                   const ClaimLookup& claims = VolumeCache()) {
  std::vector<std::string> names;
  const Collected collected = collect(pod, claims);
  for (const Filter& filter : filters())
    if (!filter.rejects(collected.needs, {on, profile_of(on), taken}).empty()) names.emplace_back(filter.name);
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

// Each class of pods is compared with each node, on the thread that binds the pods of all.
TEST(Filters, RefuseInWordsWhatWouldTakeTooLongToCompare) {
  Pod pod;
  pod.required_affinity.emplace();
  for (int i = 0; i < 8000; ++i)
    pod.required_affinity->push_back(
        {{"kubernetes.io/hostname", LabelRequirement::Operator::in, {"n" + std::to_string(i)}}});
  const Collected many = collect(pod);
  ASSERT_EQ(many.causes.size(), 1u);
  EXPECT_EQ(many.causes[0].reason, UnschedulableReason::not_honoured);
  EXPECT_THAT(many.causes[0].text, HasSubstr("8000 requirements with 8000 values; this scheduler honours up to 200"));
  EXPECT_EQ(many.needs.constraint.any_of.size(), 1u) << "they are not kept either";
  EXPECT_EQ(rejecting(pod, node()), Names{"node affinity"});
  pod.required_affinity->resize(200);
  EXPECT_THAT(collect(pod).causes, IsEmpty());
  const LabelRequirement long_list{"kubernetes.io/hostname", LabelRequirement::Operator::in,
                                   std::vector<std::string>(1001, "n")};
  pod.required_affinity = std::vector<NodeSelectorTerm>(1, NodeSelectorTerm(1, long_list));
  EXPECT_THAT(collect(pod).causes, SizeIs(1));
  pod.required_affinity.reset();
  pod.tolerations.resize(201);
  EXPECT_THAT(collect(pod).causes, SizeIs(1));
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
  pod.required_affinity->push_back({{"metadata.name", LabelRequirement::Operator::in, {"other", "n"}}});
  EXPECT_EQ(rejecting(pod, node("n")), Names{});
  EXPECT_EQ(rejecting(pod, node("m")), Names{"node affinity"});
}

TEST(TaintFilter, AsksForATolerationOfEachTaintThatKeepsPodsAway) {
  Node tainted = node();
  tainted.taints = {{"dedicated", "batch", "NoSchedule"}, {"slow", "", "PreferNoSchedule"}};
  Pod pod;
  EXPECT_EQ(rejecting(pod, tainted), Names{"taints"});
  pod.tolerations = {{"dedicated", "batch", "", false}};
  EXPECT_EQ(rejecting(pod, tainted), Names{});
  pod.tolerations = {{"dedicated", "web", "", false}};
  EXPECT_EQ(rejecting(pod, tainted), Names{"taints"});
  pod.tolerations = {{"", "", "NoSchedule", true}};
  EXPECT_EQ(rejecting(pod, tainted), Names{});
  pod.tolerations = {{"", "", "NoExecute", true}};
  EXPECT_EQ(rejecting(pod, tainted), Names{"taints"});
}

TEST(TaintFilter, SendsNothingToNodesOnNoticeWhateverThePodTolerates) {
  Pod pod;
  pod.tolerations = {{"", "", "", true}};
  for (const auto notice : {
           +[](Node& n) {
             n.taints = {{"karpenter.sh/disrupted", "", "NoSchedule"}};
           },
           +[](Node& n) {
             n.labels = {{"aws-node-termination-handler/event-id", "spot-itn-1"}};
           },
           +[](Node& n) {
             n.labels = {{"cloud.google.com/active-node-maintenance", "ONGOING"}};
           },
           +[](Node& n) {
             n.conditions = {{"PreemptScheduled", ""}};
           },
           +[](Node& n) {
             n.conditions = {{"MemoryPressure", ""}, {"PreemptionScheduled", ""}};
           },
           +[](Node& n) {
             n.conditions = {{"RedeployScheduled", ""}};
           },
           +[](Node& n) {
             n.conditions = {{"TerminateScheduled", ""}};
           },
           +[](Node& n) {
             n.conditions = {{"VMEventScheduled", "Preempt Scheduled: Wed, 26 Feb 2025 10:13:13 GMT."}};
           },
       }) {
    Node leaves = node();
    notice(leaves);
    EXPECT_EQ(rejecting(pod, leaves), Names{"taints"});
    EXPECT_TRUE(is_leaving(profile_of(leaves)));
  }
}

TEST(TaintFilter, TakesNoNodeThatComesBackForOneOnNotice) {
  for (const auto stays : {
           +[](Node& n) {
             n.labels = {{"cloud.google.com/active-node-maintenance", "PENDING"}};
           },
           +[](Node& n) {
             n.conditions = {{"VMEventScheduled", "Freeze Scheduled: Wed, 26 Feb 2025 10:13:13 GMT."}};
           },
           +[](Node& n) {
             n.conditions = {{"VMEventScheduled", "Reboot Scheduled: Wed, 26 Feb 2025 10:13:13 GMT."}};
           },
           +[](Node& n) {
             n.conditions = {{"DiskPressure", "Preempt Scheduled"}};
           },
           +[](Node& n) { n.unschedulable = true; },
           +[](Node& n) {
             n.labels = {{"karpenter.sh/capacity-type", "spot"}};
           },
       }) {
    Node node_now = node();
    stays(node_now);
    EXPECT_FALSE(is_leaving(profile_of(node_now)));
  }
  for (const char* key : {"karpenter.sh/capacity-type", "node.kubernetes.io/lifecycle"}) {
    Node taken_back = node();
    taken_back.labels = {{key, "spot"}};
    taken_back.unschedulable = true;
    EXPECT_TRUE(is_leaving(profile_of(taken_back))) << "a handler may do no more than cordon it";
  }
}

TEST(NodeStateFilter, SendsNothingToCordonedUnreadyOrLeavingNodes) {
  for (const auto change : {+[](Node& n) { n.unschedulable = true; }, +[](Node& n) { n.ready = false; }}) {
    Node changed = node();
    change(changed);
    EXPECT_EQ(rejecting(Pod(), changed), Names{"node state"});
  }
  Node deleted = node();
  deleted.deleting = true;
  EXPECT_EQ(rejecting(Pod(), deleted), (Names{"node state", "taints"}));
}

TEST(VolumeTopologyFilter, HoldsPodsWhoseClaimsAreNotBoundAndFollowsVolumes) {
  VolumeCache cache;
  Pod pod;
  pod.meta.name_space = "default";
  pod.claims = {"scratch"};
  ASSERT_THAT(collect(pod, cache).causes, SizeIs(1));
  EXPECT_THAT(collect(pod, cache).causes[0].text, HasSubstr("there is no PersistentVolumeClaim 'scratch'"));
  Claim claim;
  claim.meta = {"default", "scratch", "u", "1"};
  cache.update(claim);
  EXPECT_THAT(collect(pod, cache).causes[0].text, HasSubstr("not bound"));
  claim.bound = true;
  claim.volume = "pv";
  cache.update(claim);
  EXPECT_THAT(collect(pod, cache).causes[0].text, HasSubstr("does not exist"));
  Volume volume;
  volume.meta.name = "pv";
  volume.required = {{{"zone", LabelRequirement::Operator::in, {"b"}}}};
  cache.update(volume);
  EXPECT_THAT(collect(pod, cache).causes, IsEmpty());
  EXPECT_EQ(rejecting(pod, node(), {}, cache), Names{"volume topology"});
  volume.required = {{{"zone", LabelRequirement::Operator::in, {"a"}}}};
  cache.update(volume);
  EXPECT_EQ(rejecting(pod, node(), {}, cache), Names{});
  cache.forget_claim(claim.meta);
  EXPECT_THAT(collect(pod, cache).causes, SizeIs(1));
}

TEST(VolumeDecoders, ReadDriversLimitsAndModes) {
  VolumeDecoder volumes;
  EXPECT_EQ(volumes.decode(R"({"metadata":{"name":"v"},"spec":{"csi":{"driver":"ebs.csi.aws.com"}}})")->driver,
            "ebs.csi.aws.com");
  EXPECT_EQ(volumes.decode(R"({"metadata":{"name":"v"},"spec":{"awsElasticBlockStore":{"volumeID":"x"}}})")->driver,
            "ebs.csi.aws.com");
  EXPECT_EQ(volumes.decode(R"({"metadata":{"name":"v"},"spec":{"nfs":{}}})")->driver, "");
  CsiNodeDecoder nodes;
  const auto node = nodes.decode(R"({"metadata":{"name":"n"},"spec":{"drivers":[
    {"name":"ebs.csi.aws.com","allocatable":{"count":25}},{"name":"efs.csi.aws.com","allocatable":null}]}})");
  ASSERT_TRUE(node) << node.error().message;
  EXPECT_EQ(volume_limits(*node), (ResourceAmounts{{"attachable-volumes-csi-ebs.csi.aws.com", 25}}));
  StorageClassDecoder classes;
  const auto gp3 = classes.decode(R"({"metadata":{"name":"c"},"volumeBindingMode":"WaitForFirstConsumer",
    "provisioner":"kubernetes.io/aws-ebs","allowedTopologies":[{"matchLabelExpressions":[{"key":"zone","values":["a","b"]}]}]})");
  ASSERT_TRUE(gp3) << gp3.error().message;
  EXPECT_TRUE(gp3->waits_for_consumer);
  EXPECT_EQ(gp3->driver(), "ebs.csi.aws.com");
  using Operator = LabelRequirement::Operator;
  EXPECT_EQ(gp3->topologies, (std::vector<NodeSelectorTerm>{{{"zone", Operator::in, {"a", "b"}}}}));
  EXPECT_FALSE(
      classes.decode(R"({"metadata":{"name":"c"},"provisioner":"kubernetes.io/no-provisioner"})")->provisions());
  ClaimDecoder claims;
  const auto claim = claims.decode(R"({"metadata":{"name":"c","annotations":{"volume.kubernetes.io/selected-node":"n"},
    "ownerReferences":[{"uid":"a"},{"uid":"p","controller":true},{"uid":"b","controller":false}]},"spec":{"accessModes":["ReadWriteOncePod"],"volumeMode":"Block","resources":{"requests":{"storage":"1Gi"}},
    "selector":{"matchLabels":{"disk":"ssd"},"matchExpressions":[{"key":"old","operator":"DoesNotExist"}]}}})");
  ASSERT_TRUE(claim) << claim.error().message;
  EXPECT_TRUE(claim->exclusive && claim->block);
  EXPECT_EQ(claim->size, 1 << 30);
  EXPECT_EQ(claim->selected_node, "n");
  EXPECT_EQ(claim->owner, "p");
  EXPECT_EQ(claim->selector,
            (std::vector<LabelRequirement>{{"disk", Operator::in, {"ssd"}}, {"old", Operator::does_not_exist, {}}}));
  CsiDriverDecoder drivers;
  EXPECT_TRUE(drivers.decode(R"({"metadata":{"name":"d"},"spec":{"storageCapacity":true}})")->tells_room);
  EXPECT_FALSE(drivers.decode(R"({"metadata":{"name":"d"},"spec":{"storageCapacity":null}})")->tells_room);
  EXPECT_FALSE(drivers.decode(R"({"metadata":{"name":"d"},"spec":{}})")->tells_room);
  StorageRoomDecoder rooms;
  const auto room = rooms.decode(R"({"metadata":{"namespace":"kube-system","name":"r"},"storageClassName":"gp3",
    "nodeTopology":{"matchLabels":{"zone":"a"}},"capacity":"2Gi","maximumVolumeSize":"1Gi"})");
  ASSERT_TRUE(room) << room.error().message;
  EXPECT_EQ(room->storage_class, "gp3");
  EXPECT_EQ(room->nodes, (std::vector<LabelRequirement>{{"zone", Operator::in, {"a"}}}));
  EXPECT_EQ(room->most(), 1 << 30);
  EXPECT_EQ(rooms.decode(R"({"metadata":{"name":"r"},"capacity":5})")->most(), 5);
  const auto nothing = rooms.decode(R"({"metadata":{"name":"r"},"nodeTopology":null,"capacity":null})");
  EXPECT_FALSE(nothing->nodes);
  EXPECT_LT(nothing->most(), 0);
  EXPECT_TRUE(rooms.decode(R"({"metadata":{"name":"r"},"nodeTopology":{}})")->nodes) << "all nodes";
  const auto wrong =
      rooms.decode(R"({"metadata":{"name":"r"},"nodeTopology":{"matchExpressions":[{"key":"k","operator":"Near"}]}})");
  ASSERT_FALSE(wrong);
  EXPECT_THAT(wrong.error().message, HasSubstr("nodeTopology: operator Near"));
  const auto local =
      volumes.decode(R"({"metadata":{"name":"v","labels":{"disk":"ssd"}},"spec":{"capacity":{"storage":"1Gi"},
    "accessModes":["ReadWriteOnce"],"storageClassName":"local","claimRef":{"namespace":"n","name":"c","uid":"u"}},
    "status":{"phase":"Available"}})");
  ASSERT_TRUE(local) << local.error().message;
  EXPECT_TRUE(local->can_be_claimed());
  EXPECT_EQ(local->claim, "n/c");
  EXPECT_EQ(local->claim_uid, "u");
  EXPECT_EQ(local->size, 1 << 30);
  EXPECT_FALSE(
      volumes
          .decode(
              R"({"metadata":{"name":"v","deletionTimestamp":"2026-01-01T00:00:00Z"},"status":{"phase":"Available"}})")
          ->can_be_claimed());
}

// Claims "c0", "c1", ... of one pod, each with a volume that nodes reach by these terms.
struct Claimed {
  VolumeCache cache;
  Pod pod;

  Claimed() { pod.meta = {"default", "p", "uid-p", "1"}; }
  void add(const std::vector<NodeSelectorTerm>& terms) {
    const std::string name = "c" + std::to_string(pod.claims.size());
    pod.claims.push_back(name);
    claim = {};
    claim.meta = {"default", name, "uid-" + name, "1"};
    claim.bound = true, claim.volume = "pv-" + name;
    Volume volume;
    volume.meta.name = claim.volume, volume.required = terms;
    cache.update(claim), cache.update(volume);
  }
  Claim claim;  // the last one
};

// No new node helps a pod whose volumes lie apart.
TEST(VolumeTopologyFilter, SaysOfVolumesThatNoNodeReachesTogetherWhereTheyLie) {
  const auto in = [](const std::string& zone) {
    return NodeSelectorTerm{{"zone", LabelRequirement::Operator::in, {zone}}};
  };
  Claimed two;
  two.add({in("a")}), two.add({in("c")});
  const Collected apart = collect(two.pod, two.cache);
  ASSERT_THAT(apart.causes, SizeIs(1));
  EXPECT_EQ(apart.causes[0].reason, UnschedulableReason::volume_not_ready);
  EXPECT_EQ(apart.causes[0].text,
            "no node can reach the volumes of PersistentVolumeClaims 'c0' and 'c1': zone is a and c");
}

// Exactly where no node of any zone and rack is reached by both volumes.
TEST(VolumeTopologyFilter, HoldsAPodExactlyIfNoNodeReachesAllOfItsVolumes) {
  int held = 0;
  for (std::uint64_t seed = 1; seed <= 2000; ++seed) {
    Random random(seed);
    Claimed claimed;
    for (std::uint64_t volumes = 1 + random.below(2); volumes > 0; --volumes) {
      std::vector<NodeSelectorTerm> terms(random.below(3));
      for (NodeSelectorTerm& term : terms) {
        const bool by_zone = random.below(2) == 0,
                   by_rack = !by_zone || random.below(2) == 0;  // an empty term: no node
        for (const auto& [key, asked] : {std::pair("zone", by_zone), std::pair("rack", by_rack)}) {
          if (!asked) continue;
          std::vector<std::string> values{std::string(1, static_cast<char>('a' + random.below(3)))};
          if (random.below(3) == 0) values.emplace_back("b");
          term.push_back({key, LabelRequirement::Operator::in, values});
        }
      }
      claimed.add(terms);
    }
    bool reached = false;
    for (const char* zone : {"a", "b", "c"})
      for (const char* rack : {"a", "b", "c"}) {
        Node at = node();
        at.labels = {{"rack", rack}, {"zone", zone}};
        reached |= rejecting(claimed.pod, at, {}, claimed.cache).empty();
      }
    EXPECT_EQ(collect(claimed.pod, claimed.cache).causes.empty(), reached) << "seed " << seed;
    held += !reached;
  }
  EXPECT_GT(held, 50);
}

// An ephemeral volume's claim may be somebody else's of the same name, as in kube-scheduler.
TEST(VolumeTopologyFilter, TakesNoClaimForAnEphemeralVolumeThatThePodDoesNotOwn) {
  Claimed one;
  one.add({});
  one.pod.own_claims = one.pod.claims;
  for (const char* owner : {"", "uid-other", "uid-p"}) {
    one.claim.owner = owner;
    one.cache.update(one.claim);
    const auto causes = collect(one.pod, one.cache).causes;
    if (owner == one.pod.meta.uid) {
      EXPECT_THAT(causes, IsEmpty());
      continue;
    }
    ASSERT_THAT(causes, SizeIs(1)) << owner;
    EXPECT_EQ(causes[0].text, "PersistentVolumeClaim 'c0' was not made for its ephemeral volume");
  }
}

TEST(PodLevelFilters, NameGatesAndWhatIsNotHonoured) {
  Pod pod;
  pod.gates = {"example.com/wait"};
  pod.not_understood = {"spec.resourceClaims"};
  pod.host_ports = {{80, "TCP", ""}};
  const auto causes = collect(pod).causes;
  ASSERT_THAT(causes, SizeIs(3));
  EXPECT_EQ(causes[0].reason, UnschedulableReason::scheduling_gated);
  EXPECT_EQ(causes[1].reason, UnschedulableReason::not_honoured);
  EXPECT_THAT(causes[1].text, HasSubstr("spec.resourceClaims"));
  EXPECT_THAT(causes[2].text, HasSubstr("hostPort"));
}

TEST(Diagnosis, CountsNodesByTheFirstConditionThatFailsAndSaysWhatHelps) {
  NodeCache nodes;
  for (int i = 0; i < 3; ++i) {
    Node small = node("small-" + std::to_string(i));
    small.allocatable = {{"cpu", 1000}, {"pods", 10}};
    nodes.update(small);
  }
  Node cordoned = node("cordoned");
  cordoned.unschedulable = true;
  nodes.update(cordoned);
  PodNeeds needs;
  needs.requests = {{"cpu", 2000}};
  const Diagnosis nowhere = diagnose(needs, nodes, false);
  EXPECT_TRUE(nowhere.nowhere);
  EXPECT_EQ(nowhere.sentence,
            "0/4 nodes are available: 3 Insufficient cpu, 1 node(s) were unschedulable. What helps: ask for less or "
            "add larger "
            "nodes");
  nodes.update(node("large"));
  EXPECT_FALSE(diagnose(needs, nodes, false).nowhere);
  nodes.take("large", {{"cpu", 3000}}, NodeCache::Whose::ours);
  EXPECT_FALSE(diagnose(needs, nodes, false).nowhere);
  EXPECT_TRUE(diagnose(needs, nodes, true).nowhere);
}

// Labels that no pod asks about tell no nodes apart: what filters say is asked once for all of them.
TEST(Diagnosis, AsksAlikeNodesOnceAndAgreesWithTheFiltersNodeByNode) {
  NodeCache nodes;
  for (int i = 0; i < 200; ++i) {
    Node one = node("n" + std::to_string(i));
    one.labels = {{"arch", i % 3 == 0 ? "arm64" : "amd64"}, {"serial", std::to_string(i)}};
    if (i % 5 == 0) one.taints = {{"dedicated", "x", "NoSchedule"}};
    one.unschedulable = i % 7 == 0;
    one.allocatable = {{"cpu", 1000 * (i % 4)}, {"memory", 1 << 20}, {"pods", 10}};
    nodes.update(one);
  }
  for (int cpu = 0; cpu < 5; ++cpu) {
    PodNeeds needs;
    needs.requests = {{"cpu", 1000 * cpu}};
    needs.constraint.required = {{"arch", LabelRequirement::Operator::in, {"amd64"}}};
    std::size_t fitting = 0;
    for (const auto& [name, record] : nodes.all()) {
      bool fits = true;
      for (const Filter& filter : filters())
        fits &= filter.rejects(needs, {*record.node, profile_of(*record.node), {}}).empty();
      fitting += fits;
    }
    EXPECT_EQ(diagnose(needs, nodes, false).nowhere, fitting == 0) << cpu;
    PodClasses classes;
    classes.intern(needs);
    std::size_t asked = 0;
    NodesForDiagnosis(nodes, classes).diagnose(needs, false, asked);
    EXPECT_LE(asked, 200u + 10u);
  }
}

}  // namespace
}  // namespace lips::kubernetes
