#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <mutex>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "cmd/cli/arguments.h"
#include "cmd/cli/command.h"
#include "cmd/cli/output_format.h"
#include "cmd/cli/progress.h"
#include "cmd/experiment/experiment_result.h"
#include "config/text_file.h"
#include "experiments/simulated_runs.h"
#include "telemetry/page/numbers.h"

namespace lips::cmd {

namespace {

using experiments::Experiment;

struct ExperimentOptions {
  std::string name, report, config_folder;
  OutputFormat format = OutputFormat::text;
  std::uint32_t seeds = 15, jobs = std::max(1U, std::thread::hardware_concurrency());
  bool quick = false, no_progress = false;
};

Arguments describe(ExperimentOptions& options) {
  Arguments arguments("lips experiment",
                      "Repeats experiments of published papers and prints what they claim beside what we measure.");
  arguments.operand(
      "NAME",
      "'list', 'all', the name of an experiment such as lips-fig6, or the beginning of several, such as guo-4.2 or li",
      options.name);
  arguments.count("--seeds", "random draws that each figure is the mean of", options.seeds, {1});
  arguments.count("--jobs", "threads; changes nothing but measured times", options.jobs, {1});
  arguments.flag("--quick", "run only the smallest sizes of each sweep: a glance, not a reproduction", options.quick);
  arguments.text("--config-dir", "DIR",
                 "folder of scenarios, prices and traces that come with lips (default: beside the program)",
                 options.config_folder);
  arguments.heading("Output");
  arguments.choice("--format", {OutputFormat::text, OutputFormat::json, OutputFormat::markdown},
                   "output format (docs/json.md)", options.format);
  arguments.text("--report", "FILE.html", "also write a page with the figures, in one file that loads nothing else",
                 options.report);
  arguments.flag("--no-progress", "show no progress on the terminal", options.no_progress);
  arguments.example("lips experiment list", "list all experiments");
  arguments.example("lips experiment lips-fig6 --report fig6.html", "repeat one figure and draw it");
  arguments.example("lips experiment all --report papers.html",
                    "repeat every experiment; about five minutes on two cores");
  return arguments;
}

std::string list_text() {
  std::string out;
  for (const Experiment& experiment : experiments::experiment_registry())
    out += fmt::format("{:<22} {:<30} {}\n", experiment.name, fmt::format("{} {}", experiment.paper, experiment.figure),
                       experiment.summary);
  return out;
}

std::string list_json() {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const Experiment& experiment : experiments::experiment_registry())
    list.push_back({{"name", experiment.name},
                    {"paper", experiment.paper},
                    {"figure", experiment.figure},
                    {"summary", experiment.summary},
                    {"seconds", experiment.seconds}});
  return list.dump(2) + "\n";
}

// The progress of all chosen experiments, weighted by how long they usually take.
class ExperimentProgress {
 public:
  ExperimentProgress(bool shown, std::span<const Experiment* const> chosen)
      : shown_(shown), chosen_(chosen.begin(), chosen.end()), began_(watch_.seconds()) {
    for (const Experiment* experiment : chosen_) whole_ += experiment->seconds;
  }
  void report(std::size_t index, double share) {
    if (!shown_) return;
    const std::lock_guard lock(mutex_);
    const double now = watch_.seconds();
    share_ = index == at_ ? std::max(share_, share) : share;  // pieces report from several threads
    at_ = index;
    if (now - drawn_ < 0.2) return;
    drawn_ = now;
    double done = chosen_[index]->seconds * share_;
    for (std::size_t i = 0; i < index; ++i) done += chosen_[i]->seconds;
    const double part = whole_ > 0 ? done / whole_ : 0, spent = now - began_;
    const double left = part > 0.02 ? spent * (1 - part) / part : whole_ - done;
    std::string line = fmt::format("{}/{} experiments, {:.0f} %, about {} left | {} {:.0f} %", index, chosen_.size(),
                                   100 * part, page::duration(left), chosen_[index]->name, 100 * share_);
    line.resize(std::min(line.size(), terminal_width() - 1));
    fmt::print(stderr, "\r{}\x1b[K", line);
    std::fflush(stderr);
  }
  void clear() {
    if (shown_ && drawn_ >= 0) std::fputs("\r\x1b[K", stderr);
    drawn_ = -1;
  }

 private:
  bool shown_;
  std::vector<const Experiment*> chosen_;
  std::mutex mutex_;
  WallStopwatch watch_;
  double began_, drawn_ = -1, whole_ = 0, share_ = 0;
  std::size_t at_ = 0;
};

Result<std::vector<const Experiment*>> chosen_by(const std::string& name) {
  std::vector<const Experiment*> chosen = experiments::find_experiments(name);
  if (!chosen.empty()) return chosen;
  std::vector<std::string> names{"list", "all"};
  for (const Experiment& experiment : experiments::experiment_registry()) names.emplace_back(experiment.name);
  return fail(ErrorCode::invalid_input, fmt::format("unknown experiment '{}'{} ('lips experiment list' lists them)",
                                                    name, did_you_mean(name, names)));
}

Result<ExperimentOutcomes> run_all(const ExperimentOptions& options, const std::vector<const Experiment*>& chosen) {
  ExperimentOutcomes all;
  all.seeds = options.seeds;
  const WallStopwatch watch;
  ExperimentProgress progress(!options.no_progress && stderr_is_terminal(), chosen);
  experiments::ExperimentRun run;
  run.seeds = options.seeds;
  run.threads = options.jobs;
  run.quick = options.quick;
  run.config_folder = options.config_folder;
  run.stopwatch = &watch;
  run.stop = interrupt_requested;
  run.simulated = std::make_shared<experiments::SimulatedRuns>();
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    if (interrupt_requested()) {
      all.not_run.emplace_back(chosen[i]->name);
      continue;
    }
    run.progress = [&](double share) { progress.report(i, share); };
    progress.report(i, 0);
    const double began = watch.seconds();
    Result<experiments::ExperimentResult> result = chosen[i]->run(run);
    const double seconds = watch.seconds() - began;
    progress.clear();
    if (!result && result.error().code == ErrorCode::cancelled) {
      all.not_run.emplace_back(chosen[i]->name);
      continue;
    }
    if (!result) return fail(result.error().code, fmt::format("{}: {}", chosen[i]->name, result.error().message));
    all.outcomes.push_back({chosen[i], std::move(*result), seconds});
    if (options.format == OutputFormat::text) print(experiment_text(all.outcomes.back()));
  }
  return all;
}

Result<int> experiment(const ExperimentOptions& options) {
  if (options.name == "list") return print(options.format == OutputFormat::json ? list_json() : list_text());
  const Result<std::vector<const Experiment*>> chosen = chosen_by(options.name);
  if (!chosen) return tl::unexpected(chosen.error());
  watch_for_interrupt();
  const Result<ExperimentOutcomes> all = run_all(options, *chosen);
  if (!all) return tl::unexpected(all.error());
  int status = done;
  if (!options.report.empty())
    if (Result<void> written = write_text_file(options.report, experiments_page(*all)); !written)
      status = print_error(written.error());
  const std::string text = options.format == OutputFormat::json       ? experiments_json(*all)
                           : options.format == OutputFormat::markdown ? experiments_markdown(*all)
                                                                      : verdicts_text(all->outcomes) + "\n";
  if (const int printed = print(text); printed != done) status = printed;
  if (!all->not_run.empty()) print_error(fmt::format("interrupted; no results of: {}", fmt::join(all->not_run, ", ")));
  return interrupt_requested() ? static_cast<int>(interrupted) : status;
}

}  // namespace

int run_experiment(Words words) {
  ExperimentOptions options;
  Arguments arguments = describe(options);
  if (auto parsed = arguments.parse(words); !parsed) return print_error(parsed.error());
  if (arguments.help_requested()) return print(arguments.help());
  const Result<int> status = experiment(options);
  return status ? *status : print_error(status.error());
}

}  // namespace lips::cmd
