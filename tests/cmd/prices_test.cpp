// lips prices: the built-in sheet, and prices of other programs as a file for the operator.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/cmd/program.h"

namespace lips::cmd_test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

constexpr const char* spot_history = R"({"SpotPriceHistory": [
  {"AvailabilityZone": "us-east-1a", "InstanceType": "m7g.2xlarge", "ProductDescription": "Linux/UNIX",
   "SpotPrice": "0.123400", "Timestamp": "2026-11-21T10:00:00+00:00"}]})";

TEST(Prices, ShowsATypeInEveryRegionOfTheBuiltInSheet) {
  const Said said = lips({"prices", "m5.large"});
  EXPECT_EQ(said.status, 0) << said.err;
  EXPECT_THAT(said.out, AllOf(HasSubstr("us-east-1"), HasSubstr("us-west-2"), HasSubstr("eu-west-1"),
                              HasSubstr("0.09600"), HasSubstr("on-demand"), Not(HasSubstr("m5.xlarge"))));
}

TEST(Prices, ConvertsAHistoryIntoAFileThatAddsToTheSheet) {
  const Folder folder;
  write(folder.file("history.json"), spot_history);
  const Said made =
      lips({"prices", "--spot-history", folder.file("history.json"), "--output", folder.file("prices.csv")});
  ASSERT_EQ(made.status, 0) << made.err;
  const Said shown = lips({"prices", "m7g.2xlarge", "--region", "us-east-1", "--file", folder.file("prices.csv")});
  EXPECT_EQ(shown.status, 0) << shown.err;
  EXPECT_THAT(shown.out, AllOf(HasSubstr("us-east-1a"), HasSubstr("spot"), HasSubstr("0.12340"),
                               HasSubstr("2026-11-21"), HasSubstr("on-demand")));
}

TEST(Prices, NamesWhatIsWrong) {
  const Folder folder;
  write(folder.file("history.json"), "{}");
  const Said empty = lips({"prices", "--spot-history", folder.file("history.json")});
  EXPECT_EQ(empty.status, 2);
  EXPECT_THAT(empty.err, AllOf(HasSubstr("history.json: found no price"), HasSubstr("SpotPriceHistory")));
  const Said unknown = lips({"prices", "m5.lagre"});
  EXPECT_EQ(unknown.status, 2);
  EXPECT_THAT(unknown.err, AllOf(HasSubstr("no price of 'm5.lagre'"), HasSubstr("did you mean 'm5.large'")));
}

}  // namespace
}  // namespace lips::cmd_test
