#include "kubernetes/adapter/job_tables.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/kubernetes/adapter/small_cluster.h"

namespace lips::kubernetes {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

class JobTables : public SmallCluster {
 protected:
  JobTables() {
    PodNeeds needs;
    needs.requests = {{"cpu", 2000}};
    class_ = classes_.intern(needs);
    list({{"default/books", 10}, {"default/films", 4}});
  }

  PodRecord* pod(const std::string& name, const std::string& owner, std::int32_t task) {
    PodRecord& made = *pods_.emplace_back(std::make_unique<PodRecord>());
    made.meta = {"default", name, "uid-" + name, ""};
    if (!owner.empty()) made.owner = Owner{"Job", owner, "uid-" + owner};
    if (!owner.empty()) made.index = task;
    made.pod_class = class_;
    made.requests = {{"cpu", 2000}};
    return &made;
  }
  std::vector<GroupedJob> group(const std::vector<PodRecord*>& pods) {
    rejected_.clear();
    return group_into_jobs(pods,
                           {*index_,
                            classes_,
                            run_times_,
                            jobs_,
                            {},
                            known_,
                            Duration(60'000'000),
                            may_read_,
                            Mebibytes(2),
                            data_under_,
                            &traffic_,
                            nullptr,
                            {},
                            {},
                            &cron_jobs_},
                           events_, rejected_);
  }

  std::function<bool(const std::string& data_set, const std::string& name_space)> may_read_;
  std::function<KnownJob(const std::string& key)> known_;
  PathLookup data_under_;
  PodClassId class_;
  RunTimes run_times_;
  LearnedTraffic traffic_;
  std::map<std::string, BatchJob> jobs_;
  std::map<std::string, CronJob> cron_jobs_;
  std::vector<std::unique_ptr<PodRecord>> pods_;
  std::vector<ClusterEvent> events_;
  std::vector<Rejection> rejected_;
};

TEST(BlocksOfTask, CoverEveryBlockOnce) {
  for (std::uint32_t tasks = 1; tasks <= 12; ++tasks)
    for (std::uint32_t blocks = tasks; blocks <= 40; ++blocks) {
      std::uint32_t next = 0;
      for (std::uint32_t task = 0; task < tasks; ++task) {
        const TaskBlocks span = blocks_of_task(task, tasks, blocks);
        EXPECT_EQ(span.first, next);
        EXPECT_GE(span.count, 1u);
        next += span.count;
      }
      EXPECT_EQ(next, blocks);
    }
}

TEST_F(JobTables, PodsOfOneOwnerAreOneJobInOrderOfIndex) {
  const auto jobs = group({pod("w-1", "words", 1), pod("alone", "", 0), pod("w-0", "words", 0)});
  ASSERT_THAT(jobs, SizeIs(2));
  EXPECT_EQ(jobs[1].job.name, "default/words");
  ASSERT_THAT(jobs[1].pods, SizeIs(2));
  EXPECT_EQ(jobs[1].pods[0]->meta.name, "w-0");
  EXPECT_EQ(jobs[1].job.request.cpu, Cores(2));
  EXPECT_EQ(jobs[0].job.name, "default/alone");
}

// Pods that come later, or ask for more, are parts of the same job, which began with the Job.
TEST_F(JobTables, PodsThatComeInSeveralBatchesArePartsOfOneJob) {
  const TimePoint five(one_day * 20'000 + std::chrono::hours(5));
  jobs_["uid-words"].started = five;
  std::vector<WholeJobId> wholes;
  for (int batch = 0; batch < 6; ++batch) {
    std::vector<PodRecord*> pods;
    for (int i = 0; i <= batch; ++i) {
      pods.push_back(pod("w-" + std::to_string(batch) + '-' + std::to_string(i), "words", 10 * batch + i));
      pods.back()->created = five + std::chrono::minutes(1 + batch);
      pods.back()->priority = i % 2;
    }
    pods.push_back(pod("o-" + std::to_string(batch), "others", batch));
    pods.back()->created = five + std::chrono::minutes(2);
    for (const GroupedJob& part : group(pods)) {
      ASSERT_TRUE(part.job.whole.id.valid());
      const bool words = part.job.name == "default/words";
      if (words) wholes.push_back(part.job.whole.id);
      EXPECT_EQ(part.job.whole.began, words ? five : five + std::chrono::minutes(2));
      EXPECT_EQ(part.job.whole.id == wholes.front(), words);
    }
  }
  EXPECT_EQ(wholes.size(), 11u) << "each batch but the first has two priorities";
}

TEST_F(JobTables, PodsThatNeverPreemptArePartsOfTheirOwn) {
  PodRecord* never = pod("w-1", "words", 1);
  never->preempts = false;
  const auto jobs = group({pod("w-0", "words", 0), never});
  ASSERT_THAT(jobs, SizeIs(2));
  EXPECT_TRUE(jobs[0].job.preempts);
  EXPECT_FALSE(jobs[1].job.preempts);
}

// One that begins at five and is late makes pods after six too.
TEST_F(JobTables, PodsOfAJobAreDueOnTheSameDayWheneverTheyAreMade) {
  const TimePoint five(one_day * 20'000 + std::chrono::hours(5));
  std::vector<PodRecord*> late{pod("w-0", "words", 0), pod("w-1", "words", 1), pod("alone", "", 0)};
  for (PodRecord* each : late) {
    each->created = five + std::chrono::hours(2);
    each->work.complete_by_time_of_day = std::chrono::hours(6);
  }
  jobs_["uid-words"].started = five;
  const auto jobs = group(late);
  ASSERT_THAT(jobs, SizeIs(2));
  for (const GroupedJob& one : jobs)
    EXPECT_EQ(one.job.due.complete_by, five + std::chrono::hours(one.pods.size() == 2 ? 1 : 25)) << one.key;
}

TEST_F(JobTables, AJobSaysWhenItsControllerEndsIt) {
  const TimePoint five(one_day * 20'000 + std::chrono::hours(5));
  PodRecord* retried = pod("w-1", "words", 1);
  retried->owner->api_version = "batch/v1", retried->created = five + std::chrono::minutes(40);
  BatchJob& job = jobs_["uid-words"];
  job.spec.active_deadline = std::chrono::hours(1);
  const auto due = [&] { return group({retried})[0].job.due.ends_by; };
  EXPECT_EQ(due(), retried->created + std::chrono::hours(1)) << "its start is not written yet";
  job.started = five;
  EXPECT_EQ(due(), five + std::chrono::hours(1));
  EXPECT_EQ(group({retried})[0].job.due.complete_by, std::nullopt) << "nobody asked for it by then";
  job.meta.name = "words-28800300", job.cron_job = "uid-cron";
  CronJob& cron = cron_jobs_["uid-cron"];
  cron.meta.name = "words", cron.schedule = "*/30 * * * *", cron.one_at_a_time = true;
  EXPECT_EQ(due(), five + std::chrono::minutes(30)) << "its CronJob starts the next one";
}

TEST_F(JobTables, EachTaskReadsItsRangeOfBlocks) {
  jobs_["uid-words"].spec.completions = 4;
  std::vector<PodRecord*> pods;
  for (int i = 0; i < 4; ++i) {
    pods.push_back(pod("w-" + std::to_string(i), "words", i));
    pods.back()->work.data_set = "default/books";
    pods.back()->work.cpu_per_mebibyte = CpuSecondsPerMebibyte(0.5);
  }
  const auto jobs = group(pods);
  ASSERT_THAT(jobs, SizeIs(1));
  EXPECT_THAT(rejected_, IsEmpty());
  EXPECT_EQ(jobs[0].tasks[1].block, BlockId(2));
  EXPECT_EQ(jobs[0].tasks[1].input, Mebibytes(3 * 64));
  EXPECT_EQ(jobs[0].tasks[1].cpu, CpuSeconds(96));
  EXPECT_THAT(pods[3]->reads, ElementsAre(BlockRun{"default/books", 7, 3}));
}

TEST_F(JobTables, AsManyPeersAreExpectedAsEarlierRunsHadWhereNobodySaysIt) {
  for (const auto& [said, learned, expected, guessed] :
       {std::tuple(0u, 0u, 0u, false), {0u, 5u, 6u, true}, {3u, 5u, 3u, false}}) {
    PodRecord* driver = pod("driver", "", 0);
    driver->work.job = "spark-1";
    driver->work.peers = driver->work.driver = true;
    driver->work.application = "nightly";
    traffic_ = {};
    if (learned > 0) traffic_.had("default/nightly", learned);
    known_ = [&, said = said](const std::string&) {
      KnownJob known;
      known.peers = true;
      known.expected = said;
      known.drivers = known.maps = 1;
      known.worker = driver;
      return known;
    };
    const auto jobs = group({driver});
    ASSERT_THAT(jobs, SizeIs(1));
    EXPECT_EQ(jobs.front().job.whole.expected, expected);
    EXPECT_EQ(jobs.front().job.whole.guessed, guessed);
  }
}

TEST_F(JobTables, PeersReadADataSetTogetherAndExchangeByTheirWork) {
  std::vector<PodRecord*> pods{pod("driver", "", 0)};
  for (int i = 0; i < 3; ++i) pods.push_back(pod("w-" + std::to_string(i), "", 0));
  for (PodRecord* pod : pods) {
    pod->work.job = "spark-1";
    pod->work.peers = true;
    pod->work.driver = pod == pods.front();
    pod->work.data_set = "default/books";
  }
  known_ = [&](const std::string&) {
    KnownJob known;
    known.peers = true;
    known.maps = known.expected = 6;  // two workers are to come
    known.drivers = 1;
    known.worker = pods.back();
    known.arrived = TimePoint(Duration(7));
    return known;
  };
  const auto jobs = group(pods);
  ASSERT_THAT(jobs, SizeIs(2));
  const GroupedJob& driver = jobs.front();
  EXPECT_TRUE(driver.job.coordinates);
  EXPECT_FALSE(driver.tasks.front().block.valid()) << "a driver reads nothing";
  const GroupedJob& workers = jobs.back();
  EXPECT_FALSE(workers.job.coordinates);
  for (const GroupedJob& job : jobs) {
    EXPECT_TRUE(job.job.whole.peers);
    EXPECT_EQ(job.job.whole.id, driver.job.whole.id);
    EXPECT_EQ(job.job.whole.expected, 6u);
    EXPECT_EQ(job.job.whole.each.cpu, Cores(2));
    EXPECT_EQ(job.job.whole.arrived, TimePoint(Duration(7)));
    EXPECT_EQ(job.job.shuffle, Mebibytes(2.0 * 6 * 120)) << "2 MiB for each CPU-second of six pods of 120";
  }
  ASSERT_THAT(workers.tasks, SizeIs(3));
  for (std::uint32_t i = 0; i < 3; ++i) {
    EXPECT_EQ(workers.tasks[i].block, BlockId(2 * i));
    EXPECT_EQ(workers.tasks[i].input, Mebibytes(10 * 64 / 5.0));
  }
  pods.back()->work.shuffle = Mebibytes(5);
  EXPECT_EQ(group(pods).back().job.shuffle, Mebibytes(5));
}

TEST_F(JobTables, PeersExchangeAndReadWhatEarlierRunsOfTheirApplicationDid) {
  std::vector<PodRecord*> pods;
  for (int i = 0; i < 2; ++i) pods.push_back(pod("w-" + std::to_string(i), "", 0));
  for (PodRecord* pod : pods) {
    pod->work.job = "spark-2";
    pod->work.application = "nightly";
    pod->work.peers = true;
    pod->work.data_set = "default/books";
  }
  known_ = [&](const std::string&) {
    KnownJob known;
    known.peers = true;
    known.maps = 2;
    return known;
  };
  const Mebibytes assumed(2.0 * 2 * 120), all(10 * 64);
  const auto job = [&] { return group(pods).back(); };
  traffic_.ended("other/nightly", "spark-1", {Mebibytes(1), Mebibytes(1)});
  EXPECT_EQ(job().job.shuffle, assumed) << "another namespace's";
  traffic_.seen("default/nightly", "spark-1", {Mebibytes(5), Mebibytes(5)});
  EXPECT_EQ(job().job.shuffle, assumed) << "at least 5 MiB";
  EXPECT_EQ(job().tasks.front().input, all / 2);
  traffic_.seen("default/nightly", "spark-1", {Mebibytes(9000), Mebibytes(5)});
  EXPECT_EQ(job().job.shuffle, Mebibytes(9000));
  traffic_.ended("default/nightly", "spark-1", {Mebibytes(30), all / 4});
  const GroupedJob learned = job();
  EXPECT_EQ(learned.job.shuffle, Mebibytes(30));
  EXPECT_EQ(learned.tasks.front().input, all / 8);
  ASSERT_THAT(learned.job.inputs, SizeIs(1));
  EXPECT_EQ(learned.job.inputs.front().fraction, 0.25);
  for (PodRecord* pod : pods) pod->work.shuffle = Mebibytes(7);
  EXPECT_EQ(job().job.shuffle, Mebibytes(7)) << "annotations come first";
  for (PodRecord* pod : pods) pod->work.shuffle = Mebibytes(0);
  EXPECT_EQ(job().job.shuffle, Mebibytes(0));
}

TEST_F(JobTables, DeclaredWorkIsNoWayAroundTheReckoning) {
  PodRecord* humble = pod("a-1", "a", 0);
  humble->work.cpu = CpuSeconds(0.001);
  EXPECT_EQ(group({humble})[0].tasks[0].cpu, CpuSeconds(0.1));
  EXPECT_GT(humble->declared, Duration(0));
  run_times_.add("default/Job/a", {std::chrono::seconds(100), humble->declared});
  EXPECT_NEAR(group({humble})[0].tasks[0].cpu.value(), 200, 1);
  PodRecord* honest = pod("b-1", "b", 0);
  honest->work.cpu = CpuSeconds(100);
  run_times_.add("default/Job/b", {std::chrono::seconds(80), std::chrono::seconds(50)});
  EXPECT_EQ(group({honest})[0].tasks[0].cpu, CpuSeconds(100));
  PodRecord* boundless = pod("c-1", "c", 0);
  boundless->requests = {{"cpu", 1'000'000'000'000}};
  boundless->work.run_time = std::chrono::hours(8000);
  EXPECT_EQ(group({boundless})[0].tasks[0].cpu, most_task_work);
}

TEST_F(JobTables, MapsAndReducesThatAskForDifferentThingsAreOneJob) {
  jobs_["uid-words"].spec.completions = 2;
  PodNeeds needs;
  needs.requests = {{"cpu", 4000}};
  std::vector<PodRecord*> pods;
  for (int i = 0; i < 2; ++i) {
    PodRecord* map = pods.emplace_back(pod("m-" + std::to_string(i), "words", i));
    map->work.data_set = "default/books";
    map->work.job = "words";
    PodRecord* reduce = pods.emplace_back(pod("r-" + std::to_string(i), "sums", i));
    reduce->work.stage = TaskKind::reduce;
    reduce->work.job = "words";
    reduce->pod_class = classes_.intern(needs);
  }
  rejected_.clear();
  const JobContext context{*index_, classes_, run_times_, jobs_, {}, [](const std::string& key) {
                             EXPECT_EQ(key, "job/default/words");
                             KnownJob known;
                             known.maps = known.reduces = 2;
                             known.finished_maps = 1;
                             known.maps_in = {{"a", 1}, {"nowhere", 5}};
                             return known;
                           }};
  const auto jobs = group_into_jobs(pods, context, events_, rejected_);
  ASSERT_THAT(jobs, SizeIs(2));
  EXPECT_TRUE(jobs[0].job.whole.id.valid());
  EXPECT_EQ(jobs[0].job.whole.id, jobs[1].job.whole.id);
  EXPECT_EQ(jobs[0].job.all_maps(), 2u);
  EXPECT_EQ(jobs[0].job.all_reduces(), 2u);
  EXPECT_THAT(jobs[1].maps_before, testing::ElementsAre(1u));
  EXPECT_NE(group({pod("other", "other", 0)})[0].job.whole.id, jobs[0].job.whole.id);
}

TEST_F(JobTables, PodsThatMayNotBeInTheirPoolAreToldSo) {
  PodRecord* refused = pod("a-1", "a", 0);
  PodRecord* runs = pod("b-1", "b", 0);
  runs->state = PodState::placed;  // before its pool was taken away
  rejected_.clear();
  const JobContext context{
      *index_,
      classes_,
      run_times_,
      jobs_,
      [](const PodRecord&) -> Result<std::string> { return fail(ErrorCode::invalid_input, "not for you"); },
      {}};
  const auto jobs = group_into_jobs({refused, runs}, context, events_, rejected_);
  ASSERT_THAT(jobs, SizeIs(1));
  EXPECT_EQ(jobs[0].pods[0], runs);
  ASSERT_THAT(rejected_, SizeIs(1));
  EXPECT_EQ(rejected_[0].reason, UnschedulableReason::pool_not_allowed);
  EXPECT_EQ(rejected_[0].what, "not for you");
}

TEST_F(JobTables, APodOfAnotherNamespaceReadsOnlyWhatItMay) {
  may_read_ = [](const std::string& data_set, const std::string& name_space) {
    return data_set == "default/books" && name_space == "friends";
  };
  const auto reads = [&](const std::string& name_space, const std::string& data_set) {
    PodRecord* one = pod("p-" + name_space + std::to_string(pods_.size()), "", 0);
    one->meta.name_space = name_space;
    one->work.data_set = data_set;
    group({one});
    return rejected_.empty() ? "yes" : std::string(to_string(rejected_[0].reason)) + ": " + rejected_[0].what;
  };
  EXPECT_EQ(reads("default", "default/books"), "yes");
  EXPECT_EQ(reads("friends", "default/books"), "yes");
  const std::string refused = reads("strangers", "default/books");
  EXPECT_THAT(refused, testing::StartsWith(std::string(to_string(UnschedulableReason::data_set_not_ready))));
  EXPECT_EQ(refused, reads("strangers", "default/books"));
  std::string absent = reads("strangers", "default/nothing");
  EXPECT_EQ(absent.replace(absent.find("nothing"), 7, "books"), refused) << "nobody learns what there is elsewhere";
}

TEST_F(JobTables, PeersShareWhatLiesUnderAPath) {
  data_under_ = [](const std::string& path, const std::string& name_space) {
    EXPECT_EQ(path, "s3a://lake/wh");
    EXPECT_EQ(name_space, "default");
    return std::vector<BlockRun>{{"default/books", 6, 4}, {"default/films", 1, 2}};
  };
  known_ = [](const std::string&) {
    KnownJob known;
    known.peers = true;
    known.maps = 3;
    return known;
  };
  std::vector<PodRecord*> pods;
  for (int i = 0; i < 3; ++i) {
    pods.push_back(pod("w-" + std::to_string(i), "", 0));
    pods.back()->work.job = "spark-1";
    pods.back()->work.peers = true;
    pods.back()->work.data_set = "s3a://lake/wh";
  }
  const auto jobs = group(pods);
  EXPECT_THAT(rejected_, IsEmpty());
  ASSERT_THAT(jobs, SizeIs(1));
  ASSERT_THAT(jobs[0].tasks, SizeIs(3));
  for (const Task& task : jobs[0].tasks) EXPECT_EQ(task.input, Mebibytes(6 * 64 / 3));
  EXPECT_EQ(jobs[0].tasks[0].block, BlockId(6));
  EXPECT_EQ(jobs[0].tasks[1].block, BlockId(8));
  EXPECT_EQ(jobs[0].tasks[2].block, BlockId(11)) << "the second block of films";
  ASSERT_THAT(jobs[0].job.inputs, SizeIs(2));
  EXPECT_EQ(jobs[0].job.inputs[1].data_set, index_->data_set("default/films")->id);
  EXPECT_THAT(pods[1]->reads, ElementsAre(BlockRun{"default/books", 6, 4}, BlockRun{"default/films", 1, 2}));
}

TEST_F(JobTables, TasksWithANumberReadTheirPartOfWhatLiesUnderAPath) {
  std::vector<BlockRun> runs{{"default/books", 4, 6}};
  data_under_ = [&](const std::string&, const std::string&) { return runs; };
  jobs_["uid-words"].spec.completions = 2;
  std::vector<PodRecord*> pods;
  for (int i = 0; i < 2; ++i) {
    pods.push_back(pod("w-" + std::to_string(i), "words", i));
    pods.back()->work.data_set = "s3a://lake/wh/books";
  }
  const auto jobs = group(pods);
  ASSERT_THAT(jobs, SizeIs(1));
  EXPECT_EQ(jobs[0].tasks[1].block, BlockId(7));
  EXPECT_EQ(jobs[0].tasks[1].input, Mebibytes(3 * 64));
  EXPECT_THAT(pods[1]->reads, ElementsAre(BlockRun{"default/books", 7, 3}));
  runs.push_back({"default/films", 0, 1});
  EXPECT_THAT(group(pods), IsEmpty());
  ASSERT_THAT(rejected_, SizeIs(2));
  EXPECT_EQ(rejected_[0].reason, UnschedulableReason::bad_annotation);
  EXPECT_THAT(rejected_[0].what, HasSubstr("found a path with 2 separate parts of data sets; allowed for tasks that"));
  runs = {{"default/books", 4, 1}};
  EXPECT_THAT(group(pods), IsEmpty());
  EXPECT_THAT(rejected_.at(0).what,
              HasSubstr("has 2 tasks, but data set 'default/books' has 1 blocks under that path"));
}

TEST_F(JobTables, APathOfWhichNobodyKnowsWaitsAndOneThatCostsTheSameFromEveryZoneReadsNothing) {
  PodRecord* reader = pod("r", "", 0);
  reader->work.data_set = "s3a://lake/wh";
  EXPECT_THAT(group({reader}), IsEmpty());
  EXPECT_EQ(rejected_.at(0).what, "lips.dev/dataset: 's3a://lake/wh': the cluster has no DataSets");
  data_under_ = [](const std::string&, const std::string&) -> Result<std::vector<BlockRun>> {
    return fail(ErrorCode::not_found, "nobody knows");
  };
  EXPECT_THAT(group({reader}), IsEmpty());
  EXPECT_EQ(rejected_.at(0).reason, UnschedulableReason::data_set_not_ready);
  EXPECT_EQ(rejected_.at(0).what, "lips.dev/dataset: 's3a://lake/wh': nobody knows");
  for (const BlockRun& newer : {BlockRun{"default/new", 0, 1}, BlockRun{"default/books", 9, 2}}) {
    data_under_ = [&](const std::string&, const std::string&) { return std::vector<BlockRun>{newer}; };
    EXPECT_THAT(group({reader}), IsEmpty()) << "the model does not have these blocks yet";
    EXPECT_EQ(rejected_.at(0).reason, UnschedulableReason::data_set_not_ready);
  }
  data_under_ = [](const std::string&, const std::string&) { return std::vector<BlockRun>{}; };
  const auto jobs = group({reader});
  ASSERT_THAT(jobs, SizeIs(1));
  EXPECT_FALSE(jobs[0].tasks[0].block.valid());
  EXPECT_EQ(jobs[0].tasks[0].input, Mebibytes(0));
  EXPECT_THAT(jobs[0].job.inputs, IsEmpty());
  EXPECT_THAT(reader->reads, IsEmpty());
}

TEST_F(JobTables, RejectsMoreTasksThanBlocksAndUnknownDataSetsWithoutHarmToOthers) {
  jobs_["uid-many"].spec.completions = 11;
  PodRecord* many = pod("m-0", "many", 0);
  many->work.data_set = "default/books";
  PodRecord* lost = pod("l", "", 0);
  lost->work.data_set = "default/nowhere";
  const auto jobs = group({many, lost, pod("fine", "", 0)});
  ASSERT_THAT(jobs, SizeIs(1));
  ASSERT_THAT(rejected_, SizeIs(2));
  EXPECT_EQ(rejected_[0].reason, UnschedulableReason::bad_annotation);
  EXPECT_THAT(rejected_[0].what, HasSubstr("11 tasks, but data set 'default/books' has 10 blocks"));
  EXPECT_EQ(rejected_[1].reason, UnschedulableReason::data_set_not_ready);
}

TEST_F(JobTables, ADriverWaitsForTheDataThatItsWorkersWillReadUnlessItRunsAlready) {
  PodRecord* driver = pod("driver", "", 0);
  driver->work.job = "spark-1";
  driver->work.peers = driver->work.driver = true;
  for (const std::string named : {"default/nowhere", "s3://lake/nowhere"}) {
    driver->work.data_set = named;
    EXPECT_THAT(group({driver}), IsEmpty()) << named;
    ASSERT_THAT(rejected_, SizeIs(1)) << named;
    EXPECT_EQ(rejected_[0].reason, UnschedulableReason::data_set_not_ready);
    driver->state = PodState::placed;
    EXPECT_THAT(group({driver}), SizeIs(1)) << named;
    EXPECT_THAT(rejected_, IsEmpty()) << named;
    driver->state = {};
  }
  driver->work.data_set = "default/books";
  EXPECT_THAT(group({driver}), SizeIs(1));
}

TEST_F(JobTables, WorkIsStatedElseLearnedElseAssumed) {
  PodRecord* stated = pod("a-1", "a", 0);
  stated->work.cpu = CpuSeconds(7);
  PodRecord* timed = pod("b-1", "b", 0);
  timed->work.run_time = std::chrono::seconds(30);
  run_times_.add("default/Job/nightly", {std::chrono::seconds(10), {}});
  PodRecord* learned = pod("nightly-2-x", "nightly-2", 0);
  PodRecord* unknown = pod("c-1", "c", 0);
  const auto jobs = group({stated, timed, learned, unknown});
  ASSERT_THAT(jobs, SizeIs(4));
  EXPECT_EQ(jobs[0].tasks[0].cpu, CpuSeconds(7));
  EXPECT_EQ(jobs[1].tasks[0].cpu, CpuSeconds(60));
  EXPECT_EQ(jobs[2].tasks[0].cpu, CpuSeconds(120));
  EXPECT_EQ(jobs[3].tasks[0].cpu, CpuSeconds(20));
}

RunTime took(int seconds, int declared = 0) { return {std::chrono::seconds(seconds), std::chrono::seconds(declared)}; }

TEST(RunTimes, AreTheMeanOfTasksThatAreOver) {
  RunTimes times;
  times.add("t", took(10));
  times.add("t", took(20));
  EXPECT_EQ(times.mean("t"), Duration(std::chrono::seconds(15)));
  EXPECT_EQ(times.mean("other"), std::nullopt);
  EXPECT_TRUE(times.moved());
  times.mark_reviewed();
  EXPECT_FALSE(times.moved());
}

TEST(RunTimes, FollowWhatHasChanged) {
  RunTimes times;
  for (int i = 0; i < 2000; ++i) times.add("t", took(10));
  for (int i = 0; i < 1000; ++i) times.add("t", took(100));
  EXPECT_GT(to_seconds(*times.mean("t")), 95);
}

// Workers of a framework live as long as their application: until one ends there is only that they are still there.
TEST(RunTimes, OfTasksThatRunLongerThanExpectedRaiseTheMean) {
  RunTimes times;
  const Duration minute = std::chrono::seconds(60);
  times.review({{"executors", {took(30), took(50)}}}, minute);
  EXPECT_EQ(times.mean("executors"), std::nullopt) << "younger than assumed";
  times.review({{"executors", {took(240), took(50)}}}, minute);
  EXPECT_EQ(times.mean("executors"), Duration(std::chrono::seconds(480)));
  EXPECT_TRUE(times.moved());
  times.mark_reviewed();
  times.add("executors", took(300));
  times.review({{"executors", {took(250)}}}, minute);
  EXPECT_EQ(times.mean("executors"), Duration(std::chrono::seconds(300)));
  for (int age = 301; age < 100'000; age += 97) {
    times.review({{"executors", {took(age)}}}, minute);
    EXPECT_GE(2 * to_seconds(*times.mean("executors")), age + 300);
  }
  times.review({}, minute);
  EXPECT_EQ(times.mean("executors"), Duration(std::chrono::seconds(300)));
}

TEST(RunTimes, BeyondWhatWasDeclaredAreSeenFromEndedAndFromRunningTasks) {
  RunTimes times;
  times.add("honest", took(15, 10));
  EXPECT_EQ(times.excess("honest"), 1);
  times.add("humble", took(500, 1));
  EXPECT_EQ(times.excess("humble"), 500);
  times.review({{"running", {took(19, 10), took(200, 10), took(3, 1000)}}}, std::chrono::seconds(60));
  EXPECT_EQ(times.excess("running"), 40);
}

TEST(RunTimes, OfEndlesslyManyTemplatesAreNotKept) {
  RunTimes times;
  for (int i = 0; i < 30'000; ++i) times.add(std::to_string(i), took(1));
  EXPECT_EQ(times.mean("0"), std::nullopt);
  EXPECT_TRUE(times.mean("29999"));
}

TEST(TemplateOf, LeavesTheNumberOfAnOwnerOut) {
  EXPECT_EQ(template_of("ns", Owner{"Job", "nightly-29011320", "u"}, "p"), "ns/Job/nightly");
  EXPECT_EQ(template_of("ns", Owner{"Job", "words-v2", "u"}, "p"), "ns/Job/words-v2");
  EXPECT_EQ(template_of("ns", std::nullopt, "pod-7"), "ns/Pod/pod");
}

TEST(PodAnnotations, AreReadFromAnnotationsAndLabels) {
  Pod pod;
  pod.meta.name_space = "default";
  pod.annotations = {{"lips.dev/cpu-seconds-per-mebibyte", "0.25"},
                     {"lips.dev/dataset", "books"},
                     {"lips.dev/run-time", "1h30m"},
                     {"lips.dev/shuffle", "1.5Gi"},
                     {"lips.dev/stage", "reduce"}};
  pod.labels = {{"lips.dev/pool", "etl"}};
  const Result<PodAnnotations> annotations = read_pod_annotations(pod);
  ASSERT_TRUE(annotations);
  EXPECT_EQ(annotations->pool, "etl");
  EXPECT_EQ(annotations->data_set, "default/books");
  EXPECT_EQ(annotations->cpu_per_mebibyte, CpuSecondsPerMebibyte(0.25));
  EXPECT_EQ(annotations->run_time, Duration(std::chrono::minutes(90)));
  EXPECT_EQ(annotations->shuffle, Mebibytes(1536));
  EXPECT_EQ(annotations->stage, TaskKind::reduce);
}

TEST(PodAnnotations, SayWhatIsWrong) {
  for (const auto& [key, value] :
       {std::pair("lips.dev/cpu-seconds", "-1"), std::pair("lips.dev/cpu-seconds", "nan"),
        std::pair("lips.dev/cpu-seconds", "0"), std::pair("lips.dev/cpu-seconds", "1e15"),
        std::pair("lips.dev/cpu-seconds-per-mebibyte", "1e7"), std::pair("lips.dev/run-time", "0s"),
        std::pair("lips.dev/run-time", "10000h"), std::pair("lips.dev/shuffle", "2Ei"),
        std::pair("lips.dev/tasks", "0"), std::pair("lips.dev/run-time", "soon"), std::pair("lips.dev/shuffle", "1.5X"),
        std::pair("lips.dev/stage", "sort"), std::pair("lips.dev/tasks", "1.5")}) {
    Pod pod;
    pod.annotations = {{key, value}};
    const Result<PodAnnotations> annotations = read_pod_annotations(pod);
    ASSERT_FALSE(annotations) << key;
    EXPECT_THAT(annotations.error().message,
                testing::StartsWith(std::string(key) + ": found '" + value + "'; allowed: "));
  }
}

}  // namespace
}  // namespace lips::kubernetes
