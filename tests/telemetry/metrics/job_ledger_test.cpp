#include "telemetry/metrics/job_ledger.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>

namespace lips {
namespace {

JobDollars spent(double dollars) {
  JobDollars result;
  result.finished = 1, result.spent.cpu = Usd(dollars);
  return result;
}

TEST(JobLedger, AddsUpByDayPoolAndJob) {
  JobLedger ledger;
  ledger.add(2, "etl", "nightly", spent(3));
  ledger.add(1, "etl", "nightly", spent(5));
  ledger.add(2, "etl", "nightly", {0, {}, {}, {Usd(0), Usd(1), {}, {}, {}}});
  ledger.add(2, "web", "nightly", spent(7));
  const std::vector<JobDay> rows = ledger.rows();
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_EQ(rows[0].day, 1);
  EXPECT_EQ(rows[1].pool, "etl");
  EXPECT_EQ(rows[1].dollars.finished, 1u);
  EXPECT_EQ(rows[1].dollars.spent.total(), Usd(4));
}

// Cheap jobs come before and after the dear ones, each in one of a few pools.
TEST(JobLedger, KeepsTheDearestJobsOfADayAndAllDollarsOfEachPool) {
  JobLedger ledger;
  const std::size_t dear = JobLedger::least_jobs_a_day, cheap = 20 * dear;
  for (std::size_t i = 0; i < cheap; ++i) {
    ledger.add(7, fmt::format("pool-{}", i % 3), fmt::format("cheap-{}", i), spent(1));
    if (i % 20 == 10) ledger.add(7, "pool-0", fmt::format("dear-{}", i), spent(100));
    ASSERT_LE(ledger.rows().size(), 2 * dear) << i;
  }
  std::size_t dear_rows = 0;
  std::map<std::string, double> dollars;
  std::uint64_t tasks = 0;
  for (const JobDay& row : ledger.rows()) {
    dear_rows += row.job.starts_with("dear");
    dollars[row.pool] += row.dollars.spent.total().value();
    tasks += row.dollars.finished;
  }
  EXPECT_EQ(dear_rows, dear);
  EXPECT_EQ(tasks, cheap + dear);
  EXPECT_NEAR(dollars["pool-0"], cheap / 3.0 + 100.0 * static_cast<double>(dear), 1);
  EXPECT_NEAR(dollars["pool-1"], cheap / 3.0, 1);
}

TEST(JobLedger, StaysSmallHoweverManyPoolsAndDaysThereAre) {
  JobLedger ledger;
  double dollars = 0;
  for (int day = 0; day < 2; ++day)
    for (std::size_t i = 0; i < 20 * JobLedger::least_jobs_a_day; ++i)
      ledger.add(day, fmt::format("pool-{}", i), "job", spent(1));
  EXPECT_LE(ledger.rows().size(), 2 * 2 * JobLedger::least_jobs_a_day);
  for (const JobDay& row : ledger.rows()) dollars += row.dollars.spent.total().value();
  EXPECT_EQ(dollars, 2 * 20 * static_cast<double>(JobLedger::least_jobs_a_day));
  for (int day = 2; day < 100; ++day) ledger.add(day, "pool", "job", spent(1));
  EXPECT_EQ(ledger.rows().size(), JobLedger::most_days);
  EXPECT_EQ(ledger.rows().front().day, 100 - static_cast<int>(JobLedger::most_days)) << "the oldest days go";
}

}  // namespace
}  // namespace lips
