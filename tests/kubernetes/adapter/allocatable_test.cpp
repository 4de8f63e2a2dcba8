// The room that nodes yet to be launched leave to pods.
#include "kubernetes/adapter/allocatable.h"

#include <gtest/gtest.h>

#include "base/random.h"
#include "kubernetes/pods/node_pool.h"

namespace lips::kubernetes {
namespace {

constexpr std::int64_t gibibyte = 1 << 30;

Node node_of_type(const std::string& name, const std::string& type, std::int64_t millicores, const std::string& pool) {
  Node node;
  node.meta.name = name;
  node.labels = {{node_pool_label, pool}, {"node.kubernetes.io/instance-type", type}};
  node.allocatable = {{"cpu", millicores}, {"memory", 6 * gibibyte}, {"pods", 58}};
  return node;
}

OfferEntry offer_of_type(const std::string& type, const std::string& pool = "batch") {
  OfferEntry offer;
  offer.instance_type = type, offer.pool = pool;
  offer.capacity = {Cores(4), Mebibytes(8192), 110};
  return offer;
}

class AllocatableTest : public testing::Test {
 protected:
  void daemon(const std::string& node, std::int64_t millicores) {
    nodes_.take(node, {{"cpu", millicores}, {"memory", gibibyte / 4}}, NodeCache::Whose::daemons);
  }
  Resources left(const std::string& type, const std::string& pool = "batch") const {
    return allocatable_.of(offer_of_type(type, pool));
  }

  NodeCache nodes_;
  Allocatable allocatable_;
};

// EKS keeps 70, 80, 90 and 110 millicores of these sizes.
TEST_F(AllocatableTest, OfAnUnknownTypeIsWhatKubeletsUsuallyLeave) {
  EXPECT_NEAR(usual_allocatable({Cores(2), Mebibytes(8192), 110}).cpu.value(), 1.93, 1e-9);
  EXPECT_NEAR(usual_allocatable({Cores(4), Mebibytes(16384), 110}).cpu.value(), 3.92, 1e-9);
  EXPECT_NEAR(usual_allocatable({Cores(8), Mebibytes(32768), 110}).cpu.value(), 7.91, 1e-9);
  EXPECT_NEAR(usual_allocatable({Cores(16), Mebibytes(65536), 110}).cpu.value(), 15.89, 1e-9);
  EXPECT_NEAR(usual_allocatable({Cores(4), Mebibytes(8192), 110}).memory.value(), 8192 * 0.925 - 355, 1e-9);
  EXPECT_EQ(usual_allocatable({Cores(1), Mebibytes(0), 110}).memory.value(), 0) << "without a known size";
}

TEST_F(AllocatableTest, IsWhatNodesOfTheTypeSay) {
  nodes_.update(node_of_type("a", "c6i.xlarge", 3900, "batch"));
  nodes_.update(node_of_type("b", "c6i.xlarge", 3800, "other"));
  EXPECT_TRUE(allocatable_.see(nodes_));
  EXPECT_EQ(left("c6i.xlarge"), (Resources{Cores(3.8), Mebibytes(6144), 58}));
  EXPECT_EQ(left("m6i.xlarge"), usual_allocatable({Cores(4), Mebibytes(8192), 110}));
}

TEST_F(AllocatableTest, IsWhatTheOfferSaysUntilNodesSayIt) {
  OfferEntry offer = offer_of_type("c6i.xlarge");
  offer.room = offer.capacity;
  EXPECT_EQ(allocatable_.of(offer), offer.capacity);
  nodes_.update(node_of_type("a", "c6i.xlarge", 3900, "batch"));
  EXPECT_TRUE(allocatable_.see(nodes_));
  EXPECT_EQ(allocatable_.of(offer).cpu, Cores(3.9));
}

TEST_F(AllocatableTest, IsRememberedWhenTheNodesAreGone) {
  nodes_.update(node_of_type("a", "c6i.xlarge", 3900, "batch"));
  daemon("a", 300);
  allocatable_.see(nodes_);
  const Resources before = left("c6i.xlarge");
  nodes_.give_back("a", {{"cpu", 300}, {"memory", gibibyte / 4}}, NodeCache::Whose::daemons);
  nodes_.forget("a");
  EXPECT_FALSE(allocatable_.see(nodes_));
  EXPECT_EQ(left("c6i.xlarge"), before);
}

TEST_F(AllocatableTest, LeavesOutWhatDaemonSetsTakeOnNodesOfThePool) {
  nodes_.update(node_of_type("a", "c6i.xlarge", 3900, "batch"));
  nodes_.update(node_of_type("young", "c6i.xlarge", 3900, "batch"));
  daemon("a", 250);
  daemon("a", 150);
  nodes_.take("young", {{"cpu", 2000}}, NodeCache::Whose::others);
  allocatable_.see(nodes_);
  EXPECT_EQ(left("c6i.xlarge"), (Resources{Cores(3.5), Mebibytes(6144 - 512), 56}));
  EXPECT_EQ(left("m6i.xlarge").cpu, usual_allocatable(offer_of_type("").capacity).cpu - Cores(0.4)) << "also there";
  EXPECT_EQ(left("c6i.xlarge", "other").cpu, Cores(3.9)) << "but not in another pool";
}

TEST_F(AllocatableTest, ChangesWhenADaemonSetComesOrGoes) {
  nodes_.update(node_of_type("a", "c6i.xlarge", 3900, "batch"));
  allocatable_.see(nodes_);
  EXPECT_FALSE(allocatable_.see(nodes_));
  daemon("a", 1000);
  EXPECT_TRUE(allocatable_.see(nodes_));
  EXPECT_EQ(left("c6i.xlarge").cpu, Cores(2.9));
  nodes_.give_back("a", {{"cpu", 1000}, {"memory", gibibyte / 4}}, NodeCache::Whose::daemons);
  EXPECT_TRUE(allocatable_.see(nodes_));
  EXPECT_EQ(left("c6i.xlarge").cpu, Cores(3.9));
}

TEST_F(AllocatableTest, DoesNotTrustANodeThatHasSaidNothing) {
  Node silent = node_of_type("a", "c6i.xlarge", 3900, "batch");
  silent.allocatable.clear();
  nodes_.update(silent);
  EXPECT_FALSE(allocatable_.see(nodes_));
  nodes_.update(node_of_type("b", "", 3900, "batch"));
  EXPECT_FALSE(allocatable_.see(nodes_)) << "of no type";
}

// By hand: whatever nodes and daemons come, a pod that fits beside the daemons on each node of a type fits what is
// said.
TEST_F(AllocatableTest, HoldsOnEachNodeOfItsType) {
  Random random(7);
  for (int round = 0; round < 200; ++round) {
    NodeCache nodes;
    Allocatable known;
    std::map<std::string, std::int64_t> room;  // by type
    for (int i = 0; i < 6; ++i) {
      const std::string name = std::to_string(i), type = random.below(2) == 0 ? "c6i.xlarge" : "m6i.xlarge";
      const auto own = static_cast<std::int64_t>(3000 + random.below(900)),
                 of_daemons = std::int64_t(random.below(500));
      nodes.update(node_of_type(name, type, own, "batch"));
      nodes.take(name, {{"cpu", of_daemons}}, NodeCache::Whose::daemons);
      const auto known_room = room.try_emplace(type, own - of_daemons).first;
      known_room->second = std::min(known_room->second, own - of_daemons);
    }
    known.see(nodes);
    for (const auto& [type, least] : room)
      EXPECT_LE(known.of(offer_of_type(type)).cpu.value() * 1000, static_cast<double>(least) + 1e-6);
  }
}

}  // namespace
}  // namespace lips::kubernetes
