#include "bounds/waiting_bound.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <vector>

#include "base/random.h"
#include "bounds/slot_flow.h"
#include "bounds/slot_prices.h"
#include "policies/registry/registry.h"
#include "simulation/run.h"
#include "simulation/whole_run.h"
#include "tests/simulation/random_scenario.h"

namespace lips::simulation {
namespace {

using tiny::FirstFit;
using tiny::ScenarioBuilder;

constexpr double no_price[] = {0};

// A cheap node and one three times as dear, of a core each, and so many tasks of ten seconds.
ScenarioBuilder beside_a_dear_node(std::uint32_t tasks) {
  ScenarioBuilder builder;
  builder.node(0, 1, 0.01);
  builder.node(0, 1, 0.03);
  builder.computing_job(0, tasks, 10);
  return builder;
}

TEST(WaitingBound, WithoutAPriceOfWaitingEverythingGoesToTheCheapestNode) {
  ScenarioBuilder builder = beside_a_dear_node(10);
  const auto cuts = waiting_cuts(whole_run(builder.scenario), no_price);
  ASSERT_TRUE(cuts.has_value());
  EXPECT_NEAR((*cuts)[0].least.value(), 1.0, 1e-6);
}

TEST(WaitingBound, AsksForTheDearNodeWhenNothingMayWait) {
  ScenarioBuilder builder = beside_a_dear_node(20);
  const WholeRun run = whole_run(builder.scenario);
  WaitingBoundSettings settings;
  settings.slot = std::chrono::milliseconds(100);
  settings.tail = seconds(300);
  const double prices[] = {0, 60, 240, 1000};
  const auto cuts = waiting_cuts(run, prices, settings);
  ASSERT_TRUE(cuts.has_value());
  // Ten waves on both nodes: 100 CPU-seconds at each price, and a mean wait of 45 s. The slots cost a little.
  const double equal = least_dollars_with_mean_wait(run, *cuts, seconds(45)).value();
  EXPECT_LE(equal, 4.0);
  EXPECT_GT(equal, 3.9);
  // All on the cheap node: a mean wait of 95 s.
  const double patient = least_dollars_with_mean_wait(run, *cuts, seconds(95)).value();
  EXPECT_LE(patient, 2.0 + 1e-9);
  EXPECT_GE(patient, 2.0 - 1e-6);
}

TEST(WaitingBound, CountsTheShuffleOfAJobWhoseInputLiesApart) {
  ScenarioBuilder builder(2, UsdPerMebibyte(0.001));
  const NodeId a = builder.node(0, 1, 0.01), b = builder.node(1, 1, 0.01);
  const DataSetId data = builder.data(Mebibytes(100), {ScenarioBuilder::directory(a), ScenarioBuilder::directory(b)});
  ScenarioBuilder::add_reduces(builder.reading_job(0, data, 10), 1, 10, Mebibytes(40));
  const auto cuts = waiting_cuts(whole_run(builder.scenario), no_price);
  ASSERT_TRUE(cuts.has_value());
  EXPECT_NEAR((*cuts)[0].least.value(), 0.3 + 20 * 0.001,
              1e-6);  // half of the output crosses, which is less than a block
}

TEST(WaitingBound, DoesNotChargeTheStartOfASlotForAllOfIt) {
  ScenarioBuilder builder = beside_a_dear_node(20);
  const WholeRun run = whole_run(builder.scenario);
  WaitingBoundSettings settings;
  settings.slot = seconds(20);  // two tasks long
  settings.tail = seconds(300);
  const double prices[] = {60, 120, 180, 240, 300};
  const auto cuts = waiting_cuts(run, prices, settings);
  ASSERT_TRUE(cuts.has_value());
  const double equal = least_dollars_with_mean_wait(run, *cuts, seconds(45)).value();
  EXPECT_LE(equal, 4.0);
  EXPECT_GT(equal, 3.9);  // as with slots of a tenth of a second
}

TEST(WaitingBound, KnowsThatATaskUsesOneCoreForAllOfItsTime) {
  ScenarioBuilder builder;
  builder.node(0, 4, 0.01);
  builder.node(0, 1, 0.03);
  builder.computing_job(0, 1, 100);
  builder.computing_job(60, 4, 100);  // the first task is there until 100 s
  const WholeRun run = whole_run(builder.scenario);
  WaitingBoundSettings settings;
  settings.slot = seconds(1);
  settings.tail = seconds(600);
  const double prices[] = {1000};
  const auto cuts = waiting_cuts(run, prices, settings);
  ASSERT_TRUE(cuts.has_value());
  const double at_once = least_dollars_with_mean_wait(run, *cuts, seconds(0)).value();
  EXPECT_LE(at_once, 7.0 + 1e-9);  // a plan pays for a hundred seconds of the dear core
  EXPECT_GT(at_once, 5.7);         // for forty, as if a task could go on elsewhere
}

TEST(WaitingBound, KnowsThatReducesWaitForTheirMaps) {
  ScenarioBuilder builder;
  builder.node(0, 1, 0.01);
  builder.node(0, 1, 0.01);
  JobArrived& job = builder.computing_job(0, 1, 20);
  ScenarioBuilder::add_reduces(job, 1, 20, Mebibytes(0));
  const WholeRun run = whole_run(builder.scenario);
  WaitingBoundSettings settings;
  settings.slot = seconds(1);
  settings.tail = seconds(300);
  const double prices[] = {100'000};
  const auto cuts = waiting_cuts(run, prices, settings);
  ASSERT_TRUE(cuts.has_value());
  EXPECT_LE(least_dollars_with_mean_wait(run, *cuts, seconds(10)).value(), 0.4 + 1e-9);
  // Both nodes could do the work in twenty seconds, but half of it comes after the twenty seconds of the map.
  EXPECT_GT(least_dollars_with_mean_wait(run, *cuts, seconds(4)).value(), 4.0);
}

// A task that saves 0.4 by the cheap zone, and three that save 0.004 each: a copy costs 0.2.
TEST(WaitingBound, ChargesACopyToThoseWhoSaveByIt) {
  ScenarioBuilder builder(2, UsdPerMebibyte(0.002));
  builder.node(0, 8, 0.05);
  builder.node(1, 8, 0.01);
  const DataSetId data = builder.data(Mebibytes(100), {StoreId(0)});
  builder.reading_job(0, data, 10);
  for (int i = 0; i < 3; ++i) builder.reading_job(0, data, 0.1);
  const auto cuts = waiting_cuts(whole_run(builder.scenario), no_price);
  ASSERT_TRUE(cuts.has_value());
  EXPECT_LE((*cuts)[0].least.value(), 0.2 + 0.1 + 0.003 + 1e-9);
  EXPECT_GE((*cuts)[0].least.value(), 0.2 + 0.1);
}

// Jobs read blocks that they share, by one task each; every zone has room at once for all.
struct SharedBlocks {
  explicit SharedBlocks(std::uint64_t seed) : random(seed), builder(3, UsdPerMebibyte(0.001)) {
    for (std::uint32_t zone = 0; zone < 3; ++zone) {
      prices.push_back(random.uniform(0.01, 0.05));
      builder.node(zone, 1000, prices.back());
    }
    for (int block = 0; block < 4; ++block) {
      const auto home = static_cast<std::uint32_t>(random.below(3));
      const DataSetId data = builder.data(Mebibytes(100), {StoreId(home)});
      homes.push_back(home);
      works.emplace_back();
      for (std::uint64_t reader = 1 + random.below(6); reader > 0; --reader) {
        works.back().push_back(std::pow(10, random.uniform(-0.5, 1.5)));
        builder.reading_job(0, data, works.back().back());
      }
    }
  }

  // Every set of zones that each block could be copied to.
  double least() const {
    double sum = 0;
    for (std::size_t block = 0; block < works.size(); ++block) {
      double best = 1e300;
      for (unsigned zones = 0; zones < 8; ++zones) {
        if (!(zones >> homes[block] & 1)) continue;
        double usd = 0.1 * (std::popcount(zones) - 1), cheapest = 1e300;
        for (unsigned zone = 0; zone < 3; ++zone)
          if (zones >> zone & 1) cheapest = std::min(cheapest, prices[zone]);
        for (const double work : works[block]) usd += work * cheapest;
        best = std::min(best, usd);
      }
      sum += best;
    }
    return sum;
  }

  Random random;
  ScenarioBuilder builder;
  std::vector<double> prices;
  std::vector<std::uint32_t> homes;
  std::vector<std::vector<double>> works;  // of each reader, by block
};

TEST(WaitingBound, AgreesWithTheBestCopiesWhereNothingWaits) {
  double sum = 0;
  constexpr int seeds = 200;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    const SharedBlocks shared(seed);
    const auto cuts = waiting_cuts(whole_run(shared.builder.scenario), no_price);
    ASSERT_TRUE(cuts.has_value());
    const double bound = (*cuts)[0].least.value() / shared.least();
    EXPECT_LE(bound, 1 + 1e-9) << seed;
    EXPECT_GE(bound, 0.9) << seed;
    sum += bound;
  }
  EXPECT_GE(sum / seeds, 0.995);
}

// A random scenario, and its cuts at a few prices; grids and rounds vary.
struct CutRun {
  explicit CutRun(std::uint64_t seed) : scenario(tiny::random_scenario(seed)), whole(whole_run(scenario)) {
    constexpr std::array slots = {5, 20, 90};
    constexpr std::array tails = {30, 600, 3600};
    settings.slot = seconds(slots[seed % 3]);
    settings.tail = seconds(tails[seed / 3 % 3]);
    settings.rounds = 1 + static_cast<int>(seed % 4);
    const double prices[] = {0, 1, 8, 60, 300};
    cuts = waiting_cuts(whole, prices, settings);
  }
  Scenario scenario;
  WholeRun whole;
  WaitingBoundSettings settings;
  Result<std::vector<WaitingCut>> cuts;
};

TEST(WaitingBound, IsAtMostTheBillOfEveryPolicyAtItsOwnMeanWait) {
  int compared = 0;
  double tightest = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE(seed);
    const CutRun cut(seed);
    ASSERT_TRUE(cut.cuts.has_value());
    const auto& [scenario, whole, settings, cuts] = cut;
    const auto compare = [&](const Policy& policy, std::string_view name) {
      SCOPED_TRACE(name);
      const Result<RunResult> result = run(scenario, policy, std::string(name));
      ASSERT_TRUE(result.has_value());
      if (result->jobs_finished < result->jobs) return;
      const double bound = least_dollars_with_mean_wait(whole, *cuts, seconds(result->mean_wait)).value();
      EXPECT_LE(bound, result->bill.total().value() * (1 + 1e-9));
      EXPECT_GT(bound, 0);
      tightest = std::max(tightest, bound / result->bill.total().value());
      ++compared;
    };
    compare(FirstFit(), "first-fit");
    for (const PolicyEntry& entry : policy_registry()) compare(*entry.make({}), entry.name);
  }
  EXPECT_GT(compared, 50);
  EXPECT_GT(tightest, 0.8);
}

TEST(TightBound, IsNeverBelowTheCutsNorAboveTheBillOfAPlan) {
  int compared = 0, tighter = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE(seed);
    const CutRun cut(seed);
    ASSERT_TRUE(cut.cuts.has_value());
    const auto& [scenario, whole, settings, cuts] = cut;
    for (const char* name : {"lips", "delay", "own-zone-cheapest", "starburst"}) {
      SCOPED_TRACE(name);
      const Result<RunResult> result = run(scenario, **make_policy(name, {}), name);
      ASSERT_TRUE(result.has_value());
      if (result->jobs_finished < result->jobs) continue;
      const Duration wait = seconds(result->mean_wait);
      const auto tight = tight_bound(whole, *cuts, wait, settings);
      ASSERT_TRUE(tight.has_value());
      const double before = least_dollars_with_mean_wait(whole, *cuts, wait).value();
      const double after = tight->least.value();
      EXPECT_GE(after, before);
      EXPECT_LE(after, result->bill.total().value() * (1 + 1e-9));
      if (tight->relaxed.value() > 0) {
        EXPECT_LE(after, tight->relaxed.value() * 1.01);  // amounts in the relaxed schedule are rounded
      }
      tighter += after > before * 1.001;
      ++compared;
    }
  }
  EXPECT_GT(compared, 100);
  EXPECT_GT(tighter, 10);
}

// Good prices, disturbed: each is still a bound, though a lower one.
TEST(DualValue, AtAnyPricesIsAtMostTheBillAndTheWait) {
  int compared = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE(seed);
    const Scenario scenario = tiny::random_scenario(seed);
    const Result<RunResult> result = run(scenario, **make_policy("lips", {}), "lips");
    ASSERT_TRUE(result.has_value());
    if (result->jobs_finished < result->jobs) continue;
    const WholeRun whole = whole_run(scenario);
    const RelaxedRun relaxed(whole);
    Random random(seed);
    for (const double factor : {0.5, 5.0, 50.0}) {
      const double price = factor * relaxed.mean_price() / 3600;
      const TimeGrid grid(relaxed, seconds(random.uniform(1, 100)), seconds(random.uniform(0, 1000)));
      SlotPrices prices(relaxed, grid, price);
      CopyShares copies(relaxed);
      const DualValue first = dual_value(relaxed, grid, copies, prices);
      copies.approach(first.saves, 1);
      HomeShares shares(relaxed.jobs().size(), std::vector<double>(relaxed.zones(), 0));
      for (std::size_t job = 0; job < shares.size(); ++job) shares[job][first.homes[job]] = 1;
      const auto flow = cheapest_flow(relaxed, grid, copies, shares, price);
      ASSERT_TRUE(flow.has_value());
      const double spent = result->bill.total().value() + price * total_work(whole) * result->mean_wait;
      const double undisturbed = dual_value(relaxed, grid, copies, flow->prices).usd;
      EXPECT_LE(undisturbed, spent * (1 + 1e-9));
      for (int draw = 0; draw < 20; ++draw) {
        prices = flow->prices;
        for (std::vector<double>& zone : prices.usd)
          for (double& usd : zone) usd *= random.uniform(0.8, 1.2);
        ReadingThere saves = first.saves;
        for (std::vector<double>& reader : saves)
          for (double& usd : reader) usd = random.uniform(0, 1);
        copies.approach(saves, 0.5);
        EXPECT_LE(dual_value(relaxed, grid, copies, prices).usd, spent * (1 + 1e-9));
        ++compared;
      }
    }
  }
  EXPECT_GT(compared, 1000);
}

}  // namespace
}  // namespace lips::simulation
