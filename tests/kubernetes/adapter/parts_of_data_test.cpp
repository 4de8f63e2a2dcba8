// The parts of its data that the tasks of a job read are fixed when the job begins, whatever grows or is scaled.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/kubernetes/adapter/scheduling.h"

namespace lips::kubernetes {
namespace {

using testing::HasSubstr;

class PartsOfData : public testing::Test {
 protected:
  PartsOfData() {
    for (const char* kind : {"pools", "datamoves"}) cluster.put_resource(kind, "none", "{}");
    cluster.put_resource("datastores", "s",
                         R"({"metadata":{"name":"s","uid":"s","resourceVersion":"1"},)"
                         R"("spec":{"zone":"zone-a","allowedNamespaces":["*"],)"
                         R"("bucket":{"name":"b","scope":"Zonal"}}})");
    put_files(6);
    cluster.put_node("n", {.cpu = 64});
  }
  static std::string files(const std::vector<std::string>& names) {
    std::string text;
    for (const std::string& name : names)
      text += fmt::format(R"({}{{"path":"default/in/{}","size":"1Mi"}})", text.empty() ? "" : ",", name);
    return text;
  }
  void put_set(const std::vector<std::string>& names) {
    cluster.put_resource("datasets", "books",
                         fmt::format(R"({{"metadata":{{"namespace":"default","name":"books","uid":"d"}},)"
                                     R"("spec":{{"files":[{}],"stores":[{{"name":"s"}}]}},)"
                                     R"("status":{{"blocks":{},"replicas":[{{"store":"s","blocks":"0-{}"}}]}}}})",
                                     files(names), names.size(), names.size() - 1));
  }
  void put_files(int count) {
    std::vector<std::string> names;
    for (int i = 0; i < count; ++i) names.push_back(fmt::format("part-{:02}", i));
    put_set(names);
  }
  static FakePod reader(const std::string& job, int index) {
    FakePod pod = pod_of(1, job, index);
    pod.annotations = {{"lips.dev/dataset", "books"}};
    return pod;
  }
  void put_reader(const std::string& job, int index) {
    cluster.put_pod(fmt::format("{}-{}", job, index), reader(job, index));
  }
  // "0 1" of lines that end with part-00 and part-01.
  std::string read_by(const std::string& pod) const {
    std::string parts;
    std::string text = cluster.pod(pod).annotations["lips.dev/input"];
    for (std::size_t at = 0; (at = text.find("part-", at)) != std::string::npos; at += 7)
      parts += fmt::format("{}{}", parts.empty() ? "" : " ", std::stoi(text.substr(at + 5, 2)));
    return parts;
  }
  bool waits_for(const Scheduling& scheduling, const std::string& pod, const std::string& reason) const {
    return scheduling.until([&] { return cluster.pod(pod).reason == reason || !cluster.pod(pod).node.empty(); }) &&
           cluster.pod(pod).reason == reason;
  }
  // Jobs and pods come by two watches. A pod is bound only once its Job is known, and a watch keeps its order.
  void until_jobs_are_seen(Scheduling& scheduling) {
    cluster.put_job("seen", 1);
    put_reader("seen", 0);
    ASSERT_TRUE(scheduling.until_bound("seen-0"));
  }
  FakeCluster cluster;
};

TEST_F(PartsOfData, ArePromisedToNoPodThatNothingTellsApart) {
  cluster.put_job("plain", 3);
  for (int i = 0; i < 3; ++i) cluster.put_pod(fmt::format("plain-{}", i), reader("plain", -1));
  FakePod alone = pod_of(1);
  alone.annotations = {{"lips.dev/dataset", "books"}, {"lips.dev/job", "crew"}, {"lips.dev/tasks", "3"}};
  cluster.put_pod("alone", alone);
  FakePod step = reader("flow", -1);
  step.owner_kind = "Workflow";
  step.annotations["lips.dev/tasks"] = "2";
  cluster.put_pod("step", step);
  FakePod all = pod_of(1);
  all.annotations = {{"lips.dev/dataset", "books"}};
  cluster.put_pod("all", all);
  Scheduling scheduling(cluster);
  ASSERT_TRUE(scheduling.until_bound("all"));
  EXPECT_EQ(read_by("all"), "0 1 2 3 4 5");
  for (const char* pod : {"plain-0", "plain-1", "plain-2", "alone", "step"}) {
    ASSERT_TRUE(waits_for(scheduling, pod, "BadAnnotation")) << pod << " is bound and reads " << read_by(pod);
    EXPECT_THAT(cluster.pod(pod).message, HasSubstr("nothing says which of them a pod is"));
    EXPECT_THAT(cluster.pod(pod).message, HasSubstr("completionMode: Indexed"));
  }
}

TEST_F(PartsOfData, OfAnIndexedJobWaitUntilItsJobIsKnown) {
  put_reader("late", 1);
  Scheduling scheduling(cluster);
  ASSERT_TRUE(waits_for(scheduling, "late-1", "DataSetNotReady")) << "it reads " << read_by("late-1");
  cluster.put_job("late", 3);
  ASSERT_TRUE(scheduling.until_bound("late-1"));
  EXPECT_EQ(read_by("late-1"), "2 3");
}

TEST_F(PartsOfData, StayWhileTheDataSetGrowsAlsoForAPodThatIsTriedAgain) {
  cluster.put_job("reads", 3);
  put_reader("reads", 0);
  Scheduling scheduling(cluster);
  ASSERT_TRUE(scheduling.until_bound("reads-0"));
  EXPECT_EQ(read_by("reads-0"), "0 1");
  const int before = scheduling.listings();
  put_files(9);
  ASSERT_TRUE(scheduling.until([&] { return scheduling.listings() > before; }));
  put_reader("reads", 1);
  ASSERT_TRUE(scheduling.until_bound("reads-1"));
  EXPECT_EQ(read_by("reads-1"), "2 3");
  cluster.end_pod("reads-0", "Failed");
  cluster.remove_pod("reads-0");
  cluster.put_pod("reads-again", reader("reads", 0));
  ASSERT_TRUE(scheduling.until_bound("reads-again"));
  EXPECT_EQ(read_by("reads-again"), "0 1");
  cluster.put_job("next", 3);
  put_reader("next", 0);
  ASSERT_TRUE(scheduling.until_bound("next-0"));
  EXPECT_EQ(read_by("next-0"), "0 1 2") << "a job that begins now reads what is there now";
}

TEST_F(PartsOfData, AreDividedAsWhenTheJobBeganByTheNextProcessToo) {
  cluster.put_job("reads", 3);
  put_reader("reads", 0);
  {
    Scheduling first(cluster);
    ASSERT_TRUE(first.until_bound("reads-0"));
    ASSERT_TRUE(first.until([&] { return cluster.job("reads").annotations.contains("lips.dev/division"); }));
  }
  put_files(9);
  put_reader("reads", 1);
  {
    Scheduling by_the_pod(cluster);
    ASSERT_TRUE(by_the_pod.until_bound("reads-1"));
    EXPECT_EQ(read_by("reads-1"), "2 3");
  }
  for (const char* pod : {"reads-0", "reads-1"}) cluster.end_pod(pod), cluster.remove_pod(pod);
  put_reader("reads", 2);
  Scheduling by_the_job(cluster);
  ASSERT_TRUE(by_the_job.until_bound("reads-2"));
  EXPECT_EQ(read_by("reads-2"), "4 5");
}

TEST_F(PartsOfData, OfFilesThatCameBetweenOthersAreNotGuessed) {
  cluster.put_job("reads", 3);
  put_reader("reads", 0);
  Scheduling scheduling(cluster);
  ASSERT_TRUE(scheduling.until_bound("reads-0"));
  const int before = scheduling.listings();
  put_set({"part-00", "part-50", "part-01", "part-02", "part-03", "part-04", "part-05"});
  ASSERT_TRUE(scheduling.until([&] { return scheduling.listings() > before; }));
  put_reader("reads", 1);
  ASSERT_TRUE(waits_for(scheduling, "reads-1", "DataChanged")) << "it reads " << read_by("reads-1");
  EXPECT_THAT(cluster.pod("reads-1").message,
              HasSubstr("have changed since its 6 blocks were divided among the job's 3"));
  put_files(6);
  ASSERT_TRUE(scheduling.until_bound("reads-1"));
  EXPECT_EQ(read_by("reads-1"), "2 3");
}

TEST_F(PartsOfData, AreNotReadTwiceWhenAJobGetsMoreTasks) {
  cluster.put_job("elastic", 3);
  for (int i = 0; i < 3; ++i) put_reader("elastic", i);
  Scheduling scheduling(cluster);
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(scheduling.until_bound(fmt::format("elastic-{}", i)));
  cluster.change_job("elastic", {{"spec", {{"completions", 6}}}});
  for (int i = 3; i < 6; ++i) put_reader("elastic", i);
  for (int i = 3; i < 6; ++i) {
    const std::string pod = fmt::format("elastic-{}", i);
    ASSERT_TRUE(waits_for(scheduling, pod, "DataChanged")) << "it reads " << read_by(pod);
    EXPECT_THAT(cluster.pod(pod).message, HasSubstr(fmt::format("nothing is left for task {}", i)));
  }
}

TEST_F(PartsOfData, ThatNobodyWouldReadKeepAJobWithFewerTasksWaiting) {
  cluster.put_job("elastic", 6);
  put_reader("elastic", 0);
  Scheduling scheduling(cluster);
  ASSERT_TRUE(scheduling.until_bound("elastic-0"));
  cluster.change_job("elastic", {{"spec", {{"completions", 2}}}});
  until_jobs_are_seen(scheduling);
  put_reader("elastic", 1);
  ASSERT_TRUE(waits_for(scheduling, "elastic-1", "DataChanged")) << "it reads " << read_by("elastic-1");
  EXPECT_THAT(cluster.pod("elastic-1").message, HasSubstr("with 2 tasks nobody reads the rest"));
  cluster.change_job("elastic", {{"spec", {{"completions", 6}}}});
  ASSERT_TRUE(scheduling.until_bound("elastic-1"));
  EXPECT_EQ(read_by("elastic-1"), "1");
}

TEST_F(PartsOfData, FollowANumberOfTasksThatChangesBeforeAnyHasBegun) {
  cluster.put_job("waits", 3);
  for (int i = 0; i < 3; ++i) {
    FakePod pod = reader("waits", i);
    pod.cpu = 100;
    cluster.put_pod(fmt::format("waits-{}", i), pod);
  }
  Scheduling scheduling(cluster);
  ASSERT_TRUE(scheduling.until([&] { return scheduling.listings() > 0; }));
  cluster.change_job("waits", {{"spec", {{"completions", 6}}}});
  cluster.put_node("large", {.cpu = 400});
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(scheduling.until_bound(fmt::format("waits-{}", i)));
    EXPECT_EQ(read_by(fmt::format("waits-{}", i)), std::to_string(i));
  }
}

TEST_F(PartsOfData, OfGatedPodsStayToo) {
  cluster.put_job("reads", 3);
  const auto put = [&](int index) {
    FakePod pod = gated();
    pod.owner = "reads";
    pod.index = index;
    pod.annotations = {{"lips.dev/dataset", "books"}};
    cluster.put_pod(fmt::format("reads-{}", index), pod);
  };
  put(0);
  const auto released = [&](int index) { return cluster.pod(fmt::format("reads-{}", index)).gates.empty(); };
  Scheduling scheduling(cluster, {}, PodMode::steer);
  ASSERT_TRUE(scheduling.until([&] { return released(0); }));
  EXPECT_EQ(read_by("reads-0"), "0 1");
  put_files(9);
  put(1);
  ASSERT_TRUE(scheduling.until([&] { return released(1); }));
  EXPECT_EQ(read_by("reads-1"), "2 3");
}

}  // namespace
}  // namespace lips::kubernetes
