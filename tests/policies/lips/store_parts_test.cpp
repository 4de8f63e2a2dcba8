// The room of stores that extra copies may take, by namespace (docs/policies.md#what-else-is-held).
#include "policies/lips/data/store_parts.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "base/random.h"
#include "policies/lips/data/copies.h"
#include "policies/lips/data/store_room.h"
#include "tests/policies/case.h"

namespace lips::testing {
namespace {

constexpr double store_size = 100;
constexpr std::uint32_t blocks_of_each = 150;  // of a MiB

// A store in the second zone. The first one has a data set of each namespace, whose pools have these weights.
class Spaces {
 public:
  explicit Spaces(const std::vector<double>& weights) : state_(start(weights)) {}

  // A task of the namespace waits for its data.
  void wait(std::uint32_t space) {
    state_.apply(job(state_.snapshot(), {.blocks = {block(space, 0), block(space, 1)}}));
  }
  // A plan that would leave copies of these blocks; those that find room.
  std::uint32_t copy(std::uint32_t space, std::uint32_t from, std::uint32_t count) {
    StoreRoom room(state_.snapshot(), Plan{});
    std::vector<ReplicaAdded> added;
    for (std::uint32_t i = from; i < std::min(blocks_of_each, from + count); ++i) {
      if (state_.snapshot().blocks[block(space, i)].on(limited)) continue;
      if (const StoreId store = room.take_near(NodeId(1), block(space, i)); store.valid())
        added.push_back({block(space, i), {store, true, state_.snapshot().now}});
    }
    for (const ReplicaAdded& each : added) state_.apply(each);
    return static_cast<std::uint32_t>(added.size());
  }
  std::uint32_t drop() {
    Plan plan;
    drop_idle_copies(state_.snapshot(), std::chrono::hours(2), plan);
    for (const ReplicaDrop& drop : plan.drops) state_.apply(ReplicaRemoved{drop.block, drop.store});
    return static_cast<std::uint32_t>(plan.drops.size());
  }
  void at(double second) { state_.advance(TimePoint(seconds(second))); }
  double copies(std::uint32_t space) const {
    double count = 0;
    for (std::uint32_t i = 0; i < blocks_of_each; ++i)
      count += state_.snapshot().blocks[block(space, i)].on(limited) != nullptr;
    return count;
  }
  double used() const { return state_.snapshot().stores[limited].used.value(); }

 private:
  static constexpr StoreId limited{1};
  static BlockId block(std::uint32_t space, std::uint32_t number) { return BlockId(space * blocks_of_each + number); }
  static ClusterSnapshot start(const std::vector<double>& weights) {
    ClusterBuilder builder(2);
    const NodeId from = builder.node();
    builder.node({.zone = ZoneId(1)});
    builder.start.stores[limited].capacity = Mebibytes(store_size);
    for (std::uint32_t space = 0; space < weights.size(); ++space) {
      const PoolId pool = builder.pool(weights[space]);
      const DataSetId set(space);
      for (std::uint32_t i = 0; i < blocks_of_each; ++i) builder.block({from}, 1);
      if (space > 0) builder.start.data_sets.push_back({});
      builder.start.data_sets[set] = {
          "space-" + std::to_string(space) + "/data", block(space, 0), blocks_of_each, {}, {}, pool};
      for (std::uint32_t i = 0; i < blocks_of_each; ++i) builder.start.blocks[block(space, i)].data_set = set;
    }
    return builder.start;
  }
  ClusterState state_;
};

TEST(StoreParts, LetOneNamespaceAloneUseAllOfAStore) {
  Spaces with({1});
  EXPECT_EQ(with.copy(0, 0, blocks_of_each), 100u);
}

// The first namespace copies all that it may, in any order with others; each of these gets its part of the store though
// it comes late, unless more than that was lent before anybody else asked, and then within five reviews.
TEST(StoreParts, LeaveEachNamespaceItsPartOfAStoreThatIsHalfFull) {
  int lent = 0;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    std::vector<double> weights;
    double all = 0;
    for (std::uint64_t spaces = 2 + random.below(4); spaces > 0; --spaces)
      all += weights.emplace_back(static_cast<double>(1 + random.below(5)));
    Spaces with(weights);
    const auto spaces = static_cast<std::uint32_t>(weights.size());
    for (std::uint32_t space = 0; space < spaces; ++space)
      if (space == 0 || random.below(2) == 0) with.wait(space);
    for (int k = 0; k < 30; ++k) {
      const auto space = random.below(3) == 0 ? static_cast<std::uint32_t>(random.below(spaces)) : 0U;
      with.copy(space, static_cast<std::uint32_t>(random.below(blocks_of_each)),
                1 + static_cast<std::uint32_t>(random.below(60)));
    }
    with.copy(0, 0, blocks_of_each);
    for (std::uint32_t space = 0; space < spaces; ++space) with.wait(space);
    lent += with.copies(0) > weights[0] / all * store_size + 1;
    for (const double minutes : {11.0, 22.0, 33.0, 44.0, 55.0}) {
      with.at(60 * minutes);
      with.drop();
      for (std::uint32_t space = spaces; space-- > 0;) with.copy(space, 0, blocks_of_each);
    }
    EXPECT_LE(with.used(), store_size);
    for (std::uint32_t space = 0; space < spaces; ++space)
      EXPECT_GE(with.copies(space), std::floor(weights[space] / all * store_size)) << "namespace " << space;
  }
  EXPECT_GT(lent, 100);
}

}  // namespace
}  // namespace lips::testing
