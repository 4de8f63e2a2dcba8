#include "policies/home_zones/home_zone.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "base/random.h"
#include "solver/clp_backend.h"

namespace lips {
namespace {

CostModel random_costs(Random& random, std::size_t zones) {
  std::vector<std::vector<UsdPerMebibyte>> price(zones, std::vector<UsdPerMebibyte>(zones));
  const bool uniform = random.uniform() < 0.5;
  for (std::size_t a = 0; a < zones; ++a)
    for (std::size_t b = 0; b < zones; ++b)
      if (a != b) price[a][b] = UsdPerMebibyte(uniform ? 0.02 : random.uniform(0.005, 0.04));
  return CostModel(std::move(price));
}

HomeJob random_job(Random& random, std::size_t zones) {
  HomeJob job;
  const std::size_t groups = random.below(3) + (random.uniform() < 0.9 ? 1 : 0);
  for (std::size_t g = 0; g < groups; ++g) {
    MapGroup group;
    group.tasks = std::ceil(random.uniform(0, 12));
    group.work = CpuSeconds(random.uniform() < 0.1 ? 0 : random.uniform(1, 30));
    group.input = Mebibytes(random.uniform() < 0.2 ? 0 : random.uniform(10, 128));
    const auto replicas = random.below(3);
    for (std::size_t r = 0; r < replicas; ++r)
      group.zones.insert(ZoneId(static_cast<std::uint32_t>(random.below(zones))));
    job.maps.push_back(group);
  }
  if (random.uniform() < 0.8) job.shuffle = Mebibytes(random.uniform(1, 1500));
  if (random.uniform() < 0.9) job.reduce_work = CpuSeconds(random.uniform(1, 150));
  if (random.uniform() < 0.2)
    for (std::size_t zone = 0; zone < zones; ++zone) job.map_output.emplace_back(random.uniform(0, 500));
  if (random.uniform() < 0.1) job.home = ZoneId(static_cast<std::uint32_t>(random.below(zones)));
  return job;
}

HomeInput random_input(Random& random, std::size_t most_jobs = 4) {
  HomeInput input;
  const std::size_t zones = 2 + random.below(2), jobs = 1 + random.below(most_jobs);
  input.costs = random_costs(random, zones);
  double work = 0;
  for (std::size_t j = 0; j < jobs; ++j) {
    input.jobs.push_back(random_job(random, zones));
    work += input.jobs.back().reduce_work.value();
    for (const MapGroup& group : input.jobs.back().maps) work += group.tasks * group.work.value();
  }
  const double load = random.uniform(0.4, 1.2);
  for (std::size_t zone = 0; zone < zones; ++zone) {
    ZoneSupply steps(1 + random.below(4));
    for (SupplyStep& step : steps)
      step = {CpuSeconds(work / load / static_cast<double>(zones * steps.size()) * random.uniform(0.3, 1.7)),
              UsdPerCpuSecond(std::round(random.uniform(1, 10)) * 0.01)};
    input.zones.push_back(std::move(steps));
  }
  if (random.uniform() < 0.3)
    for (std::size_t zone = 0; zone < zones; ++zone) input.prices.emplace_back(random.uniform(0, 0.2));
  return input;
}

bool shuffles(const HomeJob& job) {
  double maps = 0, written = 0;
  for (const MapGroup& group : job.maps) maps += group.tasks;
  for (const Mebibytes output : job.map_output) written += output.value();
  return (maps > 0 && job.shuffle.value() > 0) || written > 0;
}

double map_count(const HomeJob& job) {
  double maps = 0;
  for (const MapGroup& group : job.maps) maps += group.tasks;
  return maps;
}

double overflow_price(const HomeInput& input) {
  double dearest = 0;
  for (const ZoneSupply& steps : input.zones)
    for (const SupplyStep& step : steps) dearest = std::max(dearest, step.price.value());
  return 10 * dearest;
}

// The printed model as a linear program, written without a line of the code under test. Each job has columns for every
// home that `homes` leaves open: a[j,h] and y[j,s,z,h]; with one home left it is the re-solve.
double lp_optimum(const HomeInput& input, const std::vector<std::vector<std::uint32_t>>& homes) {
  const auto zones = static_cast<std::uint32_t>(input.zones.size());
  solver::LinearProgram lp;
  for (std::uint32_t z = 0; z < zones; ++z) {
    lp.add_row(-solver::infinity, 0);
    const solver::Entry supply{static_cast<std::int32_t>(z), -1};
    for (const SupplyStep& step : input.zones[z])
      lp.add_column(step.price.value(), 0, step.capacity.value(), {&supply, 1});
    lp.add_column(overflow_price(input), 0, solver::infinity, {&supply, 1});
  }
  for (std::size_t j = 0; j < input.jobs.size(); ++j) {
    const HomeJob& job = input.jobs[j];
    const solver::RowId one_home = lp.add_row(1, 1);
    for (const std::uint32_t h : homes[j]) {
      std::vector<solver::RowId> rows;
      std::vector<solver::Entry> home_entries{{one_home, 1}};
      for (const MapGroup& group : job.maps) {
        rows.push_back(lp.add_row(0, 0));
        home_entries.push_back({rows.back(), -group.tasks});
      }
      double at_home = 0;
      for (std::uint32_t z = 0; z < job.map_output.size(); ++z)
        at_home += (job.map_output[z] * input.costs.transfer(ZoneId(z), ZoneId(h))).value();
      if (shuffles(job) || job.home.valid()) {
        home_entries.push_back({static_cast<std::int32_t>(h), job.reduce_work.value()});
      } else {
        const solver::RowId row = lp.add_row(0, 0);
        home_entries.push_back({row, -1});
        for (std::uint32_t z = 0; z < zones; ++z) {
          const std::vector<solver::Entry> entries{{row, 1}, {static_cast<std::int32_t>(z), job.reduce_work.value()}};
          lp.add_column(0, 0, solver::infinity, entries);
        }
      }
      lp.add_column(at_home, 0, solver::infinity, home_entries);
      for (std::size_t s = 0; s < job.maps.size(); ++s)
        for (std::uint32_t z = 0; z < zones; ++z) {
          const MapGroup& group = job.maps[s];
          const double cost = (group.input * input.costs.transfer(group.zones, ZoneId(z))).value() +
                              (job.shuffle * input.costs.transfer(ZoneId(z), ZoneId(h))).value() / map_count(job);
          const std::vector<solver::Entry> entries{{rows[s], 1}, {static_cast<std::int32_t>(z), group.work.value()}};
          lp.add_column(map_count(job) > 0 ? cost : 0, 0, solver::infinity, entries);
        }
    }
  }
  const solver::LpSolution solution = solver::solve(lp);
  EXPECT_EQ(solution.status, solver::LpStatus::optimal);
  return solution.objective;
}

std::vector<std::vector<std::uint32_t>> open_homes(const HomeInput& input) {
  std::vector<std::vector<std::uint32_t>> homes;
  for (const HomeJob& job : input.jobs) {
    homes.emplace_back();
    if (job.home.valid()) {
      homes.back() = {job.home.index()};
    } else {
      for (std::uint32_t h = 0; h < (shuffles(job) ? input.zones.size() : 1); ++h) homes.back().push_back(h);
    }
  }
  return homes;
}

double brute_force(const HomeInput& input, std::vector<std::vector<std::uint32_t>> homes, std::size_t job = 0) {
  if (job == homes.size()) return lp_optimum(input, homes);
  double least = solver::infinity;
  for (const std::uint32_t home : std::vector<std::uint32_t>(homes[job])) {
    homes[job] = {home};
    least = std::min(least, brute_force(input, homes, job + 1));
  }
  return least;
}

// The bill of the amounts, and that every task is somewhere.
double bill_of(const HomeInput& input, const HomePlan& plan) {
  const std::size_t zones = input.zones.size();
  std::vector<double> load(zones);
  double usd = 0;
  for (std::size_t j = 0; j < input.jobs.size(); ++j) {
    const HomeJob& job = input.jobs[j];
    const HomePlacement& placement = plan.jobs[j];
    double reducers = 0;
    for (std::uint32_t z = 0; z < zones; ++z) {
      load[z] += placement.reducers[z] * job.reduce_work.value();
      reducers += placement.reducers[z];
      if (placement.home.valid() && z != placement.home.index()) {
        EXPECT_EQ(placement.reducers[z], 0);
      }
      if (placement.home.valid() && z < job.map_output.size())
        usd += (job.map_output[z] * input.costs.transfer(ZoneId(z), placement.home)).value();
    }
    EXPECT_NEAR(reducers, 1, 1e-9);
    EXPECT_EQ(placement.home.valid(), shuffles(job) || job.home.valid());
    EXPECT_EQ(placement.maps.size(), job.maps.size() * zones);
    for (std::size_t s = 0; s < job.maps.size(); ++s) {
      double tasks = 0;
      for (std::uint32_t z = 0; z < zones; ++z) {
        const double here = placement.maps[s * zones + z];
        EXPECT_GE(here, 0);
        tasks += here;
        load[z] += here * job.maps[s].work.value();
        usd += here * (job.maps[s].input * input.costs.transfer(job.maps[s].zones, ZoneId(z))).value();
        if (placement.home.valid() && here > 0)
          usd += here * (job.shuffle * input.costs.transfer(ZoneId(z), placement.home)).value() / map_count(job);
      }
      EXPECT_NEAR(tasks, job.maps[s].tasks, 1e-9 * (1 + tasks));
    }
  }
  for (std::size_t z = 0; z < zones; ++z) {
    ZoneSupply steps = input.zones[z];
    std::sort(steps.begin(), steps.end(), [](const SupplyStep& a, const SupplyStep& b) { return a.price < b.price; });
    steps.push_back({CpuSeconds(1e30), UsdPerCpuSecond(overflow_price(input))});
    for (const SupplyStep& step : steps) {
      const double taken = std::min(load[z], step.capacity.value());
      usd += taken * step.price.value();
      load[z] -= taken;
    }
  }
  return usd;
}

constexpr double slack = 1e-7;  // CLP's optimum may lie this far from the true one

TEST(HomeBound, IsBelowTheOptimumAtAnyPrices) {
  for (std::uint64_t seed = 0; seed < 1500; ++seed) {
    SCOPED_TRACE(seed);
    Random random(derive_seed(seed, 1));
    const HomeInput input = random_input(random, 3);
    const double optimum = brute_force(input, open_homes(input));
    for (int trial = 0; trial < 10; ++trial) {
      std::vector<UsdPerCpuSecond> prices;
      for (std::size_t zone = 0; zone < input.zones.size(); ++zone)
        prices.emplace_back(std::pow(random.uniform(), 2) * overflow_price(input));
      ASSERT_LE(home_lower_bound(input, prices).value(), optimum * (1 + slack));
    }
  }
}

TEST(HomeBound, AtItsBestIsTheHullsLinearProgram) {
  for (std::uint64_t seed = 0; seed < 1500; ++seed) {
    SCOPED_TRACE(seed);
    Random random(derive_seed(seed, 2));
    const HomeInput input = random_input(random, 8);
    const double hull = lp_optimum(input, open_homes(input));
    const HullBound bound = hull_bound(input);
    ASSERT_NEAR(bound.lower_bound.value(), hull, 1e-6 * hull + 1e-9);
    ASSERT_DOUBLE_EQ(home_lower_bound(input, bound.prices).value(), bound.lower_bound.value());
    for (std::size_t j = 0; j < input.jobs.size(); ++j) {
      double sum = 0;
      for (const double share : bound.home_share[j]) sum += share;
      if (!bound.home_share[j].empty()) {
        ASSERT_NEAR(sum, 1, 1e-9);
      }
    }
  }
}

TEST(HomePlan, WithGivenHomesIsTheLinearProgramsOptimum) {
  for (std::uint64_t seed = 0; seed < 1500; ++seed) {
    SCOPED_TRACE(seed);
    Random random(derive_seed(seed, 3));
    const HomeInput input = random_input(random, 8);
    auto homes = open_homes(input);
    std::vector<ZoneId> given;
    for (auto& open : homes) {
      open = {open[random.below(open.size())]};
      given.emplace_back(open[0]);
    }
    const double optimum = lp_optimum(input, homes);
    const HomePlan plan = plan_with_homes(input, given);
    ASSERT_NEAR(plan.cost.total().value(), optimum, 1e-6 * optimum + 1e-9);
    ASSERT_NEAR(bill_of(input, plan), plan.cost.total().value(), 1e-9 * (1 + optimum));
    ASSERT_LE(plan.lower_bound.value(), optimum * (1 + slack));
  }
}

TEST(HomePlan, IsBetweenTheOptimumOfAllHomesAndItsOwnBoundIsBelow) {
  int optimal = 0;
  for (std::uint64_t seed = 0; seed < 800; ++seed) {
    SCOPED_TRACE(seed);
    Random random(derive_seed(seed, 4));
    const HomeInput input = random_input(random, 4);
    const double optimum = brute_force(input, open_homes(input));
    const HomePlan plan = plan_homes(input, {.enough = 1e-6, .max_nodes = 100, .max_evaluations = 5000});
    ASSERT_GE(plan.cost.total().value(), optimum * (1 - slack));
    ASSERT_LE(plan.lower_bound.value(), optimum * (1 + slack));
    ASSERT_NEAR(bill_of(input, plan), plan.cost.total().value(), 1e-9 * (1 + optimum));
    ASSERT_LE(plan.gap, 2e-5);  // so few homes can all be branched on
    optimal += plan.cost.total().value() <= optimum * (1 + 1e-6);
    const HomePlan quick = plan_homes(input, {.max_nodes = 0});
    ASSERT_GE(quick.cost.total().value(), plan.cost.total().value() * (1 - slack));
    ASSERT_LE(quick.lower_bound.value(), optimum * (1 + slack));
  }
  EXPECT_GE(optimal, 790);
}

TEST(HomePlan, IsTheSameTwice) {
  Random random(5);
  const HomeInput input = random_input(random, 40);
  const HomePlan first = plan_homes(input), second = plan_homes(input);
  EXPECT_EQ(first.cost.total(), second.cost.total());
  EXPECT_EQ(first.lower_bound, second.lower_bound);
  for (std::size_t j = 0; j < input.jobs.size(); ++j) {
    EXPECT_EQ(first.jobs[j].home, second.jobs[j].home);
    EXPECT_EQ(first.jobs[j].maps, second.jobs[j].maps);
  }
}

HomeInput two_zones() {
  HomeInput input;
  input.costs = uniform_costs(2, UsdPerMebibyte(0.01));
  input.zones = {{{CpuSeconds(1000), UsdPerCpuSecond(1)}}, {{CpuSeconds(1000), UsdPerCpuSecond(2)}}};
  return input;
}

ZoneSet only(std::uint32_t zone) {
  ZoneSet set;
  set.insert(ZoneId(zone));
  return set;
}

TEST(HomePlan, KeepsAJobTogetherWhenItsShuffleIsDearerThanTheCpu) {
  HomeInput input = two_zones();
  // Alone in the dear zone: 10 x 10 + 50 CPU-seconds at 2; 100,000 MiB across would cost 1,000.
  input.jobs = {{.maps = {{only(1), 10, CpuSeconds(10), Mebibytes(6400)}},
                 .reduce_work = CpuSeconds(50),
                 .shuffle = Mebibytes(100000),
                 .map_output = {},
                 .home = {}}};
  const HomePlan plan = plan_homes(input);
  EXPECT_EQ(plan.jobs[0].home, ZoneId(1));
  EXPECT_DOUBLE_EQ(plan.cost.total().value(), 300);
  EXPECT_EQ(plan.cost.shuffle, Usd(0));
  EXPECT_NEAR(plan.gap, 0, 1e-9);
}

TEST(HomePlan, KeepsTheHomeThatAJobHas) {
  HomeInput input = two_zones();
  input.jobs = {{.maps = {{only(1), 10, CpuSeconds(10), Mebibytes(6400)}},
                 .reduce_work = CpuSeconds(50),
                 .shuffle = Mebibytes(1000),
                 .map_output = {},
                 .home = ZoneId(0)}};
  const HomePlan plan = plan_homes(input);
  EXPECT_EQ(plan.jobs[0].home, ZoneId(0));
  EXPECT_DOUBLE_EQ(plan.cost.shuffle.value(), 10);
  EXPECT_DOUBLE_EQ(plan.cost.cpu.value(), 250);
}

TEST(HomePlan, BringsReducersToTheOutputOfFinishedMaps) {
  HomeInput input = two_zones();
  input.jobs = {{.maps = {},
                 .reduce_work = CpuSeconds(50),
                 .shuffle = {},
                 .map_output = {Mebibytes(1000), Mebibytes(9000)},
                 .home = {}}};
  const HomePlan plan = plan_homes(input);  // at 0: 50 + 90, at 1: 100 + 10
  EXPECT_EQ(plan.jobs[0].home, ZoneId(1));
  EXPECT_DOUBLE_EQ(plan.cost.total().value(), 110);
}

TEST(HomePlan, DividesAtMostOneGroupBetweenTwoZones) {
  HomeInput input = two_zones();
  ZoneSet both = only(0);
  both.insert(ZoneId(1));
  for (int j = 0; j < 150; ++j)
    input.jobs.push_back({.maps = {{both, 1, CpuSeconds(9.5), Mebibytes(64)}},
                          .reduce_work = {},
                          .shuffle = {},
                          .map_output = {},
                          .home = {}});
  const HomePlan plan = plan_homes(input);
  int divided = 0;
  for (const HomePlacement& job : plan.jobs) divided += job.maps[0] > 0 && job.maps[1] > 0;
  EXPECT_LE(divided, 1);
  EXPECT_NEAR(plan.cost.total().value(), 1000 + 2 * (150 * 9.5 - 1000), 1e-6);
}

TEST(HomePlan, OfNoJobsCostsNothing) {
  const HomePlan plan = plan_homes(two_zones());
  EXPECT_EQ(plan.cost.total(), Usd(0));
  EXPECT_EQ(plan.lower_bound, Usd(0));
  EXPECT_EQ(plan.gap, 0);
}

}  // namespace
}  // namespace lips
