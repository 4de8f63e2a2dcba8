#include "kubernetes/api/clock_watch.h"

#include <gtest/gtest.h>

#include "kubernetes/api/leadership.h"

namespace lips::kubernetes {
namespace {

using std::chrono::hours;
using std::chrono::seconds;

// A node that has booted in 1970 by its clock, until NTP answers.
TEST(ClockWatch, NoticesAClockThatWasSetAndStaysSo) {
  for (const Duration change : {Duration(hours(24)), Duration(-hours(24)), Duration(seconds(3))}) {
    ClockWatch watch(seconds(10), hours(1000));
    EXPECT_FALSE(watch.was_set(seconds(70), hours(1000) + seconds(60)));
    const Duration wrong = hours(1000) + change;
    EXPECT_FALSE(watch.was_set(seconds(80), wrong + seconds(70)));
    EXPECT_FALSE(watch.was_set(seconds(139), wrong + seconds(129))) << "it may be set again";
    EXPECT_TRUE(watch.was_set(seconds(140), wrong + seconds(130)));
  }
}

TEST(ClockWatch, WaitsWhileTheClockIsStillBeingSet) {
  ClockWatch watch(seconds(0), hours(1000));
  for (int second = 1; second < 300; ++second)
    EXPECT_FALSE(watch.was_set(seconds(second), hours(1000) + seconds(second) + seconds(100 * (second / 50))))
        << second;
  EXPECT_FALSE(watch.was_set(seconds(301), hours(1000) + seconds(301))) << "it is what it was";
}

TEST(ClockWatch, TakesALeapSecondForNothing) {
  ClockWatch watch(seconds(0), hours(1000));
  for (int second = 1; second < 300; ++second)
    EXPECT_FALSE(watch.was_set(seconds(second), hours(1000) + seconds(second - 1)));
}

TEST(ClockWatch, AnAnchoredTimeIsTheWallClocks) {
  anchor_steady_now();
  const auto wall = std::chrono::duration_cast<Duration>(std::chrono::system_clock::now().time_since_epoch());
  EXPECT_LT(std::chrono::abs(steady_now().time_since_epoch() - wall), Duration(seconds(2)));
}

}  // namespace
}  // namespace lips::kubernetes
