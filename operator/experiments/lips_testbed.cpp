// Figs. 6, 7, 8 and 11: J1-J9 of Table IV on 20 nodes, simulated.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>

#include "base/enum_array.h"
#include "experiments/lips_paper.h"
#include "experiments/simulated_runs.h"

namespace lips::experiments {

namespace {

constexpr double none = std::numeric_limits<double>::infinity();

// The readings of the m1.medium's price in Table III: its caption divides by one unit, its column by 2 ECU.
enum class Reading : std::uint8_t { caption, ecu };
// As scenarios call it.
constexpr std::string_view to_string(Reading reading) { return reading == Reading::caption ? "caption" : "ecu"; }

struct TestbedSetting {
  std::string_view name, scenario;
  std::string_view printed;  // saving
  double low, high;
  bool comparable = true;  // a number is printed for this setting
};
constexpr std::array settings = {
    TestbedSetting{"(i) 20 m1.medium", "table-iv-i", "62 %", 59, 65},
    TestbedSetting{"(ii) 5 of 20 c1.medium", "table-iv-ii", "62 to 81 %", 62, 81, false},
    TestbedSetting{"(iii) 10 of 20 c1.medium", "table-iv-iii", "79-81 %", 78, 82},
};
constexpr auto readings = enumerators<Reading>;
constexpr std::string_view long_epoch = "2400s";

std::string reading_name(Reading reading) { return reading == Reading::caption ? "caption's prices" : "prices by ECU"; }

Setting testbed_setting() {
  return {
      {"20 nodes in three zones, m1.medium and c1.medium; J1-J9 of Table IV, 1,608 map tasks, 100 GB",
       "62.5 millicent a block between zones; dollars per ECU-second used"},
      {"nodes evenly over the zones, one replica a block on random nodes (15 draws), a slot a core, all jobs at once",
       "Pi takes 300 ECU-seconds a task; (ii) has 5 c1.medium; delays of 5 s and 10 s",
       "epochs of 600 s and 2400 s: the paper gives none for these figures",
       "both readings of Table III: its caption, which divides m1.medium by one unit, and its 2 ECU"}};
}

SimulatedRun testbed(const TestbedSetting& setting, Reading reading, std::string policy, std::string_view epoch = "") {
  SimulatedRun run{
      std::string(setting.scenario), {{"priceReading", std::string(to_string(reading))}}, std::move(policy)};
  if (!epoch.empty()) run.set.emplace_back("epoch", std::string(epoch));
  return run;
}

// The policies of Fig. 6 and 7 in one setting and reading.
struct TestbedRuns {
  std::vector<SimulatedOutcome> hadoop, delay, paper, paper_long, lips;
};

Result<TestbedRuns> runs_of(const ExperimentRun& run, const TestbedSetting& setting, Reading reading) {
  auto all =
      simulate_seeds(run, {testbed(setting, reading, "hadoop-default"), testbed(setting, reading, "delay"),
                           testbed(setting, reading, "lips-paper", "600s"),
                           testbed(setting, reading, "lips-paper", long_epoch), testbed(setting, reading, "lips")});
  if (!all) return tl::unexpected(all.error());
  return TestbedRuns{std::move((*all)[0]), std::move((*all)[1]), std::move((*all)[2]), std::move((*all)[3]),
                     std::move((*all)[4])};
}

// The baseline's dollars if it had paid for two more zone crossings of every input block.
std::vector<double> with_moves(std::vector<double> dollars) {
  constexpr double blocks = 1600, price = 62.5e-5;
  for (double& one : dollars) one += 2 * blocks * price;
  return dollars;
}

void add_saving(const TestbedSetting& setting, Reading reading, const TestbedRuns& runs,
                const std::vector<double>& bound, ExperimentResult& result) {
  const std::string where = fmt::format("{}, {}: ", setting.name, reading_name(reading));
  const std::vector<double> delay = figures_of(runs.delay, dollars), hadoop = figures_of(runs.hadoop, dollars);
  const Spread most = percent_below(bound, delay);
  const auto add = [&](std::string_view id, const std::string& what, const std::vector<double>& ours,
                       const std::vector<double>& than, bool main) {
    Claim claim{"Fig. 6",    where + what, std::string(setting.printed),
                setting.low, setting.high, {percent_below(ours, than)}};
    claim.id = fmt::format("{}/{}/{}", setting.scenario, to_string(reading), id);
    claim.other_reading = !main || reading != Reading::caption;
    if (!claim.agrees() && main)
      claim.reason = fmt::format("no schedule can save more than {:.1f} % here", percent_below(bound, than).mean);
    if (!setting.comparable) {
      claim.comparable = false;
      claim.reason = "the paper prints no number for this setting";
    }
    result.claims.push_back(std::move(claim));
  };
  add("paper-delay", "lips-paper below delay", figures_of(runs.paper, dollars), delay, true);
  add("paper-hadoop", "lips-paper below hadoop-default", figures_of(runs.paper, dollars), hadoop, true);
  add("paper-2400-delay", "lips-paper at 2400 s below delay", figures_of(runs.paper_long, dollars), delay, false);
  add("lips-delay", "lips below delay", figures_of(runs.lips, dollars), delay, false);
  add("paper-2400-crossings", "lips-paper at 2400 s below delay that pays two crossings a block",
      figures_of(runs.paper_long, dollars), with_moves(delay), false);
  Claim room{"Fig. 6",
             where + "lower bound below delay",
             std::string(setting.printed),
             0,
             0,
             {most},
             "%",
             "the saving of the best possible schedule",
             false};
  room.other_reading = reading != Reading::caption;
  result.claims.push_back(std::move(room));
}

}  // namespace

Result<ExperimentResult> lips_fig6(const ExperimentRun& run) {
  ExperimentResult result;
  result.setting = testbed_setting();
  std::vector<Chart> charts;
  for (std::size_t r = 0; r < readings.size(); ++r) {
    Chart chart{"Dollars for J1-J9, " + reading_name(readings[r]), "Mean over placements.", "setting", "USD", {}};
    for (std::size_t s = 0; s < settings.size(); ++s) {
      const double from = static_cast<double>(r * settings.size() + s) / 6;
      const ExperimentRun part = part_of(run, from, from + 1.0 / 6);
      const Result<TestbedRuns> runs = runs_of(part, settings[s], readings[r]);
      if (!runs) return tl::unexpected(runs.error());
      const auto bound = least_dollars_by_seed(part, testbed(settings[s], readings[r], "lips"));
      if (!bound) return tl::unexpected(bound.error());
      add_saving(settings[s], readings[r], *runs, *bound, result);
      chart.categories.emplace_back(settings[s].name);
      add_bar(chart, 0, "hadoop-default", spread_of(runs->hadoop, dollars).mean);
      add_bar(chart, 1, "delay", spread_of(runs->delay, dollars).mean);
      add_bar(chart, 2, "lips-paper, 600 s", spread_of(runs->paper, dollars).mean);
      add_bar(chart, 3, "lips-paper, 2400 s", spread_of(runs->paper_long, dollars).mean);
      add_bar(chart, 4, "lips", spread_of(runs->lips, dollars).mean);
      add_bar(chart, 5, "lower bound", spread(*bound).mean);
    }
    result.charts.push_back(std::move(chart));
  }
  result.notes = {
      "(i) has equal nodes: only the baseline's spend on transfer can be saved",
      "the saving of (iii) is bounded by prices alone; the paper's 79-81 % need a baseline that pays about two "
      "zone crossings a block, which 'two crossings' adds to delay's bill and neither baseline of ours makes",
      "at 600 s the work of J1-J9 exceeds two epochs, so lips-paper must use the expensive nodes too"};
  return result;
}

// ---- Fig. 7

namespace {

double makespan(const SimulatedOutcome& outcome) { return to_seconds(outcome.run.makespan); }
double mean_job(const SimulatedOutcome& outcome) { return outcome.run.completion.mean; }

Spread percent_above(const std::vector<double>& more, const std::vector<double>& than) {
  const Spread below = percent_below(more, than);
  return {-below.mean, -below.most, -below.least};
}

}  // namespace

Result<ExperimentResult> lips_fig7(const ExperimentRun& run) {
  ExperimentResult result;
  result.setting = testbed_setting();
  result.setting.chosen.emplace_back("we read 'total job execution time' as the makespan, and also show the mean job");
  Chart chart{"Makespan of J1-J9, caption's prices", "Mean over placements.", "setting", "s", {}};
  std::vector<double> paper_makespan, delay_makespan;
  for (std::size_t s = 0; s < settings.size(); ++s) {
    const double from = static_cast<double>(s) / 3;
    const Result<TestbedRuns> runs = runs_of(part_of(run, from, from + 1.0 / 3), settings[s], Reading::caption);
    if (!runs) return tl::unexpected(runs.error());
    const auto add = [&](std::string_view what, const std::vector<SimulatedOutcome>& ours,
                         double (*figure)(const SimulatedOutcome&), bool main) {
      Claim claim{"Fig. 7", fmt::format("{}: {} longer than delay's", settings[s].name, what),         "40-100 %", 35,
                  105,      {percent_above(figures_of(ours, figure), figures_of(runs->delay, figure))}};
      claim.other_reading = !main;
      result.claims.push_back(std::move(claim));
    };
    add("makespan, 600 s,", runs->paper, makespan, true);
    add("mean job, 600 s,", runs->paper, mean_job, false);
    add("makespan, 2400 s,", runs->paper_long, makespan, false);
    add("mean job, 2400 s,", runs->paper_long, mean_job, false);
    chart.categories.emplace_back(settings[s].name);
    add_bar(chart, 0, "hadoop-default", spread_of(runs->hadoop, makespan).mean);
    add_bar(chart, 1, "delay", spread_of(runs->delay, makespan).mean);
    add_bar(chart, 2, "lips-paper, 600 s", spread_of(runs->paper, makespan).mean);
    add_bar(chart, 3, "lips-paper, 2400 s", spread_of(runs->paper_long, makespan).mean);
    add_bar(chart, 4, "lips", spread_of(runs->lips, makespan).mean);
    paper_makespan.push_back(spread_of(runs->paper, makespan).mean);
    delay_makespan.push_back(spread_of(runs->delay, makespan).mean);
  }
  const auto change = [](const std::vector<double>& of) { return exactly(100 * (of.back() / of.front() - 1)); };
  result.claims.push_back({"Fig. 7",
                           "lips-paper's makespan from (i) to (iii)",
                           "longer",
                           0,
                           none,
                           {change(paper_makespan)},
                           "%",
                           "c1.medium nodes are faster and have two slots: more of them finish the same work sooner"});
  result.claims.push_back(
      {"Fig. 7", "delay's makespan from (i) to (iii)", "shorter", -none, 0, {change(delay_makespan)}});
  result.charts.push_back(std::move(chart));
  result.notes = {"the longer the epoch, the more lips-paper waits for cheap nodes: 2400 s shows the printed range"};
  return result;
}

// ---- Fig. 8

namespace {

const std::vector<double> epochs = {100, 200, 300, 400, 600, 800, 1000, 1200, 1600, 2400, 3600};

constexpr double least_step = 0.005;  // of the mean; less is flat

// The steps at which the mean moves in the wrong direction from one epoch to the next, as text.
std::string steps_against(const std::vector<double>& means, double direction) {
  std::string where;
  for (std::size_t i = 1; i < means.size(); ++i)
    if ((means[i] - means[i - 1]) * direction < -least_step * means[i - 1])
      where += fmt::format("{}{:.0f} to {:.0f} s ({:+.0f} %)", where.empty() ? "" : ", ", epochs[i - 1], epochs[i],
                           100 * (means[i] / means[i - 1] - 1));
  return where;
}

Claim steps_against_claim(std::string what, const std::vector<double>& means, double direction, std::string printed) {
  const std::string against = steps_against(means, direction);
  const auto count = against.empty() ? 0 : std::ranges::count(against, '(');
  Claim claim{"Fig. 8", std::move(what), std::move(printed), 0, 0, {exactly(static_cast<double>(count))}, "steps"};
  if (count > 0) claim.reason = "against it: " + against;
  return claim;
}

}  // namespace

Result<ExperimentResult> lips_fig8(const ExperimentRun& run) {
  ExperimentResult result;
  result.setting = testbed_setting();
  result.setting.fixed.emplace_back("setting (iii) of Fig. 6");
  result.setting.chosen.emplace_back("epochs of 100 to 3600 s: the text does not give those of the figure");
  Chart cost{"Dollars against the epoch", "Mean over placements; lips-paper.", "epoch in seconds", "USD", {}};
  Chart time{"Makespan against the epoch", "Mean over placements; lips-paper.", "epoch in seconds", "s", {}};
  cost.logarithmic_x = time.logarithmic_x = true;
  for (std::size_t r = 0; r < readings.size(); ++r) {
    Variants variants;
    for (const double epoch : epochs)
      variants.push_back(testbed(settings[2], readings[r], "lips-paper", fmt::format("{:.0f}s", epoch)));
    const auto runs =
        simulate_seeds(part_of(run, static_cast<double>(r) / 2, static_cast<double>(r + 1) / 2), variants);
    if (!runs) return tl::unexpected(runs.error());
    std::vector<double> dollar_means, makespan_means;
    Curve dollar_curve{reading_name(readings[r]), {}}, makespan_curve{reading_name(readings[r]), {}};
    for (std::size_t i = 0; i < epochs.size(); ++i) {
      dollar_means.push_back(spread_of((*runs)[i], dollars).mean);
      makespan_means.push_back(spread_of((*runs)[i], makespan).mean);
      dollar_curve.points.push_back({epochs[i], dollar_means.back()});
      makespan_curve.points.push_back({epochs[i], makespan_means.back()});
    }
    const std::string reading = ", " + reading_name(readings[r]);
    const std::size_t first = result.claims.size();
    result.claims.push_back({"Fig. 8",
                             "dollars at 3600 s below 100 s" + reading,
                             "falls",
                             5,
                             none,
                             {percent_below(figures_of(runs->back(), dollars), figures_of(runs->front(), dollars))}});
    result.claims.push_back({"Fig. 8",
                             "makespan at 3600 s above 100 s" + reading,
                             "rises",
                             5,
                             none,
                             {percent_above(figures_of(runs->back(), makespan), figures_of(runs->front(), makespan))}});
    result.claims.push_back(
        steps_against_claim("steps at which dollars rise" + reading, dollar_means, -1, "a falling curve"));
    result.claims.push_back(
        steps_against_claim("steps at which the makespan falls" + reading, makespan_means, 1, "a rising curve"));
    constexpr std::array ids{"dollars", "makespan", "dollar-steps", "makespan-steps"};
    for (std::size_t i = 0; i < ids.size(); ++i) {
      Claim& claim = result.claims[first + i];
      claim.id = fmt::format("{}/{}", to_string(readings[r]), ids[i]);
      claim.other_reading = readings[r] != Reading::caption;
    }
    cost.curves.push_back(std::move(dollar_curve));
    time.curves.push_back(std::move(makespan_curve));
  }
  result.charts = {std::move(cost), std::move(time)};
  result.notes = {
      "the tendency is the paper's; step by step it is not monotone: J1-J9 are 1,063 s of the whole cluster, so an "
      "epoch "
      "of 1000 s fills the expensive nodes too, while one of 800 s leaves a quarter to a second epoch on cheap nodes "
      "alone"};
  return result;
}

// ---- Fig. 11

namespace {

double jain(const std::vector<double>& values) {
  const double sum = std::accumulate(values.begin(), values.end(), 0.0);
  const double squares = std::inner_product(values.begin(), values.end(), values.begin(), 0.0);
  return squares > 0 ? sum * sum / (squares * static_cast<double>(values.size())) : 1;
}

double evenness(const SimulatedOutcome& outcome) { return jain(outcome.node_work); }

// Share of the work done by the expensive half of the nodes, which come first in the scenario.
double dear_share(const SimulatedOutcome& outcome) {
  const auto& work = outcome.node_work;
  const auto half = work.begin() + static_cast<std::ptrdiff_t>(work.size() / 2);
  return 100 * std::accumulate(work.begin(), half, 0.0) /
         std::max(1e-9, std::accumulate(work.begin(), work.end(), 0.0));
}

double busy_nodes(const SimulatedOutcome& outcome) {
  const double most = *std::ranges::max_element(outcome.node_work);
  return static_cast<double>(std::ranges::count_if(outcome.node_work, [&](double work) { return work > most / 20; }));
}

}  // namespace

Result<ExperimentResult> lips_fig11(const ExperimentRun& run) {
  ExperimentResult result;
  result.setting = testbed_setting();
  result.setting.fixed.emplace_back("epochs of 400 s and 600 s");
  result.setting.chosen.emplace_back(
      "setting (iii) of Fig. 6, as the text reads; CPU time of the whole run, caption's prices; 2400 s beside them");
  const std::array<std::string_view, 3> lengths = {"400s", "600s", long_epoch};
  Variants variants;
  for (const std::string_view epoch : lengths)
    variants.push_back(testbed(settings[2], Reading::caption, "lips-paper", epoch));
  const auto runs = simulate_seeds(run, variants);
  if (!runs) return tl::unexpected(runs.error());
  const auto difference = [&](double (*figure)(const SimulatedOutcome&), std::size_t longer) {
    const std::vector<double> a = figures_of((*runs)[0], figure), b = figures_of((*runs)[longer], figure);
    std::vector<double> less;
    for (std::size_t i = 0; i < a.size(); ++i) less.push_back(a[i] - b[i]);
    return spread(less);
  };
  for (const std::size_t longer : {1u, 2u}) {
    const std::string against = fmt::format("400 s above {}", longer == 1 ? "600 s" : "2400 s");
    const std::size_t first = result.claims.size();
    result.claims.push_back({"Fig. 11",
                             "evenness of CPU time over the nodes (Jain), " + against,
                             "more parallel",
                             0.005,
                             1,
                             {difference(evenness, longer)},
                             ""});
    result.claims.push_back({"Fig. 11",
                             "share of the work on the expensive nodes, " + against,
                             "spreads over more nodes",
                             0.5,
                             100,
                             {difference(dear_share, longer)},
                             "points"});
    result.claims.push_back({"Fig. 11",
                             "nodes with at least a twentieth of the busiest one's, " + against,
                             "spreads over more nodes",
                             0.05,
                             20,
                             {difference(busy_nodes, longer)},
                             "nodes"});
    constexpr std::array ids{"evenness", "dear-share", "busy-nodes"};
    for (std::size_t i = 0; i < ids.size(); ++i)
      result.claims[first + i].id = fmt::format("{}/{}", ids[i], longer == 1 ? 600 : 2400);
    if (longer == 2)
      for (std::size_t i = first; i < result.claims.size(); ++i) result.claims[i].other_reading = true;
    else if (!result.claims.back().agrees())
      result.claims.back().reason =
          "all 20 nodes work at both epochs: one epoch is too short for J1-J9 on the cheap ones";
  }
  Chart chart{"CPU time by node",
              "ECU-seconds in which slots were taken, mean over placements; nodes 0-9 m1.medium, 10-19 "
              "c1.medium.",
              "node",
              "ECU-s",
              {}};
  for (std::size_t v = 0; v < lengths.size(); ++v) {
    Curve curve{std::string("epoch ") + std::string(lengths[v]), {}};
    for (std::size_t node = 0; node < (*runs)[v].front().node_work.size(); ++node) {
      double sum = 0;
      for (const SimulatedOutcome& outcome : (*runs)[v]) sum += outcome.node_work[node];
      curve.points.push_back({static_cast<double>(node), sum / static_cast<double>((*runs)[v].size())});
    }
    chart.curves.push_back(std::move(curve));
  }
  result.charts.push_back(std::move(chart));
  return result;
}

}  // namespace lips::experiments
