#include "simulation/autoscaler.h"

#include <gtest/gtest.h>

namespace lips::simulation {
namespace {

class Autoscaler : public testing::Test {
 protected:
  Autoscaler() {
    cluster_.zones.push_back({"a"});
    cluster_.profiles.push_back({});
    cluster_.profiles.push_back({{{"disk", "ssd"}}, {}});
    PlacementConstraint ssd;
    ssd.required = {{"disk", LabelRequirement::Operator::in, {"ssd"}}};
    ssd_ = cluster_.constraints.push_back(ssd);
  }
  NodeId node(double cores, double price, std::uint32_t profile = 0) {
    Node made;
    made.zone = ZoneId(0);
    made.profile = ProfileId(profile);
    made.capacity = {Cores(cores), Mebibytes(cores * 1024), 110};
    made.price = UsdPerHour(price);
    return cluster_.nodes.push_back(made);
  }
  NodeRoom room(NodeId id) const { return {id, cluster_.nodes[id].capacity}; }
  static PodsAlike pods(std::uint64_t count, double cores, ConstraintId constraint = ConstraintId::none()) {
    return {{Cores(cores), Mebibytes(0), 1}, constraint, NodeId::none(), count};
  }
  std::vector<std::uint32_t> launches(const std::vector<PodsAlike>& pods, const std::vector<NodeRoom>& rooms,
                                      const std::vector<OfferRoom>& offers, double limit = 1e9) const {
    std::vector<OfferRoom> within = offers;
    for (OfferRoom& offer : within) offer.within = LimitId(0);
    return Packing(cluster_).buy(pods, rooms, within, LaunchLimits(1, {.cores = Cores(limit)})).launches;
  }
  using Chosen = std::vector<std::uint32_t>;

  ClusterSnapshot cluster_;
  ConstraintId ssd_;
};

TEST_F(Autoscaler, BuysNothingForPodsThatFitOnNodesThatAreThere) {
  const NodeId there = node(4, 1), small = node(4, 1);
  EXPECT_EQ(launches({pods(4, 1)}, {room(there)}, {{small, 9}}), Chosen{});
  EXPECT_EQ(launches({pods(5, 1)}, {room(there)}, {{small, 9}}), Chosen{0});
}

TEST_F(Autoscaler, TakesTheCheapestTypeThatHoldsWhatTheLargestCould) {
  const NodeId small = node(2, 0.1), middle = node(4, 0.3), large = node(8, 0.5), dear = node(8, 0.6);
  const std::vector<OfferRoom> offers{{small, 9}, {middle, 9}, {large, 9}, {dear, 9}};
  EXPECT_EQ(launches({pods(1, 1)}, {}, offers), Chosen{0});
  EXPECT_EQ(launches({pods(3, 1)}, {}, offers), Chosen{1});
  EXPECT_EQ(launches({pods(9, 1)}, {}, offers), (Chosen{2, 0}));  // eight on one node, one on another
}

TEST_F(Autoscaler, PlacesLargePodsFirstAndSmallOnesBesideThem) {
  const NodeId large = node(8, 1);
  EXPECT_EQ(launches({pods(4, 1), pods(2, 6)}, {}, {{large, 9}}), (Chosen{0, 0}));
}

TEST_F(Autoscaler, BuysWhatAConstraintAllows) {
  const NodeId plain = node(4, 0.1), ssd = node(4, 0.9, 1);
  EXPECT_EQ(launches({pods(1, 1, ssd_)}, {room(plain)}, {{plain, 9}, {ssd, 9}}), Chosen{1});
  EXPECT_EQ(launches({pods(1, 1, ssd_)}, {}, {{plain, 9}}), Chosen{});
}

TEST_F(Autoscaler, CountsOtherResourcesOnNodesThatAreThereAndOnThoseThatItBuys) {
  const ResourceId gpu = cluster_.extended_names.push_back("nvidia.com/gpu");
  const NodeId plain = node(8, 0.1), two = node(8, 0.9), four = node(16, 1.5);
  cluster_.nodes[two].capacity.extended.set(gpu, 2);
  cluster_.nodes[four].capacity.extended.set(gpu, 4);
  PodsAlike trainers = pods(3, 1);
  trainers.request.extended.set(gpu, 1);
  EXPECT_EQ(launches({trainers}, {room(plain)}, {{plain, 9}}), Chosen{}) << "no type has a GPU";
  EXPECT_EQ(launches({trainers}, {room(plain)}, {{plain, 9}, {two, 9}}), (Chosen{1, 1}));
  EXPECT_EQ(launches({trainers}, {room(two)}, {{plain, 9}, {two, 9}, {four, 9}}), Chosen{1}) << "one is left";
  EXPECT_EQ(launches({trainers}, {}, {{plain, 9}, {two, 9}, {four, 9}}), Chosen{2});
  const Packing packing(cluster_);
  EXPECT_FALSE(packing.fit({trainers}, {room(plain), room(two)}));
  EXPECT_TRUE(packing.fit({trainers}, {room(plain), room(two), room(two)}));
}

TEST_F(Autoscaler, BuysInTheZoneAndOfTheCapacityTypeThatIsAskedFor) {
  const NodeId cheap = node(4, 0.1), there = node(4, 0.9), spot = node(4, 0.5);
  cluster_.nodes[there].zone = cluster_.nodes[spot].zone = ZoneId(1);
  cluster_.nodes[spot].capacity_type = CapacityType::spot;
  PodsAlike asked = pods(2, 1);
  asked.like = there;
  EXPECT_EQ(launches({asked}, {room(cheap), room(spot)}, {{cheap, 9}, {there, 9}, {spot, 9}}), Chosen{1});
  EXPECT_EQ(launches({asked}, {room(there)}, {{cheap, 9}, {there, 9}, {spot, 9}}), Chosen{});
}

TEST_F(Autoscaler, KeepsToTheNodesAndCoresThatAreLeft) {
  const NodeId cheap = node(4, 0.1), dear = node(4, 0.2);
  EXPECT_EQ(launches({pods(16, 1)}, {}, {{cheap, 1}, {dear, 2}}), (Chosen{0, 1, 1}));
  EXPECT_EQ(launches({pods(16, 1)}, {}, {{cheap, 9}}, 8), (Chosen{0, 0}));
  EXPECT_EQ(launches({pods(1, 5)}, {}, {{cheap, 9}}), Chosen{});  // no type is large enough
}

TEST_F(Autoscaler, NominatesTheNodesThatPodsAreExpectedToTake) {
  const NodeId one = node(4, 1), two = node(4, 1), three = node(4, 1);
  const Purchase purchase = Packing(cluster_).buy({pods(6, 1)}, {room(one), room(two), room(three)}, {}, {});
  EXPECT_EQ(purchase.nominated, (std::vector<NodeId>{one, two}));
}

TEST_F(Autoscaler, SaysWhetherPodsFitElsewhere) {
  const NodeId one = node(4, 1), two = node(4, 1);
  const Packing packing(cluster_);
  EXPECT_TRUE(packing.fit({pods(3, 2), pods(2, 1)}, {room(one), room(two)}));
  EXPECT_FALSE(packing.fit({pods(3, 3)}, {room(one), room(two)}));
  EXPECT_FALSE(packing.fit({pods(1, 1, ssd_)}, {room(one), room(two)}));
  EXPECT_TRUE(packing.fit({}, {}));
}

}  // namespace
}  // namespace lips::simulation
