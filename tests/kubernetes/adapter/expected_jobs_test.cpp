#include "kubernetes/adapter/expected_jobs.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kubernetes/api/time_text.h"
#include "tests/kubernetes/adapter/announcing_cluster.h"
#include "tests/kubernetes/adapter/planned.h"

namespace lips::kubernetes {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

class ExpectedJobsTest : public AnnouncingCluster {
 protected:
  static JobSpec spec(TextMap annotations = {}) {
    JobSpec result;
    result.completions = 5;
    result.scheduler = "lips";
    result.cpu = 2000;
    result.pod_notes.annotations = std::move(annotations);
    return result;
  }
  void add_suspended(const std::string& name, const std::string& at, JobSpec spec) {
    BatchJob& job = jobs_["uid-" + name];
    job.meta = {"etl", name, "uid-" + name, ""};
    job.annotations = {{annotation::expected_at, at}};
    job.spec = std::move(spec);
    job.spec.suspended = true;
  }
  CronJob& add_cron(const std::string& name, const std::string& schedule, JobSpec spec) {
    CronJob& cron = cron_jobs_["uid-" + name];
    cron.meta = {"etl", name, "uid-" + name, ""};
    cron.schedule = schedule;
    cron.job = std::move(spec);
    return cron;
  }
  // With this template of its pods.
  void put_job(const nlohmann::json& pod_template) {
    const nlohmann::json job{{"metadata",
                              {{"namespace", "etl"},
                               {"name", "report"},
                               {"uid", "u"},
                               {"annotations", {{annotation::expected_at, "2026-11-23T11:30:00Z"}}}}},
                             {"spec", {{"completions", 5}, {"template", pod_template}}}};
    JobDecoder decoder;
    const Result<BatchJob> read = decoder.decode(job.dump());
    ASSERT_TRUE(read) << read.error().message;
    jobs_["u"] = *read;
  }
  static TimePoint time(const std::string& text) { return *parse_time(text); }
};

// Each run is weighed by each plan.
TEST_F(ExpectedJobsTest, NoMoreRunsOfACronJobOrOfAllAreExpectedThanAPlanCanWeigh) {
  for (int i = 0; i < 200; ++i) add_cron(fmt::format("busy-{}", i), "* * * * *", spec());
  EXPECT_EQ(expected().work.size(), 5000u) << "240 minutes of 200 would be 48,000 runs";
  CronJob& other = add_cron("daily", "30 11 * * *", spec());
  other.meta.name_space = "other";
  const ExpectedJobs found = expected();
  EXPECT_EQ(found.work.size(), 5000u);
  EXPECT_TRUE(std::any_of(found.work.begin(), found.work.end(),
                          [](const ExpectedWork& work) { return work.job.starts_with("other/daily"); }))
      << "namespaces take turns";
  cron_jobs_.clear();
  add_cron("busy", "* * * * *", spec());
  EXPECT_EQ(expected().work.size(), 50u) << "the next ones";
}

TEST_F(ExpectedJobsTest, AJobWhosePodsOthersGateIsAsGoodAsSuspendedUntilOneIsReleased) {
  const auto expected_behind = [&](const std::string& gates) {
    put_job({{"spec", {{"schedulerName", "lips"}, {"schedulingGates", nlohmann::json::parse(gates)}}}});
    return expected().work.size();
  };
  const std::string others = R"([{"name":"lips.dev/zone"},{"name":"example.com/quota"}])";
  EXPECT_EQ(expected_behind(others), 1u);
  EXPECT_EQ(expected_behind(R"([{"name":"example.com/quota"}])"), 1u);
  for (const char* gates : {"null", "[]", R"([{"name":"lips.dev/zone"}])"})
    EXPECT_EQ(expected_behind(gates), 0u) << gates;
  expected_behind(others);
  released_ = [](const std::string& uid) { return uid == "u"; };
  EXPECT_THAT(expected().work, IsEmpty()) << "the gates of the template stay";
  jobs_["u"].spec.suspended = true;
  EXPECT_THAT(expected().work, SizeIs(1)) << "suspended again";
  jobs_["u"].deleting = true;
  EXPECT_THAT(expected().work, IsEmpty());
  released_ = {};
  jobs_["u"].deleting = false, jobs_["u"].ended = true;
  EXPECT_THAT(expected().work, IsEmpty());
}

TEST_F(ExpectedJobsTest, ASuspendedJobSaysWhenItIsExpectedAndWhatItWillNeed) {
  add_suspended("report", "2026-11-23T11:30:00Z", spec({{"lips.dev/dataset", "events"}, {"lips.dev/run-time", "90s"}}));
  const ExpectedJobs found = expected();
  EXPECT_THAT(found.problems, IsEmpty());
  ASSERT_THAT(found.work, SizeIs(1));
  EXPECT_EQ(found.work[0].job, "etl/report");
  EXPECT_EQ(found.work[0].at, time("2026-11-23T11:30:00Z"));
  EXPECT_EQ(found.work[0].input, DataSetId(0));
  EXPECT_EQ(found.work[0].work, CpuSeconds(5 * 2 * 90));  // pods, cores, seconds
  jobs_.begin()->second.spec.suspended = false;
  EXPECT_THAT(expected().work, IsEmpty());
}

TEST_F(ExpectedJobsTest, TheNextRunsOfACronJobHaveTheNamesAndTheHistoryOfItsJobs) {
  add_cron("hourly", "15 * * * *", spec());
  for (int run = 0; run < 3; ++run) run_times_.add("etl/Job/hourly", {std::chrono::seconds(300), Duration(0)});
  const ExpectedJobs found = expected();
  ASSERT_THAT(found.work, SizeIs(4));
  const auto minutes = std::chrono::duration_cast<std::chrono::minutes>(found.work[0].at.time_since_epoch()).count();
  EXPECT_EQ(found.work[0].job, "etl/hourly-" + std::to_string(minutes));
  EXPECT_EQ(found.work[0].at, time("2026-11-23T10:15:00Z"));
  EXPECT_EQ(found.work[3].at, time("2026-11-23T13:15:00Z"));
  EXPECT_EQ(found.work[0].work, CpuSeconds(5 * 2 * 300));
  EXPECT_FALSE(found.work[0].input.valid());
}

TEST_F(ExpectedJobsTest, AJobAndACronJobSayHowSurelyTheyCome) {
  add_suspended("report", "2026-11-23T11:30:00Z", spec());
  CronJob& cron = add_cron("hourly", "15 * * * *", spec());
  const auto chances = [&](const char* text) {
    for (TextMap* annotations : {&jobs_.begin()->second.annotations, &cron.annotations}) {
      std::erase_if(*annotations, [](const auto& note) { return note.first == annotation::expected_chance; });
      if (text) annotations->emplace_back(annotation::expected_chance, text);
    }
    const ExpectedJobs found = expected("2026-11-23T11:10:00Z");
    std::vector<double> result;
    for (const ExpectedWork& work : found.work) result.push_back(work.chance);
    EXPECT_EQ(found.problems.empty(), !result.empty());
    for (const ExpectedJobs::Problem& problem : found.problems)
      EXPECT_THAT(problem.why, HasSubstr("lips.dev/expected-chance: found '"));
    return result;
  };
  EXPECT_THAT(chances(nullptr), testing::AllOf(testing::Each(1), SizeIs(testing::Gt(1u))));
  EXPECT_THAT(chances("0.25"), testing::AllOf(testing::Each(0.25), SizeIs(testing::Gt(1u))));
  for (const char* wrong : {"", "maybe", "-0.1", "1.1", "nan", "90%"}) EXPECT_THAT(chances(wrong), IsEmpty()) << wrong;
}

TEST_F(ExpectedJobsTest, ACronJobWithADistanceCountsFromItsLastStart) {
  const auto read = [](const char* status) {
    CronJobDecoder decoder;
    const Result<CronJob> cron = decoder.decode(std::string(R"({"metadata":{"namespace":"etl","name":"often","uid":"u",)") +
                                                R"("creationTimestamp":"2026-11-20T00:20:00Z"},"spec":{"schedule":"@every 2h"})" + status + "}");
    EXPECT_TRUE(cron) << cron.error().message;
    return cron ? cron->last_start : TimePoint{};
  };
  EXPECT_EQ(read(""), time("2026-11-20T00:20:00Z")) << "it was made then";
  EXPECT_EQ(read(R"(,"status":{"lastScheduleTime":null})"), time("2026-11-20T00:20:00Z"));
  EXPECT_EQ(read(R"(,"status":{"lastScheduleTime":"2026-11-20T08:20:00Z"})"), time("2026-11-20T08:20:00Z"));
  add_cron("often", "@every 2h", spec()).last_start = time("2026-11-23T08:20:00Z");
  const ExpectedJobs found = expected("2026-11-23T10:00:00Z");
  EXPECT_THAT(found.problems, IsEmpty());
  ASSERT_THAT(found.work, SizeIs(2));
  EXPECT_EQ(found.work[0].at, time("2026-11-23T10:20:00Z"));
  EXPECT_EQ(found.work[1].at, time("2026-11-23T12:20:00Z"));
}

TEST_F(ExpectedJobsTest, ACronJobRunsByTheClocksOfItsTimeZone) {
  add_cron("nightly", "30 2 * * *", spec()).time_zone = "Europe/Paris";
  ASSERT_THAT(expected("2026-07-01T00:00:00Z").work, SizeIs(1));
  EXPECT_EQ(expected("2026-07-01T00:00:00Z").work[0].at, time("2026-07-01T00:30:00Z"));
  EXPECT_EQ(expected("2026-11-23T00:00:00Z").work.at(0).at, time("2026-11-23T01:30:00Z"));
  const auto minutes = std::chrono::floor<std::chrono::minutes>(time("2026-11-23T01:30:00Z").time_since_epoch());
  EXPECT_EQ(expected("2026-11-23T00:00:00Z").work[0].job, "etl/nightly-" + std::to_string(minutes.count()));
}

TEST_F(ExpectedJobsTest, ARunWhoseTimeToStartHasPassedIsExpectedNoLonger) {
  CronJob& cron = add_cron("hourly", "15 * * * *", spec());
  cron.starting_deadline = std::chrono::minutes(10);
  EXPECT_EQ(expected("2026-11-23T10:25:00Z").work.at(0).at, time("2026-11-23T10:15:00Z"));
  EXPECT_EQ(expected("2026-11-23T10:25:01Z").work.at(0).at, time("2026-11-23T11:15:00Z"));
  cron.starting_deadline = std::chrono::hours(5);
  EXPECT_EQ(expected("2026-11-23T10:44:00Z").work.at(0).at, time("2026-11-23T10:15:00Z"));
}

TEST_F(ExpectedJobsTest, ARunThatIsHereIsNoLongerExpectedAndOneThatIsLateIsForAWhile) {
  add_cron("hourly", "15 * * * *", spec());
  const std::string late = expected("2026-11-23T10:44:00Z").work.at(0).job;
  EXPECT_EQ(expected("2026-11-23T10:44:00Z").work[0].at, time("2026-11-23T10:15:00Z"));
  EXPECT_EQ(expected("2026-11-23T10:46:00Z").work[0].at, time("2026-11-23T11:15:00Z"));
  BatchJob& run = jobs_["uid-run"];
  run.meta = {"etl", late.substr(late.find('/') + 1), "uid-run", ""};
  EXPECT_EQ(expected("2026-11-23T10:44:00Z").work[0].at, time("2026-11-23T11:15:00Z"));
}

TEST_F(ExpectedJobsTest, ACronJobOwesNoRunsOfTheTimeBeforeItWasMadeOrLastStarted) {
  CronJob& cron = add_cron("busy", "* * * * *", spec());
  cron.last_start = time("2026-11-23T10:00:30Z");
  EXPECT_EQ(expected("2026-11-23T10:00:40Z").work.at(0).at, time("2026-11-23T10:01:00Z"));
  EXPECT_EQ(expected("2026-11-23T10:01:05Z").work.at(0).at, time("2026-11-23T10:01:00Z")) << "it is a little late";
  cron.last_start = time("2026-11-23T10:01:00Z");
  EXPECT_EQ(expected("2026-11-23T10:01:05Z").work.at(0).at, time("2026-11-23T10:02:00Z"));
}

TEST_F(ExpectedJobsTest, OfRunsThatWereMissedOnlyTheLastOneComes) {
  add_cron("busy", "*/5 * * * *", spec()).last_start = time("2026-11-23T08:00:00Z");
  const ExpectedJobs found = expected("2026-11-23T10:12:00Z");
  EXPECT_EQ(found.work.at(0).at, time("2026-11-23T10:10:00Z"));
  EXPECT_EQ(found.work.at(1).at, time("2026-11-23T10:15:00Z"));
}

TEST_F(ExpectedJobsTest, TheTemplateSaysWhatAJobShuffles) {
  add_suspended("own", "2026-11-23T11:30:00Z", spec({{"lips.dev/shuffle", "3Gi"}}));
  EXPECT_EQ(expected().work.at(0).shuffle, Mebibytes(3 * 1024));
}

TEST_F(ExpectedJobsTest, LabelsOfTheTemplateCountAsItsAnnotationsDo) {
  const std::pair<const char*, const char*> notes[] = {
      {annotation::data_set, "events"}, {annotation::job, "daily"},     {annotation::run_time, "90s"},
      {annotation::cpu, "77"},          {annotation::shuffle, "3Gi"},   {annotation::tasks, "9"},
      {annotation::stage, "reduce"},    {annotation::max_wait, "soon"}, {annotation::pool, "another"}};
  const nlohmann::json pod_spec{{"schedulerName", "lips"},
                                {"schedulingGates", nlohmann::json::parse(R"([{"name":"others"}])")}};
  const auto expected_with = [&](const char* where, const std::string& key, const std::string& value) {
    put_job({{"metadata", {{where, {{key, value}}}}}, {"spec", pod_spec}});
    return expected();
  };
  for (const auto& [key, value] : notes) {
    const ExpectedJobs by_annotation = expected_with("annotations", key, value);
    const ExpectedJobs by_label = expected_with("labels", key, value);
    EXPECT_EQ(by_label.work, by_annotation.work) << key;
    EXPECT_EQ(by_label.problems, by_annotation.problems) << key;
    EXPECT_EQ(asked_of_pool_, std::string(key) == annotation::pool ? value : "");
  }
  EXPECT_EQ(expected_with("labels", annotation::data_set, "events").work.at(0).input, DataSetId(0));
  EXPECT_EQ(expected_with("labels", annotation::job, "daily").work.at(0).job, "etl/daily");
  EXPECT_THAT(expected_with("labels", annotation::max_wait, "soon").problems, SizeIs(1));
}

TEST_F(ExpectedJobsTest, CountsOnNothingThatLipsDoesNotPlanOrMayNotRead) {
  JobSpec other = spec();
  other.scheduler = "default-scheduler";
  add_cron("others", "@hourly", other);
  add_cron("suspended", "@hourly", spec()).suspended = true;
  EXPECT_THAT(expected().work, IsEmpty());
  may_read_ = [](const std::string&, const std::string&) { return false; };
  add_suspended("own", "2026-11-23T11:30:00Z", spec({{"lips.dev/dataset", "events"}}));
  EXPECT_TRUE(expected().work.at(0).input.valid()) << "a namespace reads its own data";
  jobs_.begin()->second.meta.name_space = "ml";
  jobs_.begin()->second.spec.pod_notes.annotations = {{"lips.dev/dataset", "etl/events"}};
  EXPECT_FALSE(expected().work.at(0).input.valid());
}

TEST_F(ExpectedJobsTest, AFileAnnouncesJobsUntilTheyComeNearTheirTime) {
  Announcements read = parse_announcements("jobs.yaml",
                                           "- {job: etl/once, at: '2026-11-23T11:30:00Z', cpuSeconds: 900, dataSet: "
                                           "etl/events, chance: 0.5, fraction: 0.25, shuffle: 20Gi}\n"
                                           "- {job: ml/hourly, schedule: '15 * * * *', cpuSeconds: 60}\n");
  EXPECT_THAT(read.errors, IsEmpty());
  announced_ = std::move(read.entries);
  const ExpectedJobs found = expected();
  ASSERT_THAT(found.work, SizeIs(5));
  EXPECT_EQ(found.work[0], (ExpectedWork{"etl/once", time("2026-11-23T11:30:00Z"), 0.5, CpuSeconds(900), DataSetId(0),
                                         0.25, Mebibytes(20 * 1024), {}}));
  EXPECT_EQ(found.work[1].at, time("2026-11-23T10:15:00Z"));
  EXPECT_FALSE(found.work[1].input.valid());
  const auto next_hourly = [&](const std::string& arrived) {
    arrivals_["ml/hourly"] = time(arrived);
    return expected().work.at(1).at;
  };
  EXPECT_EQ(next_hourly("2026-11-23T10:02:00Z"), time("2026-11-23T11:15:00Z")) << "a bit early";
  EXPECT_EQ(next_hourly("2026-11-23T09:20:00Z"), time("2026-11-23T10:15:00Z")) << "the one before";
}

TEST(Announcements, RefuseBadEntriesWithTheirLineAndKeepTheOthers) {
  const std::string text =
      "- job: etl/good\n"
      "  schedule: '0 2 * * *'\n"
      "  timeZone: Europe/Paris\n"
      "  cpuSeconds: 3600\n"
      "- job: nameless\n"
      "  at: 2026-01-31T06:00:00Z\n"
      "  cpuSeconds: 1\n"
      "- {job: a/b, at: soon, cpuSeconds: 1}\n"
      "- {job: a/b, cpuSeconds: 1}\n"
      "- {job: a/b, at: '2026-01-31T06:00:00Z', schedule: '@daily', cpuSeconds: 1}\n"
      "- {job: a/b, schedule: '61 * * * *', cpuSeconds: 1}\n"
      "- {job: a/b, schedule: '@daily', timeZone: Europe/Atlantis, cpuSeconds: 1}\n"
      "- {job: a/b, schedule: '@daily', cpuSeconds: 1, chance: 2}\n"
      "- {job: a/b, schedule: '@daily', cpuSecond: 1}\n"
      "- 7\n"
      "- {\"job\": \"etl/json\", \"at\": \"2026-01-31T06:00:00Z\", \"cpuSeconds\": 60}\n"
      "- {job: '', at: '2026-01-31T06:00:00Z', cpuSeconds: 1}\n"
      "- {job: a/b, at: '2026-01-31T06:00:00Z', cpuSeconds: 1, dataSet: /b}\n"
      "- {job: a/b, schedule: '', cpuSeconds: 1}\n"
      "- {job: a/b, schedule: '@every 2h', cpuSeconds: 1}\n";
  const Announcements read = parse_announcements("jobs.yaml", text);
  ASSERT_THAT(read.entries, SizeIs(2));
  EXPECT_EQ(read.entries[0].job, "etl/good");
  EXPECT_EQ(read.entries[0].within(*parse_time("2026-01-31T00:00:00Z"), *parse_time("2026-02-01T00:00:00Z")),
            std::vector{*parse_time("2026-01-31T01:00:00Z")});
  EXPECT_EQ(read.entries[1].job, "etl/json");
  EXPECT_THAT(read.errors, testing::IsSupersetOf(
                               {HasSubstr("jobs.yaml:5: 1.job: found 'nameless'; allowed: NAMESPACE/NAME"),
                                HasSubstr("jobs.yaml:8: 2.at: found 'soon'; allowed: a time such as"),
                                HasSubstr("jobs.yaml:9: 3: found neither at nor schedule; allowed: one of the two"),
                                HasSubstr("jobs.yaml:10: 4: found at and schedule"),
                                HasSubstr("jobs.yaml:11: 5.schedule: found '61 * * * *'; allowed: as in a CronJob"),
                                HasSubstr("jobs.yaml:20: 14.schedule: found '@every 2h'; allowed: a schedule by the clock"),
                                HasSubstr("jobs.yaml:12: 6.timeZone: found 'Europe/Atlantis'"),
                                HasSubstr("jobs.yaml:13: 7.chance: found '2'"), HasSubstr("jobs.yaml:14: 8."),
                                HasSubstr("jobs.yaml:15: 9"), HasSubstr("jobs.yaml:17: 11.job: found ''"),
                                HasSubstr("jobs.yaml:18: 12.dataSet: found '/b'"),
                                HasSubstr("jobs.yaml:19: 13.schedule: found ''")}));
  EXPECT_THAT(parse_announcements("x", "job: a/b").errors, ElementsAre(HasSubstr("x:1: found no list")));
  EXPECT_THAT(parse_announcements("x", "- {").errors, SizeIs(1));
  EXPECT_THAT(parse_announcements("x", "").errors, IsEmpty());
}

TEST_F(ExpectedJobsTest, SaysOfAnnouncementsThatItCannotReadSo) {
  add_suspended("soon", "soon", spec());
  add_suspended("odd", "2026-11-23T11:30:00Z", spec({{"lips.dev/run-time", "long"}}));
  add_cron("elsewhere", "@hourly", spec()).time_zone = "Europe/Atlantis";
  add_cron("never", "61 * * * *", spec());
  const ExpectedJobs found = expected();
  EXPECT_THAT(found.work, IsEmpty());
  std::vector<std::string> said;
  for (const ExpectedJobs::Problem& problem : found.problems) said.push_back(problem.why);
  EXPECT_THAT(said,
              testing::UnorderedElementsAre(HasSubstr("Job etl/soon: lips.dev/expected-at: found 'soon'"),
                                            HasSubstr("Job etl/odd: lips.dev/run-time: found 'long'"),
                                            HasSubstr("CronJob etl/elsewhere: spec.timeZone: found 'Europe/Atlantis'"),
                                            HasSubstr("CronJob etl/never: spec.schedule: minute: found '61'")));
}

nlohmann::json cron_object(const std::string& schedule) {
  nlohmann::json pod{{"schedulerName", "lips"},
                     {"containers", {{{"name", "c"}, {"resources", {{"requests", {{"cpu", "1500m"}}}}}}}}};
  nlohmann::json job{{"completions", 4},
                     {"template", {{"metadata", {{"annotations", {{"lips.dev/run-time", "1m"}}}}}, {"spec", pod}}}};
  return {{"metadata", {{"namespace", "default"}}},
          {"spec", {{"schedule", schedule}, {"jobTemplate", {{"spec", job}}}}}};
}

// From the API server to the snapshot.
TEST(ExpectedOfCronJobs, ReachesTheSnapshot) {
  FakeCluster cluster;
  cluster.put_node("a", {.cpu = 2});
  cluster.put_storage("cronjobs", "hourly", cron_object("0 * * * *"));
  nlohmann::json elsewhere = cron_object("0 * * * *");
  elsewhere["spec"]["timeZone"] = "Europe/Atlantis";
  cluster.put_storage("cronjobs", "elsewhere", elsewhere);
  Planned planned(cluster);
  ASSERT_TRUE(planned.until([&] { return !planned.snapshot().expected.empty(); }));
  const ExpectedWork& work = planned.snapshot().expected.front();
  EXPECT_THAT(work.job, testing::StartsWith("default/hourly-"));
  EXPECT_EQ(work.work, CpuSeconds(4 * 1.5 * 60));
  EXPECT_EQ(planned.snapshot().pools[work.pool].name, "default");
  EXPECT_TRUE(planned.until([&] { return planned.counted().rejections()["CronJob announcement"] == 1; }));
}

TEST(ExpectedOfGatedJobs, CountUntilOneOfTheirPodsIsReleased) {
  FakeCluster cluster;
  cluster.put_node("a", {.cpu = 1});
  cluster.put_job("report", 2);
  const TimePoint later = cluster.now() + std::chrono::hours(1);
  nlohmann::json pod = cron_object("")["spec"]["jobTemplate"]["spec"]["template"];
  pod["spec"]["schedulingGates"] = nlohmann::json::parse(R"([{"name":"example.com/quota"}])");
  cluster.change_job("report", {{"metadata", {{"annotations", {{annotation::expected_at, time_text(later)}}}}},
                                {"spec", {{"template", pod}}}});
  FakePod waits = pod_of(1, "report");
  waits.gates = {"example.com/quota"};
  cluster.put_pod("report-0", waits);
  Planned planned(cluster);
  ASSERT_TRUE(planned.until([&] { return !planned.snapshot().expected.empty(); }));
  EXPECT_EQ(planned.snapshot().expected.front().job, "default/report");
  EXPECT_EQ(planned.pending(), 0u);
  waits.gates = {};
  cluster.put_pod("report-0", waits);
  ASSERT_TRUE(planned.until_pending(1));
  cluster.put_node("b", {.cpu = 1});  // everything is looked at again, now and not within half a minute
  EXPECT_TRUE(planned.until([&] { return planned.snapshot().expected.empty(); }));
}

}  // namespace
}  // namespace lips::kubernetes
