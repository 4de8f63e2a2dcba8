#include "config/quantities.h"

#include <gtest/gtest.h>

#include <array>

#include "config/ranges.h"

namespace lips {
namespace {

TEST(Quantities, ReadsDurations) {
  EXPECT_EQ(parse_duration("90s"), std::chrono::seconds(90));
  EXPECT_EQ(parse_duration("1h30m"), std::chrono::minutes(90));
  EXPECT_EQ(parse_duration("10m"), std::chrono::minutes(10));
  EXPECT_EQ(parse_duration("250ms"), std::chrono::milliseconds(250));
  EXPECT_EQ(parse_duration("1.5d"), std::chrono::hours(36));
  EXPECT_EQ(parse_duration("0"), Duration(0));
  for (const char* bad : {"", "90", "s", "10 m x", "-5s", "5y", "1h-3m", "1e300d", "nans", "5s5"})
    EXPECT_FALSE(parse_duration(bad)) << bad;
}

TEST(Quantities, ReadsTimesOfDayAndWritesThem) {
  EXPECT_EQ(parse_time_of_day("06:30"), std::chrono::minutes(390));
  EXPECT_EQ(parse_time_of_day("24:00"), std::chrono::hours(24));
  EXPECT_EQ(parse_time_of_day("00:00"), std::chrono::hours(24)) << "both are midnight";
  EXPECT_EQ(parse_time_of_day(""), Duration(0));
  for (const char* bad :
       {"24:01", "24:59", "25:00", "6:30", "-1:30", "06:30:00", "06:30Z", "6h", "06:60", "noon", "06-30", "06:3O"})
    EXPECT_FALSE(parse_time_of_day(bad)) << bad;
  for (const char* text : {"06:30", "00:01", "24:00", ""}) EXPECT_EQ(time_of_day(*parse_time_of_day(text)), text);
}

TEST(Quantities, ReadsSizesOfBothKinds) {
  EXPECT_EQ(parse_size("128Mi")->value(), 128);
  EXPECT_EQ(parse_size("10Gi")->value(), 10240);
  EXPECT_EQ(parse_size("1 TiB")->value(), 1048576);
  EXPECT_NEAR(parse_size("64MB")->value(), 61.03515625, 1e-9);
  EXPECT_NEAR(parse_size("512B")->value(), 512.0 / 1048576, 1e-15);
  EXPECT_EQ(parse_size("0")->value(), 0);
  for (const char* bad : {"", "128", "Mi", "-1Mi", "1mi", "1 Mi x", "infGi"}) EXPECT_FALSE(parse_size(bad)) << bad;
}

TEST(Quantities, RefuseWhatIsOutOfTheirRange) {
  EXPECT_EQ(parse_duration("36525d"), longest_duration);
  EXPECT_FALSE(parse_duration("36526d"));
  EXPECT_FALSE(parse_duration("99999999999s"));
  EXPECT_EQ(parse_size("1048576Ti"), largest_size);
  EXPECT_EQ(parse_size("1B"), smallest_size);
  for (const char* bad : {"1048577Ti", "1e308Ti", "1e-300Mi", "0.5B", "1e-9B"}) EXPECT_FALSE(parse_size(bad)) << bad;
  EXPECT_EQ(parse_bandwidth("1073741824MiB/s"), fastest_bandwidth);
  EXPECT_EQ(parse_bandwidth("0"), MebibytesPerSecond(0));
  for (const char* bad : {"1e300MiB/s", "1e-20Mbit/s", "-1MB/s", "nanMiB/s"}) EXPECT_FALSE(parse_bandwidth(bad)) << bad;
}

TEST(Quantities, ReadsAmountsWithOrWithoutTheirUnit) {
  EXPECT_EQ(parse_amount("0.34", "USD/h"), 0.34);
  EXPECT_EQ(parse_amount("0.34 USD/h", "USD/h"), 0.34);
  EXPECT_EQ(parse_amount("0.34 USD/GB", "USD/h"), std::nullopt);
  EXPECT_EQ(parse_amount("cheap", "USD/h"), std::nullopt);
}

TEST(Quantities, FindsTheNameThatWasMeant) {
  const std::array<std::string_view, 3> names{"placement", "replicas", "zones"};
  EXPECT_EQ(most_alike("placment", names), "placement");
  EXPECT_EQ(most_alike("Zones", names), "zones");
  EXPECT_EQ(most_alike("bandwidth", names), "");
}

}  // namespace
}  // namespace lips
