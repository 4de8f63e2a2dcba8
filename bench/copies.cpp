// The savings of copies of shared data: modern-day with the jobs of FB-2010's trace that name their input, where a part
// of the bytes is read again by later jobs. `lips` without copies, with those that remote reads leave, and with copies
// as columns of the program, each beside the certified bound at its own mean wait, under which any copy may be made and
// kept for nothing but its transfer. LIPS_DATA names the folder of traces.
//   bench_copies [--instances N] [--load L] [--hours H]
// USD by use. Two threads.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <string>
#include <vector>

#include "bench/modern_day.h"
#include "bench/two_threads.h"
#include "bounds/waiting_bound.h"
#include "simulation/whole_run.h"

namespace {

using namespace lips;
using namespace lips::bench;
using namespace lips::simulation;

struct Way {
  const char* name;
  bool keep, columns;
};
constexpr std::array ways = {Way{"without copies", false, false}, Way{"lips", true, false},
                             Way{"copies as columns", true, true}};

struct Outcome {
  Bill bill;
  double seconds = 0, wait = 0;  // mean completion and wait
  double bound = 0;              // USD
  double usd() const { return bill.total().value(); }
  double across() const { return (bill.transfer + bill.moves).value(); }
};

struct Day {
  Instance instance;
  std::array<Outcome, ways.size()> by_way;
};

Result<Outcome> run_one(const Scenario& scenario, const std::vector<WaitingCut>& cuts, const Way& way) {
  PolicySettings settings = scenario.settings;
  settings.lips.keep_copies = way.keep;
  settings.lips.copy_columns = way.columns;
  const Result<RunResult> ran = run_lips(scenario, settings, way.name);
  if (!ran) return tl::unexpected<Error>(ran.error());
  const Result<TightBound> bound = tight_bound(whole_run(scenario), cuts, seconds(ran->mean_wait));
  if (!bound) return tl::unexpected<Error>(bound.error());
  return Outcome{ran->bill, ran->completion.mean, ran->mean_wait, bound->least.value()};
}

Result<Day> run_day(const Instance& instance, double hours) {
  const Result<Scenario> scenario =
      read(instance, {{"trace.file", "FB-2010_samples_24_times_1hr_withInputPaths_0.tsv.gz"},
                      {"trace.shareInputs", "true"},
                      {"trace.until", fmt::format("{}h", hours)}});
  if (!scenario) return tl::unexpected<Error>(scenario.error());
  const Result<std::vector<WaitingCut>> cuts = waiting_cuts(whole_run(*scenario), usual_waiting_prices);
  if (!cuts) return tl::unexpected<Error>(cuts.error());
  Day day{instance, {}};
  for (std::size_t i = 0; i < ways.size(); ++i) {
    const Result<Outcome> outcome = run_one(*scenario, *cuts, ways[i]);
    if (!outcome) return tl::unexpected<Error>(outcome.error());
    day.by_way[i] = *outcome;
    fmt::print(stderr, "{}, {}: {:.2f} USD, {:.0f} s\n", instance.name(), ways[i].name, outcome->usd(),
               outcome->seconds);
  }
  return day;
}

void print_day(const Day& day) {
  for (std::size_t i = 0; i < ways.size(); ++i) {
    const Outcome& outcome = day.by_way[i];
    fmt::print("| {} | {} | {:.2f} | {:.2f} | {:.2f} | {:.0f} | {:.0f} | {:.2f} | {:.3f} |\n", day.instance.name(),
               ways[i].name, outcome.usd(), outcome.across(), outcome.bill.storage.value(), outcome.seconds,
               outcome.wait, outcome.bound, outcome.usd() / outcome.bound);
  }
}

void print_means(const std::vector<Day>& days) {
  fmt::print("\n| | USD against none | mean completion | over the bound: mean, worst |\n|---|---|---|---|\n");
  const auto n = static_cast<double>(days.size());
  for (std::size_t i = 0; i < ways.size(); ++i) {
    double usd = 0, seconds = 0, over = 0, worst = 0;
    for (const Day& day : days) {
      const Outcome &own = day.by_way[i], &none = day.by_way.front();
      usd += own.usd() / none.usd(), seconds += own.seconds / none.seconds;
      over += own.usd() / own.bound, worst = std::max(worst, own.usd() / own.bound);
    }
    fmt::print("| {} | {:+.1f} % | {:+.1f} % | {:.3f}, {:.3f} |\n", ways[i].name, 100 * (usd / n - 1),
               100 * (seconds / n - 1), over / n, worst);
  }
}

}  // namespace

int main(int argc, char** argv) {
  std::size_t count = 8;
  double load = 0.8, hours = 6;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if (argument == "--instances" && i + 1 < argc)
      count = static_cast<std::size_t>(std::atoi(argv[++i]));
    else if (argument == "--load" && i + 1 < argc)
      load = std::atof(argv[++i]);
    else if (argument == "--hours" && i + 1 < argc)
      hours = std::atof(argv[++i]);
    else
      return fmt::print(stderr, "bench_copies [--instances N] [--load L] [--hours H]\n"), 2;
  }
  const std::vector<Instance> instances = modern_days(count, {load}, {});
  std::vector<Day> days;
  for (Result<Day>& day : on_two_threads(count, [&](std::size_t i) { return run_day(instances[i], hours); })) {
    if (!day) return fmt::print(stderr, "{}\n", day.error().message), 1;
    days.push_back(std::move(*day));
  }
  fmt::print(
      "| load, placement, seed | | USD | of them reads and moves across zones | storage of copies | mean completion s "
      "| mean wait s | bound USD | over it |\n|---|---|---|---|---|---|---|---|---|\n");
  for (const Day& day : days) print_day(day);
  if (!days.empty()) print_means(days);
  return 0;
}
