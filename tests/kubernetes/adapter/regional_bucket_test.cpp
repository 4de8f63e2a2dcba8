// A bucket of a region in the model of a real cluster: no zone is nearer to it than another.
#include <gtest/gtest.h>

#include "kubernetes/adapter/model_index.h"
#include "kubernetes/data/resource_codec.h"
#include "model/snapshot.h"

namespace lips::kubernetes {
namespace {

Node node(const std::string& name, const std::string& zone) {
  Node made;
  made.meta.name = name;
  made.ready = true;
  made.labels = {{"topology.kubernetes.io/region", "r1"}, {"topology.kubernetes.io/zone", zone}};
  made.allocatable = {{"cpu", 4000}, {"pods", 10}};
  return made;
}

class RegionalBucket : public testing::Test {
 protected:
  ModelIndex::Listing list(StoreKind kind, const std::string& region = "") {
    NodeCache nodes;
    nodes.update(node("na", "a"));
    nodes.update(node("nb", "b"));
    DataView data;
    data.stores = {{"lake", kind, "a", "", {}, {}, region}};
    ModelSettings settings;
    settings.node_price = [](const PriceQuestion&) { return NodePrice{UsdPerHour(0.2)}; };
    settings.transfer_price = [](const TransferEnd& from, const TransferEnd& to) {
      if (from.region != to.region) return UsdPerMebibyte(3);
      const bool bucket = from.kind == EndKind::regional_bucket || to.kind == EndKind::regional_bucket;
      return UsdPerMebibyte(bucket ? 0 : 1);
    };
    ModelIndex index(settings);
    return index.list(nodes, PodClasses(), data);
  }
};

TEST_F(RegionalBucket, LiesBesideAllZonesAndCostsTheSameFromEach) {
  const ModelIndex::Listing listed = list(StoreKind::regional_bucket);
  const ClusterSnapshot& start = *listed.start;
  ASSERT_EQ(start.stores.size(), 1u);
  const ZoneId lake = start.stores[StoreId(0)].zone;
  EXPECT_EQ(zone_ends(start)[lake], EndKind::regional_bucket);
  for (const lips::Node& each : start.nodes) {
    EXPECT_NE(each.zone, lake);
    EXPECT_EQ(listed.costs.transfer(lake, each.zone).value(), 0);
  }
  EXPECT_EQ(listed.costs.transfer(start.nodes[NodeId(0)].zone, start.nodes[NodeId(1)].zone).value(), 1);
}

TEST_F(RegionalBucket, MayBeOfAnotherRegionThanTheNodes) {
  const ModelIndex::Listing listed = list(StoreKind::regional_bucket, "r2");
  const ZoneId lake = listed.start->stores[StoreId(0)].zone;
  EXPECT_EQ(listed.costs.transfer(lake, listed.start->nodes[NodeId(0)].zone).value(), 3);
}

TEST_F(RegionalBucket, AZonalOneLiesInItsZone) {
  const ModelIndex::Listing listed = list(StoreKind::zonal_bucket);
  EXPECT_EQ(listed.start->stores[StoreId(0)].zone, listed.start->nodes[NodeId(0)].zone);
  EXPECT_EQ(listed.start->zones.size(), 2u);
}

}  // namespace
}  // namespace lips::kubernetes
