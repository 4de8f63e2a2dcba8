// A limit on new nodes that is less than what is wanted of several zones.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "base/random.h"
#include "tests/policies/case.h"
#include "tests/policies/elastic_builder.h"

namespace lips::testing {
namespace {

constexpr double cores_of_node = 4;

struct World {
  explicit World(Random& random) : builder(2 + random.below(3)) {
    for (const ZoneId zone : builder.start.zones.ids()) {
      const double price = random.uniform(0.39, 0.41);
      cheap.push_back(builder.offer(zone, price));
      dear.push_back(builder.offer(zone, 2.5 * price));
      const StoreId volume = builder.volume(zone);
      std::vector<BlockId>& blocks = blocks_in.emplace_back();
      for (std::uint64_t i = 4 + random.below(80); i > 0; --i) blocks.push_back(builder.block_in({volume}, 1000));
      nodes_for_all += std::ceil(static_cast<double>(blocks.size()) / cores_of_node);
    }
  }

  // Tasks that ask for each offer, of one job in each zone that reads what lies there.
  std::vector<double> asked(const std::vector<OfferId>& offers) {
    PolicySettings settings;
    settings.lips.waiting_price = 1e5;  // no task waits for another
    Case with("lips", builder, settings, UsdPerMebibyte(1));
    for (const std::vector<BlockId>& blocks : blocks_in) with.add({.blocks = blocks, .cpu = 100});
    std::vector<double> counts;
    const Plan plan = with.plan();
    for (const OfferId offer : offers)
      counts.push_back(static_cast<double>(std::count_if(plan.node_requests->begin(), plan.node_requests->end(),
                                                         [&](const NodeRequest& one) { return one.offer == offer; })));
    return counts;
  }

  ElasticBuilder builder;
  std::vector<OfferId> cheap, dear;  // by zone
  std::vector<std::vector<BlockId>> blocks_in;
  double nodes_for_all = 0;
};

double sum_of(const std::vector<double>& counts) {
  double sum = 0;
  for (const double count : counts) sum += count;
  return sum;
}

// Prices differ by a little: that decides what the parts leave, and how much work the program expects of each zone.
TEST(SharedLimit, IsDividedAmongZonesByWhatIsWantedOfEach) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    Random random(seed);
    World world(random);
    const double limit = 1 + static_cast<double>(random.below(static_cast<std::uint64_t>(world.nodes_for_all)));
    switch (random.below(3)) {
      case 0:
        world.builder.limit_to({.nodes = static_cast<std::uint32_t>(limit)});
        break;
      case 1:
        world.builder.limit_to({.cores = Cores(cores_of_node * limit)});
        break;
      default: {
        const Mebibytes memory = world.builder.start.nodes[NodeId(0)].capacity.memory;
        world.builder.limit_to({.memory = memory * limit});
      }
    }
    const std::vector<double> asked = world.asked(world.cheap);
    EXPECT_LE(sum_of(asked), cores_of_node * limit);
    double all = 0;
    for (const std::vector<BlockId>& blocks : world.blocks_in)
      all += std::min(limit, static_cast<double>(blocks.size()) / cores_of_node);
    for (std::size_t zone = 0; zone < asked.size(); ++zone) {
      const double wanted = std::min(limit, static_cast<double>(world.blocks_in[zone].size()) / cores_of_node);
      const double part = std::min(1.0, limit / all) * wanted;
      EXPECT_GE(asked[zone], cores_of_node * (std::floor(0.8 * part) - 1))
          << "zone " << zone << " of " << limit << " nodes";
    }
    EXPECT_EQ(sum_of(world.asked(world.dear)), 0) << "which would take a part of the limit from cheap nodes";
  }
}

TEST(SharedLimit, ThatIsEnoughForAllChangesNothing) {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    Random random(seed);
    World world(random);
    const std::vector<double> before = world.asked(world.cheap);
    world.builder.limit_to({.nodes = static_cast<std::uint32_t>(4 * world.nodes_for_all)});
    EXPECT_EQ(world.asked(world.cheap), before);
  }
}

}  // namespace
}  // namespace lips::testing
