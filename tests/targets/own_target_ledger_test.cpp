#include "targets/own_target_ledger.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/cluster_state.h"
#include "tests/simulation/tiny_scenario.h"

namespace lips {
namespace {

using simulation::tiny::ScenarioBuilder;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr auto own_complete_by = OwnTargetKind::complete_by;
constexpr auto own_max_wait = OwnTargetKind::max_wait;

// A node of two cores, and jobs of two tasks of a minute.
class OwnTargetLedgerTest : public testing::Test {
 protected:
  OwnTargetLedgerTest() {
    builder_.node(0, 2);
    state_.emplace(builder_.scenario.at_start());
  }
  void tell(const ClusterEvent& event) {
    state_->apply(event);
    ledger_.on_event(state_->snapshot(), event);
  }
  void at_second(double second) { state_->advance(simulation::tiny::at(second)); }
  JobId arrive(const std::string& name, JobDue due) {
    builder_.computing_job(0, 2, 60);
    JobArrived arrived{builder_.scenario.jobs.back().job, builder_.scenario.jobs.back().tasks};
    arrived.job.name = name, arrived.job.due = due;
    tell(arrived);
    return JobId(static_cast<std::uint32_t>(state_->snapshot().jobs.size() - 1));
  }
  TaskId task(JobId job, std::uint32_t number) const {
    return TaskId(state_->snapshot().jobs[job].first_task.index() + number);
  }
  void start(TaskId task) {
    state_->assume({task, NodeId(0), {}, {}});
    tell(TaskStarted{task, NodeId(0)});
  }
  OwnTargetState state_of(const std::string& job, OwnTargetKind kind) {
    for (const OwnTargetReport& report : ledger_.reports(state_->snapshot()))
      if (report.job == job && report.kind == kind) return report.state;
    ADD_FAILURE() << job << " is not reported";
    return {};
  }

  ScenarioBuilder builder_;
  std::optional<ClusterState> state_;
  OwnTargetLedger ledger_;
};

TEST_F(OwnTargetLedgerTest, ReportsJobsUntilTheyEnd) {
  arrive("plain", {});
  EXPECT_THAT(ledger_.reports(state_->snapshot()), IsEmpty());
  const JobId job = arrive("due", {simulation::tiny::at(1000), simulation::tiny::at(500)});
  EXPECT_EQ(ledger_.reports(state_->snapshot()).size(), 2u);
  EXPECT_EQ(state_of("due", own_complete_by), OwnTargetState::held);
  EXPECT_EQ(state_of("due", own_max_wait), OwnTargetState::held);
  for (const std::uint32_t number : {0, 1}) {
    start(task(job, number));
    tell(TaskFinished{task(job, number), NodeId(0)});
  }
  EXPECT_THAT(ledger_.reports(state_->snapshot()), IsEmpty());
  EXPECT_THAT(ledger_.take_missed(), IsEmpty());
}

TEST_F(OwnTargetLedgerTest, SaysOnceThatATargetIsMissed) {
  arrive("due", {simulation::tiny::at(100), {}});
  at_second(99);
  EXPECT_EQ(state_of("due", own_complete_by), OwnTargetState::cannot);
  EXPECT_THAT(ledger_.take_missed(), IsEmpty());
  at_second(110);
  EXPECT_EQ(state_of("due", own_complete_by), OwnTargetState::missed);
  EXPECT_THAT(ledger_.take_missed(), ElementsAre(MissedTarget{"default", "due", own_complete_by, seconds(10)}));
  at_second(5000);
  EXPECT_EQ(state_of("due", own_complete_by), OwnTargetState::missed);
  EXPECT_THAT(ledger_.take_missed(), IsEmpty());
}

TEST_F(OwnTargetLedgerTest, SaysThatAJobMissedItsTargetsThatEndedBetweenTwoPlans) {
  const JobId job = arrive("due", {simulation::tiny::at(100), simulation::tiny::at(50)});
  start(task(job, 0));
  at_second(60);
  start(task(job, 1));
  at_second(120);
  for (const std::uint32_t number : {0, 1}) tell(TaskFinished{task(job, number), NodeId(0)});
  EXPECT_THAT(ledger_.take_missed(), ElementsAre(MissedTarget{"default", "due", own_complete_by, seconds(20)},
                                                 MissedTarget{"default", "due", own_max_wait, seconds(10)}));
}

TEST_F(OwnTargetLedgerTest, CountsNoWaitOfATaskThatStartsAnew) {
  const JobId job = arrive("due", {{}, simulation::tiny::at(50)});
  start(task(job, 0)), start(task(job, 1));
  at_second(100);
  tell(TaskLost{task(job, 0)});
  EXPECT_EQ(state_of("due", own_max_wait), OwnTargetState::held);
}

TEST_F(OwnTargetLedgerTest, CountsNoWaitOfATaskThatIsGone) {
  const JobId job = arrive("due", {{}, simulation::tiny::at(50)});
  start(task(job, 0));
  tell(TaskWithdrawn{task(job, 1)});
  at_second(100);
  EXPECT_EQ(state_of("due", own_max_wait), OwnTargetState::held);
}

TEST_F(OwnTargetLedgerTest, CountsPartsOfAJobOnceAsTheWorst) {
  arrive("due", {simulation::tiny::at(1000), {}});
  arrive("due", {simulation::tiny::at(10), {}});
  at_second(20);
  ASSERT_EQ(ledger_.reports(state_->snapshot()).size(), 1u);
  EXPECT_EQ(state_of("due", own_complete_by), OwnTargetState::missed);
  EXPECT_EQ(ledger_.take_missed().size(), 1u);
}

TEST_F(OwnTargetLedgerTest, SaysNothingTwiceThoughAllIsListedAnew) {
  arrive("due", {simulation::tiny::at(10), {}});
  at_second(20);
  ledger_.reports(state_->snapshot());
  EXPECT_EQ(ledger_.take_missed().size(), 1u);
  tell(ClusterListed{std::make_shared<ClusterSnapshot>(builder_.scenario.at_start()), {}});
  EXPECT_THAT(ledger_.reports(state_->snapshot()), IsEmpty());
  at_second(30);
  const JobId job = arrive("due", {simulation::tiny::at(10), {}});
  tell(TaskFound{task(job, 0), NodeId(0), simulation::tiny::at(5)});
  EXPECT_EQ(state_of("due", own_complete_by), OwnTargetState::missed);
  EXPECT_THAT(ledger_.take_missed(), IsEmpty());
}

}  // namespace
}  // namespace lips
