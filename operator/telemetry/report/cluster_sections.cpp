// The sections that show the cluster over time: shares of the pools, and the machines.
#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include "telemetry/page/area.h"
#include "telemetry/page/html.h"
#include "telemetry/page/numbers.h"
#include "telemetry/report/gantt.h"
#include "telemetry/report/sections.h"

namespace lips::page {
namespace {

constexpr std::size_t most_pools = 6;
constexpr std::size_t most_bars_on_the_page = 6000;

double longest(const ReportData& data) {
  double seconds = 0;
  for (const auto& run : data.runs) seconds = std::max(seconds, run.makespan_seconds);
  return seconds;
}

void put_largest_first(std::vector<std::string>& names, const ReportData& data) {
  std::map<std::string, double> size;
  for (const auto& run : data.runs) {
    for (const auto& pool : run.pool_shares.pools)
      size[pool.pool] += std::accumulate(pool.share.begin(), pool.share.end(), 0.0);
  }
  std::stable_sort(names.begin(), names.end(), [&](const auto& a, const auto& b) { return size[a] > size[b]; });
}

// Pools in order of first appearance in any run, or the largest first if there are more than colours. Each pool has one
// colour on the whole page.
std::vector<std::string> pool_names(const ReportData& data) {
  std::vector<std::string> names;
  const auto add = [&](const std::string& name) {
    if (!name.empty() && names.size() < 1000 && std::find(names.begin(), names.end(), name) == names.end())
      names.push_back(name);
  };
  for (const auto& run : data.runs) {
    if (run.fairness) {
      for (const auto& pool : run.fairness->pools) add(pool.pool);
    }
    for (const auto& pool : run.pool_shares.pools) add(pool.pool);
    for (const auto& machine : run.machines) {
      for (const auto& interval : machine.busy) add(interval.pool);
    }
  }
  if (names.size() > most_pools) put_largest_first(names, data);
  return names;
}

std::vector<Series> pool_legend(const std::vector<std::string>& pools) {
  std::vector<Series> series;
  for (std::size_t i = 0; i < pools.size() && i < most_pools; ++i)
    series.push_back({pools[i], categorical("", i).css_class, ""});
  if (pools.size() > most_pools) series.push_back({count(pools.size() - most_pools) + " other pools", "c0", ""});
  return series;
}

void add_to(std::vector<double>& sum, const std::vector<double>& values) {
  sum.resize(std::max(sum.size(), values.size()), 0);
  for (std::size_t i = 0; i < values.size(); ++i) sum[i] += values[i];
}

// One band for each pool of the legend, empty if this run lacks the pool; pools beyond the colours share one band.
std::vector<Band> bands(const ReportPoolShares& shares, const std::vector<std::string>& pools) {
  std::vector<Band> out;
  for (const auto& series : pool_legend(pools)) out.push_back({series.name, {}});
  for (const auto& pool : shares.pools) {
    const auto at = static_cast<std::size_t>(std::find(pools.begin(), pools.end(), pool.pool) - pools.begin());
    if (!out.empty()) add_to(out[std::min(at, out.size() - 1)].share, pool.share);
  }
  for (auto& band : out) band.share.resize(shares.times_seconds.size(), 0);
  return out;
}

Table shares_table(const AreaChart& chart, const std::string& policy) {
  constexpr std::size_t rows = 12;
  Table table{"Shares of the pools under " + policy, {"From"}, {}, false};
  std::vector<std::vector<double>> columns;
  for (const auto& band : chart.bands) {
    table.columns.push_back(band.name);
    columns.push_back(resample(chart.times, band.share, chart.end, rows));
  }
  for (std::size_t i = 0; i < rows; ++i) {
    table.rows.push_back({{duration(chart.end * static_cast<double>(i) / rows)}});
    for (const auto& column : columns) table.rows.back().push_back({percent(column[i])});
  }
  return table;
}

std::string share_figure(const ReportRun& run, const std::vector<std::string>& pools, double axis_end) {
  AreaChart chart;
  chart.description = "Shares of the cluster that the pools held over time under " + run.policy +
                      "; the figures are in the table below.";
  chart.times = run.pool_shares.times_seconds;
  chart.end = std::max(run.makespan_seconds, chart.times.back());
  chart.axis_end = std::max(axis_end, chart.end);
  chart.bands = bands(run.pool_shares, pools);
  return render_figure({run.policy, "", render_area(chart), shares_table(chart, run.policy)});
}

std::string fairness_table(const ReportData& data) {
  Table table{"Fairness", {"Policy", "Jain's index", "Worst shortfall", "of pool"}, {}, false};
  for (const auto& run : data.runs) {
    if (!run.fairness) continue;
    const auto& fairness = *run.fairness;
    table.rows.push_back({{run.policy},
                          {multiple(fairness.jain_index)},
                          {percent(fairness.worst_shortfall)},
                          {fairness.worst_pool.empty() ? "–" : fairness.worst_pool}});
  }
  return table.rows.empty() ? "" : render_table(table);
}

std::string mean_share_table(const ReportData& data) {
  Table table{"Mean share of the cluster by pool", {"Pool", "Fair share"}, {}, false};
  std::vector<std::pair<std::string, double>> pools;
  std::vector<const ReportRun*> runs;
  for (const auto& run : data.runs) {
    if (!run.fairness || run.fairness->pools.empty()) continue;
    runs.push_back(&run);
    table.columns.push_back(run.policy);
    for (const auto& pool : run.fairness->pools) {
      if (std::none_of(pools.begin(), pools.end(), [&](const auto& known) { return known.first == pool.pool; }))
        pools.emplace_back(pool.pool, pool.fair_share);
    }
  }
  for (const auto& [name, fair_share] : pools) {
    table.rows.push_back({{name}, {percent(fair_share)}});
    for (const auto* run : runs) {
      const auto& known = run->fairness->pools;
      const auto found = std::find_if(known.begin(), known.end(),
                                      [&, &pool_name = name](const auto& pool) { return pool.pool == pool_name; });
      table.rows.back().push_back({found == known.end() ? "–" : percent(found->mean_share)});
    }
  }
  return table.rows.empty() ? "" : render_table(table);
}

std::string machine_figure(const ReportRun& run, const GanttChart& chart) {
  const auto rows = strips(run.machines, run.makespan_seconds);
  Table table{"Machines under " + run.policy, {"Machine", "Busy"}, {}, false};
  for (const auto& row : rows) table.rows.push_back({{row.name}, {percent(row.mean)}});
  const auto* note = drawn_as_tasks(chart)               ? "Each bar is a task."
                     : run.machines.size() > rows.size() ? "How much of each class of nodes was busy."
                                                         : "How much of each node was busy.";
  return render_figure({run.policy, note, render_gantt(chart), table});
}

}  // namespace

std::string pool_figures(const ReportData& data) {
  const auto pools = pool_names(data);
  const double axis_end = longest(data);
  std::string charts;
  for (const auto& run : data.runs) {
    if (run.pool_shares.times_seconds.empty() || run.pool_shares.pools.empty()) continue;
    charts += share_figure(run, pools, axis_end);
  }
  if (!charts.empty()) {
    charts =
        "<h3>Share of the cluster over time</h3><p class=\"lead\">Busy slots held by each pool; the first pool is at "
        "the bottom, and what is left above is idle.</p>" +
        render_legend(pool_legend(pools)) + "<div class=\"pair\">" + charts + "</div>";
  }
  const auto fairness = fairness_table(data) + mean_share_table(data);
  const bool narrow = data.runs.size() <= 5 && pools.size() <= 12;
  return (narrow && !fairness.empty() ? "<div class=\"pair\">" + fairness + "</div>" : fairness) + charts;
}

std::string machine_figures(const ReportData& data) {
  std::string shown, folded;
  std::size_t drawn = 0;
  auto pools = pool_names(data);
  if (pools.size() > most_pools) pools.clear();
  for (const auto& run : data.runs) {
    if (run.machines.empty() || !(run.makespan_seconds > 0)) continue;
    const GanttChart chart{
        "Tasks on the machines over time under " + run.policy + "; how busy each was is in the table below.",
        run.machines,
        run.makespan_seconds,
        longest(data),
        pools,
        most_bars_on_the_page / data.runs.size()};
    (drawn++ < 2 ? shown : folded) += machine_figure(run, chart);
  }
  if (!folded.empty()) shown += "<details><summary>The other policies</summary>" + folded + "</details>";
  return shown;
}

}  // namespace lips::page
