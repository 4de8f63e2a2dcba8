#include "telemetry/status/money_charts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lips {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

// Three hours, an hour apart.
std::vector<MoneyPoint> hours() {
  std::vector<MoneyPoint> points(4);
  for (std::size_t i = 0; i < points.size(); ++i) {
    const auto hour = static_cast<double>(i);
    points[i].at = TimePoint(std::chrono::hours(i));
    points[i].spent = {{"etl", 100 + 10 * hour}, {"web", 2 * hour}, {"_data", 0.5 * hour}};
  }
  return points;
}

TEST(MoneyCharts, DrawWhatWasSpentSinceTheFirstPoint) {
  const std::string page = render_money(hours());
  EXPECT_THAT(page, AllOf(HasSubstr("etl: $30.00"), HasSubstr("web: $6.00"), HasSubstr("copies and storage: $1.50"),
                          HasSubstr("Spent by use in the last 3 h")));
}

TEST(MoneyCharts, SayAllOfItInWordsAndInATableToo) {
  const std::string page = render_money(hours());
  EXPECT_THAT(page, HasSubstr("Dollars by use, by pool, over 3 h: etl $30.00, web $6.00, copies and storage $1.50"));
  EXPECT_EQ(count(page, "<table"), 1u);
  EXPECT_THAT(page, AllOf(HasSubstr("3 h ago"), HasSubstr("1 h ago"), HasSubstr("now"), HasSubstr("$20.00")));
}

TEST(MoneyCharts, DrawTheInvoiceFirst) {
  std::vector<MoneyPoint> points = hours();
  EXPECT_THAT(render_money(points), Not(HasSubstr("Invoice"))) << "nothing is paid for nodes";
  for (std::size_t i = 0; i < points.size(); ++i)
    points[i].paid = 7 + 4 * static_cast<double>(i), points[i].idle = static_cast<double>(i);
  const std::string page = render_money(points);
  EXPECT_THAT(page, HasSubstr("Invoice, over 3 h: paid $12.00, of it for idle nodes $3.00"));
  EXPECT_LT(page.find("Invoice"), page.find("Dollars by use"));
}

TEST(MoneyCharts, MarkOnlyTheEndOfALine) { EXPECT_EQ(count(render_money(hours()), "class=\"point\" x=\"100"), 3u); }

TEST(MoneyCharts, SumUpThePoolsThatCannotBeToldApart) {
  std::vector<MoneyPoint> points = hours();
  for (MoneyPoint& point : points)
    for (int i = 0; i < 20; ++i) point.spent["team-" + std::to_string(i)] = to_seconds(point.at) / 36000;
  const std::string page = render_money(points);
  EXPECT_THAT(page, AllOf(HasSubstr("etl: $30.00"), HasSubstr("18 others: $5.40"), Not(HasSubstr("team-19"))));
}

TEST(MoneyCharts, EscapeNames) {
  std::vector<MoneyPoint> points = hours();
  for (MoneyPoint& point : points) point.spent["<b>\"x"] = to_seconds(point.at);
  EXPECT_THAT(render_money(points), AllOf(HasSubstr("&lt;b&gt;&quot;x"), Not(HasSubstr("<b>"))));
}

TEST(MoneyCharts, AreNothingBeforeThereIsATime) {
  EXPECT_EQ(render_money({}), "");
  EXPECT_EQ(render_money({hours().front()}), "");
  EXPECT_EQ(render_money({hours().front(), hours().front()}), "");
  std::vector<MoneyPoint> nothing = hours();
  for (MoneyPoint& point : nothing) point.spent.clear();
  EXPECT_EQ(render_money(nothing), "");
}

}  // namespace
}  // namespace lips
