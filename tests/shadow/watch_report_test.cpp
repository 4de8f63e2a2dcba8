#include "shadow/watch_report.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace lips {
namespace {

WatchedChange change_of(const std::string& name_space, const std::string& job, double actual, double planned) {
  WatchedChange change{name_space, job, {}};
  change.more.pods[WatchOutcome::compared] = 1, change.more.running = 2;
  change.more.actual.elastic = Usd(actual), change.more.planned.elastic = Usd(planned);
  return change;
}

TEST(WatchReport, AddsUpByDayNamespaceAndJob) {
  WatchReport report;
  report.add({change_of("web", "a", 3, 1)}, "2026-11-22");
  report.add({change_of("web", "a", 3, 2), change_of("etl", "a", 5, 5)}, "2026-11-22");
  report.add({change_of("web", "a", 1, 1)}, "2026-11-23");
  const std::vector<WatchedRow> rows = report.rows();
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_EQ(rows[0].name_space, "etl");
  EXPECT_EQ(rows[1].sum.pods[WatchOutcome::compared], 2u);
  EXPECT_EQ((rows[1].sum.actual.invoice() - rows[1].sum.planned.invoice()).value(), 3);
  EXPECT_EQ(rows[2].day, "2026-11-23");
  EXPECT_EQ(rows[0].sum.running + rows[1].sum.running, 0u) << "only the last look says what runs";
  EXPECT_EQ(rows[2].sum.running, 2u);
}

TEST(WatchReport, StaysSmallAndLosesNoDollarOfADay) {
  WatchReport report;
  for (int day = 10; day < 60; ++day) report.add({change_of("web", "a", 1, 1)}, fmt::format("2026-{}", day));
  for (std::size_t job = 0; job < 2 * WatchReport::most_jobs_a_day; ++job)
    report.add({change_of("web", fmt::format("job-{}", job), 1, 1)}, "2026-60");
  const std::vector<WatchedRow> rows = report.rows();
  EXPECT_EQ(rows.size(), WatchReport::most_days - 1 + WatchReport::most_jobs_a_day + 1);
  EXPECT_EQ(rows[0].day, "2026-30") << "the oldest days go";
  double dollars = 0;
  for (const WatchedRow& row : rows)
    if (row.day == "2026-60") dollars += row.sum.actual.invoice().value();
  EXPECT_EQ(dollars, 2 * WatchReport::most_jobs_a_day);
}

}  // namespace
}  // namespace lips
