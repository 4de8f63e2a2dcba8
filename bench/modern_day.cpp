// Policies on a modern day (config/scenarios/modern-day.yaml) at several loads, placements and seeds, against each
// other and against the clairvoyant bound at the same mean wait. docs/results.md has the tables.
//   bench_modern_day [--instances N] [--load L] [--placement NAME] [--slot SECONDS] [--quick] [--invoice | --elastic]
//                    [--tight-bound] [--variations | --waiting-price P | --announced | --one-pool]
// USD are dollars by use, which the bound is of; with --invoice they are a cloud's invoice, and plans minimise that.
// --tight-bound: only lips, and the tighter bound of each run, some ten seconds each.
// --announced: only lips, and lips when half of the jobs are announced before they come, well and badly; with
// --tight-bound also when all are, exactly, and what the cost over the bound consists of.
// --one-pool: only lips, and lips when all jobs are in one pool instead of three that share by their weights.
// --elastic: the same on nodes that an autoscaler launches (modern-day-elastic), billed by invoice, which the bound is
// of too, storage aside: no schedule pays a node less than the price of its full cores for the work that they do.
#include "bench/modern_day.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "bench/two_threads.h"
#include "bounds/waiting_bound.h"
#include "policies/registry/registry.h"
#include "simulation/metrics.h"
#include "simulation/run.h"
#include "simulation/whole_run.h"

namespace {

using namespace lips;
using namespace lips::bench;
using namespace lips::simulation;

constexpr std::array policies = {"lips", "lips-paper", "delay", "spread", "own-zone-cheapest", "hadoop-default"};

// On elastic nodes a run costs ten times as much: the rivals are the cheapest baseline there and the quickest.
std::vector<const char*> policies_of(const Instance& instance) {
  if (instance.market.elastic) return {"lips", "delay", "own-zone-cheapest"};
  return {policies.begin(), policies.end()};
}

struct Variation {
  std::string name;
  std::function<void(PolicySettings&)> change;
};
using Variations = std::vector<Variation>;
constexpr const char* as_it_is = "lips (waiting price 1)";

const Variations& variations() {
  static const Variations all = {
      {"lips, waiting price 0.5", [](PolicySettings& settings) { settings.lips.waiting_price = 0.5; }},
      {as_it_is, [](PolicySettings&) {}},
      {"lips, waiting price 2", [](PolicySettings& settings) { settings.lips.waiting_price = 2; }},
      {"lips, waiting price 4", [](PolicySettings& settings) { settings.lips.waiting_price = 4; }},
      {"lips, waiting price 8", [](PolicySettings& settings) { settings.lips.waiting_price = 8; }},
      {"lips without home zones", [](PolicySettings& settings) { settings.lips.home_zones = false; }},
      {"lips without copies", [](PolicySettings& settings) { settings.lips.keep_copies = false; }},
      {"lips without its fast path", [](PolicySettings& settings) { settings.lips.fast_path_limit = Usd(0); }},
  };
  return all;
}

// The same day, but for these fields.
struct OtherDay {
  std::string name;
  Fields fields;
};

constexpr const char* all_known = "lips, all announced exactly";

std::vector<OtherDay> announcements(bool tight) {
  std::vector<OtherDay> all = {
      {"lips, half announced", {{"announced.share", "0.5"}, {"announced.timing", "15m"}, {"announced.size", "0.5"}}},
      {"lips, badly announced",
       {{"announced.share", "0.5"},
        {"announced.timing", "15m"},
        {"announced.size", "0.69"},  // the logarithm of 2
        {"announced.never", "0.1"}}},
  };
  if (tight) all.push_back({all_known, {{"announced.share", "1"}}});
  return all;
}

struct Bounds {
  Duration slot{};
  bool tight = false;
};

struct Outcome {
  std::string policy;
  RunResult run;
  double bound = 0;
  TightBound tight;        // zero: not computed
  double small_alone = 0;  // p95 of the small jobs' seconds alone
  double small_ratio() const { return run.small_jobs.p95 / small_alone; }
  Billing billing = Billing::use;
  double by_use() const { return run.bill.total().value(); }
  double dollars() const { return billing == Billing::invoice ? run.invoice.total().value() : by_use(); }
  bool elastic = false;
  double bounded() const { return elastic ? dollars() - run.invoice.storage.value() : by_use(); }
  double over_bound() const { return bound > 0 ? bounded() / bound : 0; }
  double over_tight_bound() const { return bounded() / tight.least.value(); }
  double over_relaxed() const { return bounded() / tight.relaxed.value(); }
};

struct Answer {
  Instance instance;
  std::vector<Outcome> outcomes;
  std::string error;
  const Outcome& of(const std::string& policy) const {
    return *std::find_if(outcomes.begin(), outcomes.end(),
                         [&](const Outcome& outcome) { return outcome.policy == policy; });
  }
};

double small_jobs_alone(const Scenario& scenario) {
  std::vector<double> alone;
  for (const JobArrived& job : scenario.jobs) {
    const double seconds =
        seconds_alone(job, pace_alone(scenario.cluster, job.job), scenario.cluster.network.local_read);
    if (seconds > 0 && seconds <= 120) alone.push_back(seconds);
  }
  std::sort(alone.begin(), alone.end());
  return alone.empty() ? 1 : alone[static_cast<std::size_t>(0.95 * static_cast<double>(alone.size() - 1))];
}

// All policies where nothing is varied.
Answer answer(const Instance& instance, const Variations& varied, const std::vector<OtherDay>& others,
              const Bounds& bounds) {
  Answer result;
  result.instance = instance;
  const Result<Scenario> scenario = read(instance);
  if (!scenario) return result.error = scenario.error().message, result;
  const WholeRun whole = whole_run(*scenario);
  WaitingBoundSettings settings_of_bound;
  settings_of_bound.slot = bounds.slot;
  const Result<std::vector<WaitingCut>> cuts = waiting_cuts(whole, usual_waiting_prices, settings_of_bound);
  if (!cuts) return result.error = cuts.error().message, result;
  const double small_alone = small_jobs_alone(*scenario);
  const auto add_run = [&](const Scenario& day, const std::string& name, const std::string& policy_name,
                           const PolicySettings& settings) {
    const Result<std::unique_ptr<Policy>> policy = make_policy(policy_name, settings);
    if (!policy) return void(result.error = policy.error().message);
    Result<RunResult> ran = run(day, **policy, name);
    if (!ran) return void(result.error = ran.error().message);
    if (ran->jobs_finished < ran->jobs) return void(result.error = name + " did not finish all jobs");
    Outcome outcome{name, std::move(*ran), 0, {}, small_alone, instance.market.billing, instance.market.elastic};
    const auto mean_wait = std::chrono::duration_cast<Duration>(std::chrono::duration<double>(outcome.run.mean_wait));
    outcome.bound = least_dollars_with_mean_wait(whole, *cuts, mean_wait).value();
    if (bounds.tight && policy_name == "lips") {
      const Result<TightBound> tight = tight_bound(whole, *cuts, mean_wait, settings_of_bound);
      if (!tight) return void(result.error = tight.error().message);
      outcome.tight = *tight;
    }
    result.outcomes.push_back(std::move(outcome));
  };
  const auto add = [&](const std::string& name, const std::string& policy_name, const PolicySettings& settings) {
    add_run(*scenario, name, policy_name, settings);
  };
  if (!others.empty()) {
    add("lips", "lips", scenario->settings);
    for (const OtherDay& other : others) {
      const Result<Scenario> day = read(instance, other.fields);
      if (!day) return result.error = day.error().message, result;
      add_run(*day, other.name, "lips", day->settings);
    }
    return result;
  }
  for (const Variation& variation : varied) {
    PolicySettings settings = scenario->settings;
    variation.change(settings);
    add(variation.name, "lips", settings);
  }
  if (varied.empty())
    for (const char* policy : bounds.tight ? std::vector{"lips"} : policies_of(instance))
      add(policy, policy, scenario->settings);
  else
    add("delay", "delay", scenario->settings);
  return result;
}

double mean(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

void print(const Answer& answer) {
  for (const Outcome& outcome : answer.outcomes) {
    const RunResult& run = outcome.run;
    const double across = (run.cross_zone.map_reads + run.cross_zone.shuffle + run.cross_zone.moves).value() / 953.674;
    fmt::print(
        "{:<22} {:<24} {:>8.2f} {:>8.0f} {:>7.0f} {:>7.0f} {:>7.0f} {:>6.2f} {:>6.2f} {:>8.0f} {:>9.2f} {:>6.3f}\n",
        answer.instance.name(), outcome.policy, outcome.dollars(), run.completion.mean, run.completion.p50,
        run.mean_wait, run.small_jobs.p95, outcome.small_ratio(), run.small_jobs.p95_slowdown, across, outcome.bound,
        outcome.over_bound());
  }
  if (!answer.error.empty()) fmt::print("{}: {}\n", answer.instance.name(), answer.error);
  std::fflush(stdout);
}

void print_header() {
  fmt::print("{:<22} {:<24} {:>8} {:>8} {:>7} {:>7} {:>7} {:>6} {:>6} {:>8} {:>9} {:>6}\n", "load placement seed",
             "policy", "USD", "mean s", "p50 s", "wait s", "small95", "alone", "slow95", "cross GB", "bound USD",
             "ratio");
}

// Runs them on two threads; prints in order.
std::vector<Answer> answers(const std::vector<Instance>& instances, const Variations& varied, const Bounds& bounds,
                            const std::vector<OtherDay>& others = {}) {
  std::vector<Answer> all =
      on_two_threads(instances.size(), [&](std::size_t i) { return answer(instances[i], varied, others, bounds); });
  print_header();
  std::vector<Answer> result;
  for (Answer& each : all) {
    print(each);
    if (each.error.empty()) result.push_back(std::move(each));
  }
  return result;
}

// Mean over instances of ratios to the first policy, and of what does not need one.
void summarise(const std::vector<Answer>& all, const std::string& reference) {
  std::vector<std::string> names;
  for (const Outcome& outcome : all.front().outcomes) names.push_back(outcome.policy);
  fmt::print("\n{} instances; means. USD and completion against {} in the same instance.\n", all.size(), reference);
  fmt::print(
      "| policy | USD | against {0} | mean completion s | against {0} | median s | small jobs p95 s | over alone | p95 "
      "slowdown | "
      "cross-zone GB | over the bound (worst) |\n|---|---|---|---|---|---|---|---|---|---|---|\n",
      reference);
  for (const std::string& name : names) {
    double usd = 0, usd_ratio = 0, mean = 0, mean_ratio = 0, median = 0, small = 0, ratio = 0, slow = 0, across = 0,
           over = 0, worst = 0;
    for (const Answer& answer : all) {
      const Outcome& own = answer.of(name);
      const Outcome& base = answer.of(reference);
      usd += own.dollars();
      usd_ratio += own.dollars() / base.dollars();
      mean += own.run.completion.mean;
      mean_ratio += own.run.completion.mean / base.run.completion.mean;
      median += own.run.completion.p50;
      small += own.run.small_jobs.p95;
      ratio += own.small_ratio();
      slow += own.run.small_jobs.p95_slowdown;
      across +=
          (own.run.cross_zone.map_reads + own.run.cross_zone.shuffle + own.run.cross_zone.moves).value() / 953.674;
      over += own.over_bound();
      worst = std::max(worst, own.over_bound());
    }
    const double n = static_cast<double>(all.size());
    fmt::print(
        "| {} | {:.1f} | {:+.1f} % | {:.0f} | {:+.1f} % | {:.0f} | {:.0f} | {:.2f} | {:.2f} | {:.0f} | {:.3f} ({:.3f}) "
        "|\n",
        name, usd / n, 100 * (usd_ratio / n - 1), mean / n, 100 * (mean_ratio / n - 1), median / n, small / n,
        ratio / n, slow / n, across / n, over / n, worst);
  }
}

void count_wins(const std::vector<Answer>& all) {
  fmt::print("\n| lips against | cheaper and faster | cheaper | faster | neither |\n|---|---|---|---|---|\n");
  for (const char* other : policies_of(all.front().instance)) {
    if (std::string(other) == "lips") continue;
    int both = 0, cheaper = 0, faster = 0, neither = 0;
    std::string rest;
    for (const Answer& answer : all) {
      const Outcome& lips = answer.of("lips");
      const Outcome& base = answer.of(other);
      const bool less = lips.dollars() <= base.dollars(), sooner = lips.run.completion.mean < base.run.completion.mean;
      both += less && sooner;
      cheaper += less;
      faster += sooner;
      neither += !less && !sooner;
      if (!(less && sooner))
        rest += fmt::format("  {}: {:.1f} against {:.1f} USD, {:.0f} against {:.0f} s\n", answer.instance.name(),
                            lips.dollars(), base.dollars(), lips.run.completion.mean, base.run.completion.mean);
    }
    fmt::print("| {} | {} of {} | {} | {} | {} |\n{}", other, both, all.size(), cheaper, faster, neither, rest);
  }
  int small = 0, slow = 0, near = 0;
  for (const Answer& answer : all) {
    small += answer.of("lips").small_ratio() <= 2;
    slow += answer.of("lips").run.small_jobs.p95_slowdown <= 2;
    near += answer.of("lips").over_bound() <= 1.2;
  }
  fmt::print(
      "\nlips: small jobs' p95 at most twice that of running alone in {} of {}, the p95 of their slowdowns at most 2 "
      "in {}; dollars at most 1.2 times the bound in {} of {}\n",
      small, all.size(), slow, near, all.size());
}

void print_tight_bounds(const std::vector<Answer>& all) {
  fmt::print("\n| lips | USD | mean wait s | over the bound | over the tight bound | over the divisible schedule |\n");
  fmt::print("|---|---|---|---|---|---|\n");
  std::map<std::string, std::vector<double>> ratios;  // by policy
  for (const Answer& answer : all)
    for (const Outcome& outcome : answer.outcomes) {
      if (outcome.tight.least.value() <= 0) continue;
      fmt::print("| {}, {} | {:.2f} | {:.0f} | {:.3f} | {:.3f} | {:.3f} |\n", answer.instance.name(), outcome.policy,
                 outcome.bounded(), outcome.run.mean_wait, outcome.over_bound(), outcome.over_tight_bound(),
                 outcome.over_relaxed());
      ratios[outcome.policy].push_back(outcome.over_tight_bound());
    }
  for (const auto& [policy, each] : ratios)
    fmt::print("{}, over the tight bound: mean {:.3f}, worst {:.3f} of {}\n", policy, mean(each),
               *std::max_element(each.begin(), each.end()), each.size());
}

// The factors of what lips costs over the bound, each at the run's own mean wait. What the future is worth: lips
// against lips that knows all jobs. What decisions lose: that one against the cheapest schedule of divisible work. What
// the bound leaves open: that schedule against the certified bound.
void print_parts(const std::vector<Answer>& all) {
  fmt::print("\n| | the future | decisions | left open | all |\n|---|---|---|---|---|\n");
  std::array<std::vector<double>, 4> columns;
  const auto row = [](const std::string& name, const std::array<double, 4>& factors) {
    const std::string parts =
        factors[2] > 0 ? fmt::format("{:.3f} | {:.4f}", factors[1], factors[2]) : "no schedule found |";
    fmt::print("| {} | {:.3f} | {} | {:.3f} |\n", name, factors[0], parts, factors[3]);
  };
  for (const Answer& answer : all) {
    const Outcome &lips = answer.of("lips"), &known = answer.of(all_known);
    const bool found = known.tight.relaxed.value() > 0;
    const std::array factors = {lips.over_tight_bound() / known.over_tight_bound(), found ? known.over_relaxed() : 0,
                                found ? known.over_tight_bound() / known.over_relaxed() : 0, lips.over_tight_bound()};
    for (std::size_t i = 0; i < factors.size(); ++i)
      if (factors[i] > 0) columns[i].push_back(factors[i]);
    row(answer.instance.name(), factors);
  }
  row("mean", {mean(columns[0]), mean(columns[1]), mean(columns[2]), mean(columns[3])});
}

// False unless every instance was run to its end.
bool compare_policies(const std::vector<Instance>& instances, const Bounds& bounds) {
  const std::vector<Answer> all = answers(instances, {}, bounds);
  if (all.empty()) return false;
  if (bounds.tight) return print_tight_bounds(all), all.size() == instances.size();
  summarise(all, "lips");
  for (const char* placement : placements) {
    std::vector<Answer> part;
    for (const Answer& answer : all)
      if (answer.instance.placement == placement) part.push_back(answer);
    if (part.empty()) continue;
    fmt::print("\n{}", placement);
    summarise(part, "lips");
  }
  count_wins(all);
  return all.size() == instances.size();
}

}  // namespace

int main(int argc, char** argv) {
  std::size_t count = 24;
  double only_load = 0, slot = 120, waiting_price = 0;
  bool only_variations = false, elastic = false, tight = false, announced = false, one_pool = false;
  Billing billing = Billing::use;
  std::string only;  // placement
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if (argument == "--quick")
      count = 4, only_load = 0.8;
    else if (argument == "--instances" && i + 1 < argc)
      count = static_cast<std::size_t>(std::atoi(argv[++i]));
    else if (argument == "--load" && i + 1 < argc)
      only_load = std::atof(argv[++i]);
    else if (argument == "--placement" && i + 1 < argc)
      only = argv[++i];
    else if (argument == "--tight-bound")
      tight = true;
    else if (argument == "--announced")
      announced = true;
    else if (argument == "--one-pool")
      one_pool = true;
    else if (argument == "--variations")
      only_variations = true;
    else if (argument == "--invoice")
      billing = Billing::invoice;
    else if (argument == "--elastic")
      billing = Billing::invoice, elastic = true;
    else if (argument == "--waiting-price" && i + 1 < argc)
      waiting_price = std::atof(argv[++i]);
    else if (argument == "--slot" && i + 1 < argc)
      slot = std::atof(argv[++i]);
    else
      return fmt::print(stderr,
                        "bench_modern_day [--instances N] [--load L] [--placement NAME] [--slot SECONDS] [--quick] "
                        "[--invoice | --elastic] [--tight-bound] [--variations | --waiting-price P | --announced | "
                        "--one-pool]\n"),
             2;
  }
  const std::vector<double> loads =
      only_load > 0 ? std::vector<double>{only_load} : std::vector<double>{0.5, 0.8, 0.95};
  std::vector<Instance> instances = modern_days(count, loads, {billing, elastic});
  std::erase_if(instances, [&](const Instance& day) { return !only.empty() && day.placement != only; });
  std::vector<Instance> few;
  for (const char* placement : placements)
    few.push_back({only_load > 0 ? only_load : 0.8, placement, 1, {billing, elastic}});
  const Bounds bounds{std::chrono::duration_cast<Duration>(std::chrono::duration<double>(slot)), tight};
  const double began = seconds_now();
  if (waiting_price > 0) {
    const Variation other{fmt::format("lips, waiting price {}", waiting_price),
                          [&](PolicySettings& settings) { settings.lips.waiting_price = waiting_price; }};
    const std::vector<Answer> both = answers(instances, {{as_it_is, [](PolicySettings&) {}}, other}, bounds);
    if (!both.empty()) summarise(both, as_it_is);
    if (!both.empty() && tight) print_tight_bounds(both);
    return both.size() == instances.size() ? 0 : 1;
  }
  if (announced || one_pool) {
    const std::vector<OtherDay> others =
        announced ? announcements(tight) : std::vector<OtherDay>{{"lips, one pool", {{"pools", "[]"}}}};
    const std::vector<Answer> all = answers(instances, {}, bounds, others);
    if (!all.empty()) summarise(all, "lips");
    if (!all.empty() && tight) print_tight_bounds(all);
    if (!all.empty() && tight && announced) print_parts(all);
    return all.size() == instances.size() ? 0 : 1;
  }
  if (!only_variations && !compare_policies(instances, bounds)) return 1;
  if ((elastic || tight) && !only_variations) return 0;
  fmt::print("\nvariations\n");
  const std::vector<Answer> varied = answers(few, variations(), bounds);
  if (!varied.empty()) summarise(varied, as_it_is);
  if (!varied.empty() && tight) print_tight_bounds(varied);
  fmt::print("\n{:.0f} s on two threads\n", seconds_now() - began);
  return varied.size() == few.size() ? 0 : 1;
}
