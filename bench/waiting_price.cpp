// Which waiting price is best on the objective that it stands for: dollars, and for each hour that a CPU-second waits
// the mean price of a CPU-second? Of the prices at which the fewest days have a longer mean completion than under
// `delay`. Chosen on one half of the days of bench_modern_day, and reported on the other.
//   bench_waiting_price [--instances N] [--load L] [--invoice]
// The days with an odd seed are one half, those with an even seed the other; each half chooses once. USD as in
// bench_modern_day. Two threads.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string>
#include <vector>

#include "bench/modern_day.h"
#include "bench/two_threads.h"
#include "bounds/relaxed_run.h"
#include "simulation/whole_run.h"

namespace {

using namespace lips;
using namespace lips::bench;
using namespace lips::simulation;

constexpr std::array waiting_prices = {0.5, 1.0, 2.0, 4.0, 8.0};
constexpr std::size_t usual = 1;  // others are compared with it

struct Outcome {
  double usd = 0, waiting = 0;  // USD: the bill; what the waits are worth
  double seconds = 0;           // mean completion
  double objective() const { return usd + waiting; }
};

struct Day {
  Instance instance;
  double delay = 0;  // seconds, mean completion under it
  std::array<Outcome, waiting_prices.size()> by_price;

  bool slower(std::size_t price) const { return by_price[price].seconds > delay; }
};

Result<Outcome> run_at(const Scenario& scenario, double price) {
  PolicySettings settings = scenario.settings;
  settings.lips.waiting_price = price;
  const Result<RunResult> ran = run_lips(scenario, settings, "lips");
  if (!ran) return tl::unexpected<Error>(ran.error());
  const bool invoice = scenario.billing == Billing::invoice;
  const RelaxedRun all(whole_run(scenario));
  return Outcome{(invoice ? ran->invoice.total() : ran->bill.total()).value(),
                 all.mean_price() * all.work() * ran->mean_wait / 3600, ran->completion.mean};
}

Result<Day> run_day(const Instance& instance) {
  const Result<Scenario> scenario = read(instance);
  if (!scenario) return tl::unexpected<Error>(scenario.error());
  const Result<RunResult> delay = run_named(*scenario, "delay", scenario->settings, "delay");
  if (!delay) return tl::unexpected<Error>(delay.error());
  Day day{instance, delay->completion.mean, {}};
  for (std::size_t p = 0; p < waiting_prices.size(); ++p) {
    const Result<Outcome> outcome = run_at(*scenario, waiting_prices[p]);
    if (!outcome) return tl::unexpected<Error>(outcome.error());
    day.by_price[p] = *outcome;
    fmt::print(stderr, "{} at {}: {:.2f} + {:.2f} USD, {:.0f} s; delay {:.0f} s\n", instance.name(), waiting_prices[p],
               outcome->usd, outcome->waiting, outcome->seconds, day.delay);
  }
  return day;
}

Result<std::vector<Day>> run_days(const std::vector<Instance>& instances) {
  std::vector<Day> days;
  for (Result<Day>& day : on_two_threads(instances.size(), [&](std::size_t i) { return run_day(instances[i]); })) {
    if (!day) return tl::unexpected<Error>(day.error());
    days.push_back(std::move(*day));
  }
  return days;
}

double mean_objective(const std::vector<Day>& days, std::size_t price) {
  double sum = 0;
  for (const Day& day : days) sum += day.by_price[price].objective();
  return sum / static_cast<double>(days.size());
}

std::ptrdiff_t slower_days(const std::vector<Day>& days, std::size_t price) {
  return std::ranges::count_if(days, [&](const Day& day) { return day.slower(price); });
}

std::size_t best_price(const std::vector<Day>& days) {
  const auto rank = [&](std::size_t p) { return std::pair(slower_days(days, p), mean_objective(days, p)); };
  std::size_t best = 0;
  for (std::size_t p = 1; p < waiting_prices.size(); ++p)
    if (rank(p) < rank(best)) best = p;
  return best;
}

void print_table(const std::vector<Day>& days, const std::string& name) {
  fmt::print(
      "\n{}: means of {} days\n| waiting price | USD | the waits, USD | both | against {} | mean completion s | slower "
      "than delay on | best on |\n|---|---|---|---|---|---|---|---|\n",
      name, days.size(), waiting_prices[usual]);
  for (std::size_t p = 0; p < waiting_prices.size(); ++p) {
    double usd = 0, waiting = 0, seconds = 0;
    int best_on = 0;
    for (const Day& day : days) {
      usd += day.by_price[p].usd, waiting += day.by_price[p].waiting, seconds += day.by_price[p].seconds;
      best_on += best_price({day}) == p;
    }
    const auto n = static_cast<double>(days.size());
    fmt::print("| {} | {:.1f} | {:.1f} | {:.1f} | {:+.1f} % | {:.0f} | {} | {} |\n", waiting_prices[p], usd / n,
               waiting / n, mean_objective(days, p), 100 * (mean_objective(days, p) / mean_objective(days, usual) - 1),
               seconds / n, slower_days(days, p), best_on);
  }
}

void report(const std::vector<Day>& chosen_on, const std::vector<Day>& reported_on, const std::string& names) {
  const std::size_t chosen = best_price(chosen_on), best = best_price(reported_on);
  const double there = mean_objective(reported_on, chosen);
  fmt::print(
      "{}: {} is chosen; on the others it is slower than delay on {}, {:+.1f} % against {}, and {:+.1f} % against the "
      "best there, {}\n",
      names, waiting_prices[chosen], slower_days(reported_on, chosen),
      100 * (there / mean_objective(reported_on, usual) - 1), waiting_prices[usual],
      100 * (there / mean_objective(reported_on, best) - 1), waiting_prices[best]);
}

int usage() {
  fmt::print(stderr, "bench_waiting_price [--instances N] [--load L] [--invoice]\n");
  return 2;
}

}  // namespace

int main(int argc, char** argv) {
  std::size_t count = 24;
  std::vector<double> loads = {0.5, 0.8, 0.95};
  Market market;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if (argument == "--invoice")
      market.billing = Billing::invoice;
    else if (argument == "--instances" && i + 1 < argc)
      count = static_cast<std::size_t>(std::atoi(argv[++i]));
    else if (argument == "--load" && i + 1 < argc)
      loads = {std::atof(argv[++i])};
    else
      return usage();
  }
  const Result<std::vector<Day>> days = run_days(modern_days(count, loads, market));
  if (!days) return fmt::print(stderr, "{}\n", days.error().message), 1;
  std::vector<Day> odd, even;
  for (const Day& day : *days) (day.instance.seed % 2 == 1 ? odd : even).push_back(day);
  if (odd.empty() || even.empty()) return fmt::print(stderr, "days of both halves are needed: more instances\n"), 2;
  print_table(odd, "Odd seeds");
  print_table(even, "Even seeds");
  fmt::print("\n");
  report(odd, even, "On odd seeds");
  report(even, odd, "On even seeds");
  return 0;
}
