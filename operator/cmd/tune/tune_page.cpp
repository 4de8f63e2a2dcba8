#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "cmd/tune/tune_result.h"
#include "telemetry/page/document.h"
#include "telemetry/page/html.h"
#include "telemetry/page/lines.h"
#include "telemetry/page/numbers.h"
#include "version.h"

namespace lips::cmd {

namespace {

struct Range {
  double low = std::numeric_limits<double>::infinity(), high = -low;
  void add(double value) { low = std::min(low, value), high = std::max(high, value); }
};

std::string tip(const CurvePoint& point) {
  return fmt::format("waitingPrice {}: {}, mean wait {}, mean completion {}", point_name(point),
                     page::usd(point.dollars), page::duration(point.mean_wait), page::duration(point.completion_mean));
}

bool counts(const CurvePoint& point) { return point.unfinished.empty(); }

page::Table table_of(const TuneResult& result) {
  page::Table table{"Each price of waiting, simulated",
                    {"waitingPrice", std::string(bill_name(result.billing)), "A day", "Mean completion", "p95",
                     "Mean wait, by work", ""},
                    {},
                    false};
  for (const CurvePoint& point : result.points) {
    const bool best = &point == result.chosen();
    const std::string mark = best                        ? "recommended"
                             : point.present             ? "now"
                             : !point.unfinished.empty() ? point.unfinished
                             : point.dominated           ? "dominated"
                                                         : "";
    table.rows.push_back({{point_name(point)},
                          {page::usd(point.dollars), best},
                          {page::usd(point.dollars_per_day)},
                          {page::duration(point.completion_mean), best},
                          {page::duration(point.completion_p95)},
                          {page::duration(point.mean_wait), best},
                          {mark}});
  }
  return table;
}

// Dollars against mean wait: a line for each variant, and the chosen and the present point on their own.
std::string curve_figure(const TuneResult& result) {
  page::LineChart drawing;
  Range x, y;
  const auto place = [](const CurvePoint& point) { return page::Point{point.mean_wait, point.dollars, tip(point)}; };
  for (const CurvePoint& point : result.points) {
    if (!counts(point)) continue;
    x.add(point.mean_wait), y.add(point.dollars);
    const std::string name = point.variant.empty() ? "Prices of waiting" : point.variant;
    if (drawing.lines.empty() || drawing.lines.back().name != name) drawing.lines.push_back({name, {}});
    drawing.lines.back().points.push_back(place(point));
  }
  if (drawing.lines.empty()) return "";
  for (page::Line& line : drawing.lines) std::ranges::stable_sort(line.points, {}, &page::Point::x);
  if (const CurvePoint* now = result.present_point()) drawing.lines.push_back({"Now", {place(*now)}});
  drawing.lines.push_back({"Recommended", {place(*result.chosen())}});
  drawing.description = "Dollars against mean wait, a point for each price of waiting";
  constexpr double room_for_labels = 3;
  drawing.x = page::duration_axis(x.low, x.high, room_for_labels);
  drawing.y = page::dollar_axis(y.low, y.high);
  drawing.x_title = "Mean wait, by work";
  return page::render_figure({"Dollars against waiting",
                              "Further down is cheaper, further left is quicker. Each point is a price of waiting.",
                              page::render_lines(drawing), table_of(result)});
}

// Time against the price, a line for each variant.
std::string time_figure(const TuneResult& result) {
  page::LineChart drawing;
  Range x, y;
  for (const CurvePoint& point : result.points) {
    if (!counts(point) || point.waiting_price <= 0) continue;
    x.add(point.waiting_price), y.add(point.completion_mean);
    const std::string name = point.variant.empty() ? "Mean completion" : point.variant;
    if (drawing.lines.empty() || drawing.lines.back().name != name) drawing.lines.push_back({name, {}});
    drawing.lines.back().points.push_back({point.waiting_price, point.completion_mean, tip(point)});
  }
  if (drawing.lines.empty() || x.low >= x.high) return "";
  drawing.description = "Mean completion of a job by price of waiting";
  drawing.x = page::power_axis(x.low, x.high);
  drawing.y = page::duration_axis(y.low, y.high);
  drawing.x_title = "waitingPrice";
  return page::render_figure({"How long jobs take", "From the arrival of a job to its end, in the mean.",
                              page::render_lines(drawing), table_of(result)});
}

std::string header(const TuneResult& result) {
  const CurvePoint* chosen = result.chosen();
  std::string out = "<header><p class=\"kicker\">" + page::escape(result.name) + "</p><h1>";
  if (!result.weighed.empty())
    return out + page::escape("What other weights of " + result.weighed + " would cost") + "</h1></header>\n";
  if (!chosen) return out + "No price of waiting finished all jobs</h1></header>\n";
  const std::string change = against_present(result);
  out += page::escape(fmt::format("waitingPrice {}: {} and a mean wait of {}", point_name(*chosen),
                                  page::usd(chosen->dollars), page::duration(chosen->mean_wait))) +
         "</h1><p class=\"support\">" + page::escape("Recommended as " + reason_text(result) + ".");
  if (!change.empty()) out += page::escape(fmt::format(" Compared with the present {:g}: {}.", result.present, change));
  out += "</p>";
  for (const std::string& line : setting_lines(*chosen)) out += "<p><code>" + page::escape(line) + "</code></p>";
  return out + "</header>\n";
}

// For each point, the part that each pool used of what it may use.
std::string shares(const TuneResult& result) {
  if (result.weighed.empty() || result.points.empty()) return "";
  page::Table table{"What each pool used of what it may use", {"waitingPrice"}, {}, true};
  for (const PoolPart& part : result.points.front().pools) table.columns.push_back(part.pool);
  for (const CurvePoint& point : result.points) {
    auto& row = table.rows.emplace_back();
    row.push_back({point_name(point)});
    for (const PoolPart& part : point.pools) row.push_back({used_text(part)});
  }
  return page::render_table(table);
}

std::string assumptions(const TuneResult& result) {
  page::Table table{"What the simulation takes for granted", {"What", "Value", "Note"}, {}, true};
  for (const simulation::Assumption& assumption : result.assumptions)
    table.rows.push_back({{assumption.name}, {assumption.value}, {assumption.note}});
  return "<section id=\"assumptions\"><h2>Assumptions</h2>\n" + page::render_table(table) + "</section>\n";
}

}  // namespace

std::string tune_page(const TuneResult& result) {
  std::string cautions;
  for (const CurvePoint& point : result.points)
    if (!counts(point))
      cautions += "<p class=\"caution\" role=\"note\"><strong>Mind:</strong> " +
                  page::escape(fmt::format("waitingPrice {}: {}.", point_name(point), point.unfinished)) + "</p>\n";
  return page::render_document(
      result.name + ": dollars against waiting",
      header(result) + cautions + "<section id=\"curve\">" + page::render_table(table_of(result)) + shares(result) +
          (result.choice ? "<div class=\"pair\">" + curve_figure(result) + time_figure(result) + "</div>" : "") +
          "</section>\n" + assumptions(result) + "<footer>Generated by " +
          page::escape(fmt::format("lips {}", version)) + ".</footer>\n");
}

}  // namespace lips::cmd
