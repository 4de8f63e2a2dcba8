#include "kubernetes/data/move_machine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kubernetes/data/replica_ledger.h"
#include "tests/kubernetes/data/move_world.h"

namespace lips::kubernetes {
namespace {

using enum MoveAction;

// ---- single steps ----

constexpr TimePoint noon = TimePoint(std::chrono::hours(12));
const MoveRules rules;

MoveView ready_view() {
  MoveView view;
  view.has_target = true;
  view.may_start = true;
  view.has_finalizer = true;
  view.wanted = *BlockRanges::parse("0-3");
  view.bytes = 40;
  view.source_held = true;
  return view;
}

DataMoveStatus status_in(MovePhase phase) {
  DataMoveStatus status;
  status.phase = phase;
  status.blocks = *BlockRanges::parse("0-3");
  status.started = noon;
  if (phase != MovePhase::pending) status.attempt = 1;
  return status;
}

TEST(MoveMachine, WritesDownWhatItIsAboutToDoBeforeItDoesIt) {
  MoveView view = ready_view();
  view.has_finalizer = false;
  EXPECT_EQ(next_step({}, view, rules, noon).action, add_finalizer);
  view.has_finalizer = true;
  const MoveStep step = next_step({}, view, rules, noon);
  EXPECT_FALSE(step.action);
  EXPECT_EQ(step.status.phase, MovePhase::copying);
  EXPECT_EQ(step.status.blocks.text(), "0-3");
  EXPECT_EQ(next_step(step.status, view, rules, noon).action, start_copy);
}

TEST(MoveMachine, SaysWhatAWaitingMoveWaitsFor) {
  MoveView view = ready_view();
  view.may_start = false;
  view.waits_for = "waiting for room";
  const MoveStep step = next_step({}, view, rules, noon);
  EXPECT_EQ(step.status.phase, MovePhase::pending);
  EXPECT_EQ(step.status.message, "waiting for room");
}

TEST(MoveMachine, FailsOverAMissingStoreOnlyAfterAWhile) {
  MoveView view = ready_view();
  view.problem = "there is no DataStore x";
  DataMoveStatus status = next_step({}, view, rules, noon).status;
  EXPECT_EQ(status.phase, MovePhase::pending);
  status = next_step(status, view, rules, noon + std::chrono::seconds(61)).status;
  EXPECT_EQ(status.phase, MovePhase::failed);
  EXPECT_EQ(status.message, "there is no DataStore x");
}

TEST(MoveMachine, TriesAgainWithLongerAndLongerPausesAndGivesUp) {
  MoveView view = ready_view();
  view.attempts = 3;
  view.copy = WorkState::failed;
  view.why = "no route";
  DataMoveStatus status = status_in(MovePhase::copying);
  status = next_step(status, view, rules, noon).status;
  EXPECT_EQ(status.attempt, 2);
  EXPECT_EQ(status.message, "attempt 1 failed: no route");
  EXPECT_EQ(*status.next_try - noon, rules.first_pause);
  view.copy = WorkState::absent;
  EXPECT_FALSE(next_step(status, view, rules, noon).action) << "too early";
  EXPECT_EQ(next_step(status, view, rules, noon + rules.first_pause).action, start_copy);
  view.copy = WorkState::failed;
  status = next_step(status, view, rules, noon).status;
  EXPECT_EQ(*status.next_try - noon, 2 * rules.first_pause);
  status = next_step(status, view, rules, noon).status;
  EXPECT_EQ(status.phase, MovePhase::failed);
  EXPECT_EQ(status.message, "gave up after 3 attempts: no route");
  EXPECT_FALSE(status.cleaned);
}

TEST(MoveMachine, SaysWhyAPodDoesNotBeginAlsoAfterItsTimeIsOver) {
  MoveView view = ready_view();
  view.copy = WorkState::running;
  view.waiting = "ErrImagePull";
  DataMoveStatus status = next_step(status_in(MovePhase::copying), view, rules, noon).status;
  EXPECT_EQ(status.message, "ErrImagePull");
  view.copy = WorkState::failed;
  view.waiting.clear();
  view.why = "DeadlineExceeded";
  status = next_step(status, view, rules, noon).status;
  EXPECT_EQ(status.message, "attempt 1 failed: DeadlineExceeded; before: ErrImagePull");
}

TEST(MoveMachine, StartsThePodThatServesFirstAndDoesNotWaitForItForEver) {
  MoveView view = ready_view();
  view.needs_source = true;
  DataMoveStatus status = status_in(MovePhase::copying);
  status.next_try = noon;
  EXPECT_EQ(next_step(status, view, rules, noon).action, start_source);
  view.source = WorkState::starting;
  EXPECT_FALSE(next_step(status, view, rules, noon).action);
  view.source = WorkState::running;
  EXPECT_EQ(next_step(status, view, rules, noon).action, start_copy);
  view.source = WorkState::starting;
  view.source_message = "node is not ready";
  status = next_step(status, view, rules, noon + rules.source_patience).status;
  EXPECT_EQ(status.attempt, 2);
  EXPECT_THAT(status.message, testing::HasSubstr("node is not ready"));
}

TEST(MoveMachine, DropsTheSourceOnlyWhenNobodyReadsItAndOthersHold) {
  MoveView view = ready_view();
  view.drop_source = view.target_holds = view.others_hold = true;
  DataMoveStatus status = next_step(status_in(MovePhase::committed), view, rules, noon).status;
  EXPECT_EQ(status.source, SourceState::leaving);
  EXPECT_EQ(next_step(status, view, rules, noon).action, mark_leaving);
  view.source_leaving = view.source_marked = view.source_is_read = true;
  const MoveStep waits = next_step(status, view, rules, noon);
  EXPECT_FALSE(waits.action);
  EXPECT_EQ(waits.status.message, "waiting for tasks that read the old replicas");
  view.source_is_read = false;
  EXPECT_EQ(next_step(status, view, rules, noon).action, remove_source);
  view.others_hold = false;
  EXPECT_EQ(next_step(status, view, rules, noon).action, unmark_leaving);
  view.others_hold = true;
  view.source_held = false;
  status = next_step(status, view, rules, noon).status;
  EXPECT_EQ(status.source, SourceState::removed);
  EXPECT_EQ(next_step(status, view, rules, noon).action, start_drop);
  view.drop = WorkState::succeeded;
  EXPECT_EQ(next_step(status, view, rules, noon).action, forget_marks);
  view.source_marked = false;
  status = next_step(status, view, rules, noon).status;
  EXPECT_EQ(status.source, SourceState::deleted);
  EXPECT_TRUE(next_step(status, view, rules, noon).status.finished);
}

TEST(MoveMachine, NeverDropsTheLastReplica) {
  MoveView view = ready_view();
  view.has_target = false;
  view.drop_source = true;
  const MoveStep step = next_step({}, view, rules, noon);
  EXPECT_EQ(step.status.phase, MovePhase::failed);
  EXPECT_THAT(step.status.message, testing::HasSubstr("last replica"));
}

TEST(MoveMachine, ACancelledMoveFencesAndCleansItsTarget) {
  MoveView view = ready_view();
  view.cancel = true;
  view.copy = WorkState::running;
  view.copies_left = true;
  DataMoveStatus status = next_step(status_in(MovePhase::verifying), view, rules, noon).status;
  EXPECT_EQ(status.phase, MovePhase::failed);
  EXPECT_EQ(next_step(status, view, rules, noon).action, end_copy);
  view.copies_left = false;
  EXPECT_EQ(next_step(status, view, rules, noon).action, fence_target);
  view.target_fenced = true;
  status = next_step(status, view, rules, noon).status;
  EXPECT_EQ(next_step(status, view, rules, noon).action, start_clean);
  view.drop = WorkState::succeeded;
  EXPECT_EQ(next_step(status, view, rules, noon).action, forget_marks);
  view.target_fenced = false;
  status = next_step(status, view, rules, noon).status;
  EXPECT_TRUE(status.cleaned);
  status = next_step(status, view, rules, noon).status;
  EXPECT_EQ(next_step(status, view, rules, noon).action, remove_finalizer);
}

TEST(MoveMachine, EndsWhenTheLastOtherReplicaDoesNotComeBack) {
  MoveView view = ready_view();
  view.drop_source = view.target_holds = true;
  DataMoveStatus status = next_step(status_in(MovePhase::committed), view, rules, noon).status;
  EXPECT_FALSE(status.finished);
  status = next_step(status, view, rules, noon + rules.problem_patience).status;
  EXPECT_TRUE(status.finished);
  EXPECT_EQ(status.source, SourceState::kept);
}

TEST(MoveMachine, ADropWaitsForAnotherMoveOfTheSameBlocks) {
  MoveView view = ready_view();
  view.has_target = view.may_start = false;
  view.drop_source = view.others_hold = true;
  view.waits_for = "waiting for DataMove x";
  EXPECT_EQ(next_step({}, view, rules, noon).status.message, "waiting for DataMove x");
  view.may_start = true;
  EXPECT_EQ(next_step({}, view, rules, noon).status.phase, MovePhase::committed);
}

TEST(MoveMachine, AMoveToExtraCopiesMakesThemStay) {
  Replicas replicas{{"a", *BlockRanges::parse("0-3"), {}, {}, {}},
                    {"b", *BlockRanges::parse("0-3"), *BlockRanges::parse("0-3"), *BlockRanges::parse("1-2"), {}}};
  const LedgerEntry entry{"a", "b", *BlockRanges::parse("0-3"), false};
  const auto exists = [](const std::string&) { return true; };
  MoveView view = ready_view();
  fill_replicas(replicas, entry, exists, view);
  EXPECT_FALSE(view.target_holds);
  ASSERT_EQ(next_step({}, view, rules, noon).action, commit);
  replicas = *with_action(replicas, commit, entry, false, exists);
  fill_replicas(replicas, entry, exists, view);
  EXPECT_TRUE(view.target_holds);
  EXPECT_TRUE(replicas[1].extra.empty());
  EXPECT_EQ(next_step({}, view, rules, noon).status.phase, MovePhase::committed);
}

TEST(MoveMachine, ACommitThatCameThroughIsNotCleanedAway) {
  MoveView view = ready_view();
  view.cancel = view.target_holds = true;
  DataMoveStatus status = status_in(MovePhase::failed);
  EXPECT_EQ(next_step(status, view, rules, noon).status.phase, MovePhase::committed);
}

// ---- whole lives, with crashes ----

TEST(MoveMachine, KeepsAVerifiedReplicaOfEveryBlockThroughCrashesAtAnyPoint) {
  int crashes = 0, commits = 0, drops = 0, failures = 0;
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    MoveWorld world(seed);
    for (int i = 0; i < 1500 && !testing::Test::HasFailure(); ++i) world.happen(false);
    if (!testing::Test::HasFailure()) world.settle();
    world.check_end();
    crashes += world.crashes;
    commits += world.commits;
    drops += world.drops;
    failures += world.failures;
    if (testing::Test::HasFailure()) break;
  }
  RecordProperty("crashes", crashes);
  EXPECT_GT(crashes, 10'000);
  EXPECT_GT(commits, 300);
  EXPECT_GT(drops, 50) << "an original stays where another one is only declared";
  EXPECT_GT(failures, 100);
}

}  // namespace
}  // namespace lips::kubernetes
