#include "kubernetes/api/time_text.h"

#include <gtest/gtest.h>

namespace lips::kubernetes {
namespace {

TEST(TimeText, ReadsWhatTheServerWrites) {
  EXPECT_EQ(parse_time("1970-01-01T00:00:00Z")->time_since_epoch().count(), 0);
  EXPECT_EQ(parse_time("2026-01-31T12:34:56Z")->time_since_epoch().count(), 1'769'862'896'000'000);
  EXPECT_EQ(parse_time("2026-01-31T12:34:56.789012Z")->time_since_epoch().count(), 1'769'862'896'789'012);
  EXPECT_EQ(parse_time("2026-01-31T12:34:56.5Z")->time_since_epoch().count(), 1'769'862'896'500'000);
  EXPECT_EQ(*parse_time("2026-01-31T13:34:56+01:00"), *parse_time("2026-01-31T12:34:56Z"));
  EXPECT_EQ(parse_time("2024-02-29T00:00:00Z")->time_since_epoch().count(), 1'709'164'800'000'000);
}

TEST(TimeText, WritesWhatItReads) {
  for (const char* text : {"1970-01-01T00:00:00.000000Z", "2026-12-31T23:59:59.999999Z", "2024-02-29T07:08:09.000001Z"})
    EXPECT_EQ(micro_time_text(*parse_time(text)), text);
  EXPECT_EQ(time_text(*parse_time("2026-12-31T23:59:59.999999Z")), "2026-12-31T23:59:59Z");
}

TEST(TimeText, RefusesWhatIsNoTime) {
  for (const char* text : {"", "2026-13-01T00:00:00Z", "2026-02-30T00:00:00Z", "2026-01-31", "2026-01-31T12:34:56",
                           "2026-01-31T24:00:00Z", "2026-01-31T12:34:56.Z", "2026-01-31T12:34:56Zx", "now"})
    EXPECT_FALSE(parse_time(text).has_value()) << text;
}

// The year after is not written with four digits, so it could not be read again.
TEST(TimeText, RefusesWhatLeadsOutOfTheYearsOfFourDigits) {
  EXPECT_TRUE(parse_time("9999-12-31T23:59:59.999999Z"));
  EXPECT_FALSE(parse_time("9999-12-31T23:59:60Z"));
  EXPECT_FALSE(parse_time("9999-12-31T23:00:00-05:00"));
  EXPECT_FALSE(parse_time("0000-01-01T00:00:00+05:00"));
}

}  // namespace
}  // namespace lips::kubernetes
