#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "telemetry/page/area.h"
#include "telemetry/page/bars.h"
#include "telemetry/page/html.h"
#include "telemetry/page/numbers.h"
#include "telemetry/page/scale.h"

namespace lips::page {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(Numbers, WritesDollarsAsPeopleDo) {
  EXPECT_EQ(usd(0), "$0.00");
  EXPECT_EQ(usd(123.4), "$123.40");
  EXPECT_EQ(usd(-3.2), "-$3.20");
  EXPECT_EQ(usd(1234.567), "$1,234.57");
  EXPECT_EQ(usd(12345.6), "$12,346");
  EXPECT_EQ(usd(1234567), "$1,234,567");
  EXPECT_EQ(usd(9999.999), "$10,000");
  EXPECT_EQ(usd(0.00421), "$0.0042");
  EXPECT_EQ(usd(0.0999), "$0.10");
  EXPECT_EQ(usd(std::nan("")), "-");
}

TEST(Numbers, WritesPercentages) {
  EXPECT_EQ(percent(0.314), "31 %");
  EXPECT_EQ(percent(0.0312), "3.1 %");
  EXPECT_EQ(percent(0.03), "3 %");
  EXPECT_EQ(percent(1), "100 %");
  EXPECT_EQ(percent(0.0004), "0.04 %");
  EXPECT_EQ(percent(0), "0 %");
  EXPECT_EQ(percent(-0.12), "-12 %");
  EXPECT_EQ(percent(12.5), "1,250 %");
}

TEST(Numbers, WritesDurationsInTwoUnits) {
  EXPECT_EQ(duration(0), "0 s");
  EXPECT_EQ(duration(0.0042), "4.2 ms");
  EXPECT_EQ(duration(0.42), "0.42 s");
  EXPECT_EQ(duration(2), "2 s");
  EXPECT_EQ(duration(59.7), "1 min");
  EXPECT_EQ(duration(200), "3 min 20 s");
  EXPECT_EQ(duration(3599.8), "1 h");
  EXPECT_EQ(duration(7500), "2 h 05 min");
  EXPECT_EQ(duration(86400), "1 d");
  EXPECT_EQ(duration(100800), "1 d 4 h");
  EXPECT_EQ(hours(5400), "1.5");
  EXPECT_EQ(epoch(600), "600 s");
  EXPECT_EQ(epoch(1200), "1,200 s");
  EXPECT_EQ(epoch(86400), "1 d");
}

TEST(Numbers, WritesVolumes) {
  EXPECT_EQ(gigabytes(0.052), "52 MB");
  EXPECT_EQ(gigabytes(1.52), "1.5 GB");
  EXPECT_EQ(gigabytes(1234), "1,234 GB");
  EXPECT_EQ(gigabytes(12340), "12.3 TB");
  EXPECT_EQ(gigabytes(1e-9), "1 B");
  EXPECT_EQ(gigabytes(0.000000961), "961 B");
  EXPECT_EQ(gigabytes(0.00000789), "7.89 kB");
  EXPECT_EQ(gigabytes(0.000961), "961 kB");
  EXPECT_EQ(gigabytes(-0.00274), "-2.74 MB");
}

TEST(Numbers, WritesNoVolumeWithAnExponent) {
  for (double value = 1e-12; value < 1e12; value *= 1.037) {
    const std::string text = gigabytes(value);
    EXPECT_EQ(text.find('e'), std::string::npos) << value;
    EXPECT_LE(text.size(), value < 1e9 ? 9u : 20u) << text;
  }
}

TEST(Numbers, SaysHowAValueChanged) {
  EXPECT_EQ(to_string(change(69, 100)), "31 % less");
  EXPECT_EQ(to_string(change(104, 100)), "4 % more");
  EXPECT_EQ(to_string(change(100, 100)), "the same");
  EXPECT_EQ(to_string(change(1, 0)), "-");
  EXPECT_EQ(change(100.001, 100).kind, Change::Kind::same);
  EXPECT_EQ(change(100.01, 100).kind, Change::Kind::more);
}

TEST(Escape, KeepsTextAndDisarmsTheRest) {
  EXPECT_EQ(escape("a<b>&\"'"), "a&lt;b&gt;&amp;&quot;&#39;");
  EXPECT_EQ(escape("größe · 日本"), "größe · 日本");
  EXPECT_EQ(escape(std::string("a\0b", 3)),
            "a\xEF\xBF\xBD"
            "b");
  EXPECT_EQ(escape("\xC3(\xED\xA0\x80"), "\xEF\xBF\xBD(\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD");
}

TEST(Axis, EndsOnRoundNumbers) {
  const auto axis = dollar_axis(0, 183);
  EXPECT_EQ(axis.low, 0);
  EXPECT_EQ(axis.high, 200);
  EXPECT_EQ(axis.ticks.back().label, "$200");
  EXPECT_DOUBLE_EQ(axis.ticks.back().position, 1);
}

TEST(Axis, LeavesZeroOutOnlyWhereValuesAreClose) {
  EXPECT_EQ(dollar_axis(50, 100).low, 0);
  EXPECT_GT(dollar_axis(95, 100).low, 0);
  EXPECT_LE(dollar_axis(95, 100).low, 95);
}

TEST(Axis, HasFewTicksAtAnyLength) {
  for (double end = 0.001; end < 1e9; end *= 1.37) {
    const auto axis = clock_axis(end);
    EXPECT_GE(axis.ticks.size(), 2U) << end;
    EXPECT_LE(axis.ticks.size(), 8U) << end;
  }
}

TEST(Axis, IsLogarithmicOverADecade) {
  EXPECT_TRUE(epoch_axis({60, 600}).logarithmic);
  EXPECT_FALSE(epoch_axis({300, 600}).logarithmic);
  const auto axis = epoch_axis({600});
  EXPECT_DOUBLE_EQ(axis.at(600), 0.5);
}

TEST(Resample, WeighsByTime) {
  EXPECT_THAT(resample({0, 5}, {1, 0}, 10, 2), ElementsAre(1, 0));
  EXPECT_THAT(resample({0, 2.5}, {1, 0}, 10, 2), ElementsAre(0.5, 0));
  EXPECT_THAT(resample({}, {}, 10, 2), ElementsAre(0, 0));
  EXPECT_THAT(resample({0}, {1}, 0, 2), ElementsAre(0, 0));
}

TEST(Bars, FillTheRowInProportion) {
  BarChart chart;
  chart.series = {categorical("CPU", 0), categorical("transfer", 1)};
  chart.bars = {{"lips", {{30, 0, "", "CPU"}, {20, 1, "", "transfer"}}, "$50.00", true}};
  chart.maximum = 100;
  chart.reference = Mark{"bound", 40};
  const auto html = render_bars(chart);
  EXPECT_THAT(html, HasSubstr("x=\"0%\" y=\"6\" width=\"30%\""));
  EXPECT_THAT(html, HasSubstr("x=\"30%\" y=\"6\" width=\"20%\""));
  EXPECT_THAT(html, HasSubstr("x1=\"40%\" x2=\"40%\""));
}

TEST(Bars, WriteInsideOnlyWhereThereIsRoom) {
  BarChart chart;
  chart.series = {{"near", "q1", ""}, {"far", "q2", ""}};
  chart.bars = {{"lips", {{0.95, 0, "95 %", ""}, {0.05, 1, "5 %", ""}}, "", false}};
  EXPECT_THAT(render_bars(chart), HasSubstr(">95 %</text>"));
  EXPECT_THAT(render_bars(chart), Not(HasSubstr(">5 %</text>")));
}

}  // namespace
}  // namespace lips::page
