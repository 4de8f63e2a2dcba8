#include "telemetry/report/sections.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "telemetry/page/bars.h"
#include "telemetry/page/html.h"
#include "telemetry/page/lines.h"
#include "telemetry/page/numbers.h"
#include "telemetry/page/spread.h"
#include "telemetry/report/summary.h"

namespace lips::page {
namespace {

const std::vector<Series> one_series{{"", "bar-fill", ""}};

bool is_subject(const ReportData& data, const ReportRun& run) { return &run == subject_of(data); }

// One of the two bills of a run; none: the run lacks it.
struct BillOf {
  std::string name;
  bool leads = true;
  const ReportBill* operator()(const ReportRun& run) const {
    return leads ? &run.bill : run.other_bill ? &*run.other_bill : nullptr;
  }
};

// Names of terms in order of first appearance; the rest of the total is "other".
std::vector<std::string> term_names(const ReportData& data, const BillOf& bill_of) {
  std::vector<std::string> names;
  bool rest = false;
  for (const auto& run : data.runs) {
    const ReportBill* bill = bill_of(run);
    if (bill == nullptr) continue;
    double sum = 0;
    for (const auto& term : bill->terms) {
      sum += term.dollars;
      if (std::find(names.begin(), names.end(), term.name) == names.end()) names.push_back(term.name);
    }
    rest = rest || bill->dollars - sum > bill->dollars * 1e-4;
  }
  if (rest && std::find(names.begin(), names.end(), "other") == names.end()) names.emplace_back("other");
  return names;
}

std::vector<double> term_values(const ReportBill& bill, const std::vector<std::string>& names) {
  std::vector<double> values(names.size(), 0);
  double sum = 0;
  for (const auto& term : bill.terms) {
    values[static_cast<std::size_t>(std::find(names.begin(), names.end(), term.name) - names.begin())] += term.dollars;
    sum += term.dollars;
  }
  const auto other = std::find(names.begin(), names.end(), "other");
  if (other != names.end() && bill.dollars > sum)
    values[static_cast<std::size_t>(other - names.begin())] += bill.dollars - sum;
  return values;
}

void add_bill(const ReportRun& run, const ReportBill& bill, const std::vector<std::string>& names, Bar& bar,
              Table& table, double& maximum) {
  const auto values = term_values(bill, names);
  std::vector<Cell> row{{run.policy}};
  double sum = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    bar.segments.push_back({values[i], i, "", names[i] + " " + usd(values[i])});
    row.push_back({usd(values[i])});
    sum += std::max(values[i], 0.0);
  }
  row.push_back({usd(bill.dollars)});
  maximum = std::max({maximum, bill.dollars, sum});
  table.rows.push_back(std::move(row));
}

void mark_bound(const ReportLowerBound& bound, BarChart& chart, Table& table) {
  chart.reference =
      Mark{"lower bound " + usd(bound.dollars) + (bound.name.empty() ? "" : " (" + bound.name + ")"), bound.dollars};
  table.rows.emplace_back(table.columns.size());
  table.rows.back().front().text = "lower bound";
  table.rows.back().back().text = usd(bound.dollars);
}

std::string bill_figure(const ReportData& data, const BillOf& bill_of) {
  const auto names = term_names(data, bill_of);
  const std::string named = bill_of.name.empty() ? "" : ": " + bill_of.name;
  BarChart chart;
  Table table{"Dollars by term" + named, {"Policy"}, {}, false};
  for (std::size_t i = 0; i < names.size(); ++i) {
    chart.series.push_back(categorical(names[i], i));
    table.columns.push_back(names[i]);
  }
  table.columns.emplace_back("Total");
  double maximum = 0;
  for (const auto& run : data.runs) {
    const ReportBill* bill = bill_of(run);
    if (bill == nullptr) continue;
    Bar bar{run.policy, {}, usd(bill->dollars), is_subject(data, run)};
    add_bill(run, *bill, names, bar, table, maximum);
    chart.bars.push_back(std::move(bar));
  }
  if (chart.bars.empty()) return "";
  const bool bounded = data.lower_bound && data.lower_bound->of_other_bill != bill_of.leads;
  if (bounded) {
    maximum = std::max(maximum, data.lower_bound->dollars);
    mark_bound(*data.lower_bound, chart, table);
  }
  chart.maximum = maximum * 1.005;
  return render_figure(
      {"What the runs cost, by term" + named,
       bounded ? "No schedule of this work that ends as early as the longest run can cost less than the dashed line."
               : "",
       render_bars(chart), table});
}

Figure makespans(const ReportData& data) {
  BarChart chart;
  chart.series = one_series;
  chart.legend = false;
  chart.maximum = 0;
  Table table{"Makespan and jobs", {"Policy", "Makespan", "Jobs finished", "Jobs"}, {}, false};
  for (const auto& run : data.runs) {
    const auto text = duration(run.makespan_seconds);
    chart.bars.push_back({run.policy, {{run.makespan_seconds, 0, "", text}}, text, is_subject(data, run)});
    chart.maximum = std::max(chart.maximum, run.makespan_seconds);
    table.rows.push_back({{run.policy}, {text}, {count(run.jobs_finished)}, {count(run.jobs)}});
  }
  return {"Makespan", "From the first job's arrival to the last job's end.", render_bars(chart), table};
}

Figure completions(const ReportData& data) {
  std::vector<Spread> spreads;
  double longest = 0;
  const bool small = std::any_of(data.runs.begin(), data.runs.end(),
                                 [](const auto& run) { return run.small_jobs_p95_seconds.has_value(); });
  Table table{"Job completion time", {"Policy", "Mean", "Median", "95th percentile"}, {}, false};
  if (small) table.columns.emplace_back("95th, small jobs");
  for (const auto& run : data.runs) {
    const auto& time = run.completion;
    longest = std::max({longest, time.mean_seconds, time.p95_seconds});
    spreads.push_back({run.policy, time.p50_seconds, time.mean_seconds, time.p95_seconds, duration(time.mean_seconds),
                       is_subject(data, run)});
    table.rows.push_back(
        {{run.policy}, {duration(time.mean_seconds)}, {duration(time.p50_seconds)}, {duration(time.p95_seconds)}});
    if (small) table.rows.back().push_back({run.small_jobs_p95_seconds ? duration(*run.small_jobs_p95_seconds) : "–"});
  }
  return {"Job completion time", "From a job's arrival to its end; the figure at the right is the mean.",
          render_spreads(spreads, clock_axis(longest * 1.03, 4.5)), table};
}

std::string sweep_figure(const ReportData& data, const std::string& title, double ReportEpochPoint::*value) {
  LineChart chart;
  chart.x_title = "epoch";
  std::vector<double> epochs;
  double low = INFINITY, high = 0;
  const bool money = value == &ReportEpochPoint::dollars;
  auto points = data.epoch_sweep;
  std::erase_if(points,
                [&](const auto& point) { return !std::isfinite(point.*value) || !std::isfinite(point.epoch_seconds); });
  std::stable_sort(points.begin(), points.end(),
                   [](const auto& a, const auto& b) { return a.epoch_seconds < b.epoch_seconds; });
  for (const auto& run : data.epoch_sweep) {
    if (std::none_of(chart.lines.begin(), chart.lines.end(), [&](const auto& line) { return line.name == run.policy; }))
      chart.lines.push_back({run.policy, {}});
  }
  Table table{title, {"Policy", "Epoch", money ? "Cost" : "Makespan"}, {}, false};
  for (auto& line : chart.lines) {
    for (const auto& point : points) {
      if (point.policy != line.name) continue;
      const auto text = money ? usd(point.*value) : duration(point.*value), length = epoch(point.epoch_seconds);
      line.points.push_back({point.epoch_seconds, point.*value, length + " epoch, " + text});
      table.rows.push_back({{line.name}, {length}, {text}});
      epochs.push_back(point.epoch_seconds);
      low = std::min(low, point.*value);
      high = std::max(high, point.*value);
    }
  }
  chart.x = epoch_axis(epochs);
  chart.y = money ? dollar_axis(low, high) : duration_axis(low, high);
  chart.description = title + " for " + count(chart.lines.size()) + " policies; the figures are in the table below.";
  const auto note = std::string(money ? "Dollars of the whole run" : "From the first arrival to the last end") +
                    (chart.y.low > 0 ? "; the axis does not start at zero." : ".");
  return render_figure({title, note, render_lines(chart), table});
}

}  // namespace

std::string cost_figures(const ReportData& data) {
  return data.runs.empty()
             ? ""
             : bill_figure(data, {data.bill_name, true}) + bill_figure(data, {data.other_bill_name, false});
}

std::string time_figures(const ReportData& data) {
  if (data.runs.empty()) return "";
  return "<div class=\"pair\">" + render_figure(makespans(data)) + render_figure(completions(data)) + "</div>";
}

std::string locality_figures(const ReportData& data) {
  using Level = std::pair<const char*, double ReportLocality::*>;
  constexpr std::array<Level, 5> levels{{{"same node", &ReportLocality::node},
                                         {"same rack", &ReportLocality::rack},
                                         {"same zone", &ReportLocality::zone},
                                         {"another zone", &ReportLocality::remote},
                                         {"no input", &ReportLocality::none}}};
  BarChart chart;
  Table table{"Where tasks read their input", {"Policy"}, {}, false};
  std::vector<std::size_t> shown;
  for (std::size_t i = 0; i < levels.size(); ++i) {
    const bool used = std::any_of(data.runs.begin(), data.runs.end(), [&](const auto& run) {
      return run.locality && (*run.locality).*(levels[i].second) > 0;
    });
    if (!used) continue;
    shown.push_back(i);
    chart.series.push_back({levels[i].first, "q" + std::to_string(i + 1), i == 4 ? "p3" : ""});
    table.columns.emplace_back(levels[i].first);
  }
  for (const auto& run : data.runs) {
    if (!run.locality) continue;
    Bar bar{run.policy, {}, percent(run.locality->node), is_subject(data, run)};
    std::vector<Cell> row{{run.policy}};
    for (std::size_t i = 0; i < shown.size(); ++i) {
      const double part = (*run.locality).*(levels[shown[i]].second);
      bar.segments.push_back({part, i, percent(part), std::string(levels[shown[i]].first) + " " + percent(part)});
      row.push_back({percent(part)});
    }
    chart.bars.push_back(std::move(bar));
    table.rows.push_back(std::move(row));
  }
  if (chart.bars.empty()) return "";
  return render_figure({"Where tasks read their input",
                        "Share of tasks, nearest first; the figure at the right is the share read on the same node.",
                        render_bars(chart), table});
}

std::string epoch_figures(const ReportData& data) {
  if (data.epoch_sweep.empty()) return "";
  return "<div class=\"pair\">" + sweep_figure(data, "Cost against the epoch", &ReportEpochPoint::dollars) +
         sweep_figure(data, "Makespan against the epoch", &ReportEpochPoint::makespan_seconds) + "</div>";
}

std::string planning_table(const ReportData& data) {
  Table table{
      "Plans made in each run", {"Policy", "Plans", "Mean time", "Longest", "Widest gap to the bound"}, {}, false};
  for (const auto& run : data.runs) {
    if (!run.planning) continue;
    const auto& planning = *run.planning;
    table.rows.push_back({{run.policy},
                          {count(planning.plans)},
                          {duration(planning.mean_seconds)},
                          {duration(planning.worst_seconds)},
                          {percent(planning.worst_gap)}});
  }
  return table.rows.empty() ? "" : render_table(table);
}

std::string assumptions_table(const ReportData& data) {
  if (data.assumptions.empty()) return "";
  Table table{"What these figures rest on", {"Assumption", "Value", "Note"}, {}, true};
  for (const auto& assumption : data.assumptions)
    table.rows.push_back({{assumption.name}, {assumption.value}, {assumption.note}});
  return render_table(table);
}

}  // namespace lips::page
