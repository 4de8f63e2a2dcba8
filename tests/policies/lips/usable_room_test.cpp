#include "policies/lips/usable_room.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "base/random.h"
#include "tests/policies/case.h"

namespace lips::testing {
namespace {

ClusterState with_requests(const std::vector<double>& requests) {
  ClusterBuilder builder;
  builder.node({.slots = 100, .cpu = 100});
  ClusterState state(builder.start);
  for (const double cores : requests) state.apply(job(state.snapshot(), {.maps = 1, .cores = cores}));
  return state;
}

double usable(double room, const std::vector<double>& requests) {
  return UsableRoom(with_requests(requests).snapshot()).of(Cores(room)).value();
}

TEST(UsableRoom, IsWhatWholeTasksFill) {
  EXPECT_DOUBLE_EQ(usable(15.9, {1}), 15);
  EXPECT_DOUBLE_EQ(usable(0.9, {1}), 0);
  EXPECT_DOUBLE_EQ(usable(15, {1}), 15);
  EXPECT_DOUBLE_EQ(usable(15.9, {4, 2}), 14);
  EXPECT_DOUBLE_EQ(usable(3.9, {0.5, 1, 3.5}), 3.5);
  EXPECT_DOUBLE_EQ(usable(3.93, {0.45, 1}), 3.9);
}

TEST(UsableRoom, IsAllOfItWhereNobodyKnowsBetter) {
  EXPECT_EQ(UsableRoom().of(Cores(15.9)), Cores(15.9));
  EXPECT_DOUBLE_EQ(usable(15.9, {}), 15.9);
  EXPECT_DOUBLE_EQ(usable(15.9, {1, 1.0 / 3}), 15.9);
}

// A task of half a core that ends makes room for one of a core, together with the half that is free.
TEST(UsableRoom, CountsRunningTasksToo) {
  ClusterState state = with_requests({0.5, 1});
  ASSERT_TRUE(state.assume({TaskId(0), NodeId(0), {}, {}}));
  EXPECT_DOUBLE_EQ(UsableRoom(state.snapshot()).of(Cores(0.5)).value(), 0.5);
}

// By trying all: no set of tasks that fits the room needs more than its usable part.
TEST(UsableRoom, HoldsAllThatTasksCanUseTogether) {
  Random random(3);
  for (int round = 0; round < 300; ++round) {
    std::vector<double> requests;
    for (std::uint64_t i = 0, count = 1 + random.below(5); i < count; ++i)
      requests.push_back(static_cast<double>(1 + random.below(40)) / 10);
    const double room = static_cast<double>(random.below(160)) / 10;
    double most = 0;
    for (std::uint32_t chosen = 0; chosen < 1u << requests.size(); ++chosen) {
      double sum = 0;
      for (std::size_t i = 0; i < requests.size(); ++i) sum += (chosen >> i & 1) * requests[i];
      if (sum <= room + 1e-9) most = std::max(most, sum);
    }
    EXPECT_GE(usable(room, requests), most - 1e-6);
    EXPECT_LE(usable(room, requests), room + 1e-6);
  }
}

}  // namespace
}  // namespace lips::testing
