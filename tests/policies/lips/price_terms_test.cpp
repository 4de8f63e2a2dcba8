// Every term of the table of prices, on random clusters: what holds of all of them, whichever are added.
#include "policies/lips/prices/price_terms.h"

#include <gmock/gmock.h>

#include <cmath>
#include <set>

#include "policies/lips/program/column_prices.h"
#include "tests/policies/lips/lips_case.h"
#include "tests/policies/random_world.h"

namespace lips {
namespace {

using testing::Model;
using testing::RandomWorld;

TEST(PriceTerms, HaveNamesOfTheirOwn) {
  std::set<std::string_view> names{"cpu", "data", "preference"};
  for (const PriceTerm& term : price_terms()) EXPECT_TRUE(names.insert(term.name).second) << term.name;
}

// Finite, at least 0, and 0 in every class where the term says that no class charges.
TEST(PriceTerms, ChargeOnlyWhereTheySaySo) {
  std::size_t charged = 0, sums = 0;
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const RandomWorld world(seed);
    TimeSlotSettings slots;
    slots.billing = Billing::invoice;
    const NodeClasses classes = make_classes(world.cluster, slots);
    const Workload workload = make_commodities(world.cluster, world.costs, classes, {});
    for (const Commodity& commodity : workload.commodities)
      for (const NodeClass& group : classes.classes) {
        double sum = 0;
        each_price(classes, group, commodity, [&](std::string_view term, PriceKind, double usd) {
          EXPECT_TRUE(std::isfinite(usd)) << term;
          EXPECT_GE(usd, -1e-15) << term;
          sum += usd;
          ++charged;
        });
        EXPECT_NEAR(sum, price_in(classes, group, commodity), 1e-12 * std::max(1.0, sum));
        ++sums;
        if (commodity.any_class) {
          EXPECT_EQ(class_charges(classes, group, commodity), 0);
        }
      }
    for (const JobId id : world.cluster.pending)
      for (const TaskGroup& tasks : world.cluster.groups[id]) {
        Commodity alone;
        alone.request = world.cluster.jobs[id].request;
        alone.longest = tasks.cpu.value() / cores_of(alone.request);
        alone.work = tasks.cpu.value() * tasks.count;
        for (const PriceTerm& term : price_terms()) {
          if (tasks.count == 0 || term.charges(classes, {alone.request, alone.longest, double{1} * tasks.count}))
            continue;
          for (const NodeClass& group : classes.classes) EXPECT_EQ(term.usd(classes, group, alone), 0) << term.name;
        }
      }
    if (HasFailure()) return;
  }
  EXPECT_GT(charged, 10'000u);
  EXPECT_GT(sums, 1'000u);
}

}  // namespace
}  // namespace lips
