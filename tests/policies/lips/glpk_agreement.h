// The default planner's programs on random snapshots, solved by CLP and by glpsol from the exported MPS.
#pragma once

#include <chrono>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>

#include "policies/lips_horizon/lips_horizon.h"
#include "simulation/random_snapshot.h"
#include "solver/clp_backend.h"
#include "solver/mps.h"

namespace lips::testing {

inline bool glpsol_is_here() { return std::system("command -v glpsol >/dev/null 2>&1") == 0; }

// Zone, class and mixed forms by the shape; copy columns, pools and links in turn.
inline solver::LinearProgram random_program(std::uint64_t seed) {
  const simulation::SnapshotShape shape = simulation::random_small_shape(seed);
  ClusterSnapshot cluster = simulation::random_cluster(shape).snapshot();
  PolicySettings settings;
  settings.lips.horizon = std::chrono::seconds(600);
  settings.lips.copy_columns = seed % 3 == 0;
  if (seed % 4 == 1)
    for (PoolId pool : cluster.pools.ids()) {
      cluster.pools[pool].shortfall_price = UsdPerCpuSecond(1e-5);
      if (pool.index() == 0) cluster.pools[pool].maximum = Cores(4);
    }
  if (seed % 5 == 2) cluster.network.zone_link = MebibytesPerSecond(1);
  if (seed % 6 == 3) cluster.network.remote_stream = MebibytesPerSecond(2);
  return lips_program_as_set({cluster, simulation::random_costs(shape), 1, {}, nullptr}, settings);
}

struct Agreement {
  double clp = 0, glpk = 0, clp_seconds = 0, glpk_seconds = 0;
  double difference() const { return std::abs(clp - glpk) / std::max(1e-6, std::abs(glpk)); }
};

// None where the cluster gives no program or one of the solvers gives no optimum.
inline std::optional<Agreement> compare(const solver::LinearProgram& program, const std::filesystem::path& folder) {
  using Clock = std::chrono::steady_clock;
  const auto seconds_since = [](Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
  };
  Agreement result;
  auto start = Clock::now();
  const solver::LpSolution solution = solver::solve(program);
  result.clp_seconds = seconds_since(start);
  result.clp = solution.objective;
  const std::string mps = folder / "program.mps", answer = folder / "answer.txt";
  // glpsol stops at reduced costs of 1e-7 whatever the prices are, and a CPU-second costs about 1e-5 USD: so its prices
  // are written 2^20 times as high (exact in binary).
  constexpr double dearer = 1 << 20;
  solver::LinearProgram scaled = program;
  for (std::int32_t column = 0; column < scaled.columns(); ++column)
    scaled.set_cost(column, program.cost()[static_cast<std::size_t>(column)] * dearer);
  std::ofstream(mps) << solver::write_mps(scaled);
  start = Clock::now();
  // --write takes raw numbers with all digits: "s bas ROWS COLUMNS f f OBJECTIVE".
  if (std::system(("glpsol --freemps " + mps + " --write " + answer + " >/dev/null 2>&1").c_str()) != 0) return {};
  result.glpk_seconds = seconds_since(start);
  std::ifstream in(answer);
  for (std::string word; in >> word;) {
    if (word != "s") {
      in.ignore(10'000, '\n');
      continue;
    }
    std::string kind, rows, columns, primal, dual;
    in >> kind >> rows >> columns >> primal >> dual >> result.glpk;
    result.glpk /= dearer;
    if (primal == "f" && dual == "f" && solution.status == solver::LpStatus::optimal) return result;
    break;
  }
  return {};
}

struct TemporaryFolder {
  TemporaryFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "lips-XXXXXX").string();
    path = mkdtemp(name.data()) ? name : std::string();
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    if (!path.empty()) std::filesystem::remove_all(path, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  std::filesystem::path path;
};

}  // namespace lips::testing
