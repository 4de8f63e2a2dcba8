#include <optional>

#include "tests/policies/case.h"
#include "tests/policies/elastic_builder.h"

namespace lips::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Optional;
using ::testing::SizeIs;

// Nodes of four slots that run a task each, which ends after the given seconds.
class Busy {
 public:
  explicit Busy(const std::vector<double>& until, int empty = 0) {
    for (std::size_t i = 0; i < until.size() + static_cast<std::size_t>(empty); ++i)
      nodes.push_back(builder_.node({.slots = 4, .cpu = 4}));
    with.emplace("stratus", builder_);
    for (std::size_t i = 0; i < until.size(); ++i) {
      const JobId job = with->add({.maps = 1, .cpu = until[i]});
      EXPECT_TRUE(with->state.assume({with->task(job, 0), nodes[i], StoreId::none(), StoreId::none()}));
    }
  }
  NodeId place(double seconds) {
    const JobId job = with->add({.arrival = 1, .maps = 1, .cpu = seconds});
    const std::vector<Assignment> assigned = with->step();
    EXPECT_THAT(assigned, ElementsAre(::testing::Field(&Assignment::task, with->task(job, 0))));
    return assigned.empty() ? NodeId::none() : assigned.front().node;
  }

 private:
  ClusterBuilder builder_;

 public:
  std::vector<NodeId> nodes;
  std::optional<Case> with;
};

TEST(Stratus, JoinsTheNodeOfItsBinWhoseEndIsNearest) {
  Busy busy({1000, 70, 120, 40}, 1);
  EXPECT_EQ(busy.place(110), busy.nodes[2]) << "64 to 128 s";
}

TEST(Stratus, ElseJoinsTheNextHigherBin) {
  Busy busy({5000, 40, 300}, 1);
  EXPECT_EQ(busy.place(110), busy.nodes[2]) << "which it does not prolong";
}

TEST(Stratus, ElseTakesAnEmptyNode) {
  Busy busy({10, 40}, 1);
  EXPECT_EQ(busy.place(110), busy.nodes[2]);
}

TEST(Stratus, ElseProlongsTheNextLowerBin) {
  Busy busy({10, 40, 3});
  EXPECT_EQ(busy.place(110), busy.nodes[1]);
}

TEST(Stratus, PlacesLongTasksFirstSoThatShortOnesJoinThem) {
  ClusterBuilder builder;
  const NodeId first = builder.node({.slots = 2, .cpu = 2}), second = builder.node({.slots = 2, .cpu = 2});
  Case with("stratus", builder);
  const JobId brief = with.add({.maps = 2, .cpu = 10});
  const JobId lengthy = with.add({.arrival = 1, .maps = 2, .cpu = 1000});
  EXPECT_THAT(with.step(), ElementsAre(Runs(with.task(lengthy, 0), first), Runs(with.task(lengthy, 1), first),
                                       Runs(with.task(brief, 0), second), Runs(with.task(brief, 1), second)));
}

TEST(Stratus, RequestsTheCheapestNodesForWhatFindsNoRoom) {
  ElasticBuilder builder(2);
  builder.offer(ZoneId(0), 0.4);
  const OfferId cheap = builder.offer(ZoneId(1), 0.1);
  builder.offer(ZoneId(1), 0.05, 0);  // sold out
  builder.elastic_node(ZoneId(0), 0.4);
  Case with("stratus", builder);
  const JobId job = with.add({.maps = 5});
  const Plan plan = with.plan();
  EXPECT_THAT(plan.assignments, SizeIs(4));
  EXPECT_THAT(plan.node_requests, Optional(ElementsAre(NodeRequest{with.task(job, 4), cheap})));
}

}  // namespace
}  // namespace lips::testing
