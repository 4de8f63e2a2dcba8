// Clusters whose jobs all have their own size (0.25 to 16 cores, memory, GPUs; seconds to a day; one task or many),
// where nobody has tuned anything: is there a scheduler that is better than lips in dollars or in waiting and no worse
// in the other? Random clusters of four hours by kind and seed, and whole days with published run times.
//   [LIPS_DATA=...] bench_mixed [--seeds N] [--first SEED] [--kind NAME] [--teams N] [--only RIVAL] [--jobs THREADS]
//   [--write FOLDER] [--draws N] [--due SECONDS] [--grid]
// NAME: fixed-mixed, fixed-memory, fixed-gpus, elastic-mixed, elastic-memory, elastic-gpus, or one of the days, such as
// philly-elastic-0.5 or eva-fixed-0.8; or a part of these, such as fixed, gpus or philly. --teams: pools of the random
// clusters, 1 to 3; only lips and delay heed their shares.
// --grid: how near a setting of the grid of waitingPrice and waitingPerJob comes to the dollars of the cheapest rival,
// at no longer a mean completion than that rival's.
// --draws: means over so many draws of the spot interruptions. One that costs a long task its work moves the mean
// completion of a day by a percent.
// --due: for lips alone, every job has to be done by then, in seconds since the start.
// --write writes the scenarios, which 'lips simulate' runs, instead of running them.
// Better: no dearer and 2 % quicker in mean completion, or 2 % cheaper and no slower; within 0.1 % is equal. Dollars
// are of the invoice. 24 seeds of all six random kinds take about five minutes of CPU, the traces about as long.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bench/mixed_traces.h"
#include "bench/mixed_worlds.h"
#include "bench/modern_day.h"
#include "bench/rivals.h"
#include "bench/two_threads.h"
#include "config/text_file.h"
#include "simulation/run.h"
#include "simulation/scenario_reader.h"

namespace {

using namespace lips;
using namespace lips::bench;
using namespace lips::simulation;

struct Options {
  std::uint64_t seeds = 24, first = 1;
  std::size_t threads = 1, teams = 3, draws = 1;
  std::string kind, only, folder;  // empty: all kinds, all rivals, no scenarios written
  double due = 0;                  // seconds since the start; 0: never
  bool grid = false;
};

struct Outcome {
  double usd = 0, seconds = 0;  // invoice, mean completion
  bool finished = false;        // every job
};

struct Answer {
  std::string error;  // empty: none
  std::size_t nodes = 0, jobs = 0, tasks = 0;
  Outcome lips;
  std::vector<Outcome> rivals;  // in their order
};

constexpr double equal = 1.001, better = 0.98;

bool beats(const Outcome& rival, const Outcome& lips) {
  if (!rival.finished || !lips.finished) return rival.finished && !lips.finished;
  const double usd = rival.usd / lips.usd, seconds = rival.seconds / lips.seconds;
  return (usd <= equal && seconds <= better) || (usd <= better && seconds <= equal);
}

Result<Outcome> outcome_of(Scenario& scenario, const Rival& rival, std::size_t draws) {
  PolicySettings settings = scenario.settings;
  rival.change(settings);
  const std::uint64_t first = scenario.seed;
  Outcome mean{0, 0, true};
  for (std::size_t draw = 0; draw < draws; ++draw) {
    const Result<std::unique_ptr<Policy>> policy = make_policy(rival.policy, settings);
    if (!policy) return tl::unexpected<Error>(policy.error());
    scenario.seed = first + draw;
    const Result<RunResult> ran = run(scenario, **policy, rival.name);
    scenario.seed = first;
    if (!ran) return tl::unexpected<Error>(ran.error());
    mean.usd += ran->invoice.total().value() / static_cast<double>(draws);
    mean.seconds += ran->completion.mean / static_cast<double>(draws);
    mean.finished = mean.finished && ran->jobs_finished == ran->jobs;
  }
  return mean;
}

Answer answer_of(const MixedWorld& world, const std::vector<Rival>& rivals, const Options& options) {
  Answer answer;
  Result<Scenario> scenario = parse_scenario(world.name + ".yaml", world.text);
  if (!scenario) return answer.error = scenario.error().message, answer;
  answer.nodes = scenario->cluster.nodes.size();
  answer.jobs = scenario->jobs.size();
  for (const JobArrived& job : scenario->jobs) answer.tasks += job.tasks.size();
  Scenario due = *scenario;
  for (JobArrived& job : due.jobs)
    if (options.due > 0) job.job.due.complete_by = TimePoint(seconds(options.due));
  const auto fill = [&](const Rival& rival) {
    const Result<Outcome> outcome = outcome_of(rival.policy == "lips" ? due : *scenario, rival, options.draws);
    if (!outcome) answer.error = fmt::format("{}: {}", rival.name, outcome.error().message);
    return outcome.value_or(Outcome{});
  };
  answer.lips = fill({"lips", "lips"});
  for (const Rival& rival : rivals) answer.rivals.push_back(fill(rival));
  return answer;
}

// Each job's wait counts as that of so many core-hours at the mean price, whatever their price is.
constexpr double own_wait = 32;

std::vector<Rival> grid() {
  std::vector<Rival> settings;
  for (const double price : {0.125, 0.25, 0.5, 1.0, 1.4, 2.0, 4.0, 8.0})
    for (const double a_job : {0.0, 2.0, own_wait / price})
      settings.push_back({fmt::format("waitingPrice {}, waitingPerJob {}", price, a_job), "lips",
                          [price, a_job](PolicySettings& given) {
                            given.lips.waiting_price = price, given.lips.waiting_per_job = a_job;
                          }});
  return settings;
}

// `settings` are the last of the rivals.
void print_nearest(const Answer& answer, const std::vector<Rival>& rivals, std::size_t settings) {
  const std::size_t real = rivals.size() - settings;
  std::optional<std::size_t> cheapest, nearest;
  for (std::size_t i = 0; i < rivals.size(); ++i) {
    std::optional<std::size_t>& best = i < real ? cheapest : nearest;
    if (!answer.rivals[i].finished) continue;
    if (i >= real && (!cheapest || answer.rivals[i].seconds > equal * answer.rivals[*cheapest].seconds)) continue;
    if (!best || answer.rivals[i].usd < answer.rivals[*best].usd) best = i;
  }
  if (!cheapest) return;
  const Outcome& rival = answer.rivals[*cheapest];
  fmt::print("  cheapest rival: {}, {:.2f} USD, {:.1f} s; ", rivals[*cheapest].name, rival.usd, rival.seconds);
  if (!nearest) return fmt::print("no setting of the grid is as quick\n");
  const Outcome& own = answer.rivals[*nearest];
  fmt::print("cheapest setting that is no slower: {}, {:+.1f} % USD, {:+.1f} % completion\n", rivals[*nearest].name,
             100 * (own.usd / rival.usd - 1), 100 * (own.seconds / rival.seconds - 1));
}

void print(const MixedWorld& world, const Answer& answer, const std::vector<Rival>& rivals) {
  if (!answer.error.empty()) return fmt::print("{}: {}\n", world.name, answer.error);
  fmt::print("{}: {} nodes or places, {} jobs, {} tasks\n", world.name, answer.nodes, answer.jobs, answer.tasks);
  const auto row = [&](const std::string& name, const Outcome& outcome) {
    fmt::print("  {:<24} {:>10.2f} USD {:>9.1f} s", name, outcome.usd, outcome.seconds);
    if (!outcome.finished) return fmt::print("  does not finish all jobs\n");
    fmt::print("  {:+6.1f} % {:+6.1f} %{}\n", 100 * (outcome.usd / answer.lips.usd - 1),
               100 * (outcome.seconds / answer.lips.seconds - 1), beats(outcome, answer.lips) ? "  better" : "");
  };
  row("lips", answer.lips);
  for (std::size_t i = 0; i < rivals.size(); ++i) row(rivals[i].name, answer.rivals[i]);
  std::fflush(stdout);
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values.empty() ? 0 : values[values.size() / 2];
}

// A rival's outcomes over those of lips, in the worlds that both finish: sums of logarithms.
struct Ratios {
  int worlds = 0;
  double usd = 0, seconds = 0;
};

// The worlds of a kind, and those of them in which a rival is better.
struct Tally {
  int worlds = 0, beaten = 0, stuck = 0;
  std::vector<Ratios> over_lips;       // by rival
  std::vector<double> slower, dearer;  // lips over the quickest that is no dearer, and the cheapest that is no slower
  std::string which;
};

void count(const MixedWorld& world, const Answer& answer, const std::vector<Rival>& rivals, Tally& tally) {
  ++tally.worlds;
  tally.stuck += !answer.lips.finished;
  std::vector<std::string> winners;
  double quickest = answer.lips.seconds, cheapest = answer.lips.usd;
  tally.over_lips.resize(rivals.size());
  for (std::size_t i = 0; i < rivals.size(); ++i) {
    const Outcome& rival = answer.rivals[i];
    if (rival.finished && answer.lips.finished) {
      tally.over_lips[i].usd += std::log(rival.usd / answer.lips.usd);
      tally.over_lips[i].seconds += std::log(rival.seconds / answer.lips.seconds);
      ++tally.over_lips[i].worlds;
    }
    if (beats(rival, answer.lips))
      winners.push_back(fmt::format("{} {:+.1f} % {:+.1f} %", rivals[i].name, 100 * (rival.usd / answer.lips.usd - 1),
                                    100 * (rival.seconds / answer.lips.seconds - 1)));
    if (!rival.finished) continue;
    if (rival.usd <= equal * answer.lips.usd) quickest = std::min(quickest, rival.seconds);
    if (rival.seconds <= equal * answer.lips.seconds) cheapest = std::min(cheapest, rival.usd);
  }
  tally.slower.push_back(answer.lips.seconds / quickest);
  tally.dearer.push_back(answer.lips.usd / cheapest);
  if (winners.empty()) return;
  ++tally.beaten;
  tally.which += fmt::format("  {}{}: {}\n", world.name, answer.lips.finished ? "" : " (lips does not finish all jobs)",
                             fmt::join(winners, "; "));
}

void print_ratios(const std::string& kind, const Tally& tally, const std::vector<Rival>& rivals) {
  fmt::print("\n{}, over lips (geometric means)\n| rival | dollars | mean completion |\n|---|---|---|\n", kind);
  for (std::size_t i = 0; i < tally.over_lips.size(); ++i)
    if (const Ratios& ratios = tally.over_lips[i]; ratios.worlds > 0)
      fmt::print("| {} | {:.3f} | {:.3f} |\n", rivals[i].name, std::exp(ratios.usd / ratios.worlds),
                 std::exp(ratios.seconds / ratios.worlds));
}

void print(const std::vector<std::pair<std::string, Tally>>& tallies) {
  fmt::print(
      "\nWorlds in which a rival is no dearer and 2 % quicker in mean completion than lips, or 2 % cheaper and no "
      "slower; mean completion of lips over that of the quickest that is no dearer, and its dollars over those of the "
      "cheapest that is no slower.\n| kind | a rival is better | lips stuck | slower, median (worst) | dearer, median "
      "(worst) |\n|---|---|---|---|---|\n");
  for (const auto& [kind, tally] : tallies)
    fmt::print("| {} | {} of {} | {} | {:.3f} ({:.3f}) | {:.3f} ({:.3f}) |\n", kind, tally.beaten, tally.worlds,
               tally.stuck, median(tally.slower), *std::max_element(tally.slower.begin(), tally.slower.end()),
               median(tally.dearer), *std::max_element(tally.dearer.begin(), tally.dearer.end()));
  fmt::print("\nWhich, with dollars and mean completion over those of lips:\n");
  for (const auto& [kind, tally] : tallies) fmt::print("{}", tally.which);
}

std::vector<MixedWorld> worlds_of(const Options& options) {
  const auto wanted = [&](std::string_view kind) { return kind.find(options.kind) != std::string_view::npos; };
  std::vector<MixedWorld> worlds;
  for (const Kind& kind : kinds)
    for (std::uint64_t seed = options.first; wanted(kind.name) && seed < options.first + options.seeds; ++seed)
      worlds.push_back(MixedWorldDraw(kind, seed, options.teams).draw());
  for (const auto& [name, read] : {std::pair("philly", &philly_worlds), std::pair("eva", &eva_worlds)}) {
    if (!wanted(name) && options.kind.find(name) == std::string::npos) continue;
    Result<std::vector<MixedWorld>> days = read();
    if (!days)
      fmt::print("{}: skipped: {}\n", name, days.error().message);
    else
      std::copy_if(days->begin(), days->end(), std::back_inserter(worlds),
                   [&](const MixedWorld& day) { return wanted(day.name); });
  }
  return worlds;
}

int write(const std::vector<MixedWorld>& worlds, const std::string& folder) {
  for (const MixedWorld& world : worlds)
    if (const Result<void> written = write_text_file(fmt::format("{}/{}.yaml", folder, world.name), world.text);
        !written)
      return fmt::print(stderr, "{}\n", written.error().message), 1;
  return 0;
}

std::optional<Options> read_options(int argc, char** argv) {
  Options options;
  if (argc > 1 && std::string(argv[argc - 1]) == "--grid") options.grid = true, --argc;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string name = argv[i], value = argv[i + 1];
    const auto number = static_cast<std::uint64_t>(std::max(0, std::atoi(value.c_str())));
    if (name == "--seeds")
      options.seeds = number;
    else if (name == "--first")
      options.first = number;
    else if (name == "--jobs")
      options.threads = number;
    else if (name == "--teams" && number >= 1 && number <= 3)
      options.teams = number;
    else if (name == "--draws" && number >= 1)
      options.draws = number;
    else if (name == "--due")
      options.due = std::atof(value.c_str());
    else if (name == "--kind")
      options.kind = value;
    else if (name == "--only")
      options.only = value;
    else if (name == "--write")
      options.folder = value;
    else
      return std::nullopt;
  }
  if (argc % 2 == 0) return std::nullopt;
  return options;
}

}  // namespace

int main(int argc, char** argv) {
  const std::optional<Options> options = read_options(argc, argv);
  std::vector<Rival> rivals = all_rivals();
  rivals.insert(rivals.begin(), {"fifo", "fifo"});
  if (options && !options->only.empty())
    std::erase_if(rivals, [&](const Rival& rival) { return rival.name != options->only; });
  const std::vector<MixedWorld> worlds = options ? worlds_of(*options) : std::vector<MixedWorld>{};
  if (worlds.empty() || rivals.empty())
    return fmt::print(
               stderr,
               "bench_mixed [--seeds N] [--first SEED] [--kind NAME] [--teams N] [--only RIVAL] [--jobs THREADS] "
               "[--write FOLDER] [--draws N] [--due SECONDS] [--grid]\n"),
           2;
  if (!options->folder.empty()) return write(worlds, options->folder);
  const std::vector<Rival> settings = options->grid ? grid() : std::vector<Rival>{};
  rivals.insert(rivals.end(), settings.begin(), settings.end());
  const double began = seconds_now();
  const std::vector<Answer> answers = on_threads(options->threads, worlds.size(), [&](std::size_t i) {
    Answer answer = answer_of(worlds[i], rivals, *options);
    fmt::print(stderr, "{}, {:.0f} s\n", worlds[i].name, seconds_now() - began);
    return answer;
  });
  std::vector<std::pair<std::string, Tally>> tallies;  // by kind, in the order of the worlds
  bool good = true;
  for (std::size_t i = 0; i < worlds.size(); ++i) {
    print(worlds[i], answers[i], rivals);
    if (options->grid) {
      if (answers[i].error.empty()) print_nearest(answers[i], rivals, settings.size());
      good = good && answers[i].error.empty();
      continue;
    }
    good = good && answers[i].error.empty();
    if (tallies.empty() || tallies.back().first != worlds[i].kind) tallies.push_back({worlds[i].kind, {}});
    if (answers[i].error.empty()) count(worlds[i], answers[i], rivals, tallies.back().second);
  }
  if (options->grid) return good ? 0 : 1;
  std::erase_if(tallies, [](const auto& of_kind) { return of_kind.second.worlds == 0; });
  print(tallies);
  for (const auto& [kind, tally] : tallies) print_ratios(kind, tally, rivals);
  fmt::print("\n{} worlds, {:.0f} s on {} threads\n", worlds.size(), seconds_now() - began, options->threads);
  return good ? 0 : 1;
}
