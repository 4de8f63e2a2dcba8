// A private cluster of 32 GPUs and a cloud beside it, as Starburst's authors have them (Luo et al., USENIX ATC 2024):
// what the cloud costs, and how long jobs take, where they wait for private nodes in proportion to their work.
//   LIPS_DATA=... bench_hybrid [LOAD ...]
// Run times are those of Microsoft's Philly cluster, traces/philly/philly_runtime.csv.gz there (docs/data.md), up to a
// day. Numbers of GPUs and Poisson arrivals are drawn. LOAD: work that arrives over what the private cluster can do.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <optional>
#include <string>
#include <vector>

#include "base/random.h"
#include "bench/one_zone.h"
#include "config/csv_table.h"
#include "config/text_file.h"
#include "policies/registry/registry.h"
#include "simulation/run.h"

namespace {

using namespace lips;
using namespace lips::bench;
using namespace lips::simulation;

constexpr std::size_t jobs_of_a_run = 1000;
constexpr std::uint64_t seeds = 3;
constexpr double longest_job = 86400;                   // seconds
constexpr std::array gpus_of_jobs{1.0, 2.0, 4.0, 8.0};  // and how often
constexpr std::array<double, 4> often{0.7, 0.1, 0.12, 0.08};
constexpr int private_nodes = 4;  // of 8 GPUs

Node node_of(double gpus, FleetKind fleet) {
  Node node;
  node.instance_type = fmt::format("{}{}", fleet == FleetKind::fixed ? "private" : "cloud", gpus);
  node.fleet = fleet;
  node.capacity = {Cores(8 * gpus), Mebibytes(61 * 1024 * gpus), static_cast<std::int32_t>(8 * gpus)};
  node.capacity.extended.set(gpu, gpus);
  node.price = UsdPerHour(3.06 * gpus);  // p3 on demand; private nodes are paid for anyway
  return node;
}

Scenario scenario_of(const std::vector<double>& run_times, double load, std::uint64_t seed) {
  Scenario scenario = scenario_of_one_zone("hybrid");
  add_nodes(node_of(8, FleetKind::fixed), private_nodes, scenario.cluster);
  for (const double gpus : gpus_of_jobs) {
    const NodeId first = add_nodes(node_of(gpus, FleetKind::elastic), 200, scenario.cluster);
    scenario.fleet.offers.push_back({first, 200, seconds(120), 0});
  }
  Random random(seed);
  double mean_gpus = 0, mean_time = 0;
  for (std::size_t i = 0; i < often.size(); ++i) mean_gpus += often[i] * gpus_of_jobs[i];
  for (const double time : run_times) mean_time += time / static_cast<double>(run_times.size());
  double now = 0;
  for (std::size_t i = 0; i < jobs_of_a_run; ++i) {
    now += random.exponential(mean_gpus * mean_time / (load * 8 * private_nodes));
    const double gpus = gpus_of_jobs[random.weighted(often)];
    JobArrived job;
    job.job.name = fmt::format("job-{}", i);
    job.job.pool = PoolId(0);
    job.job.arrival = TimePoint(seconds(now));
    job.job.request = {Cores(8 * gpus), Mebibytes(16 * 1024 * gpus), 1};
    job.job.request.extended.set(gpu, gpus);
    job.job.map_tasks = 1;
    Task task;
    task.cpu = CpuSeconds(run_times[random.below(run_times.size())] * job.job.request.cpu.value());
    job.tasks.push_back(task);
    scenario.jobs.push_back(std::move(job));
  }
  return scenario;
}

struct Figures {
  double cloud = 0, mean_completion = 0;
};

std::optional<Figures> measure(Scenario scenario, const std::string& name) {
  const Result<std::unique_ptr<Policy>> policy = make_policy(name, scenario.settings);
  if (!policy) return fmt::print(stderr, "{}\n", policy.error().message), std::nullopt;
  const Result<RunResult> ran = run(scenario, **policy, name);
  if (!ran) return fmt::print(stderr, "{}\n", ran.error().message), std::nullopt;
  if (ran->jobs_finished < ran->jobs) return fmt::print(stderr, "{} did not finish all jobs\n", name), std::nullopt;
  Figures figures{0, ran->completion.mean};
  for (const NodeLine& line : ran->invoice.node_lines)
    if (line.instance_type.starts_with("cloud")) figures.cloud += line.dollars.value();
  return figures;
}

// The sum over all seeds.
template <class Set>
std::optional<Figures> sum(const std::vector<Scenario>& scenarios, const std::string& name, const Set& set) {
  Figures all;
  for (Scenario scenario : scenarios) {
    set(scenario.settings);
    const std::optional<Figures> one = measure(std::move(scenario), name);
    if (!one) return std::nullopt;
    all.cloud += one->cloud / static_cast<double>(scenarios.size());
    all.mean_completion += one->mean_completion / static_cast<double>(scenarios.size());
  }
  return all;
}

bool compare(const std::vector<double>& run_times, double load) {
  std::vector<Scenario> scenarios;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) scenarios.push_back(scenario_of(run_times, load, seed));
  std::optional<Figures> without;
  const auto row = [&](const std::string& policy, const std::string& setting, const auto& set) {
    const std::optional<Figures> found = sum(scenarios, policy, set);
    if (!found) return false;
    if (!without) without = found;
    fmt::print("| {} | {} | {} | {:.0f} | {:+.1f} % | {:.0f} | {:+.1f} % |\n", load, policy, setting, found->cloud,
               100 * (found->cloud / without->cloud - 1), found->mean_completion,
               100 * (found->mean_completion / without->mean_completion - 1));
    std::fflush(stdout);
    return true;
  };
  for (const double minutes : {0.0, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0})
    if (!row("starburst", minutes == 0 ? "nobody waits" : fmt::format("{} min a CPU-hour", minutes),
             [&](PolicySettings& settings) { settings.starburst.wait_per_cpu_hour = seconds(60 * minutes); }))
      return false;
  for (const double price : {1.0, 4.0, 16.0, 64.0})
    if (!row("lips", fmt::format("waitingPrice {}", price),
             [&](PolicySettings& settings) { settings.lips.waiting_price = price; }))
      return false;
  for (const double core_hours : {25.0, 50.0, 100.0, 200.0, 400.0, 600.0, 800.0, 1600.0})
    if (!row("lips", fmt::format("0.2, {} core-hours a job", core_hours), [&](PolicySettings& settings) {
          settings.lips.waiting_price = 0.2;
          settings.lips.waiting_per_job = core_hours;
        }))
      return false;
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  const char* data = std::getenv("LIPS_DATA");
  const std::string path = std::string(data ? data : "") + "/traces/philly/philly_runtime.csv.gz";
  const Result<std::string> text = read_text_file(path);
  if (!text) return fmt::print(stderr, "no run times in {}; set LIPS_DATA\n", path), 2;
  CsvTable table("philly_runtime.csv.gz", *text, {"runtime"});
  std::vector<double> run_times;
  for (std::size_t row = 0; row < table.size(); ++row)
    if (const double seconds = table.number(row, "runtime"); seconds > 0 && seconds <= longest_job)
      run_times.push_back(seconds);
  if (!table.is_sound()) return fmt::print(stderr, "{}\n", table.as_error().value().message), 2;
  std::vector<double> loads;
  for (int i = 1; i < argc; ++i) loads.push_back(std::atof(argv[i]));
  if (loads.empty()) loads = {0.5, 0.7, 0.9};
  fmt::print(
      "{} jobs, {} draws\n| load | policy | setting | USD in the cloud | | mean completion s | |\n"
      "|---|---|---|---|---|---|---|\n",
      jobs_of_a_run, seeds);
  bool good = true;
  for (const double load : loads) good = compare(run_times, load) && good;
  return good ? 0 : 1;
}
