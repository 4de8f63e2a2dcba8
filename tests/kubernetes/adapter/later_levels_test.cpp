#include "kubernetes/adapter/later_levels.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>

#include "kubernetes/api/time_text.h"
#include "kubernetes/pods/argo_workflow.h"
#include "kubernetes/pods/job_set.h"
#include "tests/kubernetes/adapter/announcing_cluster.h"
#include "tests/kubernetes/adapter/planned.h"

namespace lips::kubernetes {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using testing::UnorderedElementsAre;

using Json = nlohmann::json;

Json container_of(const std::string& cpu) {
  Json container;
  container["resources"]["requests"]["cpu"] = cpu;
  return container;
}

Json pod_of_step(const std::string& run_time, const std::map<std::string, std::string>& annotations = {}) {
  Json pod;
  pod["metadata"]["annotations"] = annotations;
  if (!run_time.empty()) pod["metadata"]["annotations"]["lips.dev/run-time"] = run_time;
  pod["spec"]["schedulerName"] = "lips";
  pod["spec"]["containers"].push_back(container_of("2"));
  return pod;
}

Json replicated(const std::string& name, const Json& spec, const std::vector<Json>& depends_on = {}) {
  Json job;
  job["name"] = name;
  job["template"]["spec"] = spec;
  job["dependsOn"] = depends_on;
  return job;
}

Json after_step(const std::string& name, const std::string& status = "Complete") {
  return Json::object({{"name", name}, {"status", status}});
}

Json jobs_of(const std::string& name, const std::map<std::string, int>& counts) {
  Json status = counts;
  status["name"] = name;
  return status;
}

Json set_of(const std::vector<Json>& jobs, const std::vector<Json>& status = {}) {
  Json set;
  set["metadata"] = Json::object({{"namespace", "etl"}, {"name", "train"}, {"uid", "uid-train"}});
  set["spec"]["replicatedJobs"] = jobs;
  set["status"]["replicatedJobsStatus"] = status;
  return set;
}

Json argo_template(const std::string& name, const std::string& kind, const Json& content) {
  return Json::object({{"name", name}, {kind, content}});
}

Json argo_of(const std::vector<Json>& tasks, const std::vector<Json>& nodes = {}) {
  Json dag, workflow;
  dag["tasks"] = tasks;
  Json work = argo_template("work", "container", container_of("1"));
  work["metadata"]["annotations"]["lips.dev/run-time"] = "10m";
  workflow["metadata"] = Json::object({{"namespace", "etl"}, {"name", "wf"}, {"uid", "uid-wf"}});
  workflow["spec"] = Json::object({{"entrypoint", "main"}, {"schedulerName", "lips"}});
  workflow["spec"]["templates"] =
      std::vector<Json>{argo_template("main", "dag", dag), work, argo_template("gate", "suspend", Json::object())};
  workflow["status"]["phase"] = "Running";
  workflow["status"]["nodes"] = Json::object();
  for (const Json& node : nodes) workflow["status"]["nodes"][node["name"].get<std::string>()] = node;
  return workflow;
}

Json argo_task_of(const std::string& name, const std::string& depends = "", const std::string& of = "work") {
  Json task = Json::object({{"name", name}, {"template", of}});
  if (!depends.empty()) task["depends"] = depends;
  return task;
}

Json node_of(const std::string& name, const std::string& phase, const std::string& since) {
  return Json::object({{"name", name}, {"type", "Pod"}, {"phase", phase}, {"startedAt", since}});
}

class LaterLevelsTest : public AnnouncingCluster {
 protected:
  void put(const Json& object) {
    const std::string text = object.dump();
    JobSetDecoder job_sets;
    ArgoWorkflowDecoder argo;
    Result<Workflow> read = object["spec"].contains("entrypoint") ? argo.decode(text) : job_sets.decode(text);
    ASSERT_TRUE(read) << read.error().message;
    workflows_[read->meta.uid] = *std::move(read);
  }
  BatchJob& put_job(const std::string& name, const std::string& started) {
    BatchJob& job = jobs_["uid-" + name];
    job.meta = {"etl", name, "uid-" + name, ""};
    if (!started.empty()) job.started = *parse_time(started);
    return job;
  }
  // "name HH:MM:SS" of each, in order of time.
  std::vector<std::string> times(const std::string& now = "2026-11-23T10:00:00Z") const {
    ExpectedJobs all = expected(now);
    EXPECT_THAT(all.problems, IsEmpty());
    sort_expected(all.work);
    std::vector<std::string> result;
    for (const ExpectedWork& work : all.work) result.push_back(work.job + ' ' + time_text(work.at).substr(11, 8));
    return result;
  }
};

TEST_F(LaterLevelsTest, JobsOfAJobSetComeWhenThoseBeforeHaveEndedOrRun) {
  const Json load = Json::object({{"completions", 6}, {"parallelism", 3}, {"template", pod_of_step("10m")}});
  const Json fit = Json::object({{"completions", 4}, {"template", pod_of_step("30m")}});
  const Json serve = Json::object({{"parallelism", 2}, {"template", pod_of_step("1h")}});
  const Json report = Json::object({{"template", pod_of_step("1m")}});
  const std::vector<Json> jobs{replicated("load", load), replicated("fit", fit, {after_step("load")}),
                               replicated("serve", serve, {after_step("fit", "Ready")}),
                               replicated("report", report, {after_step("fit"), after_step("load")})};
  put(set_of(jobs));
  EXPECT_THAT(times(),
              ElementsAre("etl/train-fit-0 10:20:00", "etl/train-serve-0 10:20:00", "etl/train-report-0 12:20:00"))
      << "two rounds of ten minutes, then four of thirty";
  const ExpectedJobs all = expected();
  ASSERT_THAT(all.work, SizeIs(3));
  EXPECT_EQ(all.work[0].work, CpuSeconds(4 * 2 * 1800));  // pods, cores, seconds
  EXPECT_EQ(all.work[1].work, CpuSeconds(2 * 2 * 3600));

  put(set_of(jobs, {jobs_of("load", {{"active", 1}, {"ready", 1}})}));
  put_job("train-load-0", "2026-11-23T09:45:00Z");
  EXPECT_THAT(times(),
              ElementsAre("etl/train-fit-0 10:05:00", "etl/train-serve-0 10:05:00", "etl/train-report-0 12:05:00"));
  EXPECT_THAT(times("2026-11-23T10:07:00Z"), Contains(HasSubstr("train-fit-0 10:07:00")))
      << "it takes longer than it took";
  jobs_.clear();
  EXPECT_THAT(times(), Contains(HasSubstr("train-fit-0 10:10:00"))) << "nobody knows since when it runs";

  put(set_of(jobs, {jobs_of("load", {{"succeeded", 1}}), jobs_of("fit", {{"active", 1}})}));
  EXPECT_THAT(times(), ElementsAre("etl/train-serve-0 10:00:00", "etl/train-report-0 12:00:00")) << "its pods wait";
  put(set_of(jobs, {jobs_of("load", {{"succeeded", 1}}), jobs_of("fit", {{"ready", 1}})}));
  EXPECT_THAT(times(), ElementsAre("etl/train-report-0 11:00:00")) << "what follows those that run is about to be made";
  put(set_of(jobs, {jobs_of("load", {{"succeeded", 1}}), jobs_of("fit", {{"succeeded", 1}})}));
  EXPECT_THAT(times(), IsEmpty());
}

TEST_F(LaterLevelsTest, AJobThatIsHereIsNoLongerToComeWhateverTheStatusSays) {
  const Json job = Json::object({{"template", pod_of_step("10m")}});
  put(set_of({replicated("a", job), replicated("b", job, {after_step("a")}), replicated("c", job, {after_step("b")})}));
  put_job("train-a-0", "2026-11-23T09:52:00Z");
  put_job("train-b-1", "");
  EXPECT_THAT(times(), ElementsAre("etl/train-c-0 10:10:00")) << "its pods have not started";
  put_job("train-b-1", "2026-11-23T09:55:00Z");
  EXPECT_THAT(times(), ElementsAre("etl/train-c-0 10:05:00"));
  put_job("train-b-1", "").ended = true;
  EXPECT_THAT(times(), IsEmpty());
  put_job("train-b-1", "").deleting = true;
  EXPECT_THAT(times(), ElementsAre("etl/train-b-0 10:02:00", "etl/train-c-0 10:12:00"));
}

TEST_F(LaterLevelsTest, FinishedRunsOfTheSameJobSayHowLongItTakes) {
  const Json job = Json::object({{"template", pod_of_step("")}});
  put(set_of({replicated("a", job), replicated("b", job, {after_step("a")})}));
  EXPECT_THAT(times(), ElementsAre("etl/train-b-0 10:01:00")) << "the default";
  // As a pod of the Job train-a-0 is counted that has ended.
  run_times_.add(template_of("etl", Owner{"Job", "train-a-0", "u"}, "train-a-0-0-x7k2p"),
                 {std::chrono::minutes(7), Duration(0)});
  run_times_.add(template_of("etl", Owner{"Job", "train-b-3", "u"}, "train-b-3-0-abcde"),
                 {std::chrono::minutes(2), Duration(0)});
  EXPECT_THAT(times(), ElementsAre("etl/train-b-0 10:07:00"));
  EXPECT_EQ(expected().work.at(0).work, CpuSeconds(2 * 120));
}

TEST_F(LaterLevelsTest, TasksOfADagComeAfterTheLongestWayToThem) {
  const std::vector<Json> tasks{argo_task_of("d", "b.Succeeded && (c || c.Skipped)"), argo_task_of("a"),
                                argo_task_of("b", "a"), argo_task_of("c", "b"), argo_task_of("e", "gone")};
  put(argo_of(tasks));
  EXPECT_THAT(times(), ElementsAre("etl/wf.b 10:10:00", "etl/wf.c 10:20:00", "etl/wf.d 10:30:00"));
  put(argo_of(tasks, {node_of("wf.a", "Running", "2026-11-23T09:54:00Z")}));
  EXPECT_THAT(times(), ElementsAre("etl/wf.b 10:04:00", "etl/wf.c 10:14:00", "etl/wf.d 10:24:00"));
  put(argo_of(tasks, {node_of("wf.a", "Pending", "2026-11-23T09:54:00Z")}));
  EXPECT_THAT(times(), Contains(HasSubstr("wf.b 10:10:00"))) << "it has not started";
  put(argo_of(tasks, {node_of("wf.a", "Succeeded", "2026-11-23T09:44:00Z"),
                      node_of("wf.b", "Running", "2026-11-23T09:54:00Z")}));
  EXPECT_THAT(times(), ElementsAre("etl/wf.c 10:04:00", "etl/wf.d 10:14:00"));
  for (int run = 0; run < 3; ++run)
    run_times_.add(template_of("etl", Owner{"Workflow", "wf", "u"}, "wf-work-1234"),
                   {std::chrono::minutes(30), std::chrono::minutes(10)});
  EXPECT_THAT(times(), ElementsAre("etl/wf.c 10:24:00", "etl/wf.d 10:54:00")) << "its pods take longer than they say";
}

TEST_F(LaterLevelsTest, WhatNobodyKnowsTakesTheDefaultAndIsNotAnnounced) {
  Json elsewhere = Json::object({{"name", "a"}});
  elsewhere["templateRef"] = Json::object({{"name", "t"}, {"template", "x"}});
  put(argo_of({elsewhere, argo_task_of("b", "a", "main"), argo_task_of("c", "b")}));
  EXPECT_THAT(times(), ElementsAre("etl/wf.c 10:02:00"));
  const std::vector<Json> gated{argo_task_of("a"), argo_task_of("b", "a", "gate"), argo_task_of("c", "b"),
                                argo_task_of("d", "a")};
  put(argo_of(gated));
  EXPECT_THAT(times(), ElementsAre("etl/wf.d 10:10:00")) << "somebody has to let the others go on";
  put(argo_of(gated,
              {node_of("wf.a", "Succeeded", "2026-11-23T09:00:00Z"), node_of("wf.b", "Running", "2026-11-23T09:10:00Z"),
               node_of("wf.d", "Succeeded", "2026-11-23T09:10:00Z")}));
  EXPECT_THAT(times(), IsEmpty());
}

TEST_F(LaterLevelsTest, AllCopiesOfATaskAreCounted) {
  Json many = argo_task_of("b", "a");
  many["withItems"] = std::vector{1, 2, 3};
  Json none = argo_task_of("c", "a");
  none["withItems"] = Json::array();
  put(argo_of({argo_task_of("a"), many, none, argo_task_of("d", "b")}));
  EXPECT_THAT(times(), ElementsAre("etl/wf.b 10:10:00", "etl/wf.d 10:20:00")) << "they run side by side";
  EXPECT_EQ(expected().work.at(0).work, CpuSeconds(3 * 600));
}

TEST_F(LaterLevelsTest, TheTemplateSaysWhatTheyReadAndShuffleAndWhichJobTheyAre) {
  const Json first = Json::object({{"template", pod_of_step("1m")}});
  Json second{
      {"completions", 5},
      {"parallelism", 5},
      {"template",
       pod_of_step("1m", {{"lips.dev/dataset", "etl/events"}, {"lips.dev/shuffle", "3Gi"}, {"lips.dev/job", "fit"}})}};
  Json set = set_of({replicated("a", first), replicated("b", second, {after_step("a")})});
  set["spec"]["replicatedJobs"][1]["replicas"] = 2;
  put(set);
  ExpectedJobs all = expected();
  ASSERT_THAT(all.work, SizeIs(1));
  EXPECT_EQ(all.work[0], (ExpectedWork{"etl/fit", *parse_time("2026-11-23T10:01:00Z"), 1, CpuSeconds(2 * 5 * 2 * 60),
                                       DataSetId(0), 1, Mebibytes(3 * 1024), {}}));
  set["metadata"]["namespace"] = "ml";
  put(set);
  may_read_ = [](const std::string&, const std::string&) { return false; };
  EXPECT_FALSE(expected().work.at(0).input.valid());
}

TEST_F(LaterLevelsTest, CountsOnNothingThatLipsDoesNotPlanOrThatDoesNotGoOn) {
  const Json job = Json::object({{"template", pod_of_step("10m")}});
  Json others = job;
  others["template"]["spec"]["schedulerName"] = "default-scheduler";
  const std::vector<Json> jobs{replicated("a", others), replicated("b", others, {after_step("a")}),
                               replicated("c", job, {after_step("b")})};
  put(set_of(jobs));
  EXPECT_THAT(times(), ElementsAre("etl/train-c-0 10:20:00"));
  Json set = set_of(jobs);
  set["spec"]["suspend"] = true;
  put(set);
  EXPECT_THAT(times(), IsEmpty());
  set = set_of(jobs);
  set["metadata"]["deletionTimestamp"] = "2026-11-23T09:00:00Z";
  put(set);
  EXPECT_THAT(times(), IsEmpty());
  const Json day = Json::object({{"template", pod_of_step("5h")}});
  put(set_of({replicated("a", day), replicated("b", job, {after_step("a")})}));
  EXPECT_THAT(times(), IsEmpty()) << "later than policies look";
}

TEST_F(LaterLevelsTest, SaysOfWhatItCannotCountOnSo) {
  const Json job = Json::object({{"template", pod_of_step("10m")}});
  const Json odd = Json::object({{"template", pod_of_step("long")}});
  put(set_of({replicated("a", job, {after_step("c")}), replicated("b", job, {after_step("a")}),
              replicated("c", job, {after_step("b", "Ready")}), replicated("d", job, {after_step("d")}),
              replicated("e", job), replicated("f", job, {after_step("e")})}));
  put(argo_of({argo_task_of("a", "b"), argo_task_of("b", "a && c"), argo_task_of("c")}));
  Json another =
      set_of({replicated("a", job), replicated("b", odd, {after_step("a")}), replicated("c", job, {after_step("b")})});
  another["metadata"]["name"] = another["metadata"]["uid"] = "odd";
  put(another);
  Json hidden = argo_of({argo_task_of("a")});
  hidden["metadata"]["name"] = hidden["metadata"]["uid"] = "hidden";
  hidden["status"]["compressedNodes"] = "H4sI";
  put(hidden);
  const ExpectedJobs all = expected();
  std::vector<std::string> said;
  for (const ExpectedJobs::Problem& problem : all.problems) said.push_back(problem.why);
  EXPECT_THAT(said, UnorderedElementsAre(HasSubstr("JobSet etl/train: 4 of its steps wait for each other in a circle"),
                                         HasSubstr("Workflow etl/wf: 3 of its steps wait for each other in a circle"),
                                         HasSubstr("JobSet etl/odd: lips.dev/run-time: found 'long'"),
                                         HasSubstr("Workflow etl/hidden: status.nodes: ")));
  ASSERT_THAT(all.work, SizeIs(1)) << "what follows a step that cannot be read is announced";
  EXPECT_EQ(all.work[0].job, "etl/odd-c-0");
}

TEST_F(LaterLevelsTest, TimesBeyondAllMeasureAreNoTrouble) {
  const Json job = Json::object({{"completions", 2147483647}, {"parallelism", 1}, {"template", pod_of_step("8000h")}});
  std::vector<Json> jobs;
  for (int i = 0; i < 10'000; ++i)
    jobs.push_back(replicated(fmt::format("s{}", i), job,
                              i > 0 ? std::vector{after_step(fmt::format("s{}", i - 1))} : std::vector<Json>{}));
  put(set_of(jobs));
  EXPECT_THAT(times(), IsEmpty());
}

Json with_namespace(Json object) {
  object["metadata"] = Json::object({{"namespace", "default"}});
  return object;
}

// From the API server to the snapshot, and when they are installed after the operator has begun.
TEST(ExpectedOfWorkflows, ReachTheSnapshot) {
  FakeCluster cluster;
  cluster.put_node("a", {.cpu = 2});
  Planned planned(cluster);
  cluster.put_pod("p", FakePod{});
  ASSERT_TRUE(planned.until_pending(1)) << "a cluster without them is fine";
  EXPECT_EQ(cluster.requests_for("/jobsets"), 0u);
  const Json job = Json::object({{"completions", 3}, {"parallelism", 3}, {"template", pod_of_step("10m")}});
  const Json set = with_namespace(set_of({replicated("a", job), replicated("b", job, {after_step("a")})}));
  cluster.put_storage("jobsets", "train", set);
  const auto expects = [&](const std::string& name) {
    return planned.until([&] {
      const std::vector<ExpectedWork>& all = planned.snapshot().expected;
      return std::any_of(all.begin(), all.end(), [&](const ExpectedWork& work) { return work.job == name; });
    });
  };
  ASSERT_TRUE(expects("default/train-b-0"));
  EXPECT_EQ(planned.snapshot().expected.front().work, CpuSeconds(3 * 2 * 600));
  cluster.put_storage("workflows", "wf", with_namespace(argo_of({argo_task_of("x"), argo_task_of("y", "x")})));
  ASSERT_TRUE(expects("default/wf.y"));
  cluster.remove_storage("workflows", "wf");
  Json wrong = set;
  wrong["spec"]["replicatedJobs"][0]["dependsOn"] = std::vector{after_step("b")};
  cluster.put_storage("jobsets", "train", wrong);
  EXPECT_TRUE(planned.until([&] { return planned.snapshot().expected.empty(); }));
  EXPECT_TRUE(planned.until([&] { return planned.counted().rejections()["JobSet announcement"] == 1; }));
  wrong["spec"]["replicatedJobs"] = 7;
  cluster.put_storage("jobsets", "train", wrong);
  EXPECT_TRUE(planned.until([&] { return planned.counted().rejections()["jobsets malformed"] == 1; }));
}

TEST(ExpectedOfWorkflows, WithoutTheRightToListThemEverythingElseGoesOn) {
  FakeCluster cluster;
  cluster.put_node("a", {.cpu = 2});
  cluster.put_storage("jobsets", "train", with_namespace(set_of({})));
  cluster.put_storage("applications", "of-argo-cd", with_namespace(Json::object()));
  cluster.forbid("/jobsets");
  Planned planned(cluster);
  ASSERT_TRUE(planned.until([&] { return cluster.requests_for("/jobsets") > 1; }));
  cluster.put_pod("p", FakePod{});
  EXPECT_TRUE(planned.until_pending(1));
  EXPECT_EQ(cluster.requests_for("/workflows"), 0u) << "Argo CD has the same group";
}

}  // namespace
}  // namespace lips::kubernetes
