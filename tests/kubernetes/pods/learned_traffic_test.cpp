#include "kubernetes/pods/learned_traffic.h"

#include <gtest/gtest.h>

#include <string>

#include "base/random.h"

namespace lips::kubernetes {
namespace {

Traffic bytes(double shuffle, double input) { return {Mebibytes(shuffle), Mebibytes(input)}; }

Traffic known(const LearnedTraffic& learned, const std::string& of = "etl/count") { return learned.of(of)->bytes; }

TEST(LearnedTraffic, IsThatOfTheFirstWholeRunAndThenOfRecentOnes) {
  LearnedTraffic learned;
  EXPECT_FALSE(learned.of("etl/count"));
  learned.ended("etl/count", "run-1", bytes(100, 40));
  EXPECT_EQ(known(learned), bytes(100, 40));
  EXPECT_EQ(learned.of("etl/count")->runs, 1u);
  learned.ended("etl/count", "run-2", bytes(200, 40));
  EXPECT_EQ(known(learned), bytes(150, 40));
  for (int run = 3; run < 30; ++run) learned.ended("etl/count", "run-" + std::to_string(run), bytes(10, 40));
  EXPECT_NEAR(known(learned).shuffle.value(), 10, 0.2) << "old runs are forgotten";
  EXPECT_FALSE(learned.of("web/count")) << "another namespace's application is another one";
}

TEST(LearnedTraffic, OfARunWhoseEndWasNotSeenOnlyRaisesWhatIsKnown) {
  LearnedTraffic learned;
  learned.seen("etl/count", "run-1", bytes(30, 0));
  learned.seen("etl/count", "run-1", bytes(50, 5));
  EXPECT_EQ(known(learned), bytes(50, 5));
  EXPECT_EQ(learned.of("etl/count")->runs, 0u) << "at least";
  learned.ended("etl/count", "run-2", bytes(40, 20));
  EXPECT_EQ(known(learned), bytes(50, 20));
  learned.seen("etl/count", "run-3", bytes(10, 1));
  EXPECT_EQ(known(learned), bytes(50, 20)) << "that it has not taken more yet says nothing";
  learned.seen("etl/count", "run-3", bytes(90, 1));
  EXPECT_EQ(known(learned), bytes(90, 20));
  learned.ended("etl/count", "run-3", bytes(110, 20));
  EXPECT_EQ(known(learned), bytes(80, 20)) << "a run counts once, though it was seen before";
}

TEST(LearnedTraffic, TheLargerOfTheLastTwoRunsSaysHowManyWorkersWillCome) {
  LearnedTraffic learned;
  const auto workers = [&] { return learned.of("etl/count")->workers; };
  for (const auto& [had, known] : {std::pair(8u, 8u), {2u, 8u}, {3u, 3u}, {4u, 4u}, {4'000'000'000u, 1'000'000u}}) {
    learned.had("etl/count", had);
    EXPECT_EQ(workers(), known) << "after " << had;
  }
  EXPECT_EQ(learned.of("etl/count")->runs, 0u) << "nobody has told their bytes";
}

TEST(LearnedTraffic, IsReadBackAsItWasKept) {
  Random random(7);
  LearnedTraffic learned;
  for (int i = 0; i < 500; ++i) {
    const std::string of = "etl/app-" + std::to_string(random.below(20)), run = "run-" + std::to_string(i / 3);
    const Traffic traffic = bytes(random.uniform() * 1e6, random.uniform() * 1e6);
    random.below(2) == 0 ? learned.seen(of, run, traffic) : learned.ended(of, run, traffic);
    if (random.below(3) == 0) learned.had(of, static_cast<std::uint32_t>(random.below(100)));
  }
  LearnedTraffic again;
  again.read(learned.text());
  EXPECT_EQ(again.text(), learned.text());
  ASSERT_EQ(again.all().size(), learned.all().size());
  for (const auto& [of, one] : learned.all()) {
    EXPECT_NEAR(again.of(of)->bytes.shuffle.value(), one.bytes.shuffle.value(), 1e-3) << of;
    EXPECT_NEAR(again.of(of)->bytes.input.value(), one.bytes.input.value(), 1e-3) << of;
    EXPECT_EQ(again.of(of)->runs, one.runs) << of;
    EXPECT_EQ(again.of(of)->workers, one.workers) << of;
  }
  for (const char* text :
       {"", "[]", "{\"etl/a\":7}", "{\"etl/a\":{\"runs\":-1,\"shuffleMiB\":1e300,\"open\":[]}}",
        "{\"etl/a\":{\"workers\":7}}", "{\"etl/a\":{\"workers\":[-1,\"x\"]}}", "{\"etl/a\":{\"workers\":[1,2,3]}}"}) {
    again.read(text);
    for (const auto& [of, one] : again.all()) {
      EXPECT_EQ(one.bytes, Traffic{}) << text;
      EXPECT_EQ(one.workers, 0u) << text;
    }
  }
}

TEST(LearnedTraffic, OfANamespaceWithManyNamesTakesRoomFromItselfFirst) {
  LearnedTraffic learned;
  learned.ended("web/daily", "run", bytes(1, 1));
  for (int i = 0; i < 5000; ++i) learned.ended("etl/app-" + std::to_string(i), "run", bytes(1, 1));
  EXPECT_TRUE(learned.of("web/daily"));
  EXPECT_TRUE(learned.of("etl/app-4999"));
  EXPECT_FALSE(learned.of("etl/app-0"));
  EXPECT_EQ(learned.all().size(), 251u);
  for (int i = 0; i < 5000; ++i) learned.ended("team-" + std::to_string(i) + "/app", "run", bytes(1, 1));
  EXPECT_LE(learned.all().size(), 1000u);
  EXPECT_LT(learned.text().size(), 200'000u) << "a ConfigMap holds a MiB";
}

TEST(LearnedTraffic, SawTheEndOfARunThatWasReadInTheLastFifthOfItsTime) {
  const auto at = [](int seconds) { return TimePoint(std::chrono::seconds(seconds)); };
  EXPECT_TRUE(saw_the_end(at(0), at(2), at(6))) << "a short one may be read once";
  EXPECT_FALSE(saw_the_end(at(0), at(2), at(8)));
  EXPECT_TRUE(saw_the_end(at(0), at(800), at(1000)));
  EXPECT_FALSE(saw_the_end(at(0), at(799), at(1000)));
  // So that the end is seen of every run that is read as often as that and whose driver answers.
  for (int seconds = 1; seconds < 100'000; seconds = seconds * 11 / 10 + 1) {
    TimePoint read = at(0);
    while (read + pause_between_readings(read - at(0)) < at(seconds)) read += pause_between_readings(read - at(0));
    EXPECT_TRUE(saw_the_end(at(0), read, at(seconds))) << seconds;
  }
}

TEST(LearnedTraffic, IsReadSoonAfterADriverThatStartsSlowlyAndSeldomFromOneThatNeverAnswers) {
  for (double starts = 0; starts < 1000; starts += 7.3) {
    Duration asked{};
    while (asked < seconds(starts)) asked += pause_after_failure(asked);
    EXPECT_LE(asked, std::max(seconds(starts + 2), seconds(1.25 * starts))) << starts;
  }
  int times = 0;
  for (Duration age{}; age < std::chrono::hours(24); age += pause_after_failure(age)) ++times;
  EXPECT_LT(times, 330) << "every five minutes";
}

}  // namespace
}  // namespace lips::kubernetes
