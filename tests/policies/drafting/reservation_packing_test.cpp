#include "policies/drafting/reservation_packing.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/policies/snapshot_builder.h"

namespace lips::testing {
namespace {

using ::testing::ElementsAre;

constexpr ResourceId gpu{0};

Resources amounts(double gpus, double cores, double gibibytes) {
  Resources all{Cores(cores), Mebibytes(1024 * gibibytes), 1};
  if (gpus > 0) all.extended.set(gpu, gpus);
  return all;
}

struct Types : ClusterBuilder {
  OfferId type(double usd_an_hour, Resources capacity, std::uint32_t left = 100) {
    const NodeId like = node();
    capacity.slots = 100;
    start.nodes[like].capacity = capacity;
    start.nodes[like].price = UsdPerHour(usd_an_hour);
    start.nodes[like].schedulable = false;
    return start.offers.push_back({like, left, seconds(150), seconds(20), 0});
  }
};

std::vector<AlikeTasks> priced(ReservationPacking& packing, std::vector<AlikeTasks> waiting) {
  for (AlikeTasks& tasks : waiting) tasks.reservation = packing.reservation_price(tasks.request, tasks.constraint);
  return waiting;
}

MATCHER_P3(Buys, offer, nodes, counts, "") {
  return arg.offer == offer && arg.nodes == nodes && arg.each.counts == std::vector<std::uint32_t>(counts);
}
using Counts = std::vector<std::uint32_t>;

// The three jobs of Experiment 1 in the authors' artifact: a ResNet-18 of two tasks, a GraphSAGE, an A3C.
class Authors : public ::testing::Test {
 protected:
  Types types_;
  OfferId p3_2xlarge_ = types_.type(3.06, amounts(1, 4, 61));
  OfferId p3_8xlarge_ = types_.type(12.24, amounts(4, 16, 244));
  OfferId p3_16xlarge_ = types_.type(24.48, amounts(8, 32, 488));
  OfferId c7i_ = types_.type(0.357, amounts(0, 4, 16));
  OfferId r7i_48xlarge_ = types_.type(12.7008, amounts(0, 96, 1536));

  static std::vector<AlikeTasks> jobs(std::uint32_t sages) {
    return {{amounts(1, 4, 24), ConstraintId::none(), 2, {}},
            {amounts(1, 8, 50), ConstraintId::none(), sages, {}},
            {amounts(0, 4, 8), ConstraintId::none(), 1, {}}};
  }
};

TEST_F(Authors, ReservationPriceIsThatOfTheCheapestTypeOnWhichATaskFitsAlone) {
  ReservationPacking packing(types_.start);
  const std::vector<AlikeTasks> tasks = priced(packing, jobs(1));
  EXPECT_EQ(tasks[0].reservation, UsdPerHour(3.06));
  EXPECT_EQ(tasks[1].reservation, UsdPerHour(12.24)) << "a p3.2xlarge has four cores";
  EXPECT_EQ(tasks[2].reservation, UsdPerHour(0.357));
}

TEST_F(Authors, ThreeJobsGetTheNodesThatTheArtifactNames) {
  ReservationPacking packing(types_.start);
  EXPECT_THAT(packing.buy(priced(packing, jobs(1))),
              ElementsAre(Buys(p3_8xlarge_, 1u, Counts{2, 1, 0}), Buys(c7i_, 1u, Counts{0, 0, 1})));
}

TEST_F(Authors, WithoutTheSecondJobTheFirstOneGetsTwoSmallNodes) {
  ReservationPacking packing(types_.start);
  EXPECT_THAT(packing.buy(priced(packing, jobs(0))),
              ElementsAre(Buys(p3_2xlarge_, 2u, Counts{1, 0, 0}), Buys(c7i_, 1u, Counts{0, 0, 1})));
}

TEST_F(Authors, TasksThatAreWorthADearNodeGetTheCheapestOneThatHoldsThem) {
  types_.type(15, amounts(4, 18, 244));
  ReservationPacking packing(types_.start);
  EXPECT_THAT(packing.buy(priced(packing, jobs(1))),
              ElementsAre(Buys(p3_8xlarge_, 1u, Counts{2, 1, 0}), Buys(c7i_, 1u, Counts{0, 0, 1})))
      << "they are worth 18.36";
}

TEST(ReservationPacking, ATypeThatIsSoldOutReservesNothing) {
  Types types;
  types.type(1, amounts(0, 4, 16), 0);
  const OfferId large = types.type(2, amounts(0, 8, 32), 1);
  ReservationPacking packing(types.start);
  const std::vector<AlikeTasks> waiting = priced(packing, {{amounts(0, 4, 8), ConstraintId::none(), 3, {}}});
  EXPECT_EQ(waiting[0].reservation, UsdPerHour(2));
  EXPECT_THAT(packing.buy(waiting), ElementsAre(Buys(large, 1u, Counts{2}), Buys(large, 1u, Counts{1})));
}

TEST(ReservationPacking, ComparesTypesByThePriceOfTheirWork) {
  Types types;
  types.type(1, amounts(0, 4, 16));
  const OfferId fast = types.type(1.5, amounts(0, 4, 16));
  types.start.nodes[types.start.offers[fast].like].speed = 2;
  ReservationPacking packing(types.start);
  const std::vector<AlikeTasks> waiting = priced(packing, {{amounts(0, 4, 8), ConstraintId::none(), 1, {}}});
  EXPECT_EQ(waiting[0].reservation, UsdPerHour(0.75));
  EXPECT_THAT(packing.buy(waiting), ElementsAre(Buys(fast, 1u, Counts{1})));
}

TEST(ReservationPacking, AmongEqualPricesTheBestAlignedTaskComesFirst) {
  Types types;
  const OfferId type = types.type(1, amounts(0, 8, 32));
  ReservationPacking packing(types.start);
  const std::vector<AlikeTasks> waiting = priced(
      packing, {{amounts(0, 1, 4), ConstraintId::none(), 9, {}}, {amounts(0, 6, 24), ConstraintId::none(), 1, {}}});
  EXPECT_EQ(waiting[0].reservation, waiting[1].reservation);
  EXPECT_THAT(packing.fill(waiting, types.start.offers[type].like, amounts(0, 8, 32)).counts, ElementsAre(0, 1))
      << "the only slot";
}

TEST(ReservationPacking, BuysEveryTaskItsPlaceForNoMoreThanANodeForEach) {
  for (std::uint64_t seed = 1; seed <= 500; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    Types types;
    for (std::uint64_t i = 0, count = 1 + random.below(8); i < count; ++i) {
      const double size = static_cast<double>(1 + random.below(8));
      const OfferId offer = types.type(random.uniform(0.1, 0.5) * size,
                                       amounts(static_cast<double>(random.below(3)), 4 * size, 16 * size), 1000);
      types.start.nodes[types.start.offers[offer].like].speed = random.uniform(0.5, 2);
    }
    ReservationPacking packing(types.start);
    std::vector<AlikeTasks> waiting;
    for (std::uint64_t i = 0, count = 1 + random.below(6); i < count; ++i)
      waiting.push_back({amounts(static_cast<double>(random.below(2)), random.uniform(0.5, 16), random.uniform(1, 64)),
                         ConstraintId::none(),
                         static_cast<std::uint32_t>(random.below(12)),
                         {}});
    waiting = priced(packing, waiting);
    UsdPerHour apart, together;
    for (AlikeTasks& tasks : waiting) {
      if (tasks.reservation == UsdPerHour(0)) tasks.count = 0;  // no type holds one
      apart += tasks.reservation * tasks.count;
    }
    Counts placed(waiting.size());
    for (const auto& [offer, nodes, each] : packing.buy(waiting)) {
      const NodeId like = types.start.offers[offer].like;
      EXPECT_TRUE(is_worth_its_price(types.start.nodes[like], each.worth));
      Resources used{Cores(0), Mebibytes(0), 0};
      for (std::size_t kind = 0; kind < waiting.size(); ++kind) {
        used += waiting[kind].request * static_cast<std::int32_t>(each.counts[kind]);
        placed[kind] += nodes * each.counts[kind];
      }
      EXPECT_TRUE(fits(used, types.start.nodes[like].capacity));
      together += price_at_speed_one(types.start.nodes[like]) * nodes;
    }
    for (std::size_t kind = 0; kind < waiting.size(); ++kind) EXPECT_EQ(placed[kind], waiting[kind].count);
    EXPECT_LE(together.value(), apart.value() * (1 + 1e-9));
    if (HasFailure()) return;
  }
}

}  // namespace
}  // namespace lips::testing
