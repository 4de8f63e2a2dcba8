#include "records/epoch_journal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "config/text_file.h"
#include "controller/epoch_controller.h"
#include "model/cluster_state.h"
#include "policies/registry/registry.h"
#include "simulation/scenario_reader.h"
#include "simulation/simulated_cluster.h"
#include "tests/records/snapshot_difference.h"

namespace lips {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

// Failures with lost data, shared data in a dear zone, shuffle, selectors, pools with limits: what makes states that a
// fresh reading would not.
constexpr const char* rough_day = R"(
name: rough-day
zones: [a, b]
racksPerZone: 2
nodes:
  - {name: cheap, count: 4, zone: b, cores: 8, pricePerHour: 0.1, labels: {disk: ssd}}
  - {name: dear, count: 4, zone: a, cores: 4, pricePerHour: 0.4}
blockSize: 128Mi
placement: {replicas: 2, zonesPerBlock: 1, hotZone: a, hotShare: 0.9}
pools: [{name: one, weight: 2, maximum: 20}, {name: two, minimum: 2}]
dataSets: [{name: logs, size: 4Gi}]
jobs:
  - {name: first, input: logs, application: Grep, pool: one}
  - {name: again, input: logs, application: WordCount, arrival: 30s, pool: two, shuffleRatio: 0.3, reduces: 3, cpuPerReduce: 20}
  - {name: late, count: 4, input: logs, application: WordCount, arrival: 90s, pool: one, nodeSelector: {disk: ssd}}
  - {name: pi, tasks: 300, cpuPerTask: 33.3, arrival: 2m, pool: two}
failures:
  - {random: 2, at: 1m, until: 3m, down: 1m, dataLost: true}
  - {nodes: [cheap-0], at: 2m, down: 50s}
network: {remoteStream: 5Mbit/s}
transfer: {acrossZones: 0.01}
settings: {epoch: 45s, horizon: 2m, copyColumns: true, dropCopiesAfter: 1m, replanLeast: 2s}
)";

simulation::Scenario scenario() {
  const fs::path file = fs::temp_directory_path() / ("lips-rough-day-" + std::to_string(getpid()) + ".yaml");
  EXPECT_TRUE(write_text_file(file.string(), rough_day));
  simulation::ScenarioOptions options;
  options.config_folder = std::string(LIPS_SOURCE_DIR) + "/config";
  const Result<simulation::Scenario> read = simulation::read_scenario(file.string(), options);
  fs::remove(file);
  EXPECT_TRUE(read) << read.error().message;
  return *read;
}

// Hands over every decision of a run.
class Tapped : public Policy {
 public:
  using Tap = std::function<void(const PolicyInput&, const Plan&)>;
  Tapped(std::unique_ptr<Policy> policy, Tap tap) : policy_(std::move(policy)), tap_(std::move(tap)) {}
  Cadence cadence() const override { return policy_->cadence(); }
  Result<Plan> decide(const PolicyInput& input) const override {
    Result<Plan> plan = policy_->decide(input);
    if (plan) tap_(input, *plan);
    return plan;
  }

 private:
  std::unique_ptr<Policy> policy_;
  Tap tap_;
};

void run(const simulation::Scenario& scenario, const std::string& name, const Tapped::Tap& tap) {
  const Tapped policy(std::move(*make_policy(name, scenario.settings)), tap);
  simulation::RunListener nobody;
  simulation::SimulatedCluster cluster(scenario, policy.cadence(), nobody);
  ClusterState state(scenario.cluster);
  EpochController controller(state, cluster, policy, scenario.costs);
  ASSERT_TRUE(controller.run({}));
}

EpochRecord record_of(const std::string& name, const simulation::Scenario& scenario, const PolicyInput& input,
                      const Plan& plan) {
  EpochRecord record;
  record.epoch = 7, record.version = "test", record.policy = name, record.settings = scenario.settings;
  record.seed = input.seed;
  record.reporting.assign(input.reporting.begin(), input.reporting.end());
  record.digest = plan_digest(plan);
  record.snapshot = {input.cluster, input.costs};
  return record;
}

class JournalOfEveryPolicy : public testing::TestWithParam<std::string> {};

TEST_P(JournalOfEveryPolicy, GivesBackWhatThePolicySawAndItsPlanBitForBit) {
  const simulation::Scenario day = scenario();
  int decisions = 0;
  run(day, GetParam(), [&](const PolicyInput& input, const Plan& plan) {
    if (HasFailure() || ++decisions % 3 != 1) return;  // the first and every third after it
    const Result<EpochRecord> read = read_epoch("e", write_epoch(record_of(GetParam(), day, input, plan)));
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_EQ(difference(input.cluster, read->snapshot.cluster), "") << "at " << to_seconds(input.cluster.now) << " s";
    const Result<Plan> again =
        (*make_policy(read->policy, read->settings))
            ->decide({read->snapshot.cluster, read->snapshot.costs, read->seed, read->reporting, nullptr});
    ASSERT_TRUE(again);
    EXPECT_EQ(plan_digest(*again), read->digest) << "at " << to_seconds(input.cluster.now) << " s";
  });
  EXPECT_GT(decisions, 1);
}

// The day is of use only when it shows what a fresh reading would get wrong.
TEST(RoughDay, HasCopiesFailuresShuffleAndRoundedSums) {
  const simulation::Scenario day = scenario();
  bool moves = false, copies = false, later = false, down = false, shuffle = false, rounded = false;
  for (const char* policy : {"lips", "lips-paper"})
    run(day, policy, [&](const PolicyInput& input, const Plan&) {
      const ClusterSnapshot& cluster = input.cluster;
      moves |= !cluster.moves.empty(), copies |= !cluster.extra_copies.empty();
      for (const JobId job : cluster.jobs.ids()) {
        later |= !cluster.locality[job].since.empty();
        for (const Mebibytes output : cluster.jobs[job].map_output) shuffle |= output.value() > 0;
        double pending = 0;
        for (std::uint32_t i = 0; i < cluster.jobs[job].tasks(); ++i)
          if (const Task& task = cluster.tasks[TaskId(cluster.jobs[job].first_task.index() + i)];
              task.state == TaskState::pending)
            pending += task.cpu.value();
        rounded |= pending != cluster.jobs[job].pending_work.value();
      }
      for (const Node& node : cluster.nodes) down |= !node.schedulable;
    });
  EXPECT_TRUE(moves);
  EXPECT_TRUE(copies);
  EXPECT_TRUE(later);
  EXPECT_TRUE(down);
  EXPECT_TRUE(shuffle);
  EXPECT_TRUE(rounded);
}

// What only clusters have that others use too.
TEST(ExactSnapshot, KeepsResourcesOfOthersAndTasksThatWereFoundOrWithdrawn) {
  ClusterSnapshot start;
  start.zones.push_back({"a"}), start.racks.push_back({"r", ZoneId(0)}), start.profiles.push_back({});
  start.extended_names = {"nvidia.com/gpu", "ephemeral-storage"};
  for (int i = 0; i < 2; ++i) {
    Node node;
    node.name = "n" + std::to_string(i), node.zone = ZoneId(0), node.rack = RackId(0), node.profile = ProfileId(0);
    node.capacity = {Cores(4), Mebibytes(1000), 10, {2, 30.5, 0, 0}};
    node.others = i == 0 ? Resources{Cores(0.1), Mebibytes(3), 2, {1, 0, 0, 0}} : node.others;
    node.price = UsdPerHour(0.1);
    start.nodes.push_back(node);
  }
  PlacementConstraint constraint;
  const LabelRequirement in_a{"zone", LabelRequirement::Operator::in, {"a"}};
  constraint.volumes = {{{in_a}, {}}, {{in_a, in_a}}};
  start.constraints.push_back(constraint);
  start.pools.push_back({"p", 1, {}, {}, {}});
  ClusterState state(start);
  JobArrived job;
  job.job.name = "j", job.job.pool = PoolId(0), job.job.constraint = ConstraintId(0);
  job.job.request = {Cores(0.1), Mebibytes(1), 1, {1, 0, 0, 0}};
  job.job.map_tasks = 5;
  job.tasks.assign(5, Task{});
  for (Task& task : job.tasks) task.cpu = CpuSeconds(1.1);
  state.apply(job);
  state.apply(TaskFound{TaskId(3), NodeId(0), TimePoint(Duration(7))});
  state.apply(TaskFound{TaskId(4), NodeId(0), TimePoint(Duration(7))});  // more than the node has
  state.apply(TaskWithdrawn{TaskId(0)});
  ASSERT_TRUE(state.assume({TaskId(1), NodeId(1), {}, {}}));
  state.apply(TaskFinished{TaskId(3), NodeId(0)});
  const std::string text = write_snapshot(state.snapshot(), CostModel(), SnapshotDetail::exact);
  const Result<SnapshotFile> read = read_snapshot("s", text, SnapshotOrder::as_written);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(difference(state.snapshot(), read->cluster), "");
  EXPECT_EQ(write_snapshot(read->cluster, CostModel(), SnapshotDetail::exact), text);
}

std::vector<std::string> online_policies() {
  std::vector<std::string> names;
  for (const PolicyEntry& entry : policy_registry())
    if (!entry.name.starts_with("lips-offline")) names.emplace_back(entry.name);
  return names;
}

INSTANTIATE_TEST_SUITE_P(Registry, JournalOfEveryPolicy, testing::ValuesIn(online_policies()),
                         [](const auto& parameter) {
                           std::string name = parameter.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

class EpochJournalTest : public testing::Test {
 protected:
  ~EpochJournalTest() override { fs::remove_all(folder_); }
  std::string folder_ = (fs::temp_directory_path() / ("lips-journal-" + std::to_string(getpid()))).string();
};

TEST_F(EpochJournalTest, KeepsTheNewestEpochsThatFit) {
  Result<EpochJournal> journal = EpochJournal::open(folder_, Mebibytes(0.01));
  ASSERT_TRUE(journal) << journal.error().message;
  std::string noise;
  std::uint32_t state = 1;
  for (int i = 0; i < 3000; ++i) noise += static_cast<char>('a' + (state = state * 1664525 + 1013904223) % 7919 % 26);
  for (int i = 0; i < 20; ++i) ASSERT_TRUE(journal->add(noise + std::to_string(i)));
  const Result<std::vector<JournalEntry>> entries = list_journal(folder_);
  ASSERT_TRUE(entries);
  EXPECT_EQ(entries->back().epoch, 20u);
  EXPECT_GT(entries->size(), 2u);
  EXPECT_LT(entries->size(), 10u);
  EXPECT_LE(journal->bytes(), 10486u);
}

TEST_F(EpochJournalTest, GoesOnAfterACrash) {
  {
    Result<EpochJournal> journal = EpochJournal::open(folder_, Mebibytes(1));
    ASSERT_TRUE(journal->add("one"));
    ASSERT_TRUE(journal->add("two"));
  }
  const std::string half = folder_ + "/epoch-0000000003.json.gz.unfinished";
  std::ofstream(half) << "half";
  Result<EpochJournal> journal = EpochJournal::open(folder_, Mebibytes(1));
  ASSERT_TRUE(journal);
  EXPECT_EQ(journal->next_epoch(), 3u);
  EXPECT_FALSE(fs::exists(half));
  ASSERT_TRUE(journal->add("three"));
  EXPECT_EQ(list_journal(folder_)->size(), 3u);
}

TEST_F(EpochJournalTest, SaysWhatIsWrongWithADamagedRecord) {
  const simulation::Scenario day = scenario();
  std::string text;
  run(day, "fifo", [&](const PolicyInput& input, const Plan& plan) {
    if (text.empty()) text = write_epoch(record_of("fifo", day, input, plan));
  });
  ASSERT_TRUE(read_epoch("e", text));
  std::string other = text;
  other[other.size() - 40] ^= 1;
  EXPECT_THAT(read_epoch("e", other).error().message, HasSubstr("not the one that was written"));
  EXPECT_THAT(read_epoch("e", "{}").error().message, HasSubstr("e:1"));
  EXPECT_THAT(read_epoch("e", "no json").error().message, HasSubstr("journal"));
  EXPECT_THAT(read_epoch("e", text.substr(0, text.size() / 2)).error().message, HasSubstr("not the one"));
}

TEST(PlanDigest, DiffersWithAnyBitOfThePlan) {
  Plan plan;
  plan.assignments = {{TaskId(1), NodeId(2), StoreId(3), StoreId()}};
  const std::string before = plan_digest(plan);
  plan.account.seconds.total = 3;
  EXPECT_EQ(plan_digest(plan), before);
  plan.account.gap = 1e-300;
  EXPECT_NE(plan_digest(plan), before);
  plan.account.gap = 0, plan.assignments[0].keep_in = StoreId(3);
  EXPECT_NE(plan_digest(plan), before);
}

}  // namespace
}  // namespace lips
