// For each of the 24 days of bench_modern_day and each rival: is there a waiting price, of ten, at which lips is
// cheaper and quicker in mean completion? Where there is none: does one of two further settings do it, and what would
// any schedule cost at least that waits as long as the rival does? docs/results.md has the table.
//   bench_rivals [--days N] [--load L] [--placement NAME] [--only RIVAL] [--invoice | --elastic]
// USD as in bench_modern_day. One thread, 1.5 to 3.5 minutes of CPU a day; progress goes to stderr.
#include "bench/rivals.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bench/modern_day.h"
#include "bounds/waiting_bound.h"
#include "policies/registry/registry.h"
#include "simulation/run.h"
#include "simulation/whole_run.h"

namespace {

using namespace lips;
using namespace lips::bench;
using namespace lips::simulation;

Rival lips_at(double price) {
  return {fmt::format("lips, {}", price), "lips",
          [price](PolicySettings& settings) { settings.lips.waiting_price = price; }};
}

const std::vector<Rival>& lips_settings() {
  static const std::vector<Rival> all = [] {
    std::vector<Rival> settings;
    for (const double price : {0.05, 0.1, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 64.0})
      settings.push_back(lips_at(price));
    return settings;
  }();
  return all;
}

// For rivals that no price beats. Work that waits at a tenth of the price waits for days, which the usual time slots do
// not reach; and whoever pays 64 does not wait for a plan either.
const std::vector<Rival>& further_settings() {
  static const std::vector<Rival> all = {
      {"lips, 0.1, slots to 2,560 min", "lips",
       [](PolicySettings& settings) {
         settings.lips.waiting_price = 0.1;
         for (const int end : {1280, 2560}) settings.lips.time_slot_edges.emplace_back(std::chrono::minutes(end));
       }},
      {"lips, 64, express limit 1 USD", "lips",
       [](PolicySettings& settings) {
         settings.lips.waiting_price = 64;
         settings.lips.fast_path_limit = Usd(1);
       }},
  };
  return all;
}

struct Outcome {
  double usd = 0, seconds = 0;  // mean completion
  double mean_wait = 0;         // seconds from arrival to start, weighted by work
  double bound = 0;  // no schedule with that mean wait costs less, by use; only of rivals that are not beaten
  bool beats(const Outcome& other) const { return usd < other.usd && seconds < other.seconds; }
};

struct Day {
  Instance instance;
  std::vector<Outcome> lips;     // by setting
  std::vector<Outcome> rivals;   // in their order
  std::vector<Outcome> further;  // by further setting; empty where the others beat each rival
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
  const Outcome outcome{(invoice ? ran->invoice.total() : ran->bill.total()).value(), ran->completion.mean,
                        ran->mean_wait, 0};
  fmt::print("{:<22} {:<24} {:>9.2f} USD {:>7.0f} s\n", instance.name(), rival.name, outcome.usd, outcome.seconds);
  std::fflush(stdout);
  fmt::print(stderr, "{} {} took {:.1f} s\n", instance.name(), rival.name, seconds_now() - began);
  return outcome;
}

// The cheapest setting that beats the rival, or none.
std::optional<std::size_t> cheapest_winner(const Day& day, const Outcome& rival) {
  std::optional<std::size_t> best;
  for (std::size_t p = 0; p < day.lips.size(); ++p)
    if (day.lips[p].beats(rival) && (!best || day.lips[p].usd < day.lips[*best].usd)) best = p;
  return best;
}

// The certified bound on a day's dollars by use at each rival's own mean wait, where no setting beats it.
Result<void> add_bounds(const Scenario& scenario, Day& day) {
  const WholeRun whole = whole_run(scenario);
  WaitingBoundSettings settings;
  settings.slot = std::chrono::minutes(2);
  for (Outcome& rival : day.rivals) {
    if (cheapest_winner(day, rival)) continue;
    const Result<std::vector<WaitingCut>> cuts = waiting_cuts(whole, usual_waiting_prices, settings);
    if (!cuts) return tl::unexpected<Error>(cuts.error());
    const auto wait = std::chrono::duration_cast<Duration>(std::chrono::duration<double>(rival.mean_wait));
    const Result<TightBound> bound = tight_bound(whole, *cuts, wait, settings);
    if (!bound) return tl::unexpected<Error>(bound.error());
    rival.bound = bound->least.value();
  }
  return {};
}

bool beaten_further(const Day& day, const Outcome& rival) {
  return std::any_of(day.further.begin(), day.further.end(),
                     [&](const Outcome& outcome) { return outcome.beats(rival); });
}

Result<Day> run_all(const Instance& instance, const std::vector<Rival>& rivals) {
  const Result<Scenario> scenario = read(instance);
  if (!scenario) return tl::unexpected<Error>(scenario.error());
  Day day{instance, {}, {}, {}};
  for (const auto& [runs, outcomes] : {std::pair{&lips_settings(), &day.lips}, std::pair{&rivals, &day.rivals}})
    for (const Rival& each : *runs) {
      const Result<Outcome> outcome = run_day(instance, *scenario, each);
      if (!outcome) return tl::unexpected<Error>(outcome.error());
      outcomes->push_back(*outcome);
    }
  if (std::all_of(day.rivals.begin(), day.rivals.end(),
                  [&](const Outcome& rival) { return cheapest_winner(day, rival).has_value(); }))
    return day;
  for (const Rival& each : further_settings()) {
    const Result<Outcome> outcome = run_day(instance, *scenario, each);
    if (!outcome) return tl::unexpected<Error>(outcome.error());
    day.further.push_back(*outcome);
  }
  if (instance.market.billing == Billing::invoice) return day;  // the bound is on dollars by use
  if (const Result<void> added = add_bounds(*scenario, day); !added) return tl::unexpected<Error>(added.error());
  return day;
}

double mean_of(const std::vector<Day>& days, const std::function<double(const Day&)>& figure) {
  double sum = 0;
  for (const Day& day : days) sum += figure(day);
  return sum / static_cast<double>(days.size());
}

void print_curves(const std::vector<Day>& days, const std::vector<Rival>& rivals) {
  fmt::print("\nMeans of {} days.\n| policy | USD | mean completion s |\n|---|---|---|\n", days.size());
  const auto row = [&](const std::string& name, const std::function<const Outcome&(const Day&)>& of) {
    fmt::print("| {} | {:.1f} | {:.0f} |\n", name, mean_of(days, [&](const Day& day) { return of(day).usd; }),
               mean_of(days, [&](const Day& day) { return of(day).seconds; }));
  };
  for (std::size_t p = 0; p < lips_settings().size(); ++p)
    row(lips_settings()[p].name, [p](const Day& day) -> const Outcome& { return day.lips[p]; });
  for (std::size_t r = 0; r < rivals.size(); ++r)
    row(rivals[r].name, [r](const Day& day) -> const Outcome& { return day.rivals[r]; });
}

std::string exception(const Day& day, const Rival& rival, const Outcome& outcome) {
  std::string text =
      fmt::format("  {}, {}: {:.1f} USD, {:.1f} s", rival.name, day.instance.name(), outcome.usd, outcome.seconds);
  if (outcome.bound > 0)
    text += fmt::format("; with its mean wait of {:.0f} s nothing costs less than {:.1f} USD ({:.3f} of it)",
                        outcome.mean_wait, outcome.bound, outcome.bound / outcome.usd);
  text += "; lips";
  for (const Outcome& lips : day.lips) text += fmt::format(" {:.1f}/{:.1f}", lips.usd, lips.seconds);
  for (std::size_t i = 0; i < day.further.size(); ++i)
    text += fmt::format("; {}: {:.1f}/{:.1f}{}", further_settings()[i].name, day.further[i].usd, day.further[i].seconds,
                        day.further[i].beats(outcome) ? " (beats it)" : "");
  return text + "\n";
}

void print_wins(const std::vector<Day>& days, const std::vector<Rival>& rivals) {
  fmt::print(
      "\nDays on which some waiting price of the ten makes lips cheaper and quicker in mean completion, with the "
      "further "
      "settings too, how often the best single price does, and USD and mean completion at the cheapest such price "
      "against the rival.\n"
      "| rival | beaten | and further | by one price | USD | mean completion |\n|---|---|---|---|---|---|\n");
  std::string exceptions;
  for (std::size_t r = 0; r < rivals.size(); ++r) {
    std::vector<int> wins(lips_settings().size());
    int beaten = 0, further = 0;
    double usd = 0, seconds = 0;
    for (const Day& day : days) {
      const Outcome& rival = day.rivals[r];
      for (std::size_t p = 0; p < wins.size(); ++p) wins[p] += day.lips[p].beats(rival);
      if (const auto winner = cheapest_winner(day, rival)) {
        ++beaten;
        usd += day.lips[*winner].usd / rival.usd;
        seconds += day.lips[*winner].seconds / rival.seconds;
      } else {
        further += beaten_further(day, rival);
        exceptions += exception(day, rivals[r], rival);
      }
    }
    const auto best = std::max_element(wins.begin(), wins.end());
    const auto change = [&](double sum) {
      return beaten > 0 ? fmt::format("{:+.1f} %", 100 * (sum / beaten - 1)) : "-";
    };
    fmt::print("| {} | {} of {} | {} | {} ({}) | {} | {} |\n", rivals[r].name, beaten, days.size(), beaten + further,
               *best, lips_settings()[static_cast<std::size_t>(best - wins.begin())].name, change(usd),
               change(seconds));
  }
  fmt::print("\nNot beaten by a price (USD/s of lips by price):\n{}", exceptions.empty() ? "  none\n" : exceptions);
}

int usage() {
  fmt::print(stderr, "bench_rivals [--days N] [--load L] [--placement NAME] [--only RIVAL] [--invoice | --elastic]\n");
  return 2;
}

}  // namespace

int main(int argc, char** argv) {
  std::size_t count = 24;
  std::vector<double> loads = {0.5, 0.8, 0.95};
  std::string placement;
  std::vector<Rival> rivals = all_rivals();
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
    else if (argument == "--only" && i + 1 < argc)
      std::erase_if(rivals, [name = std::string(argv[++i])](const Rival& rival) { return rival.name != name; });
    else
      return usage();
  }
  std::vector<Instance> instances = modern_days(count, loads, market);
  std::erase_if(instances, [&](const Instance& day) { return !placement.empty() && day.placement != placement; });
  if (instances.empty() || rivals.empty()) return usage();
  const double began = seconds_now();
  std::vector<Day> days;
  for (const Instance& instance : instances) {
    Result<Day> day = run_all(instance, rivals);
    if (!day) return fmt::print(stderr, "{}\n", day.error().message), 1;
    days.push_back(std::move(*day));
    fmt::print(stderr, "day {} of {}: {}, {:.0f} s\n", days.size(), instances.size(), instance.name(),
               seconds_now() - began);
  }
  print_curves(days, rivals);
  print_wins(days, rivals);
  fmt::print("\n{:.0f} s on one thread\n", seconds_now() - began);
  return 0;
}
