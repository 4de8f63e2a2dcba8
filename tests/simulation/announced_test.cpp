// Announcements that the simulator makes of a scenario's jobs (docs/scenarios.md, `announced`).
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "simulation/scenario_reader.h"

namespace lips::simulation {
namespace {

constexpr int job_count = 4000;  // jobs, one a minute, of 300 CPU-seconds

Scenario announced(const std::string& how) {
  const std::string text = fmt::format(
      "zones: [a]\n"
      "nodes: [{{name: n, cores: 4, pricePerHour: 1}}]\n"
      "jobs: [{{name: j, count: {}, every: 1m, tasks: 3, cpuPerTask: 100}}]\n"
      "announced: {{{}}}\n",
      job_count, how);
  Result<Scenario> scenario = parse_scenario("announced.yaml", text);
  EXPECT_TRUE(scenario) << scenario.error().message;
  return scenario ? *std::move(scenario) : Scenario{};
}

bool never_comes(const ExpectedWork& work) { return work.job.ends_with(" (never comes)"); }

std::map<std::string, const JobArrived*> by_name(const Scenario& scenario) {
  std::map<std::string, const JobArrived*> result;
  for (const JobArrived& job : scenario.jobs) result[job.job.name] = &job;
  return result;
}

TEST(Announced, NoneOrEachOnceAsItComes) {
  EXPECT_TRUE(announced("share: 0").cluster.expected.empty());
  const Scenario all = announced("share: 1");
  ASSERT_EQ(all.cluster.expected.size(), static_cast<std::size_t>(job_count));
  auto jobs = by_name(all);
  for (const ExpectedWork& work : all.cluster.expected) {
    ASSERT_TRUE(jobs.contains(work.job)) << work.job;
    EXPECT_EQ(work.at, jobs.at(work.job)->job.arrival);
    EXPECT_NEAR(work.work.value(), 300, 1e-9);
    EXPECT_EQ(work.chance, 1);
    jobs.erase(work.job);
  }
}

TEST(Announced, AreTheShareOfTheJobsThatIsAskedFor) {
  for (const double share : {0.1, 0.5, 0.9})
    EXPECT_NEAR(double(announced(fmt::format("share: {}", share)).cluster.expected.size()) / job_count, share, 0.03);
}

TEST(Announced, AreTheTrueWorkInTheMean) {
  for (const double sigma : {0.2, 0.5, 1.0}) {
    const Scenario scenario = announced(fmt::format("share: 1, size: {}", sigma));
    double sum = 0, logs = 0, squares = 0;
    for (const ExpectedWork& work : scenario.cluster.expected) {
      const double factor = work.work.value() / 300, log = std::log(factor);
      sum += factor, logs += log, squares += log * log;
    }
    EXPECT_NEAR(sum / job_count, 1, 4 * std::sqrt(std::expm1(sigma * sigma) / job_count)) << sigma;
    EXPECT_NEAR(std::sqrt(squares / job_count - std::pow(logs / job_count, 2)), sigma, 0.05 * sigma);
  }
}

TEST(Announced, ComeWithinTheTimingOnBothSides) {
  const Scenario scenario = announced("share: 1, timing: 15m");
  const auto jobs = by_name(scenario);
  double least = 0, most = 0, sum = 0;
  for (const ExpectedWork& work : scenario.cluster.expected) {
    const double early = to_seconds(jobs.at(work.job)->job.arrival - work.at);
    least = std::min(least, early), most = std::max(most, early), sum += early;
  }
  EXPECT_GE(least, -900);
  EXPECT_LE(most, 900);
  EXPECT_LT(least, -890);
  EXPECT_GT(most, 890);
  EXPECT_NEAR(sum / job_count, 0, 35);
}

TEST(Announced, SoManyOfThemNeverCome) {
  for (const double never : {0.0, 0.1, 0.5}) {
    const Scenario scenario = announced(fmt::format("share: 1, never: {}", never));
    const std::vector<ExpectedWork>& all = scenario.cluster.expected;
    const auto in_vain = std::count_if(all.begin(), all.end(), never_comes);
    EXPECT_NEAR(double(in_vain) / double(all.size()), never, 0.02);
    const auto jobs = by_name(scenario);
    for (const ExpectedWork& work : all) {
      EXPECT_EQ(jobs.contains(work.job), !never_comes(work));
      EXPECT_GE(work.at, TimePoint{});
      EXPECT_LE(work.at, scenario.jobs.back().job.arrival);
    }
  }
}

TEST(Announced, ChangeNothingOfTheJobs) {
  const Scenario without = announced("share: 0"), with = announced("share: 0.5, timing: 1h, size: 1, never: 0.3");
  ASSERT_EQ(with.jobs.size(), without.jobs.size());
  for (std::size_t i = 0; i < with.jobs.size(); ++i) {
    EXPECT_EQ(with.jobs[i].job.arrival, without.jobs[i].job.arrival);
    EXPECT_EQ(with.jobs[i].job.work, without.jobs[i].job.work);
  }
  EXPECT_EQ(with.cluster.expected, announced("share: 0.5, timing: 1h, size: 1, never: 0.3").cluster.expected);
}

}  // namespace
}  // namespace lips::simulation
