// Assignment: our dense solver beside SciPy's (where $LIPS_PYTHON, else python3, has it), and the tiered one beside
// LEMON's network simplex on the same network (where found).
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "bench/solver_bench.h"
#include "solver/linear_sum_assignment.h"
#include "solver/tiered_assignment.h"

#ifdef LIPS_WITH_LEMON
#include <lemon/network_simplex.h>
#include <lemon/smart_graph.h>
#endif

namespace {

using namespace lips::solver;
using lips::bench::best_milliseconds;

// ---- dense

struct ScipyAnswer {
  double milliseconds = -1, cost = 0;
};

ScipyAnswer scipy(const std::vector<double>& cost, int size) {
  const auto folder = std::filesystem::temp_directory_path() / ("lips_bench_" + std::to_string(::getpid()));
  std::filesystem::create_directory(folder);
  std::ofstream(folder / "cost.bin", std::ios::binary)
      .write(reinterpret_cast<const char*>(cost.data()), static_cast<std::streamsize>(cost.size() * sizeof(double)));
  std::ofstream(folder / "run.py") << "import sys, time\n"
                                      "import numpy\n"
                                      "from scipy.optimize import linear_sum_assignment\n"
                                      "n = int(sys.argv[2])\n"
                                      "c = numpy.fromfile(sys.argv[1]).reshape(n, n)\n"
                                      "best = 1e300\n"
                                      "for _ in range(3):\n"
                                      "    t = time.process_time()\n"
                                      "    r, k = linear_sum_assignment(c)\n"
                                      "    best = min(best, time.process_time() - t)\n"
                                      "print(1000 * best, repr(float(c[r, k].sum())))\n";
  const char* python = std::getenv("LIPS_PYTHON");
  const auto command = std::string(python ? python : "python3") + " " + (folder / "run.py").string() + " " +
                       (folder / "cost.bin").string() + " " + std::to_string(size) + " > " +
                       (folder / "answer").string() + " 2> " + (folder / "error").string();
  ScipyAnswer answer;
  if (std::system(command.c_str()) == 0) std::ifstream(folder / "answer") >> answer.milliseconds >> answer.cost;
  std::filesystem::remove_all(folder);
  return answer;
}

void compare_dense(const char* name, const std::vector<double>& cost, int size) {
  AssignmentSolution<double> doubles;
  const double own =
      best_milliseconds(3, [&] { doubles = solve_assignment(std::span<const double>(cost), size, size); });
  std::printf("%5d x %5d dense, %-22s own %8.1f ms", size, size, name, own);
  const ScipyAnswer reference = scipy(cost, size);
  if (reference.milliseconds < 0)
    std::printf(" | SciPy not found\n");
  else
    std::printf(" | SciPy %8.1f ms (x%.2f), relative difference of cost %.1e\n", reference.milliseconds,
                reference.milliseconds / own, std::abs(doubles.cost - reference.cost) / std::max(1.0, reference.cost));
  std::fflush(stdout);
}

std::vector<double> random_costs(int size, int distinct) {
  std::mt19937 random(1);
  std::uniform_real_distribution<double> unit(0, 1);
  std::vector<double> cost(static_cast<std::size_t>(size) * size);
  for (double& value : cost) value = distinct == 0 ? unit(random) : std::floor(unit(random) * distinct);
  return cost;
}

// ---- tiered

struct TieredShape {
  int bins, slots, groups, replicas;
  double load, skew;
};

TieredAssignment tiered_instance(const TieredShape& shape) {
  std::mt19937 random(2);
  std::uniform_real_distribution<double> unit(0, 1);
  const auto below = [&](int limit) { return static_cast<int>(unit(random) * limit); };
  TieredAssignment problem;
  for (int b = 0; b < shape.bins; ++b) {
    problem.slots.push_back(shape.slots);
    problem.group_of_bin.push_back(b % shape.groups);
  }
  const int items = static_cast<int>(shape.load * shape.bins * shape.slots);
  for (int t = 0; t < items; ++t) {
    for (int k = 0; k < shape.replicas; ++k)
      problem.near_bins.push_back(unit(random) < shape.skew ? below(shape.bins / 5) : below(shape.bins));
    problem.near_start.push_back(static_cast<std::int32_t>(problem.near_bins.size()));
  }
  return problem;
}

std::vector<double> dense_costs(const TieredAssignment& problem, int size) {
  std::vector<double> cost;
  for (int t = 0; t < size; ++t)
    for (int b = 0; b < std::ssize(problem.slots); ++b) {
      double of = 3;
      for (int k = problem.near_start[t]; k < problem.near_start[t + 1] && of > 0; ++k)
        if (problem.near_bins[k] == b)
          of = 0;
        else if (problem.group_of_bin[problem.near_bins[k]] == problem.group_of_bin[b])
          of = 1;
      cost.insert(cost.end(), problem.slots[b], of);
    }
  return cost;
}

#ifdef LIPS_WITH_LEMON
class LemonTiers {
 public:
  explicit LemonTiers(const TieredAssignment& problem) {
    const int items = static_cast<int>(problem.near_start.size()) - 1, bins = static_cast<int>(problem.slots.size());
    const int groups = 1 + *std::max_element(problem.group_of_bin.begin(), problem.group_of_bin.end());
    for (int v = 0; v < items + bins + groups + 2; ++v) supply_[graph_.addNode()] = v < items ? 1 : 0;
    const int hub = items + bins + groups, sink = hub + 1;
    supply_[graph_.nodeFromId(sink)] = -items;
    for (int t = 0; t < items; ++t) {
      for (int k = problem.near_start[t]; k < problem.near_start[t + 1]; ++k) {
        add(t, items + problem.near_bins[k], 1, 0);
        add(t, items + bins + problem.group_of_bin[problem.near_bins[k]], 1, 1);
      }
      add(t, hub, 1, 3);
      add(t, sink, 1, 1000);
    }
    for (int g = 0; g < groups; ++g) add(hub, items + bins + g, items, 0);
    for (int b = 0; b < bins; ++b) {
      add(items + bins + problem.group_of_bin[b], items + b, items, 0);
      add(items + b, sink, problem.slots[b], 0);
    }
  }
  long solve() const {
    lemon::NetworkSimplex<lemon::SmartDigraph, long, long> simplex(graph_);
    simplex.supplyMap(supply_).upperMap(capacity_).costMap(cost_);
    simplex.run();
    return simplex.totalCost();
  }

 private:
  void add(int from, int to, long capacity, long cost) {
    const auto arc = graph_.addArc(graph_.nodeFromId(from), graph_.nodeFromId(to));
    capacity_[arc] = capacity;
    cost_[arc] = cost;
  }
  lemon::SmartDigraph graph_;
  lemon::SmartDigraph::NodeMap<long> supply_{graph_};
  lemon::SmartDigraph::ArcMap<long> capacity_{graph_}, cost_{graph_};
};
#endif

void compare_tiered(const TieredShape& shape, bool reference_too) {
  const TieredAssignment problem = tiered_instance(shape);
  TieredSolution solution;
  const double own = best_milliseconds(5, [&] { solution = solve_tiered_assignment(problem); });
  std::printf("%6zu items, %5d bins x %2d slots, %d near, skew %.1f: tiered %8.2f ms (%3d phases, %s, gap %.2f %%)",
              problem.near_start.size() - 1, shape.bins, shape.slots, shape.replicas, shape.skew, own, solution.phases,
              solution.optimal ? "optimal" : "cut",
              100.0 * static_cast<double>(solution.cost - solution.lower_bound) /
                  std::max(1.0, static_cast<double>(solution.lower_bound)));
#ifdef LIPS_WITH_LEMON
  if (reference_too) {
    const LemonTiers network(problem);
    long cost = 0;
    const double lemon = best_milliseconds(1, [&] { cost = network.solve(); });
    std::printf(" | LEMON NetworkSimplex %8.1f ms (x%.0f, cost %s)", lemon, lemon / own,
                cost == solution.cost ? "equal" : "DIFFERENT");
  }
#else
  static_cast<void>(reference_too);
#endif
  std::printf("\n");
  std::fflush(stdout);
}

}  // namespace

int main() {
  constexpr int size = 2900;
  const TieredShape paper{size, 1, 20, 3, 1.0, 0.0};
  compare_dense("uniform doubles", random_costs(size, 0), size);
  compare_dense("integers below 100", random_costs(size, 100), size);
  compare_dense("0, 1 or 3 by locality", dense_costs(tiered_instance(paper), size), size);
  for (const double skew : {0.0, 0.5}) {
    compare_tiered({size, 1, 20, 3, 1.0, skew}, true);
    compare_tiered({290, 10, 20, 3, 1.0, skew}, true);
    compare_tiered({10000, 10, 250, 3, 0.8, skew}, false);
    compare_tiered({10000, 10, 250, 3, 1.0, skew}, false);
  }
}
