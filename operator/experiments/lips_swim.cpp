// Figs. 9 and 10: 400 jobs from SWIM's Facebook trace on 100 nodes, simulated.
#include <fmt/format.h>

#include <array>

#include "experiments/lips_paper.h"
#include "experiments/simulated_runs.h"

namespace lips::experiments {

namespace {

struct SwimSetting {
  std::string_view name, load, reading, epoch;
  bool main = false;
};
constexpr std::array settings = {
    SwimSetting{"caption's prices, load 0.6", "0.6", "caption", "600s", true},
    SwimSetting{"prices by ECU, load 0.6", "0.6", "ecu", "600s"},
    SwimSetting{"caption's prices, load 0.2", "0.2", "caption", "600s"},
    SwimSetting{"caption's prices, load 0.2, epoch 3600 s", "0.2", "caption", "3600s"},
};

Setting swim_setting() {
  return {{"100 nodes of m1.small, m1.medium and c1.medium in three zones; 400 jobs made by SWIM from "
           "FB-2010_samples_24_times_1hr_0",
           "62.5 millicent a block between zones; dollars per ECU-second used"},
          {"a third of each type; a sample of our own, its bytes scaled to a load of 0.6 of the cluster (and 0.2)",
           "Table I's four applications evenly; three replicas in one zone (15 draws of places and applications)",
           "epoch 600 s (and 3600 s); m1.small at 0.08 USD/h, which the caption leaves out; delays of 5 s and 10 s"}};
}

SimulatedRun swim(const SwimSetting& setting, std::string policy) {
  SimulatedRun run{"swim-400",
                   {{"priceReading", std::string(setting.reading)}, {"load", std::string(setting.load)}},
                   std::move(policy)};
  if (run.policy == "lips-paper") run.set.emplace_back("epoch", std::string(setting.epoch));
  return run;
}

struct SwimRuns {
  std::vector<SimulatedOutcome> hadoop, delay, paper, lips;
};

Result<SwimRuns> runs_of(const ExperimentRun& run, const SwimSetting& setting) {
  auto all = simulate_seeds(run, {swim(setting, "hadoop-default"), swim(setting, "delay"), swim(setting, "lips-paper"),
                                  swim(setting, "lips")});
  if (!all) return tl::unexpected(all.error());
  return SwimRuns{std::move((*all)[0]), std::move((*all)[1]), std::move((*all)[2]), std::move((*all)[3])};
}

std::size_t settings_of(const ExperimentRun& run) { return run.quick ? 1 : settings.size(); }

}  // namespace

Result<ExperimentResult> lips_fig9(const ExperimentRun& run) {
  ExperimentResult result;
  result.setting = swim_setting();
  Chart chart{"Dollars for 400 jobs", "Mean over draws.", "setting", "USD", {}};
  const auto count = static_cast<double>(settings_of(run));
  for (std::size_t s = 0; s < settings_of(run); ++s) {
    const SwimSetting& setting = settings[s];
    const ExperimentRun part = part_of(run, static_cast<double>(s) / count, static_cast<double>(s + 1) / count);
    const Result<SwimRuns> runs = runs_of(part, setting);
    if (!runs) return tl::unexpected(runs.error());
    const auto bound = least_dollars_by_seed(part, swim(setting, "lips"));
    if (!bound) return tl::unexpected(bound.error());
    const std::vector<double> delay = figures_of(runs->delay, dollars), hadoop = figures_of(runs->hadoop, dollars);
    const Spread most = percent_below(*bound, delay);
    const auto add = [&](std::string_view what, const std::vector<double>& ours, const std::vector<double>& than,
                         bool main) {
      Claim claim{"Fig. 9", fmt::format("{}: {}", setting.name, what), "68-69 %", 66, 71, {percent_below(ours, than)}};
      claim.other_reading = !main || !setting.main;
      if (main && !claim.agrees())
        claim.reason = fmt::format("no schedule can save more than {:.0f} % here", percent_below(*bound, than).mean);
      result.claims.push_back(std::move(claim));
    };
    add("lips-paper below delay", figures_of(runs->paper, dollars), delay, true);
    add("lips-paper below hadoop-default", figures_of(runs->paper, dollars), hadoop, true);
    add("lips below delay", figures_of(runs->lips, dollars), delay, false);
    Claim room{"Fig. 9", fmt::format("{}: lower bound below delay", setting.name),      "68-69 %", 0, 0, {most},
               "%",      "the saving of the best possible schedule, with free shuffle", false};
    room.other_reading = !setting.main;
    result.claims.push_back(std::move(room));
    chart.categories.emplace_back(setting.name);
    add_bar(chart, 0, "hadoop-default", spread_of(runs->hadoop, dollars).mean);
    add_bar(chart, 1, "delay", spread_of(runs->delay, dollars).mean);
    add_bar(chart, 2, "lips-paper", spread_of(runs->paper, dollars).mean);
    add_bar(chart, 3, "lips", spread_of(runs->lips, dollars).mean);
    add_bar(chart, 4, "lower bound", spread(*bound).mean);
  }
  result.charts.push_back(std::move(chart));
  result.notes = {
      "the saving falls with the load: under any scheduler a full cluster must use its expensive nodes",
      "unlike lips-paper, lips waits for cheap nodes as long as that pays off, and has a home zone for shuffle"};
  return result;
}

Result<ExperimentResult> lips_fig10(const ExperimentRun& run) {
  ExperimentResult result;
  result.setting = swim_setting();
  result.setting.chosen.emplace_back(
      "'total job execution time' is read as the sum over jobs, arrival to end: jobs arrive over a day, so makespans "
      "are alike");
  Chart chart{"Mean job, from arrival to end", "Mean over draws.", "setting", "s", {}};
  const auto completion = [](const SimulatedOutcome& outcome) { return outcome.run.completion.mean; };
  const auto makespan = [](const SimulatedOutcome& outcome) { return to_seconds(outcome.run.makespan); };
  const auto count = static_cast<double>(settings_of(run));
  for (std::size_t s = 0; s < settings_of(run); ++s) {
    const SwimSetting& setting = settings[s];
    const Result<SwimRuns> runs =
        runs_of(part_of(run, static_cast<double>(s) / count, static_cast<double>(s + 1) / count), setting);
    if (!runs) return tl::unexpected(runs.error());
    const auto add = [&](std::string_view what, std::string_view printed, double high, const std::vector<double>& ours,
                         const std::vector<double>& than, bool main) {
      const Spread below = percent_below(ours, than);
      Claim claim{"Fig. 10", fmt::format("{}: {}", setting.name, what), std::string(printed), high > 100 ? 35.0 : -20.0,
                  high,      {{-below.mean, -below.most, -below.least}}};
      claim.other_reading = !main || !setting.main;
      result.claims.push_back(std::move(claim));
    };
    const std::vector<double> paper = figures_of(runs->paper, completion);
    add("lips-paper's jobs longer than delay's", "40-100 % (caption)", 105, paper, figures_of(runs->delay, completion),
        true);
    add("lips-paper's jobs longer than hadoop-default's", "similar (prose)", 20, paper,
        figures_of(runs->hadoop, completion), true);
    add("lips-paper's makespan longer than hadoop-default's", "similar (prose)", 20, figures_of(runs->paper, makespan),
        figures_of(runs->hadoop, makespan), false);
    add("lips's jobs longer than delay's", "40-100 % (caption)", 105, figures_of(runs->lips, completion),
        figures_of(runs->delay, completion), false);
    chart.categories.emplace_back(setting.name);
    add_bar(chart, 0, "hadoop-default", spread_of(runs->hadoop, completion).mean);
    add_bar(chart, 1, "delay", spread_of(runs->delay, completion).mean);
    add_bar(chart, 2, "lips-paper", spread_of(runs->paper, completion).mean);
    add_bar(chart, 3, "lips", spread_of(runs->lips, completion).mean);
  }
  result.charts.push_back(std::move(chart));
  result.notes = {
      "caption and prose of Fig. 10 contradict each other",
      "a job that arrives in an epoch waits for the next: half of 600 s is many times longer than most SWIM jobs"};
  return result;
}

}  // namespace lips::experiments
