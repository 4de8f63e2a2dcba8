// Tasks that take more of a node's devices than of its cores.
#include "policies/lips/prices/devices.h"

#include <gtest/gtest.h>

#include "tests/policies/case.h"
#include "tests/policies/elastic_builder.h"

namespace lips::testing {
namespace {

struct Devices : ::testing::Test {
  ElasticBuilder builder{1};
  ResourceId gpu = builder.start.extended_names.push_back("nvidia.com/gpu");

  Resources amounts(double cores, double gpus) const {
    Resources result{Cores(cores), Mebibytes(1024 * cores), 1};
    result.extended.set(gpu, gpus);
    return result;
  }

  // USD an hour of a task on a node of 48 cores and four GPUs for 5.7 USD an hour that could be launched, or is there.
  double usd(const Resources& each, bool is_there = false) const {
    NodeClass group;
    group.shape = amounts(48, 4);
    group.shape.slots = 110;
    group.whole = true;
    group.price = full_packing_price(UsdPerHour(5.7), group.shape.cpu, 1);
    if (!is_there) group.offer = OfferId(0);
    return price_of_devices(group, each) * each.cpu.value() * 3600;
  }
};

// With its core for a forty-eighth of the node it pays for a quarter.
TEST_F(Devices, OfANodeCostTheirShareOfIt) { EXPECT_NEAR(usd(amounts(1, 1)), 5.7 * (1.0 / 4 - 1.0 / 48), 1e-9); }

TEST_F(Devices, CostNothingBesideAsManyCores) { EXPECT_EQ(usd(amounts(12, 1)), 0); }

// Whoever leaves it idle would pay for another.
TEST_F(Devices, CostNothingOnANodeThatIsThere) { EXPECT_EQ(usd(amounts(1, 1), true), 0); }

// Nobody else finds a second GPU of three, so two of three are all.
TEST_F(Devices, CountByTheTasksThatANodeHolds) {
  EXPECT_DOUBLE_EQ(share_of_devices(amounts(1, 2), amounts(8, 3)), 1);
  EXPECT_DOUBLE_EQ(share_of_devices(amounts(1, 1), amounts(8, 3)), 1.0 / 3);
  EXPECT_DOUBLE_EQ(share_of_devices(amounts(1, 1), {Cores(8), Mebibytes(1024), 110}), 0) << "none there: no task fits";
}

}  // namespace
}  // namespace lips::testing
