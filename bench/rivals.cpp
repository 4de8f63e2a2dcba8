// For each of the 24 days of bench_modern_day and each rival: is there a waiting price at which lips is cheaper and
// quicker in mean completion? docs/results.md has the table.
//   bench_rivals [--days N] [--load L] [--placement NAME] [--invoice | --elastic]
// USD as in bench_modern_day. One thread, 1.5 to 3.5 minutes of CPU a day; progress goes to stderr.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "bench/modern_day.h"
#include "policies/registry/registry.h"
#include "simulation/run.h"

namespace {

using namespace lips;
using namespace lips::bench;
using namespace lips::simulation;

constexpr std::array waiting_prices = {0.05, 0.1, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 64.0};

struct Rival {
  std::string name, policy;
  std::function<void(PolicySettings&)> change = [](PolicySettings&) {};
};

Rival starburst(int wait) {
  return {fmt::format("starburst, {} s", wait), "starburst",
          [wait](PolicySettings& settings) { settings.starburst.wait_per_cpu_hour = std::chrono::seconds(wait); }};
}

const std::vector<Rival>& rivals() {
  static const std::vector<Rival> all = {
      {"spread", "spread"},
      {"most-allocated", "most-allocated"},
      {"single-zone-round-robin", "single-zone-round-robin"},
      {"hadoop-default", "hadoop-default"},
      {"delay", "delay"},
      {"own-zone-cheapest", "own-zone-cheapest"},
      {"greedy-cheapest", "greedy-cheapest"},
      {"lips-paper", "lips-paper"},
      starburst(15),
      starburst(60),
      starburst(240),
      {"stratus", "stratus"},
      {"eva", "eva"},
  };
  return all;
}

struct Outcome {
  double usd = 0, seconds = 0;  // mean completion
  bool beats(const Outcome& other) const { return usd < other.usd && seconds < other.seconds; }
};

struct Day {
  Instance instance;
  std::vector<Outcome> lips;    // by waiting price
  std::vector<Outcome> rivals;  // in their order
};

Result<Outcome> run_day(const Instance& instance, const Scenario& scenario, const Rival& rival) {
  PolicySettings settings = scenario.settings;
  rival.change(settings);
  const Result<std::unique_ptr<Policy>> policy = make_policy(rival.policy, settings);
  if (!policy) return tl::unexpected<Error>(policy.error());
  const double began = seconds_now();
  const Result<RunResult> ran = run(scenario, **policy, rival.name);
  if (!ran) return tl::unexpected<Error>(ran.error());
  if (ran->jobs_finished < ran->jobs)
    return fail(ErrorCode::invalid_input, fmt::format("{} did not finish all jobs of {}", rival.name, instance.name()));
  const bool invoice = instance.market.billing == Billing::invoice;
  const Outcome outcome{(invoice ? ran->invoice.total() : ran->bill.total()).value(), ran->completion.mean};
  fmt::print("{:<22} {:<24} {:>9.2f} USD {:>7.0f} s\n", instance.name(), rival.name, outcome.usd, outcome.seconds);
  std::fflush(stdout);
  fmt::print(stderr, "{} {} took {:.1f} s\n", instance.name(), rival.name, seconds_now() - began);
  return outcome;
}

Result<Day> run_all(const Instance& instance) {
  const Result<Scenario> scenario = read(instance);
  if (!scenario) return tl::unexpected<Error>(scenario.error());
  Day day{instance, {}, {}};
  for (const double price : waiting_prices) {
    const Rival lips{fmt::format("lips, {}", price), "lips",
                     [price](PolicySettings& settings) { settings.lips.waiting_price = price; }};
    const Result<Outcome> outcome = run_day(instance, *scenario, lips);
    if (!outcome) return tl::unexpected<Error>(outcome.error());
    day.lips.push_back(*outcome);
  }
  for (const Rival& rival : rivals()) {
    const Result<Outcome> outcome = run_day(instance, *scenario, rival);
    if (!outcome) return tl::unexpected<Error>(outcome.error());
    day.rivals.push_back(*outcome);
  }
  return day;
}

double mean_of(const std::vector<Day>& days, const std::function<double(const Day&)>& figure) {
  double sum = 0;
  for (const Day& day : days) sum += figure(day);
  return sum / static_cast<double>(days.size());
}

void print_curves(const std::vector<Day>& days) {
  fmt::print("\nMeans of {} days.\n| policy | USD | mean completion s |\n|---|---|---|\n", days.size());
  const auto row = [&](const std::string& name, const std::function<const Outcome&(const Day&)>& of) {
    fmt::print("| {} | {:.1f} | {:.0f} |\n", name, mean_of(days, [&](const Day& day) { return of(day).usd; }),
               mean_of(days, [&](const Day& day) { return of(day).seconds; }));
  };
  for (std::size_t p = 0; p < waiting_prices.size(); ++p)
    row(fmt::format("lips, waiting price {}", waiting_prices[p]),
        [p](const Day& day) -> const Outcome& { return day.lips[p]; });
  for (std::size_t r = 0; r < rivals().size(); ++r)
    row(rivals()[r].name, [r](const Day& day) -> const Outcome& { return day.rivals[r]; });
}

// The cheapest setting that beats the rival, or none.
std::optional<std::size_t> cheapest_winner(const Day& day, const Outcome& rival) {
  std::optional<std::size_t> best;
  for (std::size_t p = 0; p < day.lips.size(); ++p)
    if (day.lips[p].beats(rival) && (!best || day.lips[p].usd < day.lips[*best].usd)) best = p;
  return best;
}

void print_wins(const std::vector<Day>& days) {
  fmt::print(
      "\nDays on which some waiting price of the ten makes lips cheaper and quicker in mean completion, how often the "
      "best single price does, and USD and mean completion at the cheapest such price against the rival.\n"
      "| rival | beaten | by one price | USD | mean completion |\n|---|---|---|---|---|\n");
  std::string exceptions;
  for (std::size_t r = 0; r < rivals().size(); ++r) {
    std::array<int, waiting_prices.size()> wins{};
    int beaten = 0;
    double usd = 0, seconds = 0;
    for (const Day& day : days) {
      const Outcome& rival = day.rivals[r];
      for (std::size_t p = 0; p < wins.size(); ++p) wins[p] += day.lips[p].beats(rival);
      if (const auto winner = cheapest_winner(day, rival)) {
        ++beaten;
        usd += day.lips[*winner].usd / rival.usd;
        seconds += day.lips[*winner].seconds / rival.seconds;
        continue;
      }
      exceptions += fmt::format("  {}, {}: {:.1f} USD, {:.0f} s; lips", rivals()[r].name, day.instance.name(),
                                rival.usd, rival.seconds);
      for (std::size_t p = 0; p < wins.size(); ++p)
        exceptions += fmt::format(" {:.1f}/{:.0f}", day.lips[p].usd, day.lips[p].seconds);
      exceptions += "\n";
    }
    const auto best = std::max_element(wins.begin(), wins.end());
    const auto change = [&](double sum) {
      return beaten > 0 ? fmt::format("{:+.1f} %", 100 * (sum / beaten - 1)) : "-";
    };
    fmt::print("| {} | {} of {} | {} (at {}) | {} | {} |\n", rivals()[r].name, beaten, days.size(), *best,
               waiting_prices[static_cast<std::size_t>(best - wins.begin())], change(usd), change(seconds));
  }
  fmt::print("\nNot beaten (USD/s of lips by waiting price):\n{}", exceptions.empty() ? "  none\n" : exceptions);
}

int usage() {
  fmt::print(stderr, "bench_rivals [--days N] [--load L] [--placement NAME] [--invoice | --elastic]\n");
  return 2;
}

}  // namespace

int main(int argc, char** argv) {
  std::size_t count = 24;
  std::vector<double> loads = {0.5, 0.8, 0.95};
  std::string placement;
  Market market;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if (argument == "--invoice")
      market.billing = Billing::invoice;
    else if (argument == "--elastic")
      market = {Billing::invoice, true};
    else if (argument == "--days" && i + 1 < argc)
      count = static_cast<std::size_t>(std::atoi(argv[++i]));
    else if (argument == "--load" && i + 1 < argc)
      loads = {std::atof(argv[++i])};
    else if (argument == "--placement" && i + 1 < argc)
      placement = argv[++i];
    else
      return usage();
  }
  std::vector<Instance> instances = modern_days(count, loads, market);
  std::erase_if(instances, [&](const Instance& day) { return !placement.empty() && day.placement != placement; });
  if (instances.empty()) return usage();
  const double began = seconds_now();
  std::vector<Day> days;
  for (const Instance& instance : instances) {
    Result<Day> day = run_all(instance);
    if (!day) return fmt::print(stderr, "{}\n", day.error().message), 1;
    days.push_back(std::move(*day));
    fmt::print(stderr, "day {} of {}: {}, {:.0f} s\n", days.size(), instances.size(), instance.name(),
               seconds_now() - began);
  }
  print_curves(days);
  print_wins(days);
  fmt::print("\n{:.0f} s on one thread\n", seconds_now() - began);
  return 0;
}
