// The same jobs through both doors: directly, and through the operator's adapter and a virtual Kubernetes
// (docs/virtual.md#the-two-doors).
//   bench_two_doors [SEEDS [DAY]]
// Two morning hours of modern-day and of modern-day-elastic at a fifth of their size: 20 of 100 nodes or a fifth of the
// autoscaler's cores, all 174 jobs, each a fifth as large. So there are as many jobs an hour as in the whole day, and
// each is as large beside the cluster as there. Where nodes are bought jobs come at any part of a second: the trace has
// whole ones, so that directly nodes go empty in the very second in which the autoscaler looks.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "base/random.h"
#include "config/price_sheet.h"
#include "policies/registry/registry.h"
#include "simulation/run.h"
#include "simulation/scenario_reader.h"
#include "virtual/run_through.h"

namespace {

using namespace lips;

constexpr const char *placements[] = {"oneZone", "twoZones", "hotZone", "skewedTwoZones"}, *loads[] = {"0.5", "0.8"};
constexpr PodMode modes[] = {PodMode::bind, PodMode::steer};

simulation::Scenario morning(const std::string& day, const char* placement, const char* load, std::uint64_t seed) {
  simulation::ScenarioOptions options;
  options.config_folder = *find_config_folder();
  options.set = {{"trace.from", "8h"}, {"trace.until", "10h"},   {"trace.maxTasks", "4000"},
                 {"load", load},       {"placement", placement}, {"seed", std::to_string(seed)}};
  for (const char* type : {"m7g", "m6i"}) options.set.emplace_back(fmt::format("nodes.{}.count", type), "4");
  for (const char* type : {"c7g", "c6i", "r6i", "m5a"})
    options.set.emplace_back(fmt::format("nodes.{}.count", type), "3");
  if (day == "modern-day-elastic") options.set.emplace_back("autoscaler.limitCores", "320");
  Result<simulation::Scenario> read =
      simulation::read_scenario(options.config_folder + "/scenarios/" + day + ".yaml", options);
  if (!read) fmt::print(stderr, "{}\n", read.error().message), std::exit(1);
  simulation::Scenario scenario = *std::move(read);
  if (scenario.fleet.offers.empty()) return scenario;
  Random random(seed);
  TimePoint last{};
  for (JobArrived& job : scenario.jobs)  // in their order
    last = job.job.arrival = std::max(last, job.job.arrival + seconds(random.uniform()));
  return scenario;
}

simulation::RunResult finished(Result<simulation::RunResult> run) {
  if (!run) fmt::print(stderr, "{}\n", run.error().message), std::exit(1);
  return *std::move(run);
}

double percent(double direct, double through) { return 100 * (through / direct - 1); }

struct Difference {
  double dollars = 0, completion = 0;  // in percent
};

void print(const std::string& day, PodMode mode, const std::vector<Difference>& all) {
  Difference mean, worst;
  for (const Difference& one : all) {
    mean.dollars += one.dollars / static_cast<double>(all.size());
    mean.completion += one.completion / static_cast<double>(all.size());
    if (std::abs(one.dollars) > std::abs(worst.dollars)) worst.dollars = one.dollars;
    if (std::abs(one.completion) > std::abs(worst.completion)) worst.completion = one.completion;
  }
  fmt::print("{:<19} {:<5}  mean {:+.2f} % {:+.2f} %  worst {:+.2f} % {:+.2f} %\n", day, to_string(mode), mean.dollars,
             mean.completion, worst.dollars, worst.completion);
}

void compare(const std::string& day, std::uint64_t seeds) {
  std::vector<Difference> differences[std::size(modes)];
  for (const char* load : loads)
    for (const char* placement : placements)
      for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
        const simulation::Scenario scenario = morning(day, placement, load, seed);
        const auto policy = *make_policy("lips", scenario.settings);
        const simulation::RunResult direct = finished(simulation::run(scenario, *policy, "lips"));
        const double dollars = direct.invoice.total().value(), seconds = direct.completion.mean;
        fmt::print("{:<19} {} {:<14} {:>2}  {:8.3f} USD {:6.1f} s", day, load, placement, seed, dollars, seconds);
        for (std::size_t i = 0; i < std::size(modes); ++i) {
          virtual_cluster::ThroughOptions options;
          options.cluster.mode = modes[i];
          const simulation::RunResult through =
              finished(virtual_cluster::run_through_kubernetes(scenario, *policy, "lips", options));
          const Difference now{percent(dollars, through.invoice.total().value()),
                               percent(seconds, through.completion.mean)};
          fmt::print("  {} {:+6.2f} % {:+6.2f} %", to_string(modes[i]), now.dollars, now.completion);
          differences[i].push_back(now);
        }
        fmt::print("\n");
        std::fflush(stdout);
      }
  for (std::size_t i = 0; i < std::size(modes); ++i) print(day, modes[i], differences[i]);
}

}  // namespace

int main(int argc, char** argv) {
  const std::uint64_t seeds = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 1;
  const std::string only = argc > 2 ? argv[2] : "";
  for (const std::string day : {"modern-day", "modern-day-elastic"})
    if (only.empty() || only == day) compare(day, std::max<std::uint64_t>(1, seeds));
}
