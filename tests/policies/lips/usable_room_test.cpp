#include "policies/lips/market/usable_room.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "base/random.h"
#include "tests/policies/case.h"

namespace lips::testing {
namespace {

struct Request {
  double cores = 1, memory = 100;
};

ClusterState with_requests(const std::vector<Request>& requests) {
  ClusterBuilder builder;
  builder.node({.slots = 100, .cpu = 100, .memory = 100'000});
  ClusterState state(builder.start);
  for (const auto& [cores, memory] : requests)
    state.apply(job(state.snapshot(), {.maps = 1, .cores = cores, .memory = memory}));
  return state;
}

UsableRoom room_for(const std::vector<Request>& requests) { return UsableRoom(with_requests(requests).snapshot()); }

double usable(double room, const std::vector<Request>& requests) { return room_for(requests).of(Cores(room)).value(); }

double usable_memory(double room, const std::vector<double>& requests) {
  std::vector<Request> tasks;
  for (const double memory : requests) tasks.push_back({1, memory});
  return room_for(tasks).of(Mebibytes(room)).value();
}

TEST(UsableRoom, IsWhatWholeTasksFill) {
  EXPECT_DOUBLE_EQ(usable(15.9, {{1}}), 15);
  EXPECT_DOUBLE_EQ(usable(0.9, {{1}}), 0);
  EXPECT_DOUBLE_EQ(usable(15, {{1}}), 15);
  EXPECT_DOUBLE_EQ(usable(15.9, {{4}, {2}}), 14);
  EXPECT_DOUBLE_EQ(usable(3.9, {{0.5}, {1}, {3.5}}), 3.5);
  EXPECT_DOUBLE_EQ(usable(3.93, {{0.45}, {1}}), 3.9);
  EXPECT_DOUBLE_EQ(usable_memory(61'000, {18'432}), 3 * 18'432);
  EXPECT_DOUBLE_EQ(usable_memory(15'000, {2048, 7168}), 14 * 1024);
}

TEST(UsableRoom, IsAllOfItWhereNobodyKnowsBetter) {
  EXPECT_EQ(UsableRoom().of(Cores(15.9)), Cores(15.9));
  EXPECT_EQ(UsableRoom().of(Mebibytes(61'000)), Mebibytes(61'000));
  EXPECT_DOUBLE_EQ(usable(15.9, {}), 15.9);
  EXPECT_DOUBLE_EQ(usable(15.9, {{1}, {1.0 / 3}}), 15.9);
  EXPECT_DOUBLE_EQ(usable_memory(1000, {0}), 1000);
  EXPECT_DOUBLE_EQ(usable_memory(1000, {300, 100.0 / 3}), 1000);
  EXPECT_DOUBLE_EQ(usable_memory(1000, {300, 0.3}), 1000);
}

// A task of half a core that ends makes room for one of a core, together with the half that is free.
TEST(UsableRoom, CountsRunningTasksToo) {
  ClusterState state = with_requests({{0.5, 512}, {1, 1024}});
  ASSERT_TRUE(state.assume({TaskId(0), NodeId(0), {}, {}}));
  EXPECT_DOUBLE_EQ(UsableRoom(state.snapshot()).of(Cores(0.5)).value(), 0.5);
  EXPECT_DOUBLE_EQ(UsableRoom(state.snapshot()).of(Mebibytes(512)).value(), 512);
}

// Tasks of one job may follow those of another and come back to it.
TEST(UsableRoom, CountsEveryRunningJob) {
  ClusterState state = with_requests({{1, 1024}, {0.25, 512}, {1, 1024}, {1, 1024}});
  for (const std::uint32_t task : {0u, 2u, 1u}) ASSERT_TRUE(state.assume({TaskId(task), NodeId(0), {}, {}}));
  EXPECT_DOUBLE_EQ(UsableRoom(state.snapshot()).of(Cores(0.25)).value(), 0.25);
}

// By trying all: no set of tasks that fits the room needs more than its usable part.
TEST(UsableRoom, HoldsAllThatTasksCanUseTogether) {
  Random random(3);
  for (int round = 0; round < 300; ++round) {
    std::vector<Request> requests;
    for (std::uint64_t i = 0, count = 1 + random.below(5); i < count; ++i)
      requests.push_back({static_cast<double>(1 + random.below(40)) / 10, static_cast<double>(random.below(40)) * 64});
    const double cores = static_cast<double>(random.below(160)) / 10, memory = static_cast<double>(random.below(9000));
    double most_cores = 0, most_memory = 0;
    for (std::uint32_t chosen = 0; chosen < 1u << requests.size(); ++chosen) {
      Request sum{0, 0};
      for (std::size_t i = 0; i < requests.size(); ++i)
        if (chosen >> i & 1) sum.cores += requests[i].cores, sum.memory += requests[i].memory;
      if (sum.cores <= cores + 1e-9) most_cores = std::max(most_cores, sum.cores);
      if (sum.memory <= memory) most_memory = std::max(most_memory, sum.memory);
    }
    const UsableRoom room = room_for(requests);
    EXPECT_GE(room.of(Cores(cores)).value(), most_cores - 1e-6);
    EXPECT_LE(room.of(Cores(cores)).value(), cores + 1e-6);
    EXPECT_GE(room.of(Mebibytes(memory)).value(), most_memory - 1e-6);
    EXPECT_LE(room.of(Mebibytes(memory)).value(), memory + 1e-6);
  }
}

}  // namespace
}  // namespace lips::testing
