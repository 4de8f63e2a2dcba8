#include "telemetry/metrics/money_history.h"

#include <gtest/gtest.h>

namespace lips {
namespace {

MoneyPoint at(Duration time) {
  MoneyPoint point;
  point.at = TimePoint(time);
  point.spent["etl"] = to_seconds(time);
  return point;
}

// Asked every ten seconds.
MoneyHistory of(Duration span) {
  MoneyHistory history;
  for (Duration time{}; time <= span; time += std::chrono::seconds(10))
    if (history.due(TimePoint(time))) history.add(at(time));
  return history;
}

TEST(MoneyHistory, HasAPointEveryHalfMinuteAtFirst) {
  const MoneyHistory history = of(std::chrono::minutes(5));
  ASSERT_EQ(history.points().size(), 11u);
  EXPECT_EQ(history.points()[1].at, TimePoint(std::chrono::seconds(30)));
}

TEST(MoneyHistory, KeepsAllOfADayInFewPointsEvenlyApart) {
  for (const int hours : {1, 2, 5, 12, 24}) {
    const MoneyHistory history = of(std::chrono::hours(hours));
    const std::vector<MoneyPoint>& points = history.points();
    ASSERT_LE(points.size(), MoneyHistory::most_points) << hours;
    ASSERT_GE(points.size(), MoneyHistory::most_points / 2) << hours;
    EXPECT_EQ(points.front().at, TimePoint{}) << hours;
    const Duration apart = points[1].at - points[0].at;
    for (std::size_t i = 1; i < points.size(); ++i) EXPECT_EQ(points[i].at - points[i - 1].at, apart) << hours;
    EXPECT_LE(TimePoint(std::chrono::hours(hours)) - points.back().at, apart) << hours;
  }
}

TEST(MoneyHistory, ForgetsWhatIsOlderThanADay) {
  const MoneyHistory history = of(std::chrono::hours(100));
  EXPECT_LE(history.points().size(), MoneyHistory::most_points);
  EXPECT_GE(history.points().front().at, TimePoint(std::chrono::hours(75)));
  EXPECT_LE(history.points().front().at, TimePoint(std::chrono::hours(77)));
  EXPECT_GE(history.points().back().at, TimePoint(std::chrono::hours(99)));
}

}  // namespace
}  // namespace lips
