#include "config/price_sheet.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

namespace lips {
namespace {

using testing::HasSubstr;

PriceSheet shipped() {
  Result<PriceSheet> sheet = read_price_sheet(LIPS_SOURCE_DIR "/config");
  EXPECT_TRUE(sheet) << (sheet ? "" : sheet.error().message);
  return sheet ? std::move(*sheet) : PriceSheet();
}

TEST(PriceSheet, KnowsCurrentInstances) {
  const PriceSheet sheet = shipped();
  const InstanceOffer* offer = sheet.find("us-east-1", "m7g.2xlarge");
  ASSERT_NE(offer, nullptr);
  EXPECT_EQ(offer->vcpu.value(), 8);
  EXPECT_EQ(offer->memory.value(), 32 * 1024);
  EXPECT_EQ(offer->price.value(), 0.3264);
  EXPECT_EQ(offer->as_of, "2026-07-20");
  EXPECT_GT(*offer->network_gigabits, 0);
  EXPECT_EQ(sheet.find("us-east-1", "m7g.99xlarge"), nullptr);
  EXPECT_EQ(sheet.find("mars-1", "m7g.2xlarge"), nullptr);
}

TEST(PriceSheet, TakesTheNewestPriceUpToADate) {
  const PriceSheet sheet = shipped();
  EXPECT_EQ(sheet.find("us-east-1", "m1.medium", "2012-10-31")->price.value(), 0.16);
  EXPECT_EQ(sheet.find("us-east-1", "m1.medium", "2013-12-31")->price.value(), 0.13);
  EXPECT_EQ(sheet.find("us-east-1", "m1.medium")->price.value(), 0.087);
  EXPECT_EQ(sheet.find("us-east-1", "m1.medium", "2010-01-01"), nullptr);
  EXPECT_EQ(sheet.find("us-east-1", "c1.medium", "2012-10-31")->ecu, 5);
}

TEST(PriceSheet, ChargesABytesZoneCrossingTwice) {
  const PriceSheet sheet = shipped();
  EXPECT_NEAR(sheet.cross_zone_usd_per_gigabyte(), 0.02, 1e-12);
  EXPECT_EQ(sheet.cross_region_usd_per_gigabyte("us-east-1", "us-west-2"), 0.02);
  EXPECT_EQ(sheet.cross_region_usd_per_gigabyte("us-east-1", "mars-1"), std::nullopt);
  EXPECT_EQ(sheet.storage_usd_per_gigabyte_month(), 0.08);
  EXPECT_NEAR(usd_per_gigabyte_month(0.73).value() * mebibytes_per_gigabyte, 0.001, 1e-12);
}

Result<std::vector<InstanceOffer>> offers_of(const char* rows) {
  std::string csv = "region,instance_type,vcpu,ecu,memory_gib,network_gbps,usd_per_hour,as_of,source\n";
  csv += rows;
  return parse_instance_prices("p.csv", csv);
}

TEST(PriceSheet, BadRowsNameFileLineAndColumn) {
  const auto offers = offers_of("r,a,2,,4,,0.1,2026-01-31,s\nr,b,two,,4,,-1,2026-01-31,s\nr,c,2\n");
  ASSERT_FALSE(offers);
  EXPECT_THAT(offers.error().message, HasSubstr("p.csv:3: vcpu: found 'two'; allowed: a number from 0 to 1000000000"));
  EXPECT_THAT(offers.error().message,
              HasSubstr("p.csv:3: usd_per_hour: found '-1'; allowed: a number from 0 to 1000000000"));
  EXPECT_THAT(offers.error().message, HasSubstr("p.csv:4: found 3 columns; allowed: 9"));
}

TEST(PriceSheet, AMissingColumnIsNamed) {
  const auto offers = parse_instance_prices("p.csv", "region,instance_type\nr,a\n");
  ASSERT_FALSE(offers);
  EXPECT_THAT(offers.error().message, HasSubstr("p.csv:1: usd_per_hour: found no such column"));
}

TEST(PriceSheet, ReadsWhatSpreadsheetsSave) {
  const std::string header = "region,instance_type,zone,capacity_type,usd_per_hour,as_of,source";
  const std::string row = "eu-central-1,m5.large,,on-demand,0.115,2026-02-01,\"one, \"\"two\"\"\"";
  for (const std::string mark : {"", "\xEF\xBB\xBF"})
    for (const std::string end : {"\n", "\r\n", "\r"})
      for (const std::string blank : {"", " \t", ",,,,,,"}) {
        const auto offers = parse_instance_prices("p.csv", mark + header + end + blank + end + row + end + blank + end);
        ASSERT_TRUE(offers) << offers.error().message;
        ASSERT_EQ(offers->size(), 1u);
        EXPECT_EQ(offers->front().region, "eu-central-1");
        EXPECT_EQ(offers->front().source, "one, \"two\"");
        const auto again = parse_instance_prices("p.csv", write_instance_prices(*offers));
        ASSERT_TRUE(again) << again.error().message;
        EXPECT_EQ(again->front().source, "one, \"two\"");
        EXPECT_EQ(again->front().price, offers->front().price);
      }
  EXPECT_TRUE(parse_instance_prices("p.csv", header + "\nr,a,,,0.1,2026-02-01,\"two\nlines\"")) << "a line end in a cell";
}

TEST(PriceSheet, SaysInWhichFormItReadsNoTable) {
  const auto said = [](const std::string& text) {
    const auto offers = parse_instance_prices("p.csv", text);
    return offers ? std::string() : offers.error().message;
  };
  EXPECT_THAT(said("region;instance_type;usd_per_hour;as_of\nr;a;0,1;2026-01-31\n"), HasSubstr("p.csv:1: found columns between semicolons"));
  EXPECT_THAT(said("region\tinstance_type\tusd_per_hour\tas_of\n"), HasSubstr("p.csv:1: found columns between tabs"));
  EXPECT_THAT(said("\xFF\xFEr"), HasSubstr("p.csv:1: found UTF-16; allowed: UTF-8"));
  EXPECT_THAT(said("region,instance_type,usd_per_hour,as_of\n\nr,\"a,0.1,2026-01-31\nr,b,0.1,2026-01-31\n"),
              HasSubstr("p.csv:3: found a quote without an end"));
}

// The newest price counts, so a date in another order of day and month would make an old price the newest.
TEST(PriceSheet, RefusesWhatIsNoDate) {
  for (const char* date : {"12/31/2025", "31.12.2025", "2026-2-1", "2026-13-01", "2026-02-29", "2026-00-10", "20260201",
                           "2026-02-01T00:00:00Z", "-026-01-01", "d"}) {
    const auto offers = offers_of(("r,a,2,,4,,0.1," + std::string(date) + ",s\n").c_str());
    ASSERT_FALSE(offers) << date;
    EXPECT_THAT(offers.error().message, HasSubstr("p.csv:2: as_of: found '" + std::string(date) + "'; allowed: a date as YYYY-MM-DD"));
  }
  for (const char* date : {"2028-02-29", "2026-12-31", ""})
    EXPECT_TRUE(offers_of(("r,a,2,,4,,0.1," + std::string(date) + ",s\n").c_str())) << date;
}

TEST(ConfigFolder, IsTheGivenOneElseTheEnvironmentsElseTheSourceTrees) {
  constexpr const char* folder = LIPS_SOURCE_DIR "/config";
  EXPECT_EQ(*find_config_folder(folder), folder);
  EXPECT_THAT(find_config_folder("/nowhere").error().message, HasSubstr("--config-dir: found no folder '/nowhere'"));
  ASSERT_EQ(setenv("LIPS_CONFIG_DIR", "/not/there", 1), 0);
  EXPECT_THAT(find_config_folder().error().message, HasSubstr("LIPS_CONFIG_DIR: found no folder '/not/there'"));
  ASSERT_EQ(setenv("LIPS_CONFIG_DIR", folder, 1), 0);
  EXPECT_EQ(*find_config_folder(), folder);
  ASSERT_EQ(unsetenv("LIPS_CONFIG_DIR"), 0);
  EXPECT_TRUE(find_config_folder());
}

}  // namespace
}  // namespace lips
