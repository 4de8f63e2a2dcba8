#include "config/cron_schedule.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/random.h"

namespace lips {
namespace {

using namespace std::chrono;
using testing::HasSubstr;

TimePoint at(int year_, unsigned month_, unsigned day_, int hour_ = 0, int minute_ = 0) {
  const sys_days date = year(year_) / month(month_) / day(day_);
  return TimePoint(date.time_since_epoch() + hours(hour_) + minutes(minute_));
}

std::vector<TimePoint> starts(const char* text, TimePoint from, TimePoint to) {
  const Result<CronSchedule> schedule = CronSchedule::parse(text);
  EXPECT_TRUE(schedule) << text;
  return schedule ? schedule->within(from, to) : std::vector<TimePoint>();
}

TEST(CronSchedule, StartsWhenItsFieldsSay) {
  // 2026-11-23 is a Monday.
  const TimePoint monday = at(2026, 11, 23), tuesday = at(2026, 11, 24);
  EXPECT_THAT(starts("30 2 * * *", monday, tuesday), testing::ElementsAre(at(2026, 11, 23, 2, 30)));
  EXPECT_EQ(starts("*/15 * * * *", monday, tuesday).size(), 96u);
  EXPECT_EQ(starts("5/20 8-10,22 * * *", monday, tuesday).size(), 12u);  // 5, 25, 45 past four hours
  EXPECT_EQ(starts("0 0 * * MON-fri", monday, at(2026, 11, 30)).size(), 5u);
  EXPECT_THAT(starts("0 12 1 jan *", at(2026, 1, 1), at(2028, 1, 1)),
              testing::ElementsAre(at(2026, 1, 1, 12), at(2027, 1, 1, 12)));
  EXPECT_THAT(starts("@hourly", at(2026, 1, 1, 1, 59), at(2026, 1, 1, 4)),
              testing::ElementsAre(at(2026, 1, 1, 2), at(2026, 1, 1, 3)));
  EXPECT_EQ(starts("@weekly", at(2026, 11, 1), at(2026, 11, 30)).size(), 5u);  // its Sundays
}

// Kubernetes takes any blanks between fields, and counts @every from the last start.
TEST(CronSchedule, TakesTabsAndDistances) {
  const TimePoint monday = at(2026, 11, 23), tuesday = at(2026, 11, 24);
  for (const char* text : {"30\t2\t*\t*\t*", "  30 \t 2 * * *\r\n"})
    EXPECT_THAT(starts(text, monday, tuesday), testing::ElementsAre(at(2026, 11, 23, 2, 30))) << text;
  const auto every = [&](const char* text, TimePoint from, TimePoint to, TimePoint since) {
    return CronSchedule::parse(text)->within(from, to, {}, since);
  };
  const TimePoint last = at(2026, 11, 23, 0, 40);
  EXPECT_THAT(every("@every 1h30m", monday, at(2026, 11, 23, 4), last), testing::ElementsAre(at(2026, 11, 23, 2, 10), at(2026, 11, 23, 3, 40)));
  EXPECT_THAT(every("@every 1h30m", at(2026, 11, 23, 2, 10), at(2026, 11, 23, 3, 40), last), testing::ElementsAre(at(2026, 11, 23, 2, 10)));
  EXPECT_THAT(every("@every 1h30m", at(2026, 11, 23, 2, 11), at(2026, 11, 23, 3, 41), last), testing::ElementsAre(at(2026, 11, 23, 3, 40)));
  EXPECT_EQ(every("@every\t1m", monday, tuesday, monday).size(), 1439u);
  for (const char* wrong : {"@every", "@every soon", "@every 59s", "@every -1h", "@every 1h 2h", "@everyday"})
    EXPECT_FALSE(CronSchedule::parse(wrong)) << wrong;
}

TEST(CronSchedule, TakesADayOfEitherWhereBothNameSome) {
  // The first of the month, or a Monday.
  EXPECT_EQ(starts("0 0 1 * 1", at(2026, 11, 1), at(2026, 12, 1)).size(), 6u);
  EXPECT_EQ(starts("0 0 * * 1", at(2026, 11, 1), at(2026, 12, 1)).size(), 5u);
  // Steps name days too: 15 odd ones, and three even Mondays.
  EXPECT_EQ(starts("0 0 */2 * 1", at(2026, 11, 1), at(2026, 12, 1)).size(), 18u);
  EXPECT_EQ(starts("0 0 29 2 *", at(2026, 1, 1), at(2029, 1, 1)).size(), 1u);
}

// The clocks of Paris go forward on 29 March 2026 at 2:00, and back on 25 October at 3:00.
TEST(CronSchedule, SkipsAndRepeatsWhatClocksSkipAndRepeat) {
  const Result<TimeZone> paris = TimeZone::named("Europe/Paris");
  ASSERT_TRUE(paris) << paris.error().message;
  const auto nightly = [&](TimePoint from) {
    return CronSchedule::parse("30 2 * * *")->within(from, from + hours(24), *paris);
  };
  EXPECT_THAT(nightly(at(2026, 3, 27, 23)), testing::ElementsAre(at(2026, 3, 28, 1, 30)));
  EXPECT_THAT(nightly(at(2026, 3, 28, 23)), testing::IsEmpty());
  EXPECT_THAT(nightly(at(2026, 3, 29, 22)), testing::ElementsAre(at(2026, 3, 30, 0, 30)));
  EXPECT_THAT(nightly(at(2026, 10, 24, 22)), testing::ElementsAre(at(2026, 10, 25, 0, 30), at(2026, 10, 25, 1, 30)));
  // A day of the week is that of the zone: Monday begins in Auckland on Sunday at 11:00 UTC.
  EXPECT_THAT(CronSchedule::parse("0 0 * * 1")
                  ->within(at(2026, 11, 20), at(2026, 11, 27), *TimeZone::named("Pacific/Auckland")),
              testing::ElementsAre(at(2026, 11, 22, 11)));
}

TEST(TimeZone, IsUtcWithoutANameAndTakesNamesAlone) {
  EXPECT_EQ(TimeZone::named("")->offset(at(2026, 7, 1)), Duration(0));
  EXPECT_EQ(TimeZone::named("Etc/UTC")->offset(at(2026, 7, 1)), Duration(0));
  EXPECT_EQ(TimeZone::named("Asia/Kolkata")->offset(at(2026, 7, 1)), minutes(330));
  EXPECT_EQ(TimeZone::named("America/St_Johns")->offset(at(1960, 1, 1)), -minutes(210)) << "before the epoch";
  for (const char* name : {"Europe/Atlantis", "/etc/passwd", "../../../etc/localtime", "localtime", ":UTC",
                           "file:Europe/Paris", "libc:localtime", "Europe", "Europe/Paris\n"}) {
    const Result<TimeZone> zone = TimeZone::named(name);
    ASSERT_FALSE(zone) << name;
    EXPECT_THAT(zone.error().message, HasSubstr("found '" + std::string(name) + "'"));
  }
  EXPECT_FALSE(TimeZone::named(std::string(1000, 'a')));
}

TEST(CronSchedule, RefusesWhatItCannotReadAndSaysWhy) {
  for (const char* text :
       {"", "* * * *", "* * * * * *", "60 * * * *", "* 24 * * *", "* * 0 * *", "* * * 13 *", "* * * * 7", "5-1 * * * *",
        "*/0 * * * *", "-1 * * * *", "a * * * *", "@every 5s", "TZ=Europe/Paris 0 0 * * *", "1- * * * *", "/5 * * * *"})
    EXPECT_FALSE(CronSchedule::parse(text)) << text;
  EXPECT_THAT(CronSchedule::parse("* 24 * * *").error().message, HasSubstr("hour: found '24'"));
}

// The starts of a span are the minutes that match, however it is divided.
TEST(CronSchedule, FindsTheSameStartsHoweverTheSpanIsDivided) {
  Random random(7);
  for (int i = 0; i < 200; ++i) {
    const std::string text = std::to_string(random.below(60)) + "/" + std::to_string(1 + random.below(40)) + " " +
                             std::to_string(random.below(24)) + "-23 */" + std::to_string(1 + random.below(9)) + " * " +
                             (random.below(2) ? "*" : std::to_string(random.below(7)));
    const TimePoint from = at(2026, 1, 1) + seconds(static_cast<std::int64_t>(random.below(40'000'000)));
    const TimePoint to = from + seconds(static_cast<std::int64_t>(random.below(400'000)));
    const TimePoint between = from + seconds(static_cast<std::int64_t>(random.below(400'000)));
    std::vector<TimePoint> parts = starts(text.c_str(), from, std::min(between, to));
    const std::vector<TimePoint> rest = starts(text.c_str(), std::min(between, to), to);
    parts.insert(parts.end(), rest.begin(), rest.end());
    EXPECT_EQ(starts(text.c_str(), from, to), parts) << text;
  }
}

}  // namespace
}  // namespace lips
