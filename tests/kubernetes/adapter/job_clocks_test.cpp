// Clocks of Kubernetes itself: when it ends a Job, or wants to start the next run in its place.
#include "kubernetes/adapter/job_clocks.h"

#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>
#include <utility>

#include "model/targets.h"

namespace lips::kubernetes {
namespace {

constexpr TimePoint day_at_five(one_day * 20'000 + std::chrono::hours(5));

TEST(JobClocks, EndAJobSoLongAfterItsStart) {
  BatchJob job;
  EXPECT_FALSE(ends_by_clock(job, day_at_five, nullptr));
  job.spec.active_deadline = std::chrono::hours(1);
  EXPECT_EQ(ends_by_clock(job, day_at_five, nullptr), day_at_five + std::chrono::hours(1));
}

class JobClocksOfRuns : public ::testing::Test {
 protected:
  JobClocksOfRuns() {
    cron_.meta = {"default", "words", "uid-cron", ""};
    cron_.schedule = "0 */3 * * *";
    cron_.one_at_a_time = true;
    job_.cron_job = "uid-cron";
    job_.meta = {"default", name_of_run(cron_, three_), "uid-job", ""};
  }
  std::optional<TimePoint> end(TimePoint began) const {
    const std::map<std::string, CronJob> cron_jobs{{"uid-cron", cron_}};
    return ends_by_clock(job_, began, &cron_jobs);
  }
  const TimePoint three_ = day_at_five - std::chrono::hours(2), six_ = day_at_five + std::chrono::hours(1);
  CronJob cron_;
  BatchJob job_;
};

// The next run waits for this one, or replaces it.
TEST_F(JobClocksOfRuns, AreTheTimeOfTheNextRun) {
  EXPECT_EQ(end(three_ - std::chrono::seconds(1)), six_) << "by another clock it began before its time";
  EXPECT_EQ(end(three_), six_);
  EXPECT_EQ(end(day_at_five), six_);
  EXPECT_EQ(end(six_ + std::chrono::minutes(1)), six_ + std::chrono::hours(3)) << "it waited for the one before";
  job_.spec.active_deadline = std::chrono::hours(1);
  EXPECT_EQ(end(day_at_five), six_);
  EXPECT_EQ(end(three_), three_ + std::chrono::hours(1)) << "its controller ends it before";
}

TEST_F(JobClocksOfRuns, FollowTheZoneOfTheSchedule) {
  cron_.time_zone = "Asia/Kolkata";  // half an hour beside the clocks of UTC
  EXPECT_EQ(end(six_), six_ + std::chrono::minutes(30));
  cron_.time_zone = "Europe/Atlantis";
  EXPECT_FALSE(end(six_));
}

TEST_F(JobClocksOfRuns, AreNoneWhereNothingWaits) {
  cron_.one_at_a_time = false;
  EXPECT_FALSE(end(three_)) << "several may run at once";
  cron_.one_at_a_time = true;
  for (const char* schedule : {"0 0 1 * *", "", "61 * * * *", "0 0 31 2 *"}) {
    cron_.schedule = schedule;
    EXPECT_FALSE(end(three_)) << schedule << " has no run within a week";
  }
  cron_.schedule = "@hourly";
  EXPECT_TRUE(end(three_));
  const std::string run = std::exchange(job_.meta.name, "");
  for (const char* name : {"", "words-by-hand", "words-", "words--5", "others-1", "words-99999999999999999999"}) {
    job_.meta.name = name;
    EXPECT_FALSE(end(three_)) << name << " is no run of the schedule";
  }
  job_.meta.name = run;
  cron_.suspended = true;
  EXPECT_FALSE(end(three_)) << "there is no next run";
  cron_.suspended = false;
  job_.cron_job = "uid-gone";
  EXPECT_FALSE(end(three_));
}

TEST(JobClocks, AreReadFromJobsAndCronJobs) {
  JobDecoder jobs;
  nlohmann::json job{{"metadata",
                      {{"namespace", "etl"},
                       {"name", "report-1"},
                       {"uid", "u"},
                       {"ownerReferences",
                        {{{"apiVersion", "v1"}, {"kind", "ConfigMap"}, {"name", "c"}, {"uid", "other"}},
                         {{"apiVersion", "batch/v1"},
                          {"kind", "CronJob"},
                          {"name", "report"},
                          {"uid", "cron"},
                          {"controller", true}}}}}},
                     {"spec", {{"activeDeadlineSeconds", 90}, {"template", nlohmann::json::object()}}}};
  const auto read = [&] { return jobs.decode(job.dump()).value(); };
  EXPECT_EQ(read().cron_job, "cron");
  EXPECT_EQ(read().spec.active_deadline, Duration(std::chrono::seconds(90)));
  job["spec"]["activeDeadlineSeconds"] = std::numeric_limits<std::int64_t>::max();
  EXPECT_GT(TimePoint(one_day * 20'000) + *read().spec.active_deadline, TimePoint(one_day * 40'000)) << "no overflow";
  job["spec"]["activeDeadlineSeconds"] = nullptr;
  EXPECT_FALSE(read().spec.active_deadline);
  job["metadata"]["ownerReferences"][1]["controller"] = false;
  EXPECT_EQ(read().cron_job, "");
  CronJobDecoder cron_jobs;
  for (const auto& [policy, alone] : {std::pair("Allow", false), {"Forbid", true}, {"Replace", true}}) {
    const nlohmann::json cron{{"metadata", {{"namespace", "etl"}, {"name", "report"}, {"uid", "cron"}}},
                              {"spec",
                               {{"schedule", "@hourly"},
                                {"concurrencyPolicy", policy},
                                {"startingDeadlineSeconds", 300},
                                {"jobTemplate", {{"spec", {{"activeDeadlineSeconds", 60}}}}}}}};
    const CronJob found = cron_jobs.decode(cron.dump()).value();
    EXPECT_EQ(found.one_at_a_time, alone) << policy;
    EXPECT_EQ(found.starting_deadline, Duration(std::chrono::minutes(5)));
    EXPECT_EQ(found.job.active_deadline, Duration(std::chrono::minutes(1)));
  }
}

}  // namespace
}  // namespace lips::kubernetes
