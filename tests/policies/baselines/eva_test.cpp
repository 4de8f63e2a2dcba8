#include <optional>

#include "tests/policies/case.h"
#include "tests/policies/elastic_builder.h"

namespace lips::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Optional;
using ::testing::UnorderedElementsAre;

// Nodes of four cores for 0.40 USD an hour, of two for 0.30, of one for 0.15, each in a zone of its own; so the
// reservation price of a task of one core is 0.15, of two cores 0.30, of four 0.40.
class SizedTypes {
 public:
  SizedTypes() : builder_(3) {
    for (const auto& [zone, cores, usd] : {std::tuple(0u, 4, 0.4), std::tuple(1u, 2, 0.3), std::tuple(2u, 1, 0.15)})
      offers.push_back(sized(builder_.offer(ZoneId(zone), usd), cores));
  }
  NodeId up(std::uint32_t zone, int cores, double usd) {
    const NodeId node = builder_.elastic_node(ZoneId(zone), usd);
    resize(node, cores);
    return node;
  }
  Case& start() { return with.emplace("eva", builder_); }
  TaskId add(double cores) {
    const JobId job =
        with->add({.arrival = static_cast<double>(with->state.snapshot().jobs.size()), .maps = 1, .cores = cores});
    return with->task(job, 0);
  }
  void run(NodeId node, double cores) {
    EXPECT_TRUE(with->state.assume({add(cores), node, StoreId::none(), StoreId::none()}));
  }

 private:
  void resize(NodeId node, int cores) {
    builder_.start.nodes[node].capacity.cpu = Cores(cores);
    builder_.start.nodes[node].capacity.slots = cores;
  }
  OfferId sized(OfferId offer, int cores) {
    resize(builder_.start.offers[offer].like, cores);
    return offer;
  }

  ElasticBuilder builder_;

 public:
  std::vector<OfferId> offers;
  std::optional<Case> with;
};

TEST(Eva, JoinsTheNodeWhoseTasksAreWorthMost) {
  SizedTypes types;
  const NodeId two = types.up(0, 4, 0.4), one = types.up(0, 4, 0.4), third = types.up(0, 4, 0.4);
  Case& with = types.start();
  types.run(two, 1);
  types.run(two, 1);
  types.run(one, 3);
  types.run(third, 1);
  const TaskId task = types.add(1);
  EXPECT_THAT(with.step(), ElementsAre(Runs(task, one))) << "0.40 + 0.15, not 0.30 + 0.15";
  const TaskId wide = types.add(2);
  EXPECT_THAT(with.step(), ElementsAre(Runs(wide, two))) << "the first one is full";
}

TEST(Eva, LeavesANodeWhoseTasksAreNotWorthItForLater) {
  SizedTypes types;
  const NodeId large = types.up(0, 8, 1), full = types.up(0, 4, 0.4), half = types.up(1, 2, 0.3);
  Case& with = types.start();
  for (int i = 0; i < 3; ++i) types.run(large, 1);
  types.run(full, 3);
  types.run(half, 1);
  const TaskId first = types.add(1);
  EXPECT_THAT(with.step(), ElementsAre(Runs(first, full))) << "the large one costs 1, its tasks are worth 0.45";
  const TaskId second = types.add(1);
  EXPECT_THAT(with.step(), ElementsAre(Runs(second, half))) << "which is then worth its 0.30";
  const TaskId third = types.add(1);
  EXPECT_THAT(with.step(), ElementsAre(Runs(third, large))) << "the last one with room";
}

TEST(Eva, PrefersAUsedNodeToAnEmptyOneOfItsPrice) {
  SizedTypes types;
  types.up(0, 8, 1);
  const NodeId used = types.up(0, 8, 1);
  Case& with = types.start();
  types.run(used, 1);
  const TaskId task = types.add(1);
  EXPECT_THAT(with.step(), ElementsAre(Runs(task, used))) << "neither is worth it";
}

TEST(Eva, TasksThatAreWorthADearEmptyNodeTakeTheCheapestOneThatHoldsThem) {
  SizedTypes types;
  types.up(0, 4, 0.5);
  const NodeId cheap = types.up(0, 4, 0.4);
  Case& with = types.start();
  const TaskId first = types.add(2), second = types.add(2);
  EXPECT_THAT(with.step(), UnorderedElementsAre(Runs(first, cheap), Runs(second, cheap)));
}

TEST(Eva, FillsANodeThatItJoinsWithTheDearestTasksFirst) {
  SizedTypes types;
  const NodeId node = types.up(0, 4, 0.4);
  Case& with = types.start();
  types.run(node, 1);
  const TaskId small = types.add(1), wide = types.add(2), later = types.add(1);
  const Plan plan = with.plan();
  EXPECT_THAT(plan.assignments, UnorderedElementsAre(Runs(wide, node), Runs(small, node)));
  EXPECT_THAT(plan.node_requests, Optional(ElementsAre(NodeRequest{later, types.offers[2]})));
}

TEST(Eva, StartsADearEmptyNodeOnlyForTasksThatAreWorthIt) {
  SizedTypes types;
  const NodeId dear = types.up(0, 4, 0.4), cheap = types.up(1, 2, 0.3);
  Case& with = types.start();
  const TaskId first = types.add(1), second = types.add(1);
  EXPECT_THAT(with.plan().assignments, UnorderedElementsAre(Runs(first, cheap), Runs(second, cheap)))
      << "two are worth 0.30";
  const TaskId third = types.add(1);
  EXPECT_THAT(with.plan().assignments, UnorderedElementsAre(Runs(first, dear), Runs(second, dear), Runs(third, dear)))
      << "three are worth 0.45";
}

TEST(Eva, TakesANodeThatIsNotWorthItBeforeItAsksForAnother) {
  SizedTypes types;
  const NodeId dear = types.up(0, 4, 0.4);
  Case& with = types.start();
  const TaskId task = types.add(1);
  const Plan plan = with.plan();
  EXPECT_THAT(plan.assignments, ElementsAre(Runs(task, dear)));
  EXPECT_THAT(plan.node_requests, Optional(IsEmpty())) << "an autoscaler launches nothing for what finds room";
}

TEST(Eva, AsksForTheTypeThatItsTasksAreWorth) {
  SizedTypes types;
  Case& with = types.start();
  const TaskId first = types.add(1), second = types.add(1);
  EXPECT_THAT(with.plan().node_requests,
              Optional(UnorderedElementsAre(NodeRequest{first, types.offers[1]}, NodeRequest{second, types.offers[1]})))
      << "two are worth the node of two cores";
  const TaskId third = types.add(1);
  EXPECT_THAT(with.plan().node_requests,
              Optional(UnorderedElementsAre(NodeRequest{first, types.offers[0]}, NodeRequest{second, types.offers[0]},
                                            NodeRequest{third, types.offers[0]})))
      << "three are worth the node of four";
  const Plan plan = with.plan();
  EXPECT_THAT(plan.assignments, IsEmpty());
  for (const Deferral& deferral : plan.deferrals) EXPECT_EQ(deferral.reason, DeferralReason::waits_for_node);
  EXPECT_EQ(plan.deferrals.size(), 3u);
}

TEST(Eva, FillsFixedNodesAsTheyArePaidForAnyway) {
  ClusterBuilder builder;
  const NodeId slow = builder.node({.slots = 2, .cpu = 2}), fast = builder.node({.slots = 2, .cpu = 2, .speed = 2});
  for (const NodeId node : {slow, fast}) builder.start.nodes[node].price = UsdPerHour(1);
  Case with("eva", builder);
  const JobId job = with.add({.maps = 3});
  EXPECT_THAT(with.step(),
              ElementsAre(Runs(with.task(job, 0), fast), Runs(with.task(job, 1), fast), Runs(with.task(job, 2), slow)))
      << "an hour of the fast node does the work of two";
}

}  // namespace
}  // namespace lips::testing
