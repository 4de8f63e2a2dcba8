#include "simulation/swim_trace.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "config/text_file.h"

namespace lips::simulation {
namespace {

using testing::HasSubstr;

TEST(SwimTrace, ReadsRowsInOrderOfArrival) {
  const auto jobs = parse_swim("t.tsv", "b\t20\t11\t64\t32\t16\r\na\t9\t9\t1762\t0\t14347\tpath7\t\t\n");
  ASSERT_TRUE(jobs) << jobs.error().message;
  ASSERT_EQ(jobs->size(), 2u);
  EXPECT_EQ((*jobs)[0].name, "a");
  EXPECT_EQ((*jobs)[0].arrival, 9);
  EXPECT_EQ((*jobs)[0].input, 1762);
  EXPECT_EQ((*jobs)[0].path, "path7");
  EXPECT_EQ((*jobs)[1].shuffle, 32);
  EXPECT_EQ((*jobs)[1].output, 16);
}

TEST(SwimTrace, BadRowsNameLineAndField) {
  const auto jobs =
      parse_swim("t.tsv", "a\t9\t9\t1\t0\t1\nb\t9\t9\nc\tsoon\t9\t1\t0\t1\nd\t1\t1\t-5\t0\t1\ne\t1\t1\t5\tnan\t1\n");
  ASSERT_FALSE(jobs);
  EXPECT_EQ(jobs.error().code, ErrorCode::invalid_input);
  EXPECT_THAT(jobs.error().message, HasSubstr("t.tsv:2: columns: found 3; allowed: 6 or more separated by tabs"));
  EXPECT_THAT(jobs.error().message, HasSubstr("t.tsv:3: submit time: found 'soon'; allowed: a number from 0 to"));
  EXPECT_THAT(jobs.error().message, HasSubstr("t.tsv:4: input: found '-5'"));
  EXPECT_THAT(jobs.error().message, HasSubstr("t.tsv:5: shuffle: found 'nan'"));
}

TEST(SwimTrace, AJobTwiceIsAnErrorOfItsLine) {
  const auto jobs = parse_swim("t.tsv", "a\t9\t9\t1\t0\t1\nb\t9\t9\t1\t0\t1\na\t12\t3\t1\t0\t1\n");
  ASSERT_FALSE(jobs);
  EXPECT_EQ(jobs.error().message, "t.tsv:3: job: found 'a' twice (first at line 1); allowed: every job once");
}

TEST(SwimTrace, AnEmptyFileIsAnError) {
  EXPECT_THAT(parse_swim("t.tsv", "\n\n").error().message, HasSubstr("t.tsv:1: found no jobs"));
}

TEST(SwimTrace, TheShippedSamplesAreWhole) {
  const std::pair<const char*, std::size_t> files[] = {{"fb-2010-2000-jobs.tsv", 2000}, {"fb-2010-400-jobs.tsv", 400}};
  for (const auto& [name, count] : files) {
    const auto text = read_text_file(std::string(LIPS_SOURCE_DIR "/config/traces/").append(name));
    ASSERT_TRUE(text);
    const auto jobs = parse_swim(name, *text);
    ASSERT_TRUE(jobs);
    EXPECT_EQ(jobs->size(), count);
  }
}

TEST(SwimTrace, SamplesWithoutRepetitionInTheOldOrder) {
  std::vector<TraceJob> trace(1000);
  for (std::size_t i = 0; i < trace.size(); ++i) trace[i].arrival = static_cast<double>(i);
  const auto one = sample_jobs(trace, 100, 7), same = sample_jobs(trace, 100, 7), other = sample_jobs(trace, 100, 8);
  std::set<double> seen;
  for (const TraceJob& job : one) seen.insert(job.arrival);
  EXPECT_EQ(seen.size(), 100u);
  const auto by_arrival = [](const TraceJob& a, const TraceJob& b) { return a.arrival < b.arrival; };
  EXPECT_TRUE(std::is_sorted(one.begin(), one.end(), by_arrival));
  const auto equal = [](const TraceJob& a, const TraceJob& b) { return a.arrival == b.arrival; };
  EXPECT_TRUE(std::equal(one.begin(), one.end(), same.begin(), equal));
  EXPECT_FALSE(std::equal(one.begin(), one.end(), other.begin(), equal));
  EXPECT_EQ(sample_jobs(trace, 5000, 7).size(), 1000u);
}

TEST(SwimTrace, TheSyntheticDayHasTheTracesShape) {
  const auto jobs = synthetic_day(20000, 3);
  std::vector<double> input;
  double map_only = 0, without = 0, giants = 0;
  for (const TraceJob& job : jobs) {
    input.push_back(job.input);
    map_only += job.shuffle == 0;
    without += job.input == 0;
    giants += job.input > 1.35e11;
    EXPECT_LT(job.arrival, 86400);
  }
  std::nth_element(input.begin(), input.begin() + 10000, input.end());
  EXPECT_NEAR(input[10000] / 1.15e7, 1, 0.25);  // the trace's median with its jobs without input
  EXPECT_NEAR(giants / 20000, 0.049, 0.005);
  EXPECT_NEAR(without / 20000, 0.0171, 0.003);
  EXPECT_NEAR(map_only / 20000, 0.40, 0.05);  // tiny inputs times small ratios round down to no shuffle
}

}  // namespace
}  // namespace lips::simulation
