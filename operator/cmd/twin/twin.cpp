#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "bounds/lower_bound.h"
#include "cmd/cli/arguments.h"
#include "cmd/cli/command.h"
#include "cmd/cli/output_format.h"
#include "cmd/cli/reading_line.h"
#include "cmd/cli/simulation_runs.h"
#include "cmd/twin/twin_result.h"
#include "simulation/whole_run.h"
#include "twin/regime.h"
#include "twin/settings_changes.h"

namespace lips::cmd {

namespace {

struct TwinOptions {
  std::string journal;
  std::vector<std::string> policies;
  std::string vary;
  OutputFormat format = OutputFormat::text;
  std::uint32_t jobs = std::max(1U, std::thread::hardware_concurrency());
  bool no_progress = false;
};

Arguments describe(TwinOptions& options) {
  Arguments arguments("lips twin",
                      "Simulates what an operator's journal has seen under other regimes, and compares the invoices: "
                      "what would it have cost?");
  arguments.operand("JOURNAL",
                    "folder of the journal (journal.directory of the operator's configuration), or one of its files",
                    options.journal);
  arguments.texts("--policy", "A,B,...",
                  "policies to run beside the one that ran (default: spread, which is kube-scheduler, most-allocated, "
                  "own-zone-cheapest, lips; 'lips policies' lists all)",
                  options.policies);
  arguments.text("--vary", "KEY=A,B,...", "also lips with each value of a setting, such as settings.waitingPrice=0.5,4",
                 options.vary);
  arguments.count("--jobs", "simulations to run at once, each on a thread; does not change results", options.jobs, {1});
  arguments.heading("Output");
  arguments.choice("--format", {OutputFormat::text, OutputFormat::json}, "output format (docs/json.md)",
                   options.format);
  arguments.flag("--no-progress", "show no progress on the terminal", options.no_progress);
  arguments.example("lips twin /var/lib/lips/journal", "what it would have cost without lips, and with it");
  arguments.example("lips twin /var/lib/lips/journal --policy spread --vary settings.waitingPrice=0.5,4",
                    "against kube-scheduler alone, and lips at two prices of waiting");
  return arguments;
}

// Runs without their results; the regime that ran comes first.
Result<std::vector<Regime>> regimes_of(const TwinOptions& options, const simulation::Scenario& scenario) {
  const std::string& ran = scenario.policies.front();
  std::vector<Regime> regimes{{ran + ", as it ran", ran, "", true, {}}};
  std::vector<std::string> policies = options.policies;
  if (policies.empty()) policies = {"spread", "most-allocated", "own-zone-cheapest", "lips"};
  for (const std::string& policy : policies)
    if (std::ranges::none_of(regimes, [&](const Regime& known) { return known.policy == policy; }))
      regimes.push_back({policy, policy, "", false, {}});
  if (options.vary.empty()) return regimes;
  const std::size_t equals = options.vary.find('=');
  const std::vector<std::string> values =
      equals == std::string::npos ? std::vector<std::string>() : split(options.vary.substr(equals + 1), ',');
  if (values.empty() || equals == 0)
    return fail(ErrorCode::invalid_input, fmt::format("--vary: expected KEY=A,B,..., found '{}'", options.vary));
  for (const std::string& value : values) {
    const std::string with = options.vary.substr(0, equals + 1) + value;
    regimes.push_back({"lips, " + with, "lips", with, false, {}});
  }
  return regimes;
}

Result<PolicySettings> settings_of(const TwinOptions& options, const simulation::Scenario& scenario,
                                   const Regime& regime) {
  if (regime.with.empty()) return scenario.settings;
  const std::size_t equals = regime.with.find('=');
  simulation::Scenario changed;
  changed.settings = scenario.settings;
  if (Result<void> set = twin::change_settings(
          options.journal, {{regime.with.substr(0, equals), regime.with.substr(equals + 1)}}, changed);
      !set)
    return tl::unexpected(set.error());
  return changed.settings;
}

// Those of the regimes, and last the twin of what ran until the last record.
// `stood_in`: for each of them, why a policy stood in for kube-scheduler.
Result<std::vector<SimulationRun>> runs_of(const TwinOptions& options, const TwinResult& result,
                                           std::vector<std::string>& stood_in) {
  const simulation::Scenario& scenario = result.day.scenario;
  std::vector<SimulationRun> runs;
  for (const Regime& regime : result.regimes) {
    Result<PolicySettings> settings = settings_of(options, scenario, regime);
    if (!settings) return tl::unexpected(settings.error());
    runs.push_back({&scenario, regime.policy, regime.name, *std::move(settings)});
  }
  if (result.day.counted) {
    runs.push_back(runs.front());
    runs.back().label += ", until the last record";
    runs.back().until = TimePoint(result.day.span);
  }
  stood_in.resize(runs.size());
  for (std::size_t i = 0; i < runs.size(); ++i)
    runs[i].how = [&day = result.day, &why = stood_in[i]](
                      const simulation::Scenario&, const Policy& policy, const std::string& name,
                      const simulation::RunOptions& how) -> Result<simulation::RunResult> {
      Result<twin::RegimeRun> run = twin::run_regime(day, policy, name, how, virtual_runs().alone);
      if (!run) return tl::unexpected(run.error());
      why = std::move(run->stood_in);
      return std::move(run->result);
    };
  return runs;
}

Result<void> collect(std::vector<SimulationRun>& runs, TwinResult& result) {
  std::vector<Regime> all = std::exchange(result.regimes, {});
  for (std::size_t i = 0; i < runs.size(); ++i) {
    if (!runs[i].result) {
      result.not_run.push_back(runs[i].label);
      continue;
    }
    Result<simulation::RunResult>& run = *runs[i].result;
    if (!run) return fail(run.error().code, fmt::format("{}: {}", runs[i].label, run.error().message));
    if (i == all.size()) {
      result.until_last = *std::move(run);
      continue;
    }
    all[i].run = *std::move(run);
    result.regimes.push_back(std::move(all[i]));
  }
  return {};
}

// The horizon of the longest run, so that the floor holds for all.
void add_floor(TwinResult& result) {
  Duration longest{};
  for (const Regime& regime : result.regimes)
    if (finished(regime.run)) longest = std::max(longest, regime.run.makespan);
  if (longest.count() == 0 || interrupt_requested()) return void(result.no_floor = "no run finished all jobs");
  const Result<LowerBound> bound = least_dollars(simulation::whole_run(result.day.scenario), longest);
  if (bound)
    result.floor = Floor{bound->dollars, longest};
  else
    result.no_floor = bound.error().message;
}

Result<int> twin_of(const TwinOptions& options) {
  if (Result<void> known = check_policies(options.policies); !known) return tl::unexpected(known.error());
  watch_for_interrupt();
  Result<twin::RecordedDay> day =
      twin::recorded_day(options.journal, {interrupt_requested, reading_line(!options.no_progress)});
  if (!day) return tl::unexpected(day.error());
  TwinResult result;
  result.day = *std::move(day);
  Result<std::vector<Regime>> regimes = regimes_of(options, result.day.scenario);
  if (!regimes) return tl::unexpected(regimes.error());
  result.regimes = *std::move(regimes);
  std::vector<std::string> stood_in;
  Result<std::vector<SimulationRun>> runs = runs_of(options, result, stood_in);
  if (!runs) return tl::unexpected(runs.error());
  run_simulations(*runs, options.jobs, !options.no_progress);
  if (Result<void> collected = collect(*runs, result); !collected) return tl::unexpected(collected.error());
  const auto why = std::find_if(stood_in.begin(), stood_in.end(), [](const std::string& one) { return !one.empty(); });
  if (why != stood_in.end()) result.day.not_known.push_back(twin::stand_in(*why));
  add_floor(result);
  const int status = print(options.format == OutputFormat::json ? twin_json(result) : twin_text(result));
  if (!result.not_run.empty()) print_error(fmt::format("interrupted; not run: {}", fmt::join(result.not_run, ", ")));
  return interrupt_requested() ? static_cast<int>(interrupted) : status;
}

}  // namespace

std::optional<double> TwinResult::error() const {
  if (!day.counted || !until_last) return std::nullopt;
  const Usd counted = twin::as_counted(day, *day.counted);
  return counted.value() > 0 ? std::optional(twin::as_counted(day, until_last->invoice) / counted - 1) : std::nullopt;
}

double TwinResult::against_what_ran(const Regime& regime) const {
  const Usd ran = regimes.front().run.invoice.total();
  return regimes.front().ran && ran.value() > 0 ? regime.run.invoice.total() / ran - 1 : 0;
}

int run_twin(Words words) {
  TwinOptions options;
  Arguments arguments = describe(options);
  if (auto parsed = arguments.parse(words); !parsed) return print_error(parsed.error());
  if (arguments.help_requested()) return print(arguments.help());
  const Result<int> status = twin_of(options);
  return status ? *status : print_error(status.error());
}

}  // namespace lips::cmd
