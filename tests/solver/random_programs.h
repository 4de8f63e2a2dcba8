// Random linear programs for the tests: feasible and bounded by construction.
#pragma once

#include <random>

#include "solver/linear_program.h"

namespace lips::solver {

// Rows hold at a hidden point inside the box; some are equations, some ranges, some columns free of an upper bound.
inline LinearProgram random_program(int seed, int rows, int columns) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> value(-5, 5), positive(0.1, 3);
  std::uniform_int_distribution<int> percent(0, 99);
  std::vector<std::vector<Entry>> entries(columns);
  std::vector<double> point(columns), activity(rows, 0);
  for (int j = 0; j < columns; ++j) {
    point[j] = positive(random);
    for (int i = 0; i < rows; ++i)
      if (percent(random) < 15) {
        entries[j].push_back({i, value(random)});
        activity[i] += entries[j].back().value * point[j];
      }
  }
  LinearProgram program;
  for (int i = 0; i < rows; ++i) {
    const int kind = percent(random);
    const double below = kind < 20 ? 0 : positive(random), above = kind < 20 ? 0 : positive(random);
    program.add_row(kind >= 80 ? -infinity : activity[i] - below,
                    kind >= 60 && kind < 80 ? infinity : activity[i] + above);
  }
  for (int j = 0; j < columns; ++j) {
    const bool open = percent(random) < 20;  // its cost is then positive, so the program stays bounded
    const double cost = open ? positive(random) : value(random);
    program.add_column(cost, percent(random) < 30 ? -1.0 : 0.0, open ? infinity : point[j] + positive(random),
                       entries[j]);
  }
  return program;
}

}  // namespace lips::solver
