#include "playground/paced_loop.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace lips::playground {
namespace {

using testing::ElementsAre;

constexpr TimePoint start{std::chrono::hours(1)};

class PacedLoopTest : public testing::Test {
 protected:
  void note_at(Duration after, int number) {
    loop_.at(start + after, [this, number] { seen_.emplace_back(number, loop_.now() - start); });
  }
  PacedLoop loop_{start, {0, false}};
  std::vector<std::pair<int, Duration>> seen_;
};

TEST_F(PacedLoopTest, WithoutAPaceEachTaskRunsAtItsTimeAndNothingIsWaitedFor) {
  note_at(std::chrono::hours(5), 2);
  note_at(std::chrono::minutes(1), 1);
  for (int i = 0; i < 4; ++i) loop_.run(std::chrono::hours(3));
  EXPECT_THAT(seen_, ElementsAre(std::pair<int, Duration>(1, std::chrono::minutes(1)),
                                 std::pair<int, Duration>(2, std::chrono::hours(5))));
}

TEST_F(PacedLoopTest, AFastPaceLeavesNothingOut) {
  loop_.keep({1e9, false});
  for (int i = 1; i <= 1000; ++i) note_at(std::chrono::seconds(i), i);
  while (seen_.size() < 1000) loop_.run(std::chrono::milliseconds(200));
  for (int i = 1; i <= 1000; ++i)
    EXPECT_EQ(seen_[static_cast<std::size_t>(i - 1)], std::pair(i, Duration(std::chrono::seconds(i))));
}

TEST_F(PacedLoopTest, WhileItIsStoppedTasksRunAndTimeDoesNot) {
  loop_.keep({60, true});
  note_at(std::chrono::microseconds(1), 1);
  int answered = 0;
  for (int i = 0; i < 10; ++i) {
    loop_.post([&] { ++answered; });
    loop_.run(std::chrono::hours(1), std::chrono::seconds(1));
  }
  EXPECT_EQ(answered, 10);
  EXPECT_EQ(loop_.now(), start);
  EXPECT_TRUE(seen_.empty());
  loop_.keep({0, false});
  loop_.run(std::chrono::hours(1));
  EXPECT_EQ(seen_.size(), 1U);
}

TEST_F(PacedLoopTest, ATaskFromAnotherThreadEndsTheWait) {
  loop_.keep({1, false});
  bool ran = false;
  std::thread other([&] { loop_.post([&] { ran = true; }); });
  while (!ran) loop_.run(std::chrono::hours(1));
  other.join();
  EXPECT_LT(loop_.now(), start + std::chrono::hours(1));
}

}  // namespace
}  // namespace lips::playground
