// Orders of which no node comes.
#include "kubernetes/adapter/awaited_nodes.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>

#include "base/random.h"

namespace lips::kubernetes {
namespace {

using std::chrono::seconds;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

constexpr Duration boot = seconds(30);

NodeOrder order(const std::string& zone, std::int64_t cores) {
  NodeOrder result;
  result.place = {{"zone", zone}};
  result.needs.requests = {{"cpu", cores * 1000}};
  return result;
}

class AwaitedNodesTest : public testing::Test {
 protected:
  void add(const std::string& name, const std::string& zone, std::int64_t cores, bool ready = true) {
    Node node;
    node.meta.name = name;
    node.labels = {{"zone", zone}};
    node.allocatable = {{"cpu", cores * 1000}, {"pods", 10}};
    node.ready = ready;
    nodes_.update(node);
  }
  // So long, with these orders. Back: what is sold out at the end.
  std::vector<NodeOrder> stand(Duration span, const std::set<NodeOrder>& orders) {
    for (const TimePoint end = now_ + span; now_ < end;) {
      now_ += seconds(5);
      for (const AwaitedNodes::Given& one : awaited_->review(orders, nodes_, boot, now_)) pauses_.push_back(one.pause);
    }
    return awaited_->sold_out(now_);
  }

  const NodeOrder small_ = order("a", 1), large_ = order("a", 8);
  NodeCache nodes_;
  std::optional<AwaitedNodes> awaited_{AwaitedNodes::Patience{}};
  TimePoint now_ = TimePoint{} + seconds(1000);
  std::vector<Duration> pauses_;
};

TEST_F(AwaitedNodesTest, AreGivenUpForAWhileAndForTwiceAsLongNextTime) {
  EXPECT_THAT(stand(seconds(150), {small_}), IsEmpty());
  EXPECT_THAT(stand(seconds(10), {small_}), ElementsAre(small_));
  EXPECT_THAT(stand(seconds(280), {}), ElementsAre(small_));
  EXPECT_THAT(stand(seconds(20), {}), IsEmpty());
  EXPECT_THAT(stand(seconds(150), {small_}), IsEmpty()) << "it is tried again";
  EXPECT_THAT(stand(seconds(10), {small_}), ElementsAre(small_));
  stand(seconds(100'000), {small_});
  ASSERT_GT(pauses_.size(), 6u);
  EXPECT_EQ(pauses_[0], seconds(300));
  EXPECT_EQ(pauses_[1], seconds(600));
  EXPECT_EQ(pauses_.back(), seconds(3600)) << "not longer";
}

TEST_F(AwaitedNodesTest, ComeWhenANodeOfThePlaceIsLargeEnough) {
  stand(seconds(100), {large_});
  add("small", "a", 4), add("elsewhere", "b", 16);
  EXPECT_THAT(stand(seconds(100), {large_}), ElementsAre(large_));
  add("large", "a", 16, false);
  EXPECT_THAT(stand(seconds(5), {}), IsEmpty()) << "one that boots has been had";
  EXPECT_THAT(stand(seconds(100), {large_}), IsEmpty());
  nodes_.take("large", {{"cpu", 16'000}}, NodeCache::Whose::ours);
  EXPECT_THAT(stand(seconds(200), {large_}), ElementsAre(large_)) << "it came long ago, and is full";
  EXPECT_EQ(pauses_.back(), seconds(300)) << "from the beginning";
}

// Autoscalers count what is there before they launch.
TEST_F(AwaitedNodesTest, AreNotMissedWhereThereIsRoom) {
  add("old", "a", 16);
  EXPECT_THAT(stand(seconds(600), {large_}), IsEmpty());
  add("old", "a", 16, false);
  EXPECT_THAT(stand(seconds(600), {large_}), ElementsAre(large_)) << "not ready: no room";
}

TEST_F(AwaitedNodesTest, AreAwaitedFromWhenTheOrderStands) {
  EXPECT_THAT(stand(seconds(100), {small_}), IsEmpty());
  EXPECT_THAT(stand(seconds(50), {}), IsEmpty());
  EXPECT_THAT(stand(seconds(10), {small_}), ElementsAre(small_)) << "a plan in between did without";
  stand(seconds(400), {});
  EXPECT_THAT(stand(seconds(100), {small_}), IsEmpty());
  EXPECT_THAT(stand(seconds(100), {}), IsEmpty());
  EXPECT_THAT(stand(seconds(100), {small_}), IsEmpty()) << "a new order";
  stand(seconds(10'000), {});
  stand(seconds(200), {small_});
  EXPECT_EQ(pauses_.back(), seconds(300)) << "what happened hours ago is forgotten";
}

// Nodes come at random, and some of them full: what is sold out has waited for boot and two minutes in vain.
TEST_F(AwaitedNodesTest, AreGivenUpExactlyIfNoneCameInTime) {
  int given = 0, kept = 0;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    Random random(seed);
    nodes_ = {};
    awaited_.emplace(AwaitedNodes::Patience{});
    const NodeOrder asked = order(random.below(2) ? "a" : "b", static_cast<std::int64_t>(random.below(8)) + 1);
    TimePoint last = now_ + seconds(5);  // when the wait began
    for (int step = 0; step < 60; ++step) {
      const std::string zone = random.below(2) ? "a" : "b", name = fmt::format("n{}", step);
      const auto cores = static_cast<std::int64_t>(random.below(10)) + 1;
      const bool comes = random.below(12) == 0;
      if (comes) {
        add(name, zone, cores, random.below(2) == 0);
        nodes_.take(name, {{"cpu", cores * 1000}}, NodeCache::Whose::ours);  // the plan fills it
        if (asked.place == TextMap{{"zone", zone}} && asked.needs.requests[0].second <= cores * 1000)
          last = now_ + seconds(5);
      }
      const bool sold_out = !stand(seconds(5), {asked}).empty();
      ASSERT_EQ(sold_out, now_ - last >= boot + seconds(120)) << "seed " << seed << ", step " << step;
      (sold_out ? given : kept) += 1;
    }
  }
  EXPECT_GT(given, 1000);
  EXPECT_GT(kept, 1000);
}

}  // namespace
}  // namespace lips::kubernetes
