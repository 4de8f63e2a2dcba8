#include "telemetry/metrics/spend_books.h"

#include <gtest/gtest.h>

#include "base/random.h"

namespace lips {
namespace {

// A third of the charges are corrections downwards.
TEST(SpendBooks, HaveCountersThatRiseAndExactSums) {
  Random random(1);
  const std::string pool = "etl", job = "nightly";
  SpendBooks books;
  Bill told, due;
  double most = 0;
  for (int i = 0; i < 300; ++i) {
    Bill more;
    more.shuffle = Usd(0.25 * (static_cast<double>(random.below(9)) - 2));
    const Bill rise = books.add({0, pool, job, more});
    EXPECT_GE(rise.shuffle.value(), 0) << "a counter does not fall";
    told += rise, due += more;
    most = std::max(most, due.shuffle.value());
    EXPECT_EQ(told.shuffle.value(), most) << "no more than was ever due";
    EXPECT_EQ(books.due(pool).shuffle, due.shuffle);
  }
  EXPECT_EQ(books.by_job().at(0).dollars.spent.shuffle, due.shuffle);
}

}  // namespace
}  // namespace lips
