#include "model/degraded_read.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "model/cluster_state.h"
#include "model/degraded_input.h"
#include "model/stripe.h"
#include "model/validate_plan.h"
#include "tests/policies/degraded/coded_cluster.h"

namespace lips {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

TEST(Stripe, NamesNativeBlocksAndThoseOfParityBehindThem) {
  const DataSet set{"data", BlockId(100), 8, {}, {5, 3}};
  EXPECT_EQ(stripe_count(set), 3u);
  EXPECT_EQ(parity_blocks(set), 6u);
  const Stripe last = stripe_at(set, 2);
  EXPECT_EQ(last.natives, 2u);
  EXPECT_EQ(last.block(0), BlockId(106));
  EXPECT_EQ(last.block(2), BlockId(112));
  for (std::uint32_t i = 0; i < 14; ++i) {
    const BlockId block(100 + i);
    const Stripe stripe = stripe_of(set, block);
    std::set<BlockId> members;
    for (std::uint32_t member = 0; member < stripe.size(); ++member) members.insert(stripe.block(member));
    EXPECT_TRUE(members.contains(block)) << i;
    EXPECT_EQ(is_parity(set, block), i >= 8);
  }
  EXPECT_EQ(code_row(set, BlockId(104)), 1u);
  EXPECT_EQ(code_row(set, BlockId(109)), 4u);
}

TEST(Stripe, HasNoneWhereDataIsReplicated) {
  const DataSet set{"data", BlockId(0), 8, {}, {}};
  EXPECT_EQ(stripe_count(set), 0u);
  EXPECT_EQ(parity_blocks(set), 0u);
  EXPECT_FALSE(is_parity(set, BlockId(9)));
}

TEST(DegradedRead, IsPossibleWhileAsManyBlocksAreLeftAsTheStripeHasNativeOnes) {
  ClusterState state = testing::coded_state({}, 1);
  const Stripe stripe = stripe_at(state.snapshot().data_sets[DataSetId(0)], 0);
  const auto lose = [&](std::uint32_t member) {
    const BlockId block = stripe.block(member);
    state.apply(ReplicaRemoved{block, state.snapshot().blocks[block].replicas.at(0).store});
  };
  EXPECT_FALSE(decodable(state.snapshot(), stripe.block(0))) << "it is there";
  lose(0);
  EXPECT_TRUE(decodable(state.snapshot(), stripe.block(0)));
  for (std::uint32_t member = 1; member < stripe.parities; ++member) lose(member);
  EXPECT_TRUE(decodable(state.snapshot(), stripe.block(0)));
  lose(stripe.size() - 1);
  EXPECT_FALSE(decodable(state.snapshot(), stripe.block(0)));
}

TEST(DegradedRead, TakesAsManySurvivorsOfTheStripeAsItHasNativeBlocks) {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    ClusterState state = testing::coded_state({}, seed);
    const ClusterSnapshot& cluster = state.snapshot();
    const BlockId wanted(0);
    state.apply(ReplicaRemoved{wanted, cluster.blocks[wanted].replicas.at(0).store});
    const Stripe stripe = stripe_of(cluster.data_sets[DataSetId(0)], wanted);
    for (const SourceChoice choice : {SourceChoice::random, SourceChoice::nearest})
      for (NodeId reader : cluster.nodes.ids()) {
        const auto sources = degraded_sources(cluster, {}, wanted, reader, {choice, seed});
        std::set<BlockId> blocks;
        for (const StripeSource& source : sources) {
          EXPECT_NE(source.block, wanted);
          EXPECT_NE(cluster.blocks[source.block].on(source.store), nullptr);
          blocks.insert(source.block);
        }
        EXPECT_EQ(blocks.size(), stripe.natives);
        EXPECT_EQ(sources.size(), stripe.natives);
      }
  }
}

TEST(DegradedRead, ChoosesNearestSourcesWhenAskedTo) {
  ClusterState state = testing::coded_state({}, 4);
  const ClusterSnapshot& cluster = state.snapshot();
  state.apply(ReplicaRemoved{BlockId(0), cluster.blocks[BlockId(0)].replicas.at(0).store});
  const Stripe stripe = stripe_of(cluster.data_sets[DataSetId(0)], BlockId(0));
  for (NodeId reader : cluster.nodes.ids()) {
    const auto near = [&](const std::vector<StripeSource>& sources) {
      std::size_t count = 0;
      for (const StripeSource& source : sources) count += locality_of(cluster, source.store, reader) <= Locality::rack;
      return count;
    };
    std::size_t in_rack = 0;
    for (std::uint32_t member = 1; member < stripe.size(); ++member) {
      const StoreId store = cluster.blocks[stripe.block(member)].replicas.at(0).store;
      in_rack += locality_of(cluster, store, reader) <= Locality::rack;
    }
    EXPECT_EQ(near(degraded_sources(cluster, {}, BlockId(0), reader, {SourceChoice::nearest, 1})),
              std::min<std::size_t>(in_rack, stripe.natives));
  }
}

TEST(DegradedRead, IsCountedAndItsRackNoted) {
  ClusterState state = testing::coded_state({}, 2);
  state.advance(TimePoint(std::chrono::seconds(50)));
  testing::lose_node(state, NodeId(0));
  const ClusterSnapshot& cluster = state.snapshot();
  const Assignment assignment = testing::first_degraded(cluster, NodeId(5));
  ASSERT_TRUE(assignment.task.valid());
  ASSERT_TRUE(state.assume(assignment));
  const Job& job = cluster.jobs[JobId(0)];
  EXPECT_EQ(job.degraded_launched, 1u);
  EXPECT_TRUE(cluster.tasks[assignment.task].degraded);
  EXPECT_EQ(cluster.rack_degraded[cluster.nodes[NodeId(5)].rack], TimePoint(std::chrono::seconds(50)));
  state.apply(TaskLost{assignment.task});
  EXPECT_EQ(job.degraded_launched, 0u);
  EXPECT_FALSE(cluster.tasks[assignment.task].degraded);
}

TEST(DegradedRead, BecomesPossibleAndImpossibleAsTheStripeChanges) {
  ClusterState state = testing::coded_state({}, 2);
  const ClusterSnapshot& cluster = state.snapshot();
  const Stripe stripe = stripe_at(cluster.data_sets[DataSetId(0)], 0);
  const TaskId task = cluster.jobs[JobId(0)].first_task;  // reads the stripe's first block
  const auto group = [&]() -> const TaskGroup& { return cluster.groups[JobId(0)][cluster.tasks[task].group]; };
  std::vector<std::pair<BlockId, StoreId>> lost;
  const auto lose = [&](std::uint32_t member) {
    lost.emplace_back(stripe.block(member), cluster.blocks[stripe.block(member)].replicas.at(0).store);
    state.apply(ReplicaRemoved{lost.back().first, lost.back().second});
  };
  EXPECT_FALSE(group().degraded);
  lose(0);
  EXPECT_TRUE(group().degraded);
  for (std::uint32_t i = 0; i < stripe.parities; ++i) lose(stripe.size() - 1 - i);
  EXPECT_FALSE(group().degraded) << "too few blocks are left";
  state.apply(ReplicaAdded{lost.back().first, {lost.back().second, false, {}}});
  EXPECT_TRUE(group().degraded);
  state.apply(ReplicaAdded{lost.front().first, {lost.front().second, false, {}}});
  EXPECT_FALSE(group().degraded);
  EXPECT_FALSE(group().zones.empty());
}

TEST(DegradedRead, IsCheckedInPlans) {
  ClusterState state = testing::coded_state({}, 3);
  testing::lose_node(state, NodeId(1));
  const ClusterSnapshot& cluster = state.snapshot();
  const Assignment sound = testing::first_degraded(cluster, NodeId(2));
  const auto problems = [&](const Assignment& assignment) {
    Plan plan;
    plan.assignments = {assignment};
    return validate_plan(cluster, plan);
  };
  EXPECT_THAT(problems(sound), IsEmpty());
  Assignment wrong = sound;
  const auto with = [&](auto change) {
    std::vector<StripeSource> sources(sound.sources.begin(), sound.sources.end());
    change(sources);
    return sources;
  };
  wrong.sources = with([](auto& sources) { sources.pop_back(); });
  EXPECT_THAT(problems(wrong), Not(IsEmpty()));
  wrong = sound;
  wrong.sources = with([](auto& sources) { sources[0] = sources[1]; });
  EXPECT_THAT(problems(wrong), Not(IsEmpty()));
  wrong = sound;
  wrong.sources = with([&](auto& sources) { sources[0].store = cluster.node_store[NodeId(1)]; });
  EXPECT_THAT(problems(wrong), Not(IsEmpty()));
  wrong = sound;
  wrong.read_from = wrong.sources[0].store;
  EXPECT_THAT(problems(wrong), Not(IsEmpty()));
  wrong = sound;
  wrong.sources = with([](auto& sources) { sources.clear(); });
  EXPECT_THAT(problems(wrong), Not(IsEmpty()));
}

TEST(StripeSources, AreAValueThatTakesAPointerInEveryAssignment) {
  static_assert(sizeof(StripeSources) == sizeof(void*));
  const StripeSources none(std::vector<StripeSource>{});
  EXPECT_TRUE(none.empty());
  EXPECT_EQ(none, StripeSources());
  const StripeSources two({{BlockId(1), StoreId(4)}, {BlockId(2), StoreId(5)}});
  StripeSources copy = two;
  EXPECT_EQ(copy, two);
  EXPECT_NE(copy, none);
  EXPECT_EQ(copy.size(), 2u);
  EXPECT_EQ(copy[1].store, StoreId(5));
  copy = none;
  EXPECT_TRUE(copy.empty());
  EXPECT_EQ(two.size(), 2u);
}

TEST(DegradedInput, ReadsBackWhatItWrites) {
  ClusterState state = testing::coded_state({}, 3);
  testing::lose_node(state, NodeId(1));
  const ClusterSnapshot& cluster = state.snapshot();
  const Assignment assignment = testing::first_degraded(cluster, NodeId(2));
  const DegradedInput input = degraded_input(cluster, assignment, [](BlockId block, StoreId store) {
    return "http://node-" + std::to_string(store.index()) + "/a;b%3B/" + std::to_string(block.index()) + "?x=1";
  });
  EXPECT_EQ(input.sources.size(), input.natives);
  const std::string text = format_degraded_input(input);
  EXPECT_TRUE(is_degraded_input(text));
  const Result<DegradedInput> back = parse_degraded_input(text);
  ASSERT_TRUE(back) << back.error().message;
  EXPECT_EQ(*back, input);
}

TEST(DegradedInput, SaysWhatIsWrong) {
  EXPECT_TRUE(parse_degraded_input("degraded:code=4,2;natives=2;row=0;bytes=9;1=a;3=b"));
  for (const char* wrong :
       {"/data/7", "degraded:code=4,2;natives=2;row=0;bytes=9;1=a", "degraded:code=4,2;natives=2;row=0;bytes=9;1=a;1=b",
        "degraded:code=4,2;natives=2;row=1;bytes=9;1=a;3=b", "degraded:code=2,4;natives=2;row=0;bytes=9;1=a;3=b",
        "degraded:code=4,2;natives=1;row=0;bytes=9;1=a", "degraded:code=4,2;natives=2;row=0;bytes=x;1=a;3=b",
        "degraded:code=4;natives=2;row=0;bytes=9;1=a;3=b", "degraded:code=4,2;natives=2;row=0;bytes=9;1=a;9=b"}) {
    const Result<DegradedInput> read = parse_degraded_input(wrong);
    ASSERT_FALSE(read) << wrong;
    EXPECT_THAT(read.error().message, HasSubstr("allowed"));
  }
}

}  // namespace
}  // namespace lips
