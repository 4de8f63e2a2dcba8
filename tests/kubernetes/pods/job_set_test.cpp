#include "kubernetes/pods/job_set.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lips::kubernetes {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

Result<Workflow> job_set(const std::string& spec, const std::string& status = "{}", const std::string& metadata = "") {
  JobSetDecoder decoder;
  return decoder.decode(
      fmt::format(R"({{"metadata":{{"name":"train","namespace":"ml","uid":"u"{}}},"spec":{},"status":{}}})", metadata,
                  spec, status));
}

const char* const two_jobs = R"({"replicatedJobs":[
  {"name":"load","replicas":2,"template":{"spec":{"completions":4,"parallelism":2,"template":{
    "metadata":{"annotations":{"lips.dev/run-time":"90s","other":"x"},"labels":{"lips.dev/pool":"p","app":"x"}},
    "spec":{"schedulerName":"lips","containers":[{"resources":{"requests":{"cpu":"500m"}}},{"resources":{"requests":{"cpu":1}}}]}}}}},
  {"name":"fit","dependsOn":[{"name":"load","status":"Complete"},{"name":"nobody","status":"Ready"}],"template":{"spec":{}}}]})";

std::vector<StepState> states(const std::string& status) {
  const Result<Workflow> read = job_set(two_jobs, fmt::format(R"({{"replicatedJobsStatus":{}}})", status));
  EXPECT_TRUE(read);
  std::vector<StepState> result;
  for (const Step& step : read->steps) result.push_back(step.state);
  return result;
}

// A template has not been filled in yet as its pods will be.
TEST(JobSetDecoder, TakesALimitOfCpuForTheRequestWhereThereIsNone) {
  const Result<Workflow> read = job_set(
      R"({"replicatedJobs":[{"name":"a","template":{"spec":{"template":{"spec":{"containers":[
        {"resources":{"limits":{"cpu":"2"}}},
        {"resources":{"requests":{"memory":"1Gi"},"limits":{"cpu":"500m"}}},
        {"resources":{"requests":{"cpu":"0"},"limits":{"cpu":"4"}}},
        {"resources":{"limits":{"cpu":"8"},"requests":{"cpu":"100m"}}}]}}}}}]})");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->steps[StepIndex(0)].spec->cpu, 2000 + 500 + 0 + 100);
}

TEST(JobSetDecoder, ReadsItsJobsAndWhatTheyWaitFor) {
  const Result<Workflow> read = job_set(two_jobs);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->meta, (ObjectMeta{"ml", "train", "u", ""}));
  EXPECT_EQ(read->kind, Workflow::Kind::job_set);
  EXPECT_TRUE(read->goes_on());
  ASSERT_EQ(read->steps.size(), 2u);
  const Step &load = read->steps[StepIndex(0)], &fit = read->steps[StepIndex(1)];
  EXPECT_EQ(load.name, "train-load-0");
  EXPECT_EQ(load.copies, 2);
  EXPECT_EQ(load.spec->completions, 4);
  EXPECT_EQ(load.spec->parallelism, 2);
  EXPECT_EQ(load.spec->scheduler, "lips");
  EXPECT_EQ(load.spec->cpu, 1500);
  EXPECT_EQ(load.spec->pod_notes, (PodNotes{{{"lips.dev/run-time", "90s"}}, {{"lips.dev/pool", "p"}}}));
  EXPECT_THAT(load.after, IsEmpty());
  EXPECT_EQ(fit.copies, 1);
  EXPECT_THAT(fit.after, ElementsAre(Step::After{StepIndex(0), false}));
}

TEST(JobSetDecoder, OneThatStartsInOrderWaitsUntilTheOneBeforeRuns) {
  const Result<Workflow> read = job_set(
      R"({"replicatedJobs":[{"name":"a"},{"name":"b"},{"name":"c","dependsOn":[{"name":"a","status":"Ready"}]}],)"
      R"("startupPolicy":{"startupPolicyOrder":"InOrder"}})");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_THAT(read->steps[StepIndex(0)].after, IsEmpty());
  EXPECT_THAT(read->steps[StepIndex(1)].after, ElementsAre(Step::After{StepIndex(0), true}));
  EXPECT_THAT(read->steps[StepIndex(2)].after,
              ElementsAre(Step::After{StepIndex(1), true}, Step::After{StepIndex(0), true}));
}

TEST(JobSetDecoder, ItsStatusSaysHowFarTheJobsAre) {
  using enum StepState;
  EXPECT_THAT(states("[]"), ElementsAre(to_come, to_come));
  EXPECT_THAT(states(R"([{"name":"load","ready":0,"active":2,"succeeded":0,"failed":0,"suspended":0}])"),
              ElementsAre(waiting, to_come));
  EXPECT_THAT(states(R"([{"name":"load","ready":1,"active":2}])"), ElementsAre(waiting, to_come)) << "of two";
  EXPECT_THAT(states(R"([{"name":"load","ready":1,"succeeded":1}])"), ElementsAre(running, to_come));
  EXPECT_THAT(states(R"([{"name":"load","succeeded":2},{"name":"fit","ready":1}])"), ElementsAre(ended, running));
  EXPECT_THAT(states(R"([{"name":"load","succeeded":1,"failed":1},{"name":"fit","suspended":1}])"),
              ElementsAre(ended, waiting));
}

TEST(JobSetDecoder, NothingFollowsInOneThatIsSuspendedEndedOrLeaving) {
  const auto goes_on = [](const Result<Workflow>& read) { return read.value().goes_on(); };
  EXPECT_FALSE(goes_on(job_set(R"({"suspend":true,"replicatedJobs":[{"name":"a"}]})")));
  EXPECT_FALSE(goes_on(job_set(two_jobs, R"({"terminalState":"Completed"})")));
  EXPECT_FALSE(goes_on(job_set(two_jobs, R"({"conditions":[{"type":"Failed","status":"True"}]})")));
  EXPECT_FALSE(goes_on(job_set(two_jobs, "{}", R"(,"deletionTimestamp":"2026-01-01T00:00:00Z")")));
  EXPECT_TRUE(goes_on(job_set(
      R"({"suspend":false,"replicatedJobs":[]})",
      R"({"terminalState":"","conditions":[{"type":"Failed","status":"False"},{"type":"Suspended","status":"True"}]})")));
  EXPECT_TRUE(job_set(two_jobs, R"({"terminalState":"Failed"})")->steps.empty());
}

TEST(JobSetDecoder, RefusesWrongTypesByNameAndDoesNotCountOnTooManyJobs) {
  for (const char* spec :
       {R"({"replicatedJobs":{}})", R"({"replicatedJobs":[7]})", R"({"replicatedJobs":[{"dependsOn":"a"}]})",
        R"({"replicatedJobs":[{"replicas":"two"}]})", R"({"suspend":"no"})", R"([])"}) {
    const Result<Workflow> read = job_set(spec);
    ASSERT_FALSE(read) << spec;
    EXPECT_THAT(read.error().message, HasSubstr("JobSet ml/train: "));
  }
  std::string many = R"({"name":"a"})";
  for (int i = 0; i < 10'000; ++i) many += R"(,{"name":"b","replicas":-5})";
  const Result<Workflow> read = job_set(fmt::format(R"({{"replicatedJobs":[{}]}})", many));
  ASSERT_TRUE(read);
  EXPECT_THAT(read->problem, HasSubstr("found more than 10000"));
  EXPECT_TRUE(read->steps.empty());
}

}  // namespace
}  // namespace lips::kubernetes
