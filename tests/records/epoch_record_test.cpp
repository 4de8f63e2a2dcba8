#include "records/epoch_record.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

#include "policies/registry/registry.h"
#include "records/digest.h"
#include "tests/model/difference.h"
#include "tests/records/record_of.h"
#include "tests/records/rough_day.h"

namespace lips {
namespace {

using ::testing::HasSubstr;

class JournalOfEveryPolicy : public ::testing::TestWithParam<std::string> {};

TEST_P(JournalOfEveryPolicy, GivesBackWhatThePolicySawAndItsPlanBitForBit) {
  int decisions = 0;
  for (const simulation::Scenario& day : {testing::scenario(), testing::scenario(testing::coded_day())})
    testing::run(day, GetParam(), [&](const PolicyInput& input, const Plan& plan) {
      if (HasFailure() || ++decisions % 3 != 1) return;  // the first and every third after it
      const Result<EpochRecord> read = read_epoch("e", write_epoch(testing::record_of(GetParam(), day, input, plan)));
      ASSERT_TRUE(read) << read.error().message;
      EXPECT_EQ(read->invoice, InvoiceSoFar({Usd(1.25), Usd(0.5), Usd(0.25), Usd(0.125), Usd(1e-9)}));
      EXPECT_EQ(testing::difference(input.cluster, read->snapshot.cluster), "")
          << "at " << to_seconds(input.cluster.now) << " s";
      const Result<Plan> again =
          (*make_policy(read->policy, read->settings))
              ->decide({read->snapshot.cluster, read->snapshot.costs, read->seed, read->reporting, nullptr});
      ASSERT_TRUE(again);
      EXPECT_EQ(testing::difference(plan, *again), "") << "at " << to_seconds(input.cluster.now) << " s";
      EXPECT_EQ(plan_digest(*again), read->digest) << "at " << to_seconds(input.cluster.now) << " s";
    });
  EXPECT_GT(decisions, 1);
}

// The day is of use only when it shows what a fresh reading would get wrong.
TEST(RoughDay, HasCopiesFailuresShuffleAndRoundedSums) {
  const simulation::Scenario day = testing::scenario();
  bool moves = false, copies = false, later = false, down = false, shuffle = false, rounded = false;
  for (const char* policy : {"lips", "lips-paper"})
    testing::run(day, policy, [&](const PolicyInput& input, const Plan&) {
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

TEST(RoughDay, HasDegradedTasksAndSharesWhereDataIsCoded) {
  const simulation::Scenario day = testing::scenario(testing::coded_day());
  bool degraded = false, sources = false, noted = false, shares = false;
  for (const char* policy : {"degraded-first", "modified-fair"})
    testing::run(day, policy, [&](const PolicyInput& input, const Plan& plan) {
      for (const Task& task : input.cluster.tasks) degraded |= task.degraded;
      for (const Assignment& assignment : plan.assignments) sources |= !assignment.sources.empty();
      noted |= !input.cluster.rack_degraded.empty();
      shares |= input.cluster.shares.has_value();
    });
  EXPECT_TRUE(degraded);
  EXPECT_TRUE(sources);
  EXPECT_TRUE(noted);
  EXPECT_TRUE(shares);
}

// The parts that only clusters have that others use too.
TEST(ExactSnapshot, KeepsResourcesOfOthersAndTasksThatWereFoundOrWithdrawn) {
  ClusterSnapshot start;
  start.zones.push_back({"a"}), start.racks.push_back({"r", ZoneId(0)}),
      start.profiles.push_back({{{"zone", "a"}}, {}});
  const ResourceId gpu = start.extended_names.push_back("nvidia.com/gpu");
  const ResourceId storage = start.extended_names.push_back("ephemeral-storage");
  for (int i = 2; i < 9; ++i) start.extended_names.push_back("example.com/" + std::to_string(i));
  const ResourceId last(8);
  for (int i = 0; i < 2; ++i) {
    Node node;
    node.name = "n" + std::to_string(i), node.zone = ZoneId(0), node.rack = RackId(0), node.profile = ProfileId(0);
    node.capacity = {Cores(4), Mebibytes(1000), 10, {{gpu, 2}, {storage, 30.5}, {last, 3}}};
    node.others = i == 0 ? Resources{Cores(0.1), Mebibytes(3), 2, {{gpu, 1}}} : node.others;
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
  job.job.request = {Cores(0.1), Mebibytes(1), 1, {{gpu, 1}, {last, 1}}};
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
  EXPECT_EQ(testing::difference(state.snapshot(), read->cluster), "");
  EXPECT_EQ(write_snapshot(read->cluster, CostModel(), SnapshotDetail::exact), text);
}

std::vector<std::string> online_policies() {
  std::vector<std::string> names;
  for (const PolicyEntry& entry : policy_registry())
    if (!entry.name.starts_with("lips-offline")) names.emplace_back(entry.name);
  return names;
}

INSTANTIATE_TEST_SUITE_P(Registry, JournalOfEveryPolicy, ::testing::ValuesIn(online_policies()),
                         [](const auto& parameter) {
                           std::string name = parameter.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST(EpochRecordText, SaysWhatIsWrongWhereItIsDamaged) {
  const simulation::Scenario day = testing::scenario();
  std::string text;
  testing::run(day, "fifo", [&](const PolicyInput& input, const Plan& plan) {
    if (text.empty()) text = write_epoch(testing::record_of("fifo", day, input, plan));
  });
  ASSERT_TRUE(read_epoch("e", text));
  std::string other = text;
  other[other.size() - 40] ^= 1;
  EXPECT_THAT(read_epoch("e", other).error().message, HasSubstr("differs from the written one"));
  EXPECT_THAT(read_epoch("e", "{}").error().message, HasSubstr("e:1"));
  EXPECT_THAT(read_epoch("e", "no json").error().message, HasSubstr("journal"));
  EXPECT_THAT(read_epoch("e", text.substr(0, text.size() / 2)).error().message,
              HasSubstr("differs from the written one"));
  for (const auto& [from, to, message] : std::vector<std::array<std::string, 3>>{
           {"\"seed\":1", "\"seed\":-1", "e:1: /seed: found -1; allowed: a whole number of 0 or more"},
           {"\"seed\":1,", "", "e:1: /seed: found nothing"},
           {"\"formatVersion\":2", "\"formatVersion\":3",
            "e:1: /formatVersion: found 3; allowed: a whole number from 1 to 2"},
           {"\"dollars\":", "\"dollars\":1e999,\"x\":", "e:1: found a number that is too large"},
           {"\"reporting\":[", "\"reporting\":[7,-3],\"x\":[", "e:1: /reporting/1: found -3"}}) {
    std::string changed = text;
    changed.replace(changed.find(from), from.size(), to);
    const Result<EpochRecord> read = read_epoch("e", changed);
    ASSERT_FALSE(read) << message;
    EXPECT_THAT(read.error().message, HasSubstr(message));
    EXPECT_THAT(read.error().message, ::testing::Not(HasSubstr("exception")));
  }
}

}  // namespace
}  // namespace lips
