#include "kubernetes/pods/pod_annotations.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kubernetes/pods/pod_cache.h"
#include "kubernetes/pods/volume_cache.h"

namespace lips::kubernetes {
namespace {

Pod pod(const std::string& name, TextMap labels, TextMap annotations = {}) {
  Pod made;
  made.meta = {"etl", name, "uid-" + name, "1"};
  made.scheduler = "lips";
  made.requests = {{"cpu", 1000}};
  made.labels = std::move(labels);
  made.annotations = std::move(annotations);
  return made;
}

PodAnnotations read(const Pod& pod) {
  const Result<PodAnnotations> result = read_pod_annotations(pod, default_frameworks());
  EXPECT_TRUE(result) << result.error().message;
  return result.value_or(PodAnnotations{});
}

TEST(DueJobs, SayATimeOrATimeOfDayAfterTheirCreationAndALongestWait) {
  const TimePoint created(one_day * 20'000 + std::chrono::hours(7));
  const auto due = [&](const TextMap& annotations) {
    return due_of(read(pod("p", {}, annotations)), created, created);
  };
  EXPECT_FALSE(due({}).any());
  EXPECT_EQ(due({{"lips.dev/complete-by", "09:30"}}).complete_by, created + std::chrono::minutes(150));
  EXPECT_EQ(due({{"lips.dev/complete-by", "06:00"}}).complete_by, created + std::chrono::hours(23));
  EXPECT_EQ(due({{"lips.dev/complete-by", "07:00"}}).complete_by, created + one_day) << "the next one";
  for (const char* midnight : {"00:00", "24:00"})
    EXPECT_EQ(due({{"lips.dev/complete-by", midnight}}).complete_by, created + std::chrono::hours(17)) << midnight;
  EXPECT_EQ(due({{"lips.dev/complete-by", "1970-01-02T00:00:00Z"}}).complete_by, TimePoint(one_day));
  EXPECT_EQ(due({{"lips.dev/max-wait", "10m"}}).start_by, created + std::chrono::minutes(10));
  for (const char* key : {"lips.dev/complete-by", "lips.dev/max-wait"}) {
    const Result<PodAnnotations> wrong = read_pod_annotations(pod("p", {}, {{key, "soon"}}));
    ASSERT_FALSE(wrong) << key;
    EXPECT_THAT(wrong.error().message, ::testing::HasSubstr(std::string(key) + ": found 'soon'; allowed: "));
  }
}

TEST(DueJobs, SayWhatIsAllowedWhereTheyMakeNoSense) {
  Pod due = pod("p", {});
  due.created = TimePoint(one_day * 20'000);  // 2024-10-04
  const auto problem = [&](const char* key, const std::string& text) {
    due.annotations = {{key, text}};
    const Result<PodAnnotations> result = read_pod_annotations(due);
    return result ? "" : result.error().message;
  };
  for (const char* odd : {"", " ", "24:01", "24:59", "25:00", "6:00", "06:60", "06:00:00", "06:00Z", "6h", "-06:00",
                          "2024-10-05", "2024-10-05T06:00", "2024-13-05T06:00:00Z", "1970-01-01T00:00:00Z",
                          "2023-10-03T00:00:00Z", "0001-01-01T00:00:00Z"}) {
    const std::string said = problem(annotation::complete_by, odd);
    EXPECT_THAT(said, ::testing::HasSubstr("lips.dev/complete-by: found '" + std::string(odd) + "'; allowed: ")) << odd;
    EXPECT_THAT(said, ::testing::HasSubstr("from 00:00 to 24:00")) << odd;
    EXPECT_THAT(said, ::testing::HasSubstr("at most 366 days before the pod's creation")) << odd;
  }
  for (const char* good : {"00:00", "00:01", "23:59", "24:00", "2024-10-05T06:00:00Z", "2024-10-05T06:00:00+02:00",
                           "2024-10-03T00:00:00Z", "2023-10-04T00:00:00Z", "2999-01-01T00:00:00Z"})
    EXPECT_EQ(problem(annotation::complete_by, good), "") << good;
  for (const char* odd : {"", "0", "0s", "-5m", "10", "367d", "06:00"})
    EXPECT_THAT(problem(annotation::max_wait, odd), ::testing::HasSubstr("above 0 and at most 366 days")) << odd;
}

TEST(Frameworks, MarkTheirApplicationsDriversAndSizes) {
  const struct {
    TextMap labels, annotations;
    std::string job;
    bool driver, peers;
    std::optional<std::int32_t> pods;
  } cases[] = {
      {{{"spark-app-selector", "spark-1"}, {"spark-role", "driver"}}, {}, "spark-1", true, true, {}},
      {{{"spark-app-selector", "spark-1"}, {"spark-role", "executor"}}, {}, "spark-1", false, true, {}},
      {{{"ray.io/cluster", "r"}, {"ray.io/node-type", "head"}}, {}, "r", true, true, {}},
      {{{"dask.org/cluster-name", "d"}, {"dask.org/component", "worker"}}, {}, "d", false, true, {}},
      {{{"app", "f"}, {"component", "jobmanager"}, {"type", "flink-native-kubernetes"}}, {}, "f", true, true, {}},
      {{{"app", "web"}, {"component", "jobmanager"}}, {}, "", false, false, {}},
      {{{"jobset.sigs.k8s.io/jobset-name", "j"}}, {}, "j", false, true, {}},
      {{{"training.kubeflow.org/job-name", "t"}}, {}, "t", false, true, {}},
      {{{"workflows.argoproj.io/workflow", "w"}}, {}, "w", false, false, {}},
      {{}, {{"scheduling.k8s.io/group-name", "v"}}, "v", false, true, {}},
      {{{"kueue.x-k8s.io/pod-group-name", "k"}}, {{"kueue.x-k8s.io/pod-group-total-count", "3"}}, "k", false, true, 3},
      {{{"scheduling.x-k8s.io/pod-group", "c"}}, {}, "c", false, true, {}},
      {{{"ray.io/cluster", "r"}}, {{"lips.dev/job", "mine"}}, "mine", false, true, {}},
      {{{"ray.io/cluster", "r"}}, {{"lips.dev/stage", "reduce"}}, "r", false, false, {}},
  };
  for (const auto& one : cases) {
    const PodAnnotations read_from = read(pod("p", one.labels, one.annotations));
    SCOPED_TRACE(one.job);
    EXPECT_EQ(read_from.job, one.job);
    EXPECT_EQ(read_from.driver, one.driver);
    EXPECT_EQ(read_from.peers, one.peers);
    EXPECT_EQ(read_from.pods, one.pods);
    EXPECT_EQ(read_from.in_application, !one.job.empty());
  }
}

TEST(Frameworks, ANumberOfPodsThatIsNoneIsAProblemOfThePod) {
  const Pod wrong = pod("p", {{"kueue.x-k8s.io/pod-group-name", "k"}}, {{"kueue.x-k8s.io/pod-group-total-count", "x"}});
  const Result<PodAnnotations> result = read_pod_annotations(wrong, default_frameworks());
  ASSERT_FALSE(result);
  EXPECT_THAT(result.error().message, ::testing::HasSubstr("found 'x'"));
}

class Workers : public ::testing::Test {
 protected:
  const PodRecord& see(const Pod& pod) { return *pods_.update(pod, TimePoint{}).record; }
  static Pod worker(const std::string& name, TextMap annotations = {}) {
    return pod(name, {{"spark-app-selector", "s"}, {"spark-role", "executor"}}, std::move(annotations));
  }
  static Pod driver(TextMap annotations) {
    return pod("driver", {{"spark-app-selector", "s"}, {"spark-role", "driver"}}, std::move(annotations));
  }
  VolumeCache volumes_;
  PodGroups groups_;
  NodeCache nodes_;
  PodCache pods_{"lips", volumes_, groups_, nodes_, default_frameworks()};
};

TEST_F(Workers, TakeWhatTheirDriverSaysWhereTheySayNothing) {
  see(driver({{"lips.dev/dataset", "logs"},
              {"lips.dev/pool", "etl"},
              {"lips.dev/run-time", "2h"},
              {"lips.dev/shuffle", "10Gi"}}));
  const PodRecord& quiet = see(worker("w1"));
  EXPECT_EQ(quiet.work.data_set, "etl/logs");
  EXPECT_EQ(quiet.work.pool, "etl");
  EXPECT_EQ(quiet.work.run_time, std::chrono::hours(2));
  EXPECT_EQ(quiet.work.shuffle, Mebibytes(10 * 1024));
  const PodRecord& loud = see(worker("w2", {{"lips.dev/dataset", "other"}, {"lips.dev/run-time", "1h"}}));
  EXPECT_EQ(loud.work.data_set, "etl/other");
  EXPECT_EQ(loud.work.run_time, std::chrono::hours(1));
  EXPECT_EQ(loud.work.pool, "etl");
}

TEST_F(Workers, AreDueOnTheDayOfTheirDriver) {
  const TimePoint five(one_day * 20'000 + std::chrono::hours(5));
  Pod leads = driver({{"lips.dev/complete-by", "06:00"}}), late = worker("w1");
  leads.created = five, late.created = five + std::chrono::hours(2);
  see(leads);
  EXPECT_EQ(due_of(see(late).work, late.created, late.created).complete_by, five + std::chrono::hours(1));
}

TEST_F(Workers, ThatCameBeforeTheirDriverAreReportedAgainOnce) {
  const PodRecord& early = see(worker("w1"));
  see(pod("stranger", {{"spark-app-selector", "another"}, {"spark-role", "executor"}}));
  EXPECT_THAT(pods_.review_applications(), ::testing::IsEmpty());
  const Pod with_data = driver({{"lips.dev/dataset", "logs"}});
  see(with_data);
  EXPECT_THAT(pods_.review_applications(), ::testing::ElementsAre(&early));
  EXPECT_EQ(early.work.data_set, "etl/logs");
  see(with_data);
  EXPECT_EQ(pods_.update(worker("w1"), TimePoint{}).change, PodCache::Change::none);
  EXPECT_THAT(pods_.review_applications(), ::testing::IsEmpty());
}

}  // namespace
}  // namespace lips::kubernetes
