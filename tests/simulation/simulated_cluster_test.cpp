#include "simulation/simulated_cluster.h"

#include <gtest/gtest.h>

#include <map>

#include "controller/epoch_controller.h"
#include "simulation/run.h"
#include "simulation/true_work.h"
#include "tests/simulation/tiny_scenario.h"

namespace lips::simulation {
namespace {

using tiny::at;
using tiny::FirstFit;
using tiny::ScenarioBuilder;

class NoListener : public RunListener {};

// Drives the cluster by hand: no controller, no policy.
class ByHand {
 public:
  explicit ByHand(const Scenario& scenario) : cluster(scenario, Cadence{}, listener) {}
  // Everything that is said up to and at that time.
  std::vector<ClusterEvent> until(double count) {
    std::vector<ClusterEvent> all;
    for (;;) {
      Result<std::vector<ClusterEvent>> events = cluster.wait(at(count));
      if (!events || events->empty()) return all;
      all.insert(all.end(), events->begin(), events->end());
    }
  }
  NoListener listener;
  SimulatedCluster cluster;
};

template <class Event>
const Event* only(const std::vector<ClusterEvent>& events) {
  const Event* found = nullptr;
  for (const ClusterEvent& event : events) {
    if (const auto* match = std::get_if<Event>(&event)) {
      EXPECT_EQ(found, nullptr) << "more than one";
      found = match;
    }
  }
  return found;
}

TEST(SimulatedCluster, SaysAllChangesOfOneInstantTogetherAndReturnsAtTheFirst) {
  ScenarioBuilder builder;
  builder.node(0, 2);
  builder.computing_job(1, 2, 10);
  ByHand hand(builder.scenario);
  ASSERT_EQ(hand.cluster.wait(at(100))->size(), 1u);
  EXPECT_EQ(hand.cluster.now(), at(1));
  hand.cluster.bind({TaskId(0), NodeId(0), {}, {}});
  hand.cluster.bind({TaskId(1), NodeId(0), {}, {}});
  EXPECT_EQ(hand.cluster.wait(at(100))->size(), 2u);  // started
  EXPECT_EQ(hand.cluster.now(), at(1));
  EXPECT_TRUE(hand.cluster.wait(at(5))->empty());
  EXPECT_EQ(hand.cluster.now(), at(5));
  EXPECT_EQ(hand.cluster.wait(at(100))->size(), 2u);  // finished
  EXPECT_EQ(hand.cluster.now(), at(11));
  EXPECT_EQ(hand.cluster.wait(at(100)).error().code, ErrorCode::cancelled);
}

TEST(SimulatedCluster, RefusesWhatDoesNotFitAfterAMoment) {
  ScenarioBuilder builder;
  builder.node(0, 1);
  builder.computing_job(0, 2, 10);
  ByHand hand(builder.scenario);
  hand.until(0);
  hand.cluster.bind({TaskId(0), NodeId(0), {}, {}});
  hand.cluster.bind({TaskId(1), NodeId(0), {}, {}});
  const auto events = hand.until(5);
  ASSERT_NE(only<TaskLost>(events), nullptr);
  EXPECT_EQ(only<TaskLost>(events)->task, TaskId(1));
  EXPECT_EQ(only<TaskStarted>(events)->task, TaskId(0));
}

TEST(SimulatedCluster, ReadingAndComputingOverlap) {
  ScenarioBuilder builder;
  const NodeId node = builder.node(0, 2);
  builder.scenario.cluster.network.local_read = MebibytesPerSecond(10);
  const DataSetId data =
      builder.data(Mebibytes(200), {ScenarioBuilder::directory(node), ScenarioBuilder::directory(node)});
  builder.reading_job(0, data, 5);
  builder.scenario.jobs[0].tasks[1].cpu = CpuSeconds(30);
  ByHand hand(builder.scenario);
  hand.until(0);
  hand.cluster.bind({TaskId(0), node, StoreId(0), {}});
  hand.cluster.bind({TaskId(1), node, StoreId(0), {}});
  EXPECT_EQ(only<TaskFinished>(hand.until(19.9)), nullptr);
  EXPECT_EQ(only<TaskFinished>(hand.until(20))->task, TaskId(0));  // 20 s of reading, 5 s of computing
  EXPECT_EQ(only<TaskFinished>(hand.until(30))->task, TaskId(1));
}

Scenario remote_reader(RemoteRead mode) {
  ScenarioBuilder builder(2);
  const NodeId holder = builder.node(0);
  builder.node(1);
  builder.scenario.cluster.network.local_read = MebibytesPerSecond(50);
  builder.scenario.cluster.network.zone_link = MebibytesPerSecond(10);
  builder.scenario.remote_read = mode;
  builder.reading_job(0, builder.data(Mebibytes(100), {ScenarioBuilder::directory(holder)}), 5);
  return builder.scenario;
}

TEST(SimulatedCluster, CopyFirstComputesOnlyWhenTheCopyIsWhole) {
  for (const auto& [mode, end] : {std::pair(RemoteRead::stream, 10.0), std::pair(RemoteRead::copy_first, 15.0)}) {
    const Scenario scenario = remote_reader(mode);
    ByHand hand(scenario);
    hand.until(0);
    hand.cluster.bind({TaskId(0), NodeId(1), StoreId(0), {}});
    EXPECT_EQ(only<TaskFinished>(hand.until(end - 0.01)), nullptr);
    EXPECT_NE(only<TaskFinished>(hand.until(end)), nullptr);
  }
}

TEST(SimulatedCluster, KeepsWhatWasReadRemotelyAsAnExtraCopy) {
  const Scenario scenario = remote_reader(RemoteRead::stream);
  ByHand hand(scenario);
  hand.until(0);
  hand.cluster.bind({TaskId(0), NodeId(1), StoreId(0), StoreId(1)});
  const auto events = hand.until(20);
  ASSERT_NE(only<ReplicaAdded>(events), nullptr);
  EXPECT_EQ(only<ReplicaAdded>(events)->replica.store, StoreId(1));
  EXPECT_TRUE(only<ReplicaAdded>(events)->replica.extra);
}

TEST(SimulatedCluster, KeepsNoCopyWithoutRoomOrOfAPartOfTheBlock) {
  Scenario full = remote_reader(RemoteRead::stream);
  full.cluster.stores[StoreId(1)].capacity = Mebibytes(99);
  Scenario part = remote_reader(RemoteRead::stream);
  part.jobs[0].tasks[0].input = Mebibytes(50);
  for (const Scenario& scenario : {full, part}) {
    ByHand hand(scenario);
    hand.until(0);
    hand.cluster.bind({TaskId(0), NodeId(1), StoreId(0), StoreId(1)});
    const auto events = hand.until(20);
    EXPECT_NE(only<TaskFinished>(events), nullptr);
    EXPECT_EQ(only<ReplicaAdded>(events), nullptr);
  }
}

TEST(SimulatedCluster, AMoveLandsOnlyWhenWholeAndOnlyThenTheSourceGoes) {
  const Scenario scenario = remote_reader(RemoteRead::stream);
  ByHand hand(scenario);
  hand.until(0);
  hand.cluster.start_move(MoveId(7), {BlockId(0), StoreId(0), StoreId(1), true});
  EXPECT_TRUE(hand.until(9.99).empty());
  const auto events = hand.until(10);
  ASSERT_EQ(events.size(), 3u);
  EXPECT_EQ(std::get<ReplicaAdded>(events[0]).replica.store, StoreId(1));
  EXPECT_TRUE(std::get<MoveEnded>(events[1]).committed);
  EXPECT_EQ(std::get<MoveEnded>(events[1]).move, MoveId(7));
  EXPECT_EQ(std::get<ReplicaRemoved>(events[2]).store, StoreId(0));
}

TEST(SimulatedCluster, AMoveAndAReadShareTheLink) {
  const Scenario scenario = remote_reader(RemoteRead::stream);
  ByHand hand(scenario);
  hand.until(0);
  hand.cluster.start_move(MoveId(0), {BlockId(0), StoreId(0), StoreId(1), false});
  hand.cluster.bind({TaskId(0), NodeId(1), StoreId(0), {}});
  EXPECT_EQ(only<MoveEnded>(hand.until(19.99)), nullptr);
  EXPECT_TRUE(only<MoveEnded>(hand.until(20))->committed);
}

TEST(SimulatedCluster, AMoveFailsWithItsSourceOrItsTarget) {
  for (std::uint32_t lost : {0u, 1u}) {
    Scenario scenario = remote_reader(RemoteRead::stream);
    scenario.failures = {{NodeId(lost), at(5), seconds(10), false}};
    ByHand hand(scenario);
    hand.until(0);
    hand.cluster.start_move(MoveId(0), {BlockId(0), StoreId(0), StoreId(1), true});
    const auto events = hand.until(12);
    ASSERT_NE(only<MoveEnded>(events), nullptr);
    EXPECT_FALSE(only<MoveEnded>(events)->committed);
    EXPECT_EQ(only<ReplicaAdded>(events), nullptr);
    EXPECT_EQ(only<ReplicaRemoved>(events) != nullptr, lost == 0);
    const auto later = hand.until(15);
    EXPECT_NE(only<NodeBack>(later), nullptr);
    EXPECT_EQ(only<ReplicaAdded>(later) != nullptr, lost == 0);
  }
}

TEST(SimulatedCluster, NeverDropsTheLastReplica) {
  const Scenario scenario = remote_reader(RemoteRead::stream);
  ByHand hand(scenario);
  hand.until(0);
  hand.cluster.drop({BlockId(0), StoreId(0)});
  EXPECT_TRUE(hand.until(1).empty());
  hand.cluster.start_move(MoveId(0), {BlockId(0), StoreId(0), StoreId(1), false});
  hand.until(11);
  hand.cluster.drop({BlockId(0), StoreId(0)});
  EXPECT_NE(only<ReplicaRemoved>(hand.until(12)), nullptr);
  hand.cluster.drop({BlockId(0), StoreId(1)});
  EXPECT_TRUE(hand.until(13).empty());
}

TEST(SimulatedCluster, ANodeLossRequeuesItsTasksAndThoseThatReadFromIt) {
  Scenario scenario = remote_reader(RemoteRead::stream);
  scenario.failures = {{NodeId(0), at(4), seconds(10), false}};
  ByHand hand(scenario);
  hand.until(0);
  hand.cluster.bind({TaskId(0), NodeId(1), StoreId(0), {}});
  const auto events = hand.until(5);
  EXPECT_NE(only<NodeLost>(events), nullptr);
  ASSERT_NE(only<TaskLost>(events), nullptr);
  hand.until(14);
  hand.cluster.bind({TaskId(0), NodeId(1), StoreId(0), {}});
  EXPECT_NE(only<TaskFinished>(hand.until(24)), nullptr);
  EXPECT_EQ(hand.cluster.jobs_finished(), 1u);
}

TEST(SimulatedCluster, AJobWhoseDataIsLostForGoodFails) {
  Scenario scenario = remote_reader(RemoteRead::stream);
  scenario.failures = {{NodeId(0), at(4), Duration(0), false}};
  const RunResult result = *run(scenario, FirstFit(), "first-fit");
  // The first fit is node 0 itself: its 5 s of work end at 5 s only.
  EXPECT_EQ(result.jobs_failed, 1u);
  EXPECT_EQ(result.jobs_finished, 0u);
  EXPECT_EQ(result.unfinished, std::vector<std::string>{"job0"});
  EXPECT_NEAR(result.lost_work.value(), 4 * 0.01, 1e-9);
  EXPECT_NEAR(result.bill.cpu.value(), 4 * 0.01, 1e-9);
}

TEST(SimulatedCluster, ThinkingLetsTheWorldMoveOn) {
  ScenarioBuilder builder;
  builder.node(0);
  builder.computing_job(0, 2, 10);
  builder.scenario.thinking = Thinking::fixed;
  builder.scenario.thinking_time = seconds(3);
  const RunResult result = *run(builder.scenario, FirstFit(), "first-fit");
  EXPECT_EQ(result.jobs_finished, 1u);
  EXPECT_GE(result.makespan, seconds(26));  // twice a plan of 3 s before 10 s of work
}

TEST(SimulatedCluster, ABindingToANodeThatWasLostWhileThinkingIsNotKept) {
  ScenarioBuilder builder;
  builder.node(0);
  builder.node(0);
  builder.computing_job(0, 2, 10);
  builder.scenario.thinking = Thinking::fixed;
  builder.scenario.thinking_time = seconds(3);
  // Lost and back within the same thought.
  builder.scenario.failures = {{NodeId(0), at(1), seconds(1), false}};
  const RunResult result = *run(builder.scenario, FirstFit(), "first-fit");
  EXPECT_EQ(result.jobs_finished, 1u);
  EXPECT_EQ(result.tasks_finished, 2u);
}

TEST(SimulatedCluster, HeartbeatsComeOnlyFromNodesWithRoomWhileTasksWait) {
  ScenarioBuilder builder;
  builder.node(0);
  builder.node(0);
  builder.computing_job(0, 3, 10);
  Cadence cadence;
  cadence.trigger = Cadence::Trigger::heartbeats;
  cadence.interval = seconds(4);
  const RunResult result = *run(builder.scenario, FirstFit(cadence), "first-fit");
  EXPECT_EQ(result.jobs_finished, 1u);
  // Node 0 reports at 0 s, node 1 at 2 s; node 0 is free at 10 s and reports at 12 s.
  EXPECT_EQ(result.makespan, seconds(22));
  EXPECT_EQ(result.plans.made, 3u);
}

TEST(SimulatedCluster, EndsWhenNothingCanEverRun) {
  ScenarioBuilder builder;
  builder.node(0);
  builder.computing_job(0, 1, 10);
  builder.computing_job(0, 1, 10);
  builder.scenario.jobs[1].job.request.cpu = Cores(2);  // on no node
  for (Cadence::Trigger trigger : {Cadence::Trigger::epoch, Cadence::Trigger::events, Cadence::Trigger::heartbeats}) {
    Cadence cadence;
    cadence.trigger = trigger;
    const RunResult result = *run(builder.scenario, FirstFit(cadence), "first-fit");
    EXPECT_TRUE(result.stuck);
    EXPECT_EQ(result.jobs_finished, 1u);
    EXPECT_EQ(result.unfinished, std::vector<std::string>{"job1"});
    EXPECT_LE(result.makespan, seconds(40));
  }
}

TEST(SimulatedCluster, ReducesFetchTheirShareOfTheMapOutputFromEachZone) {
  ScenarioBuilder builder(2);
  builder.node(0);
  builder.node(1);
  builder.scenario.cluster.network.zone_link = MebibytesPerSecond(10);
  ScenarioBuilder::add_reduces(builder.computing_job(0, 2, 10), 1, 1, Mebibytes(400));
  const RunResult result = *run(builder.scenario, FirstFit(), "first-fit");
  // The maps run one in each zone; the reducer on node 0 fetches 200 MiB from the other zone at 10 MiB/s.
  EXPECT_EQ(result.makespan, seconds(30));
  EXPECT_NEAR(result.cross_zone.shuffle.value(), 200, 1e-9);
  EXPECT_NEAR(result.bill.shuffle.value(), 200 * 0.001, 1e-9);
}

TEST(TrueWork, HasMeanOneAndDependsOnTheTaskAlone) {
  Scenario scenario;
  scenario.duration_noise = 0.5;
  double sum = 0;
  for (std::uint32_t i = 0; i < 20000; ++i) sum += true_work_factor(scenario, TaskId(i));
  EXPECT_NEAR(sum / 20000, 1, 0.02);
  EXPECT_EQ(true_work_factor(scenario, TaskId(5)), true_work_factor(scenario, TaskId(5)));
  EXPECT_NE(true_work_factor(scenario, TaskId(5)), true_work_factor(scenario, TaskId(6)));
}

TEST(TrueWork, SlowsTheShareOfStragglersDown) {
  Scenario scenario;
  scenario.stragglers = {0.1, 5};
  int slow = 0;
  for (std::uint32_t i = 0; i < 20000; ++i) slow += true_work_factor(scenario, TaskId(i)) == 5;
  EXPECT_NEAR(slow, 2000, 150);
}

}  // namespace
}  // namespace lips::simulation
