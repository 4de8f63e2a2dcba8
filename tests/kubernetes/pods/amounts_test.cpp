#include "kubernetes/pods/amounts.h"

#include <gtest/gtest.h>

#include <limits>

namespace lips::kubernetes {
namespace {

TEST(Amounts, OfAbsurdSizeAddUpAndGoAwayAgain) {
  const ResourceAmounts absurd{{"cpu", std::numeric_limits<std::int64_t>::max()}, {"memory", 5}};
  ResourceAmounts sum{{"cpu", 1000}};
  for (int i = 0; i < 1000; ++i) add(sum, absurd);
  EXPECT_GT(amount_of(sum, "cpu"), std::int64_t{1} << 60) << "still more than any node has";
  EXPECT_EQ(amount_of(sum, "memory"), 5000);
  for (int i = 0; i < 1000; ++i) subtract(sum, absurd);
  EXPECT_EQ(amount_of(sum, "cpu"), 1000);
  EXPECT_EQ(amount_of(sum, "memory"), 0);
}

}  // namespace
}  // namespace lips::kubernetes
