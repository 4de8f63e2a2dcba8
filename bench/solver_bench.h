// Common parts of the solver's benchmarks: a stopwatch that takes the best of several runs, and instances of the zone
// form.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <random>

#include "solver/linear_program.h"
#include "solver/transportation.h"

namespace lips::bench {

// CPU time of this process, so that what else runs on the machine counts little.
template <class Run>
double best_milliseconds(int runs, Run run) {
  double best = 1e300;
  for (int k = 0; k < runs; ++k) {
    const std::clock_t begin = std::clock();
    std::clock_t end = begin;
    int repeats = 0;
    for (; end - begin < CLOCKS_PER_SEC / 1000; end = std::clock(), ++repeats)
      run();  // the clock ticks in microseconds
    best = std::min(best, 1000.0 * static_cast<double>(end - begin) / CLOCKS_PER_SEC / repeats);
  }
  return best;
}

struct ZoneShape {
  int groups, zones, steps;
  double load;  // supply / capacity
};

// Groups with replicas in some zones (reads from elsewhere cost), zones with classes of rising price.
inline solver::ZoneTransportation zone_instance(const ZoneShape& shape, int seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> unit(0, 1);
  solver::ZoneTransportation problem;
  problem.steps.resize(shape.zones);
  double capacity = 0;
  for (auto& zone : problem.steps)
    for (int k = 0; k < shape.steps; ++k) {
      zone.push_back({1000 * (0.2 + unit(random)), 1 + 4 * unit(random)});
      capacity += zone.back().capacity;
    }
  double total = 0;
  for (int g = 0; g < shape.groups; ++g) {
    problem.supply.push_back(0.05 + std::exp(2 * unit(random)));
    total += problem.supply.back();
    problem.unserved_price.push_back(50 + 50 * unit(random));
    const double transfer = 3 * unit(random);
    const int home = static_cast<int>(random() % shape.zones), second = static_cast<int>(random() % shape.zones);
    for (int z = 0; z < shape.zones; ++z) problem.unit_cost.push_back(z == home || z == second ? 0 : transfer);
  }
  for (double& supply : problem.supply) supply *= shape.load * capacity / total;
  return problem;
}

// The zone form as a linear program: a row a group and a zone, a column a pair, one for what is left unserved and one a
// step.
inline solver::LinearProgram zone_program(const solver::ZoneTransportation& problem) {
  const int groups = static_cast<int>(problem.supply.size()), zones = static_cast<int>(problem.steps.size());
  solver::LinearProgram program;
  for (double supply : problem.supply) program.add_row(supply, supply);
  for (int z = 0; z < zones; ++z) program.add_row(-solver::infinity, 0);
  for (int g = 0; g < groups; ++g) {
    for (int z = 0; z < zones; ++z)
      program.add_column(problem.unit_cost[g * zones + z], 0, problem.supply[g],
                         std::vector<solver::Entry>{{g, 1}, {groups + z, 1}});
    program.add_column(problem.unserved_price[g], 0, problem.supply[g], std::vector<solver::Entry>{{g, 1}});
  }
  for (int z = 0; z < zones; ++z)
    for (const solver::ZoneStep& step : problem.steps[z])
      program.add_column(step.unit_price, 0, step.capacity, std::vector<solver::Entry>{{groups + z, -1}});
  return program;
}

}  // namespace lips::bench
