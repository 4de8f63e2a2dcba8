// Tasks that need much of one node are not passed over by less urgent ones that fit anywhere.
#include <gmock/gmock.h>

#include "policies/lips/placing/promised_room.h"
#include "tests/policies/case.h"

namespace lips::testing {
namespace {

using ::testing::Contains;
using ::testing::Not;

struct LargeTasks : ::testing::Test {
  ClusterBuilder builder{1};
  PolicySettings settings;  // small jobs have no places of their own

  LargeTasks() { settings.lips.fast_path_limit = Usd(0); }
  NodeId node(double usd_an_hour_and_core, double cores) {
    return builder.node({.price = usd_an_hour_and_core / 3600, .slots = 100, .cpu = cores, .memory = 65'536});
  }
  static void occupy(Case& with, NodeId node, double cores, double seconds) {
    const JobId job = with.add({.maps = 1, .cpu = cores * seconds, .cores = cores});
    ASSERT_TRUE(with.state.assume({with.task(job, 0), node, {}, {}}));
  }
  static std::vector<JobId> started(Case& with) {
    const Plan plan = with.plan();
    std::vector<JobId> jobs;
    for (const Assignment& assignment : plan.assignments)
      jobs.push_back(with.state.snapshot().tasks[assignment.task].job);
    return jobs;
  }
};

// The program adds the cheap fragments up to room for the urgent tasks. The smallest node holds none of either job, so
// each is meant for a class of nodes.
TEST_F(LargeTasks, ThatFindOnlyFragmentsGoElsewhereBeforeLessUrgentOnesDo) {
  const std::vector<NodeId> cheap{node(0.04, 8), node(0.04, 8), node(0.04, 8), node(0.04, 8)};
  node(0.05, 8);
  const NodeId smallest = node(0.03, 2);
  Case with("lips", builder, settings);
  for (const NodeId one : cheap) occupy(with, one, 6, 36'000);
  occupy(with, smallest, 2, 36'000);
  const JobId larger = with.add({.maps = 1, .cpu = 8 * 7200, .cores = 8});
  const JobId urgent = with.add({.maps = 2, .cpu = 4 * 900, .cores = 4});
  const std::vector<JobId> jobs = started(with);
  EXPECT_THAT(jobs, Contains(urgent));
  EXPECT_THAT(jobs, Not(Contains(larger)));
}

// Nine priorities: the two lowest share a turn.
TEST_F(LargeTasks, OfLowerPriorityGoElsewhereAfterThoseOfHigherPriority) {
  const std::vector<NodeId> cheap{node(0.04, 8), node(0.04, 8), node(0.04, 8)};
  node(0.05, 8);
  Case with("lips", builder, settings);
  for (const NodeId one : cheap) occupy(with, one, 6, 36'000);
  for (int i = 0; i < 7; ++i) with.add({.priority = 100 + i, .maps = 1, .cpu = 7200, .cores = 16});  // fit nowhere
  const JobId larger = with.add({.priority = 5, .maps = 1, .cpu = 8 * 7200, .cores = 8});
  const JobId urgent = with.add({.priority = 0, .maps = 1, .cpu = 6 * 900, .cores = 6});
  const std::vector<JobId> jobs = started(with);
  EXPECT_THAT(jobs, Contains(larger));
  EXPECT_THAT(jobs, Not(Contains(urgent)));
}

TEST_F(LargeTasks, AreNotKeptOutByTasksThatRunPastTheirTurn) {
  const NodeId only = node(0.04, 16);
  Case with("lips", builder, settings);
  occupy(with, only, 8, 30);
  const JobId urgent = with.add({.maps = 1, .cpu = 16 * 400, .cores = 16});
  const JobId small = with.add({.maps = 1, .cpu = 8 * 3600, .cores = 8});
  const std::vector<JobId> jobs = started(with);
  EXPECT_THAT(jobs, Not(Contains(urgent))) << "it does not fit yet";
  EXPECT_THAT(jobs, Not(Contains(small))) << "the urgent task starts in half a minute";
}

TEST_F(LargeTasks, LeaveTheirRoomToTasksThatEndBefore) {
  const NodeId only = node(0.04, 16);
  Case with("lips", builder, settings);
  occupy(with, only, 8, 30);
  with.add({.maps = 1, .cpu = 16 * 400, .cores = 16});
  const JobId brief = with.add({.maps = 1, .cpu = 8 * 20, .cores = 8});
  EXPECT_THAT(started(with), Contains(brief));
}

TEST_F(LargeTasks, ThatWouldWaitForLongKeepNobodyOut) {
  const NodeId only = node(0.04, 16);
  Case with("lips", builder, settings);
  occupy(with, only, 8, 1000);
  with.add({.maps = 1, .cpu = 16 * 400, .cores = 16});
  const JobId small = with.add({.maps = 1, .cpu = 8 * 3600, .cores = 8});
  EXPECT_THAT(started(with), Contains(small));
}

Resources room_of(double count) { return {Cores(count), Mebibytes(1000), 10}; }
Resources request_of(double count) { return {Cores(count), Mebibytes(1), 1}; }

TEST(PromisedRoom, IsLeftByWhateverEndsLater) {
  PromisedRoom promised(8);
  promised.give(NodeId(3), 30, room_of(5));
  EXPECT_EQ(promised.tasks(NodeId(3), request_of(2), 30, 9), 9) << "they end in time";
  EXPECT_EQ(promised.tasks(NodeId(3), request_of(2), 31, 9), 2);
  EXPECT_EQ(promised.tasks(NodeId(4), request_of(2), 31, 9), 9) << "another node";
  promised.take(NodeId(3), request_of(2), 31, 1);
  promised.take(NodeId(3), request_of(2), 29, 4);
  EXPECT_EQ(promised.tasks(NodeId(3), request_of(2), 31, 9), 1);
  promised.give(NodeId(3), 10, room_of(0));
  EXPECT_EQ(promised.tasks(NodeId(3), request_of(2), 20, 9), 9) << "the first promise holds";
}

TEST(PromisedRoom, IsNotMuchNorForLong) {
  PromisedRoom promised(17);
  promised.give(NodeId(0), PromisedRoom::longest + 1, room_of(0));
  EXPECT_EQ(promised.tasks(NodeId(0), request_of(1), 1000, 9), 9);
  for (std::uint32_t i = 0; i < 17; ++i) promised.give(NodeId(i), 5, room_of(0));
  int kept = 0;
  for (std::uint32_t i = 0; i < 17; ++i) kept += promised.tasks(NodeId(i), request_of(1), 1000, 9) == 0;
  EXPECT_EQ(kept, 2);
  PromisedRoom none;
  none.give(NodeId(0), 5, room_of(0));
  EXPECT_EQ(none.tasks(NodeId(0), request_of(1), 1000, 9), 9) << "a plan that gives no promises";
}

}  // namespace
}  // namespace lips::testing
