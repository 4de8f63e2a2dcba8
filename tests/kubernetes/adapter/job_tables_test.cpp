#include "kubernetes/adapter/job_tables.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kubernetes/api/api_client.h"

namespace lips::kubernetes {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

class JobTables : public testing::Test {
 protected:
  JobTables() {
    Node node;
    node.meta.name = "n";
    node.ready = true;
    node.labels = {{"topology.kubernetes.io/zone", "a"}};
    node.allocatable = {{"cpu", 4000}, {"pods", 10}};
    nodes_.see(node);
    PodNeeds needs;
    needs.requests = {{"cpu", 2000}};
    kind_ = *kinds_.intern(needs);
    DataView data;
    data.stores = {{"store", StoreKind::bucket, "a", "", {}, {}}};
    DataSetEntry set;
    set.name = "default/books";
    set.native_blocks = 10;
    for (int i = 0; i < 10; ++i) set.blocks.push_back({Mebibytes(64), {{"store", false}}});
    data.data_sets = {set};
    ModelSettings settings;
    settings.node_price = [](const PriceQuestion&) { return NodePrice{UsdPerHour(0.2)}; };
    settings.transfer_price = [](const Place&, const Place&) { return UsdPerMebibyte(0); };
    index_ = std::make_unique<ModelIndex>(settings);
    start_ = index_->list(nodes_, kinds_, data).start;
  }

  PodRecord* pod(const std::string& name, const std::string& owner, std::int32_t task) {
    PodRecord& made = *pods_.emplace_back(std::make_unique<PodRecord>());
    made.meta = {"default", name, "uid-" + name, ""};
    if (!owner.empty()) made.owner = Owner{"Job", owner, "uid-" + owner};
    if (!owner.empty()) made.index = task;
    made.kind = kind_;
    made.requests = {{"cpu", 2000}};
    return &made;
  }
  std::vector<GroupedJob> group(const std::vector<PodRecord*>& pods) {
    rejected_.clear();
    return group_into_jobs(pods, {*index_, kinds_, run_times_, jobs_, {}, {}}, events_, rejected_);
  }

  NodeBook nodes_;
  PodKinds kinds_;
  KindId kind_;
  RunTimes run_times_;
  std::map<std::string, BatchJob> jobs_;
  std::unique_ptr<ModelIndex> index_;
  std::shared_ptr<const ClusterSnapshot> start_;
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

TEST_F(JobTables, EachTaskReadsItsRangeOfBlocks) {
  jobs_["uid-words"].completions = 4;
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
  EXPECT_EQ(pods[3]->first_block, 7u);
  EXPECT_EQ(pods[3]->block_count, 3u);
}

TEST_F(JobTables, RejectsMoreTasksThanBlocksAndUnknownDataSetsWithoutHarmToOthers) {
  jobs_["uid-many"].completions = 11;
  PodRecord* many = pod("m-0", "many", 0);
  many->work.data_set = "default/books";
  PodRecord* lost = pod("l", "", 0);
  lost->work.data_set = "default/nowhere";
  const auto jobs = group({many, lost, pod("fine", "", 0)});
  ASSERT_THAT(jobs, SizeIs(1));
  ASSERT_THAT(rejected_, SizeIs(2));
  EXPECT_EQ(rejected_[0].reason, bad_annotation);
  EXPECT_THAT(rejected_[0].what, HasSubstr("11 tasks, but data set 'default/books' has 10 blocks"));
  EXPECT_EQ(rejected_[1].reason, data_set_not_ready);
}

TEST_F(JobTables, WorkIsStatedElseLearnedElseAssumed) {
  PodRecord* stated = pod("a-1", "a", 0);
  stated->work.cpu = CpuSeconds(7);
  PodRecord* timed = pod("b-1", "b", 0);
  timed->work.run_time = std::chrono::seconds(30);
  run_times_.add("default/Job/nightly", std::chrono::seconds(10));
  PodRecord* learned = pod("nightly-2-x", "nightly-2", 0);
  PodRecord* unknown = pod("c-1", "c", 0);
  const auto jobs = group({stated, timed, learned, unknown});
  ASSERT_THAT(jobs, SizeIs(4));
  EXPECT_EQ(jobs[0].tasks[0].cpu, CpuSeconds(7));
  EXPECT_EQ(jobs[1].tasks[0].cpu, CpuSeconds(60));
  EXPECT_EQ(jobs[2].tasks[0].cpu, CpuSeconds(120));
  EXPECT_EQ(jobs[3].tasks[0].cpu, CpuSeconds(20));
}

TEST(RunTimes, ForgetsNothingThatIsTheLastItKnows) {
  RunTimes times;
  times.add("t", std::chrono::seconds(10));
  times.add("t", std::chrono::seconds(20));
  EXPECT_EQ(times.mean("t"), Duration(std::chrono::seconds(15)));
  times.remove("t", std::chrono::seconds(10));
  EXPECT_EQ(times.mean("t"), Duration(std::chrono::seconds(20)));
  times.remove("t", std::chrono::seconds(20));
  EXPECT_EQ(times.mean("t"), Duration(std::chrono::seconds(20)));
  EXPECT_EQ(times.mean("other"), std::nullopt);
  EXPECT_TRUE(times.moved());
  times.settle();
  EXPECT_FALSE(times.moved());
}

TEST(TemplateOf, LeavesTheNumberOfAnOwnerOut) {
  EXPECT_EQ(template_of("ns", Owner{"Job", "nightly-29011320", "u"}, "p"), "ns/Job/nightly");
  EXPECT_EQ(template_of("ns", Owner{"Job", "words-v2", "u"}, "p"), "ns/Job/words-v2");
  EXPECT_EQ(template_of("ns", std::nullopt, "pod-7"), "ns/Pod/pod");
}

TEST(TaskNotes, AreReadFromAnnotationsAndLabels) {
  Pod pod;
  pod.meta.name_space = "default";
  pod.annotations = {{"lips.dev/cpu-seconds-per-mebibyte", "0.25"},
                     {"lips.dev/dataset", "books"},
                     {"lips.dev/run-time", "1h30m"},
                     {"lips.dev/shuffle", "1.5Gi"},
                     {"lips.dev/stage", "reduce"}};
  pod.labels = {{"lips.dev/pool", "etl"}};
  const Result<TaskNotes> notes = read_task_notes(pod);
  ASSERT_TRUE(notes);
  EXPECT_EQ(notes->pool, "etl");
  EXPECT_EQ(notes->data_set, "default/books");
  EXPECT_EQ(notes->cpu_per_mebibyte, CpuSecondsPerMebibyte(0.25));
  EXPECT_EQ(notes->run_time, Duration(std::chrono::minutes(90)));
  EXPECT_EQ(notes->shuffle, Mebibytes(1536));
  EXPECT_EQ(notes->stage, TaskKind::reduce);
}

TEST(TaskNotes, SayWhatIsWrong) {
  for (const auto& [key, value] : {std::pair("lips.dev/cpu-seconds", "-1"), std::pair("lips.dev/cpu-seconds", "nan"),
                                   std::pair("lips.dev/run-time", "soon"), std::pair("lips.dev/shuffle", "1.5X"),
                                   std::pair("lips.dev/stage", "sort"), std::pair("lips.dev/tasks", "1.5")}) {
    Pod pod;
    pod.annotations = {{key, value}};
    const Result<TaskNotes> notes = read_task_notes(pod);
    ASSERT_FALSE(notes) << key;
    EXPECT_THAT(notes.error().message, testing::StartsWith(std::string(key) + ": found '" + value + "'; allowed: "));
  }
}

TEST(JobMemory, SurvivesAsAnAnnotation) {
  lips::JobMemory memory;
  memory.home_decided = true;
  memory.passed_over_since = TimePoint(Duration(1234567));
  memory.last_locality = Locality::zone;
  const StoredMemory read = read_memory(memory_text(memory, "us-east-1b"));
  EXPECT_EQ(read.home, "us-east-1b");
  EXPECT_EQ(read.memory, memory);
  EXPECT_EQ(memory_text({}, ""), "");
  EXPECT_EQ(read_memory("no json").memory, lips::JobMemory{});
}

TEST(ResourceOfPath, NamesResourceAndSubresource) {
  EXPECT_EQ(resource_of_path("/api/v1/pods?limit=500"), "pods");
  EXPECT_EQ(resource_of_path("/api/v1/namespaces/default/pods/x/binding"), "pods/binding");
  EXPECT_EQ(resource_of_path("/apis/coordination.k8s.io/v1/namespaces/a/leases/lips"), "leases");
  EXPECT_EQ(resource_of_path("/apis/lips.dev/v1alpha1"), "");
  EXPECT_EQ(resource_of_path("/api/v1/namespaces/default"), "namespaces");
}

}  // namespace
}  // namespace lips::kubernetes
