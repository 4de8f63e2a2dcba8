// CLP by primal and by dual simplex, with and without presolve, cold and from the last basis, on the two forms of the
// planner: what `Algorithm::automatic` rests on.
#include "bench/solver_bench.h"
#include "solver/certificate.h"
#include "solver/clp_backend.h"

namespace {

using namespace lips::solver;
using lips::bench::best_milliseconds;

// The class form: groups x classes, every class with a row for its CPU and one for its memory.
LinearProgram class_program(int groups, int classes, double load, int seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> unit(0, 1);
  std::vector<double> tasks(groups), cpu(groups), memory(groups), overflow(groups), price(classes);
  double demand = 0, memory_demand = 0;
  for (int g = 0; g < groups; ++g) {
    tasks[g] = 1 + std::floor(std::exp(4 * unit(random)));
    cpu[g] = 10 + 90 * unit(random);
    memory[g] = cpu[g] * (1 + 4 * unit(random));
    overflow[g] = 60 * cpu[g];
    demand += tasks[g] * cpu[g];
    memory_demand += tasks[g] * memory[g];
  }
  LinearProgram program;
  for (int g = 0; g < groups; ++g) program.add_row(tasks[g], tasks[g]);
  for (int c = 0; c < classes; ++c) {
    price[c] = 1 + 4 * unit(random);
    const double share = (0.5 + unit(random)) / classes / load;
    program.add_row(-infinity, demand * share);
    program.add_row(-infinity, memory_demand * share * (0.7 + unit(random)));
  }
  for (int g = 0; g < groups; ++g) {
    const int home = static_cast<int>(random() % 6);
    const double transfer = 30 * unit(random);
    for (int c = 0; c < classes; ++c)
      program.add_column(cpu[g] * price[c] + (c % 6 == home ? 0 : transfer), 0, tasks[g],
                         std::vector<Entry>{{g, 1}, {groups + 2 * c, cpu[g]}, {groups + 2 * c + 1, memory[g]}});
    program.add_column(overflow[g], 0, tasks[g], std::vector<Entry>{{g, 1}});
  }
  return program;
}

void compare(const char* form, const LinearProgram& program) {
  std::printf("%-10s %6d rows %7d columns (%5.1f a row):", form, program.rows(), program.columns(),
              static_cast<double>(program.columns()) / program.rows());
  double primal = 0, dual = 0;
  LpSolution solution;
  for (const bool presolve : {true, false})
    for (const auto algorithm : {Algorithm::primal, Algorithm::dual}) {
      LpOptions options;
      options.algorithm = algorithm;
      options.presolve = presolve;
      const double spent = best_milliseconds(1, [&] { solution = solve(program, options); });
      if (presolve) (algorithm == Algorithm::primal ? primal : dual) = spent;
      std::printf(" %s%s %8.1f ms", algorithm == Algorithm::primal ? "primal" : "dual", presolve ? "+presolve" : "",
                  spent);
    }
  LinearProgram changed = program;
  for (int i = 0; i < program.rows(); i += 20)
    if (program.row_lower()[i] == program.row_upper()[i])
      changed.set_row_bounds(i, program.row_lower()[i] * 1.05, program.row_upper()[i] * 1.05);
  LpOptions warm;
  warm.start = &solution.basis;
  LpSolution again;
  const double restarted = best_milliseconds(1, [&] { again = solve(changed, warm); });
  const double automatic = best_milliseconds(1, [&] { solution = solve(changed); });
  const Certificate certificate = certify(changed, again.primal, again.row_dual);
  std::printf(" | primal/dual %.2f | changed: warm %.1f ms, cold %.1f ms | gap %.1e\n", primal / dual, restarted,
              automatic, certificate.gap);
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char**) {
  for (const double load : {0.8, 1.1}) {
    compare("zone form", lips::bench::zone_program(lips::bench::zone_instance({300, 3, 240, load}, 1)));
    compare("zone form", lips::bench::zone_program(lips::bench::zone_instance({3000, 6, 240, load}, 1)));
    compare("zone form", lips::bench::zone_program(lips::bench::zone_instance({3000, 12, 240, load}, 1)));
    compare("class form", class_program(100, 24, load, 1));
    compare("class form", class_program(100, 120, load, 1));
    compare("class form", class_program(500, 60, load, 1));
    if (argc > 1) compare("class form", class_program(1000, 240, load, 1));  // with any argument: a minute more
  }
}
