#include "kubernetes/api/quantity.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>

namespace lips::kubernetes {
namespace {

constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();

ResourceQuantity parsed(const std::string& text) {
  const auto quantity = parse_quantity(text);
  EXPECT_TRUE(quantity.has_value()) << text;
  return quantity.value_or(ResourceQuantity{-1, 0});
}

TEST(Quantity, ReadsEverySuffix) {
  const std::pair<const char*, ResourceQuantity> cases[] = {
      {"0", {0, 0}},
      {"100m", {0, 100'000'000}},
      {"0.1", {0, 100'000'000}},
      {".5", {0, 500'000'000}},
      {"5.", {5, 0}},
      {"1.5", {1, 500'000'000}},
      {"1n", {0, 1}},
      {"250u", {0, 250'000}},
      {"2k", {2000, 0}},
      {"3M", {3'000'000, 0}},
      {"1G", {1'000'000'000, 0}},
      {"1T", {1'000'000'000'000, 0}},
      {"1P", {1'000'000'000'000'000, 0}},
      {"1E", {1'000'000'000'000'000'000, 0}},
      {"1Ki", {1024, 0}},
      {"1.5Gi", {1'610'612'736, 0}},
      {"64Mi", {67'108'864, 0}},
      {"1Ti", {1'099'511'627'776, 0}},
      {"1Pi", {1'125'899'906'842'624, 0}},
      {"1Ei", {1'152'921'504'606'846'976, 0}},
      {"1e3", {1000, 0}},
      {"1E3", {1000, 0}},
      {"1e+3", {1000, 0}},
      {"25e-2", {0, 250'000'000}},
      {"-100m", {0, -100'000'000}},
      {"+2", {2, 0}},
      {"9223372036854775807", {most, 0}},
  };
  for (const auto& [text, expected] : cases) {
    EXPECT_EQ(parsed(text).whole, expected.whole) << text;
    EXPECT_EQ(parsed(text).nanos, expected.nanos) << text;
  }
}

TEST(Quantity, RoundsAwayFromZeroWhatIsFinerThanABillionth) {
  EXPECT_EQ(parsed("0.1n").nanos, 1);
  EXPECT_EQ(parsed("1.0000000001").nanos, 1);
  EXPECT_EQ(parsed("1e-300").nanos, 1);
  EXPECT_EQ(parsed("-0.1n").nanos, -1);
  EXPECT_EQ(parsed("0e-300").nanos, 0);
}

TEST(Quantity, StopsAtTheLargestInteger) {
  for (const char* text : {"9223372036854775808", "8Ei", "1e30", "1e99999999999", "99999999999999999999999999"})
    EXPECT_EQ(parsed(text).whole, most) << text;
  EXPECT_EQ(parsed("8Ei").milli(), most);
}

TEST(Quantity, GivesThousandthsAndUnitsRoundedUp) {
  EXPECT_EQ(parsed("1").milli(), 1000);
  EXPECT_EQ(parsed("100m").milli(), 100);
  EXPECT_EQ(parsed("100u").milli(), 1);
  EXPECT_EQ(parsed("1.5").units(), 2);
  EXPECT_EQ(parsed("128Mi").units(), 134'217'728);
  EXPECT_EQ(parsed("-1.5").units(), -1);
}

TEST(Quantity, ComparesAsNumbers) {
  EXPECT_EQ(parsed("1000m"), parsed("1"));
  EXPECT_LT(parsed("999m"), parsed("1"));
  EXPECT_LT(parsed("-2"), parsed("-1.5"));
  EXPECT_GT(parsed("1Gi"), parsed("1G"));
}

TEST(Quantity, RefusesWhatIsNone) {
  for (const char* text :
       {"", "Gi", "1 Gi", "1gi", "1K", "1.2.3", "--1", "1e", "1e+", "e3", "0x10", "1Gi2", ".", "1e3.5", "1e+-3"}) {
    const auto quantity = parse_quantity(text);
    ASSERT_FALSE(quantity.has_value()) << text;
    EXPECT_EQ(quantity.error().code, ErrorCode::invalid_input);
    EXPECT_NE(quantity.error().message.find('\'' + std::string(text) + '\''), std::string::npos);
  }
}

}  // namespace
}  // namespace lips::kubernetes
