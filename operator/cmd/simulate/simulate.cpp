#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "bounds/lower_bound.h"
#include "bounds/waiting_bound.h"
#include "cmd/cli/arguments.h"
#include "cmd/cli/command.h"
#include "cmd/cli/output_format.h"
#include "cmd/cli/progress.h"
#include "cmd/cli/simulation_runs.h"
#include "cmd/simulate/comparison.h"
#include "config/text_file.h"
#include "simulation/scenario_reader.h"
#include "simulation/whole_run.h"
#include "twin/scenario_file.h"

namespace lips::cmd {

namespace {

struct SimulateOptions {
  std::string file, baseline, report;
  OutputFormat format = OutputFormat::text;
  std::vector<std::string> policies;
  std::vector<std::pair<std::string, std::string>> set;
  std::optional<std::uint64_t> seed;
  std::vector<Duration> epochs;
  std::string config_folder;
  Door door = Door::direct;
  std::string mode;  // empty: bind
  bool no_progress = false, waiting_bound = false;
  std::uint32_t jobs = std::max(1U, std::thread::hardware_concurrency());
};

Arguments describe(SimulateOptions& options) {
  Arguments arguments("lips simulate",
                      "Runs policies on a scenario, each on its own simulated cluster, and compares what they cost.");
  arguments.operand(
      "FILE", "a scenario in YAML (docs/scenarios.md), or the name of one that comes with lips, such as quickstart",
      options.file);
  arguments.texts("--policy", "A,B,...",
                  "policies to run (default: those that the scenario names; 'lips policies' lists all)",
                  options.policies);
  arguments.text("--baseline", "NAME", "policy to measure savings against (default: the first one that is not lips)",
                 options.baseline);
  arguments.pairs("--set", "replace fields of the scenario, such as load=0.5 settings.waitingPrice=2", options.set);
  arguments.seed("--seed", "seed of everything random in the scenario; short for --set seed=N", options.seed);
  arguments.durations("--epochs",
                      "also run lips-paper at each of these epochs, to compare cost and makespan; 0 is greedy",
                      options.epochs);
  arguments.choice("--through", {Door::direct, Door::kubernetes},
                   "how plans reach the simulated cluster: directly, or by the operator's adapter and a virtual "
                   "Kubernetes (docs/virtual.md)",
                   options.door);
  arguments.choice("--mode", {"bind", "steer", "watch"},
                   "with --through kubernetes, who binds the pods: the operator (default), kube-scheduler where the "
                   "operator sends them, or kube-scheduler alone, for policies spread and most-allocated",
                   options.mode);
  arguments.count("--jobs", "policies to run at once, each on a thread; does not change results", options.jobs, {1});
  arguments.text("--config-dir", "DIR",
                 "folder of scenarios, prices and traces that come with lips (default: beside the program)",
                 options.config_folder);
  arguments.heading("Output");
  arguments.choice("--format", {OutputFormat::text, OutputFormat::json}, "output format (docs/json.md)",
                   options.format);
  arguments.text("--report", "FILE.html", "also write a page with charts, in one file that loads nothing else",
                 options.report);
  arguments.flag("--waiting-bound",
                 "also the least dollars by use of any schedule with each run's mean wait; takes seconds a run",
                 options.waiting_bound);
  arguments.flag("--no-progress", "show no progress on the terminal", options.no_progress);
  arguments.example("lips simulate quickstart", "run a scenario that comes with lips, with the policies that it names");
  arguments.example("lips simulate modern-day --policy lips,delay,hadoop-default --baseline delay --report report.html",
                    "measure savings against delay scheduling, and write a report");
  arguments.example("lips simulate table-iv-i --policy lips-paper --epochs 200,400,600,1200 --format json",
                    "show the paper's trade-off between epoch, cost and makespan");
  arguments.example("lips simulate modern-day --policy lips --through kubernetes",
                    "run the jobs through the operator's adapter, in virtual time");
  arguments.example("lips simulate quickstart --policy spread --through kubernetes --mode watch",
                    "have kube-scheduler place everything");
  arguments.example("lips simulate modern-day --set load=0.5 settings.waitingPrice=4 --seed 7",
                    "change load, price of waiting and seed");
  return arguments;
}

Result<simulation::Scenario> scenario_of(const SimulateOptions& options) {
  simulation::ScenarioOptions reading;
  reading.config_folder = options.config_folder;
  reading.set = options.set;
  if (options.seed) reading.set.emplace_back("seed", fmt::format("{}", *options.seed));
  const Result<std::string> path = simulation::find_scenario(options.file, reading);
  if (!path) return tl::unexpected(path.error());
  return twin::read_scenario(*path, reading);
}

std::vector<std::string> without_repetition(const std::vector<std::string>& names) {
  std::vector<std::string> once;
  for (const std::string& name : names)
    if (std::find(once.begin(), once.end(), name) == once.end()) once.push_back(name);
  return once;
}

// The mode in which an operator runs behind that door.
Result<PodMode> mode_of(const SimulateOptions& options, const std::vector<std::string>& policies) {
  const PodMode mode = parse_pod_mode(options.mode).value_or(PodMode::bind);
  if (!options.mode.empty() && options.door != Door::kubernetes)
    return fail(ErrorCode::invalid_input, "--mode: there is no operator without --through kubernetes");
  if (mode != PodMode::watch) return mode;
  if (!options.epochs.empty())
    return fail(ErrorCode::invalid_input, "--epochs: no policy places anything with --mode watch");
  for (const std::string& policy : policies)
    if (policy != "spread" && policy != "most-allocated")
      return fail(
          ErrorCode::invalid_input,
          fmt::format("--mode watch: kube-scheduler places everything, as policy spread or most-allocated says; "
                      "found policy '{}'",
                      policy));
  return mode;
}

Result<std::vector<SimulationRun>> runs_of(const SimulateOptions& options, const simulation::Scenario& scenario) {
  std::vector<std::string> policies =
      without_repetition(options.policies.empty() ? scenario.policies : options.policies);
  if (policies.empty()) policies = {"lips", "delay", "hadoop-default"};
  if (Result<void> known = check_policies(policies); !known) return tl::unexpected(known.error());
  if (!options.baseline.empty() && std::find(policies.begin(), policies.end(), options.baseline) == policies.end())
    return fail(ErrorCode::invalid_input,
                fmt::format("--baseline: expected one of the policies that run, found '{}'; they are {}{}",
                            options.baseline, fmt::join(policies, ", "), did_you_mean(options.baseline, policies)));
  const Result<PodMode> mode = mode_of(options, policies);
  if (!mode) return tl::unexpected(mode.error());
  std::vector<SimulationRun> runs;
  for (const std::string& name : policies) runs.push_back({&scenario, name, name, scenario.settings});
  for (const Duration epoch : options.epochs) {
    PolicySettings settings = scenario.settings;
    settings.paper.epoch = epoch;
    runs.push_back({&scenario, "lips-paper", fmt::format("lips-paper {} s", to_seconds(epoch)), settings});
  }
  if (options.door == Door::direct) return runs;
  if (!virtual_runs().through)
    return fail(ErrorCode::invalid_input, "--through kubernetes: this program has no adapter; use lips");
  for (SimulationRun& run : runs)
    run.how = [mode = *mode](const simulation::Scenario& of, const Policy& policy, const std::string& name,
                             const simulation::RunOptions& how) {
      return virtual_runs().through(of, policy, name, mode, how);
    };
  return runs;
}

Result<Comparison> collect(const simulation::Scenario& scenario, std::vector<SimulationRun>& runs,
                           const SimulateOptions& options) {
  Comparison comparison;
  comparison.scenario = &scenario;
  comparison.baseline = options.baseline;
  const std::size_t policies = runs.size() - options.epochs.size();
  for (std::size_t i = 0; i < runs.size(); ++i) {
    SimulationRun& run = runs[i];
    if (!run.result) {
      comparison.not_run.push_back(run.label);
      continue;
    }
    if (!*run.result)
      return fail(run.result->error().code,
                  fmt::format("{} on {}: {}", run.label, scenario.name, run.result->error().message));
    if (i < policies)
      comparison.runs.push_back(std::move(**run.result));
    else
      comparison.epochs.push_back({options.epochs[i - policies], std::move(**run.result)});
  }
  return comparison;
}

// Uses the horizon of the longest run, so the bound holds for all. Adds nothing when no run finished.
void add_bound(const simulation::Scenario& scenario, Comparison& comparison) {
  Duration longest{};
  for (const simulation::RunResult& run : comparison.runs)
    if (finished(run)) longest = std::max(longest, run.makespan);
  for (const EpochRun& point : comparison.epochs)
    if (finished(point.result)) longest = std::max(longest, point.result.makespan);
  if (longest.count() == 0 || interrupt_requested()) return;
  const Result<LowerBound> bound = least_dollars(simulation::whole_run(scenario), longest);
  if (bound)
    comparison.bound = Bound{bound->dollars.value(), to_seconds(longest)};
  else
    print_error(fmt::format("no lower bound: {}", bound.error().message));
}

// None for runs that did not finish.
void add_waiting_bounds(const simulation::Scenario& scenario, Comparison& comparison) {
  if (interrupt_requested()) return;
  const WholeRun whole = simulation::whole_run(scenario);
  WaitingBoundSettings settings;
  settings.slot = std::chrono::minutes(2);
  const Result<std::vector<WaitingCut>> cuts = waiting_cuts(whole, usual_waiting_prices, settings);
  if (!cuts) return void(print_error(fmt::format("no bound at the same mean wait: {}", cuts.error().message)));
  for (const simulation::RunResult& run : comparison.runs) {
    std::optional<double>& bound = comparison.waiting_bounds.emplace_back();
    if (!finished(run)) continue;
    if (const auto tight = tight_bound(whole, *cuts, seconds(run.mean_wait), settings)) bound = tight->least.value();
  }
}

Result<int> simulate(const SimulateOptions& options) {
  if (Result<void> known = check_policies(options.policies); !known) return tl::unexpected(known.error());
  const Result<simulation::Scenario> scenario = scenario_of(options);
  if (!scenario) return tl::unexpected(scenario.error());
  Result<std::vector<SimulationRun>> runs = runs_of(options, *scenario);
  if (!runs) return tl::unexpected(runs.error());
  watch_for_interrupt();
  run_simulations(*runs, options.jobs, !options.no_progress);
  Result<Comparison> comparison = collect(*scenario, *runs, options);
  if (!comparison) return tl::unexpected(comparison.error());
  add_bound(*scenario, *comparison);
  if (options.waiting_bound) add_waiting_bounds(*scenario, *comparison);
  int status = done;
  if (!options.report.empty())
    if (Result<void> written = write_text_file(options.report, render_report(report_data(*comparison))); !written)
      status = print_error(written.error());
  if (const int printed = print(options.format == OutputFormat::json ? comparison_json(*comparison)
                                                                     : comparison_text(*comparison, terminal_width()));
      printed != done)
    status = printed;
  for (const simulation::RunResult& run : comparison->runs)
    if (const std::string what = caution(run); !what.empty()) print_error(fmt::format("{}: {}", run.policy, what));
  if (!comparison->not_run.empty())
    print_error(fmt::format("interrupted; not run: {}", fmt::join(comparison->not_run, ", ")));
  return interrupt_requested() ? static_cast<int>(interrupted) : status;
}

}  // namespace

int run_simulate(Words words) {
  SimulateOptions options;
  Arguments arguments = describe(options);
  if (auto parsed = arguments.parse(words); !parsed) return print_error(parsed.error());
  if (arguments.help_requested()) return print(arguments.help());
  const Result<int> status = simulate(options);
  return status ? *status : print_error(status.error());
}

}  // namespace lips::cmd
