#include "kubernetes/data/move_progress.h"

#include <gtest/gtest.h>

#include <string>

#include "base/random.h"

namespace lips::kubernetes {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

class MoveProgressTest : public testing::Test {
 protected:
  static MoveProgress::Bounds bounds() {
    MoveProgress::Bounds bounds;
    bounds.longest_copy = [](std::int64_t bytes) { return minutes(10) + Duration(bytes); };
    return bounds;
  }
  DataMoveResource& move(const std::string& name) {
    DataMoveResource& move = moves_[name];
    move.meta.object = {"", name, name, "1"};
    move.spec.to = "target";
    return move;
  }
  void set(const std::string& name, MovePhase phase, std::int32_t attempt = 1) {
    DataMoveStatus& status = move(name).status;
    status.phase = phase, status.attempt = attempt;
  }
  // Looks every ten seconds; for how long the move was not stalled.
  Duration until_stalled(const std::string& name, Duration longest) {
    const TimePoint begin = now_;
    for (; now_ - begin < longest && !progress_.is_stalled(name); now_ += seconds(10)) progress_.review(moves_, now_);
    return now_ - begin;
  }

  MoveProgress::Moves moves_;
  MoveProgress progress_{bounds()};
  TimePoint now_{hours(1000)};
};

TEST_F(MoveProgressTest, GivesACopyTheTimeOfItsSizeAndOfThePausesAround) {
  set("a", MovePhase::copying);
  moves_["a"].status.bytes = Duration(hours(2)).count();
  const Duration took = until_stalled("a", hours(10));
  EXPECT_GE(took, hours(2) + minutes(20));
  EXPECT_LE(took, hours(2) + minutes(21));
  EXPECT_EQ(progress_.stalled().at("a"), TimePoint(hours(1000)));
}

TEST_F(MoveProgressTest, CountsEachPhaseOfAnAttemptOnce) {
  set("a", MovePhase::copying);
  until_stalled("a", minutes(15));
  set("a", MovePhase::verifying);
  EXPECT_GE(until_stalled("a", hours(1)), minutes(20));
  set("a", MovePhase::copying, 2);
  progress_.review(moves_, now_);
  EXPECT_FALSE(progress_.is_stalled("a"));
  // Back and forth, as where the server drops the number of the attempt.
  for (int i = 0; !progress_.is_stalled("a") && i < 60; ++i) {
    set("a", i % 2 == 0 ? MovePhase::copying : MovePhase::verifying, 1);
    until_stalled("a", minutes(1));
  }
  EXPECT_TRUE(progress_.is_stalled("a"));
  EXPECT_LT(now_ - TimePoint(hours(1000)), minutes(15) + minutes(21) + minutes(22));
}

TEST_F(MoveProgressTest, LetsThoseThatWaitForTheirTurnWaitAsLongAsACopyMayEnd) {
  set("large", MovePhase::copying);
  moves_["large"].status.bytes = Duration(minutes(30)).count();
  set("waits", MovePhase::pending, 0);
  until_stalled("waits", minutes(45));
  EXPECT_FALSE(progress_.is_stalled("waits"));
  set("large", MovePhase::committed);
  const Duration took = until_stalled("waits", hours(1));
  EXPECT_GE(took, minutes(9));
  EXPECT_LE(took, minutes(11)) << "it has its turn, and does not take it";
}

TEST_F(MoveProgressTest, LetsNobodyWaitBehindAQueueThatStands) {
  set("a", MovePhase::none, 0);
  until_stalled("a", minutes(11));
  EXPECT_TRUE(progress_.is_stalled("a"));
  set("b", MovePhase::none, 0);
  EXPECT_TRUE(progress_.review(moves_, now_));
  EXPECT_TRUE(progress_.is_stalled("b")) << "each new move would be waited for anew";
  set("a", MovePhase::copying);
  progress_.review(moves_, now_);
  EXPECT_TRUE(progress_.stalled().empty()) << "it gets further";
}

TEST_F(MoveProgressTest, DoesNotLetOneWaitWithoutEndWhileOthersGetFurther) {
  set("waits", MovePhase::pending, 0);
  for (int i = 0; i < 100 && !progress_.is_stalled("waits"); ++i) {
    set("other-" + std::to_string(i), MovePhase::copying);
    until_stalled("waits", minutes(1));
    set("other-" + std::to_string(i), MovePhase::committed);
  }
  EXPECT_TRUE(progress_.is_stalled("waits"));
  EXPECT_GE(now_ - TimePoint(hours(1000)), minutes(59));
}

// However often the operator's process begins anew.
TEST_F(MoveProgressTest, IsNotForgottenByAProcessThatEnds) {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    moves_.clear();
    set("copies", MovePhase::copying, static_cast<std::int32_t>(1 + random.below(5)));
    set("waits", MovePhase::pending, 0);
    const TimePoint begin = now_;
    moves_["copies"].status.started = moves_["copies"].meta.created = moves_["waits"].meta.created = begin;
    const auto life = seconds(static_cast<int>(random.uniform(5, 500)));
    bool stalled = false;
    while (!stalled && now_ - begin < hours(3)) {
      progress_ = MoveProgress(bounds());
      for (const TimePoint end = now_ + life; now_ < end; now_ += seconds(1)) progress_.review(moves_, now_);
      stalled = progress_.is_stalled("copies") && progress_.is_stalled("waits");
    }
    EXPECT_TRUE(stalled);
    EXPECT_GE(now_ - begin, moves_["copies"].status.attempt * minutes(20)) << "each attempt has its time";
  }
}

// Whatever becomes of its status, a move is waited for only so long.
TEST_F(MoveProgressTest, EndsEveryWait) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    moves_.clear();
    progress_ = MoveProgress(bounds());
    set("a", MovePhase::none, 0);
    const TimePoint begin = now_;
    bool stalls = false;
    // Before it begins, and four phases of six attempts; a step comes once.
    for (const auto longest = hours(1) + 24 * minutes(20); now_ - begin < longest;
         now_ += seconds(static_cast<int>(random.uniform(1, 240)))) {
      set("a", static_cast<MovePhase>(random.below(4)), static_cast<std::int32_t>(random.below(6)));
      if (random.below(3) == 0) set("b" + std::to_string(random.below(5)), MovePhase::copying, 1);
      progress_.review(moves_, now_);
      stalls = progress_.is_stalled("a");
    }
    EXPECT_TRUE(stalls);
  }
}

}  // namespace
}  // namespace lips::kubernetes
