#include "policies/lips/program/column_prices.h"

#include "base/random.h"
#include "simulation/random_snapshot.h"
#include "tests/policies/lips/lips_case.h"
#include "tests/policies/random_world.h"

namespace lips {
namespace {

using testing::Model;

// A random cluster's program; links, pools and the slowness of reads come and go.
struct RandomProgram {
  explicit RandomProgram(std::uint64_t seed)
      : world(simulation::random_full_shape(seed)), model(prepared(seed), world.costs, rows(seed)) {
    if (seed % 2 == 0) model.settings.link_capacity = Mebibytes(1000);
    for (PoolId pool : world.cluster.pools.ids())
      if (seed % 3 != 0) model.settings.pools.push_back({pool, 10, 100, 1});
  }
  const ClusterSnapshot& prepared(std::uint64_t seed) {
    testing::bind_more(seed, world.cluster);
    return world.cluster;
  }
  static CommoditySettings rows(std::uint64_t seed) {
    CommoditySettings settings;
    settings.links = seed % 2 == 0;
    settings.per_pool = seed % 3 != 0;
    settings.horizon = seconds(600);
    return settings;
  }

  testing::RandomWorld world;
  Model model;
};

TEST(ColumnPrices, AreTheLeastReducedCostsOfTheProgramsColumns) {
  int classes = 0, zones = 0, slow = 0;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    SCOPED_TRACE(seed);
    const RandomProgram random_program(seed);
    const Model& model = random_program.model;
    const ClassFormInput input = model.input();
    const ClassFormProgram form(input, ClassColumns::all);
    Random random(seed);
    std::vector<double> dual(static_cast<std::size_t>(form.program.rows()));
    for (double& each : dual) each = random.uniform(-1e-4, 1e-4);
    for (const Terms terms : {Terms::expected, Terms::least}) {
      ColumnPrices prices(input, form, terms, dual);
      for (const Commodity& commodity : model.workload.commodities) {
        double least = solver::infinity;
        const auto least_of = [&](auto place) {
          double found = solver::infinity;
          form.each_column(commodity, place, terms, [&](const ClassFormProgram::Column& column) {
            found = std::min(found, column.reduced_cost(dual));
          });
          least = std::min(least, found);
          return found;
        };
        if (commodity.any_class) {
          for (ZoneId zone : model.cluster.zones.ids()) least_of(zone);
          ++zones;
        } else {
          std::map<ClassId, double> found;
          prices.each_class(commodity, [&](ClassId c, double usd) { found[c] = usd; });
          for (ClassId c : model.classes.classes.ids()) {
            ASSERT_EQ(found.count(c), form.eligible(commodity, c) ? 1u : 0u);
            if (found.count(c) == 0) continue;
            EXPECT_NEAR(found[c], least_of(c), 1e-12);
            slow += occupancy(model.cluster, commodity, model.classes.classes[c], terms) > 1;
            ++classes;
          }
        }
        if (least < solver::infinity) {
          EXPECT_NEAR(prices.least(commodity), least, 1e-12);
        } else {
          EXPECT_EQ(prices.least(commodity), solver::infinity);
        }
      }
    }
    if (HasFailure()) return;
  }
  EXPECT_GT(classes, 2000);
  EXPECT_GT(zones, 300);
  EXPECT_GT(slow, 50);
}

}  // namespace
}  // namespace lips
