#include "base/units.h"

#include <gtest/gtest.h>

#include <cmath>

namespace lips {
namespace {

TEST(Units, PriceTimesAmountIsMoney) {
  EXPECT_DOUBLE_EQ((UsdPerCpuSecond(2) * CpuSeconds(3)).value(), 6);
  EXPECT_DOUBLE_EQ((Mebibytes(3) * UsdPerMebibyte(2)).value(), 6);
  EXPECT_DOUBLE_EQ((UsdPerHour(2) * std::chrono::minutes(90)).value(), 3);
  EXPECT_DOUBLE_EQ((Mebibytes(10) * (UsdPerMebibyteHour(0.5) * std::chrono::hours(4))).value(), 20);
  EXPECT_DOUBLE_EQ((CpuSecondsPerMebibyte(0.5) * Mebibytes(64)).value(), 32);
}

TEST(Units, APaperBlockAcrossZonesCosts62Point5Millicent) {
  // LiPS section VI: 0.01 USD a GB (of 1024 MB) and 64 MB blocks.
  EXPECT_NEAR((UsdPerMebibyte(0.01 / 1024) * Mebibytes(64)).value(), 62.5e-5, 1e-12);
}

TEST(Units, AGigabyteIsTenToTheNine) {
  EXPECT_NEAR((usd_per_gigabyte(0.02) * Mebibytes(1e9 / 1048576)).value(), 0.02, 1e-15);
}

TEST(Units, SecondsRoundUpSoThatASpanNeverBecomesNone) {
  EXPECT_EQ(seconds(1e-7).count(), 1);
  EXPECT_EQ(seconds(0).count(), 0);
  EXPECT_EQ(seconds(1.5), std::chrono::milliseconds(1500));
  EXPECT_EQ(seconds(0.1 + 0.2), std::chrono::milliseconds(300)) << "0.30000000000000004 is not a microsecond more";
}

TEST(Units, WhatIsTooLongForTheClockIsTheLongestSpan) {
  for (const double count : {1e13, 1e14, 1e300, double{INFINITY}, double{NAN}, 2.4e12})
    EXPECT_EQ(seconds(count), longest_span) << count;
  EXPECT_EQ(seconds(-1e300), -longest_span);
  EXPECT_LT(seconds(2.3e12), longest_span);
  EXPECT_GT((longest_span + longest_span).count(), longest_span.count()) << "two of them add up";
  EXPECT_EQ(Mebibytes(1) / MebibytesPerSecond(0), longest_span) << "over no bandwidth it takes for ever";
  EXPECT_EQ(Mebibytes(0) / MebibytesPerSecond(0), longest_span);
}

TEST(Units, SizeOverBandwidthIsTime) { EXPECT_EQ(Mebibytes(64) / MebibytesPerSecond(32), std::chrono::seconds(2)); }

TEST(Units, QuotientsOfOneUnitAreNumbers) {
  const double ratio = Cores(3) / Cores(2);
  EXPECT_DOUBLE_EQ(ratio, 1.5);
  EXPECT_LT(Usd(1), Usd(2));
  EXPECT_DOUBLE_EQ(to_hours(std::chrono::minutes(30)), 0.5);
}

}  // namespace
}  // namespace lips
