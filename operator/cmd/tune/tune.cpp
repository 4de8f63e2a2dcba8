#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "cmd/cli/arguments.h"
#include "cmd/cli/command.h"
#include "cmd/cli/output_format.h"
#include "cmd/cli/reading_line.h"
#include "cmd/cli/simulation_runs.h"
#include "cmd/tune/pool_weights.h"
#include "cmd/tune/price_curve.h"
#include "cmd/tune/tune_result.h"
#include "cmd/tune/workload.h"
#include "config/text_file.h"
#include "policies/waiting_price.h"

namespace lips::cmd {

namespace {

const std::vector<double> usual_prices{0.25, 0.5, 1, 2, 4, 8};

struct TuneOptions {
  WorkloadSource source;
  std::vector<double> prices = usual_prices;
  std::string vary, weight;
  FieldChanges set;
  std::optional<double> hour, budget;
  std::optional<Duration> mean_wait;
  std::string report;
  OutputFormat format = OutputFormat::text;
  std::uint32_t jobs = std::max(1U, std::thread::hardware_concurrency());
  bool no_progress = false;
};

Arguments describe(TuneOptions& options) {
  Arguments arguments(
      "lips tune",
      "Simulates your jobs at several prices of waiting, shows dollars against waiting, and recommends a "
      "price.");
  arguments.operand(
      "FILE",
      "the folder of an operator's journal; a .csv of jobs (docs/scenarios.md) or a .tsv in SWIM's format, "
      "with --cluster; or a scenario, by its file or name",
      options.source.file);
  arguments.text("--cluster", "SCENARIO", "the scenario whose nodes, prices and data a .csv or .tsv runs on",
                 options.source.cluster);
  arguments.numbers("--prices", "prices of waiting; the present one is added", options.prices, {0, 1e6});
  arguments.text("--vary", "KEY=A,B,...", "the same for each value of one more setting or field, such as load=0.5,0.8",
                 options.vary);
  arguments.text("--weight", "POOL=A,B,...",
                 "what other weights of a pool would cost, and what each pool would have of its share; at the present "
                 "price of waiting, unless --prices names others",
                 options.weight);
  arguments.pairs("--set", "replace fields of the scenario, or settings, such as settings.keepCopies=false",
                  options.set);
  arguments.count("--jobs", "simulations to run at once, each on a thread; does not change results", options.jobs, {1});
  arguments.text("--config-dir", "DIR",
                 "folder of scenarios, prices and traces that come with lips (default: beside the program)",
                 options.source.config_folder);
  arguments.heading("What you want (default: the knee of the curve)");
  arguments.dollars("--hour", "what it is worth that a job ends an hour sooner", options.hour);
  arguments.duration("--mean-wait", "the longest mean wait, for the least dollars", options.mean_wait);
  arguments.dollars("--budget-per-day", "the most dollars a day, for the shortest wait", options.budget);
  arguments.heading("Output");
  arguments.choice("--format", {OutputFormat::text, OutputFormat::json}, "output format (docs/json.md)",
                   options.format);
  arguments.text("--report", "FILE.html", "also write a page with charts, in one file that loads nothing else",
                 options.report);
  arguments.flag("--no-progress", "show no progress on the terminal", options.no_progress);
  arguments.example("lips tune /var/lib/lips/journal --report tune.html",
                    "from what your operator has recorded, with a page");
  arguments.example("lips tune jobs.csv --cluster cluster.yaml --mean-wait 10m",
                    "from a table of jobs: the cheapest price at which tasks wait ten minutes at most in the mean");
  arguments.example("lips tune modern-day --hour 0.50", "an hour of a job is worth half a dollar");
  arguments.example("lips tune quickstart --vary settings.replanEvery=5s,30s", "a second knob");
  arguments.example("lips tune modern-day --weight adhoc=1,4,8", "what it costs to give one pool more or less");
  return arguments;
}

// A scenario for each value of --vary or --weight, or one.
struct Variant {
  std::string name;
  simulation::Scenario scenario;
  bool present = true;  // as it is set now
};

Result<Wish> wish_of(const TuneOptions& options) {
  if (!options.weight.empty() && (options.hour || options.mean_wait || options.budget))
    return fail(ErrorCode::invalid_input,
                "--weight: recommends no price, so expected no --hour, --mean-wait or --budget-per-day");
  if (options.hour.has_value() + options.mean_wait.has_value() + options.budget.has_value() > 1)
    return fail(ErrorCode::invalid_input, "--hour, --mean-wait and --budget-per-day: expected one of them");
  if (options.hour) return Wish{ChoiceRule::hour, *options.hour};
  if (options.mean_wait) return Wish{ChoiceRule::mean_wait, to_seconds(*options.mean_wait)};
  if (options.budget) return Wish{ChoiceRule::budget, *options.budget};
  return Wish{};
}

Result<std::vector<Variant>> weights_of(const TuneOptions& options, const RecordReading& reading) {
  Result<PoolWeights> asked = read_pool_weights(options.weight);
  if (!asked) return tl::unexpected(asked.error());
  const Result<simulation::Scenario> scenario = read_workload(options.source, options.set, reading);
  if (!scenario) return tl::unexpected(scenario.error());
  if (Result<void> added = asked->add_present(*scenario); !added) return tl::unexpected(added.error());
  std::vector<Variant> variants;
  for (const double weight : asked->weights) {
    Variant& variant = variants.emplace_back(fmt::format("weight of {}={:g}", asked->pool, weight), *scenario);
    variant.present = !set_weight(variant.scenario, asked->pool, weight);
  }
  return variants;
}

Result<std::vector<Variant>> variants_of(const TuneOptions& options) {
  const RecordReading reading{interrupt_requested, reading_line(!options.no_progress)};
  if (!options.vary.empty() && !options.weight.empty())
    return fail(ErrorCode::invalid_input, "--vary and --weight: expected one of them");
  if (!options.weight.empty()) return weights_of(options, reading);
  std::vector<std::string> values;
  const std::size_t equals = options.vary.find('=');
  if (!options.vary.empty()) {
    if (equals > 0 && equals != std::string::npos)
      values = split(std::string_view(options.vary).substr(equals + 1), ',');
    if (values.empty())
      return fail(ErrorCode::invalid_input, fmt::format("--vary: expected KEY=A,B,..., found '{}'", options.vary));
  }
  const std::string key = options.vary.substr(0, equals);
  if (key == "waitingPrice" || key == "settings.waitingPrice")
    return fail(ErrorCode::invalid_input, "--vary: expected another key than waitingPrice, which --prices varies");
  std::vector<Variant> variants;
  for (std::size_t i = 0; i < std::max<std::size_t>(1, values.size()); ++i) {
    FieldChanges set = options.set;
    if (!values.empty()) set.emplace_back(key, values[i]);
    Result<simulation::Scenario> scenario = read_workload(options.source, set, reading);
    if (!scenario) return tl::unexpected(scenario.error());
    variants.push_back({values.empty() ? "" : key + "=" + values[i], std::move(*scenario)});
  }
  return variants;
}

std::vector<double> prices_of(const TuneOptions& options, double present) {
  std::vector<double> prices = options.prices;
  if (!options.weight.empty() && prices == usual_prices) prices.clear();
  prices.push_back(present);
  std::ranges::sort(prices);
  prices.erase(std::unique(prices.begin(), prices.end()), prices.end());
  return prices;
}

std::vector<SimulationRun> runs_of(const std::vector<Variant>& variants, const std::vector<double>& prices) {
  std::vector<SimulationRun> runs;
  for (const Variant& variant : variants)
    for (const double price : prices) {
      PolicySettings settings = variant.scenario.settings;
      settings.lips.waiting_price = price;
      const std::string label = fmt::format("{:g}{}{}", price, variant.name.empty() ? "" : " ", variant.name);
      runs.push_back({&variant.scenario, "lips", label, std::move(settings)});
    }
  return runs;
}

std::string unfinished_text(const simulation::RunResult& run) {
  if (finished(run)) return "";
  if (run.stopped) return fmt::format("interrupted after {} of {} jobs", run.jobs_finished, run.jobs);
  return fmt::format("only {} of {} jobs finished", run.jobs_finished, run.jobs);
}

CurvePoint point_of(const simulation::RunResult& run, Billing billing) {
  CurvePoint point;
  point.invoice = run.invoice.total().value();
  point.by_use = run.bill.total().value();
  point.dollars = billing == Billing::invoice ? point.invoice : point.by_use;
  point.makespan = to_seconds(run.makespan);
  point.jobs = run.jobs;
  point.completion_mean = run.completion.mean, point.completion_p50 = run.completion.p50;
  point.completion_p95 = run.completion.p95, point.completion_max = run.completion.max;
  point.mean_wait = run.mean_wait;
  point.unfinished = unfinished_text(run);
  for (const simulation::PoolFairness& pool : run.fairness.pools)
    point.pools.push_back({pool.pool, 1, pool.used, pool.entitled, pool.longest_below_share});
  return point;
}

TuneResult about(const TuneOptions& options, const Variant& first) {
  const simulation::Scenario& scenario = first.scenario;
  TuneResult result;
  result.kind = workload_kind(options.source.file);
  result.weighed = options.weight.substr(0, options.weight.find('='));
  result.name = scenario.name, result.description = scenario.description;
  result.nodes = scenario.cluster.nodes.size();
  for (const simulation::NodeOffer& offer : scenario.fleet.offers) result.nodes -= offer.limit;
  result.jobs = scenario.jobs.size();
  result.seed = scenario.seed;
  result.billing = scenario.billing;
  result.present = waiting_price(scenario.cluster, scenario.settings.lips);
  result.assumptions = scenario.assumptions;
  return result;
}

Result<TuneResult> collect(const TuneOptions& options, const std::vector<Variant>& variants,
                           const std::vector<double>& prices, std::vector<SimulationRun>& runs) {
  TuneResult result = about(options, variants.front());
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const SimulationRun& run = runs[i];
    if (!run.result) {
      result.not_run.push_back(run.label);
      continue;
    }
    if (!*run.result)
      return fail(run.result->error().code, fmt::format("waitingPrice {}: {}", run.label, run.result->error().message));
    CurvePoint& point = result.points.emplace_back(point_of(**run.result, result.billing));
    point.waiting_price = prices[i % prices.size()];
    const Variant& variant = variants[i / prices.size()];
    point.variant = variant.name;
    point.present = point.waiting_price == result.present && variant.present;
    for (PoolPart& part : point.pools)
      for (const Pool& pool : variant.scenario.cluster.pools)
        if (pool.name == part.pool) part.weight = pool.weight;
  }
  double longest = 0;
  for (const CurvePoint& point : result.points) longest = std::max(longest, point.makespan);
  if (longest > 0)
    for (CurvePoint& point : result.points)
      point.dollars_per_day = point.dollars * to_seconds(std::chrono::hours(24)) / longest;
  if (result.weighed.empty()) mark_dominated(result.points);
  return result;
}

Result<int> tune(const TuneOptions& options) {
  const Result<Wish> wish = wish_of(options);
  if (!wish) return tl::unexpected(wish.error());
  watch_for_interrupt();
  const Result<std::vector<Variant>> variants = variants_of(options);
  if (!variants) return tl::unexpected(variants.error());
  const simulation::Scenario& first = variants->front().scenario;
  const std::vector<double> prices = prices_of(options, waiting_price(first.cluster, first.settings.lips));
  std::vector<SimulationRun> runs = runs_of(*variants, prices);
  run_simulations(runs, options.jobs, !options.no_progress);
  Result<TuneResult> result = collect(options, *variants, prices, runs);
  if (!result) return tl::unexpected(result.error());
  result->wish = *wish;
  if (result->weighed.empty()) result->choice = choose(result->points, *wish);
  const bool any =
      std::ranges::any_of(result->points, [](const CurvePoint& point) { return point.unfinished.empty(); });
  int status = any ? done : failed;
  if (!options.report.empty())
    if (Result<void> written = write_text_file(options.report, tune_page(*result)); !written)
      status = print_error(written.error());
  if (const int printed = print(options.format == OutputFormat::json ? tune_json(*result) : tune_text(*result));
      printed != done)
    status = printed;
  for (const CurvePoint& point : result->points)
    if (!point.unfinished.empty()) print_error(fmt::format("waitingPrice {}: {}", point_name(point), point.unfinished));
  if (!result->not_run.empty()) print_error(fmt::format("interrupted; not run: {}", fmt::join(result->not_run, ", ")));
  return interrupt_requested() ? static_cast<int>(interrupted) : status;
}

}  // namespace

int run_tune(Words words) {
  TuneOptions options;
  Arguments arguments = describe(options);
  if (auto parsed = arguments.parse(words); !parsed) return print_error(parsed.error());
  if (arguments.help_requested()) return print(arguments.help());
  const Result<int> status = tune(options);
  return status ? *status : print_error(status.error());
}

}  // namespace lips::cmd
