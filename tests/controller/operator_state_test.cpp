#include "controller/operator_state.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lips {
namespace {

using testing::AllOf;
using testing::HasSubstr;

TimePoint at(int seconds) { return TimePoint(std::chrono::seconds(seconds)); }

OperatorFacts deciding() {
  OperatorFacts facts;
  facts.leads = true, facts.leader = "lips-0", facts.mode = PodMode::bind;
  return facts;
}

OperatorState state(const OperatorFacts& facts) { return state_of(facts, nullptr, at(0)); }

// Each trouble is said before those after it, and each has words of its own.
TEST(OperatorState, NamesTheFirstThingThatKeepsItFromDeciding) {
  OperatorFacts facts = deciding();
  EXPECT_EQ(state(facts).doing, Doing::decides);
  facts.mode = PodMode::watch;
  EXPECT_EQ(state(facts).doing, Doing::watches);
  facts.stopped_write = "patch /api/v1/pods/p";
  EXPECT_THAT(state(facts).words(), AllOf(HasSubstr("writes-stopped: "), HasSubstr("patch /api/v1/pods/p")));
  facts.moves_suspended = "the store went back";
  EXPECT_EQ(state(facts).words(), "moves-suspended: pods are planned and bound, but the store went back");
  facts.other_mode = "the chart was installed for mode steer";
  EXPECT_THAT(state(facts).words(), HasSubstr("mode-differs: the chart was installed for mode steer; this process runs "
                                              "with watch"));
  facts.plans_refused = "a node holds too much";
  EXPECT_THAT(state(facts).words(), AllOf(HasSubstr("plans-refused: "), HasSubstr("a node holds too much")));
  facts.leads = false, facts.leader = "lips-1";
  EXPECT_EQ(state(facts).words(), "stands-by: lips-1 leads");
  facts.awaits = true;
  EXPECT_EQ(state(facts).words(), "awaits-lists: the first lists are not complete");
  facts.awaited = {{"pods", "403", at(0)}};
  EXPECT_EQ(state(facts).words(), "awaits-lists: nothing is planned: pods: 403");
  facts.unreachable = Lack{"API server", "it does not answer", at(-5)};
  EXPECT_EQ(state(facts).words(), "server-unreachable: it does not answer");
  EXPECT_EQ(state(facts).since, at(-5));
  facts.stopping = true;
  EXPECT_EQ(state(facts).words(), "stopping: it was asked to stop");
}

TEST(OperatorState, SaysWhyNobodyIsKnownToLead) {
  OperatorFacts facts;
  EXPECT_EQ(state(facts).why, "no replica leads yet");
  facts.lease_trouble = "get leases: 403";
  EXPECT_EQ(state(facts).why, "no replica is known to lead: get leases: 403");
}

TEST(OperatorState, DecidesAndIsReadyAsItsOrderSays) {
  for (const Doing doing : enumerators<Doing>) {
    OperatorState now;
    now.doing = doing;
    const bool decides = doing == Doing::decides || doing == Doing::watches || doing == Doing::writes_stopped ||
                         doing == Doing::moves_suspended || doing == Doing::mode_differs;
    EXPECT_EQ(now.decides(), decides) << doing_names[doing];
    EXPECT_EQ(now.ready(), decides || doing == Doing::stands_by || doing == Doing::plans_refused) << doing_names[doing];
  }
}

TEST(OperatorState, NamesWhatPlansDoWithout) {
  OperatorFacts facts = deciding();
  facts.degraded = {{"datasets.lips.dev", "403", at(0)}, {"prices.metrics", "no answer", at(0)}};
  EXPECT_EQ(
      state(facts).words(),
      "decides: its plans are carried out; degraded: datasets.lips.dev: 403; degraded: prices.metrics: no answer");
  EXPECT_TRUE(state(facts).decides());
}

TEST(OperatorState, LastsWhileItDoesTheSame) {
  OperatorFacts facts = deciding();
  const OperatorState first = state_of(facts, nullptr, at(10));
  facts.degraded = {{"x", "y", at(20)}};
  const OperatorState second = state_of(facts, &first, at(20));
  EXPECT_EQ(second.since, at(10));
  facts.leads = false;
  EXPECT_EQ(state_of(facts, &second, at(30)).since, at(30));
}

TEST(OperatorState, HasNotChangedWhereOnlyWordsDiffer) {
  OperatorFacts facts = deciding();
  facts.degraded = {{"x", "403 after 3 tries", at(0)}};
  const OperatorState before = state(facts);
  facts.degraded[0].why = "403 after 4 tries";
  EXPECT_FALSE(is_change(before, state(facts)));
  facts.degraded[0].what = "z";
  EXPECT_TRUE(is_change(before, state(facts)));
  facts = deciding(), facts.leads = false;
  const OperatorState standby = state(facts);
  facts.leader = "lips-9";
  EXPECT_TRUE(is_change(standby, state(facts)));
}

}  // namespace
}  // namespace lips
