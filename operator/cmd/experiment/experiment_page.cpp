#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "cmd/experiment/experiment_result.h"
#include "telemetry/page/bars.h"
#include "telemetry/page/document.h"
#include "telemetry/page/html.h"
#include "telemetry/page/lines.h"
#include "version.h"

namespace lips::cmd {

namespace {

using namespace experiments;

std::string value_text(const Chart& chart, double value) {
  const double size = std::abs(value);
  const std::string number = size >= 1000 || size == 0 ? fmt::format("{:.0f}", value) : fmt::format("{:.3g}", value);
  return chart.unit.empty() ? number : number + " " + chart.unit;
}

struct Range {
  double low = std::numeric_limits<double>::infinity(), high = -low;
  void add(double value) { low = std::min(low, value), high = std::max(high, value); }
};

std::string lines_body(const Chart& chart) {
  Range x, y;
  page::LineChart drawing;
  for (const Curve& curve : chart.curves) {
    page::Line line{curve.name, {}};
    for (const ChartPoint& point : curve.points) {
      if (!std::isfinite(point.y) || (chart.logarithmic_x && point.x <= 0)) continue;
      x.add(point.x), y.add(point.y);
      line.points.push_back(
          {point.x, point.y, fmt::format("{:g} {}: {}", point.x, chart.x_title, value_text(chart, point.y))});
    }
    drawing.lines.push_back(std::move(line));
  }
  if (x.high < x.low) return "";
  drawing.description = chart.title;
  drawing.x = chart.logarithmic_x ? page::power_axis(x.low, x.high) : page::number_axis(x.low, x.high);
  drawing.y = page::number_axis(y.low, y.high);
  drawing.x_title = chart.x_title;
  return page::render_lines(drawing);
}

std::string bars_body(const Chart& chart) {
  page::BarChart drawing;
  drawing.maximum = 0;
  for (std::size_t i = 0; i < chart.curves.size(); ++i)
    drawing.series.push_back(page::categorical(chart.curves[i].name, i));
  for (std::size_t category = 0; category < chart.categories.size(); ++category) {
    bool first = true;
    for (std::size_t i = 0; i < chart.curves.size(); ++i) {
      const auto& points = chart.curves[i].points;
      const auto point = std::ranges::find(points, static_cast<double>(category), &ChartPoint::x);
      if (point == points.end()) continue;
      drawing.maximum = std::max(drawing.maximum, point->y);
      const std::string text = value_text(chart, point->y);
      drawing.bars.push_back({first ? chart.categories[category] : "",
                              {{point->y, i, "", chart.curves[i].name + ": " + text}},
                              text,
                              first && chart.curves.size() > 1});
      first = false;
    }
  }
  drawing.legend = chart.curves.size() > 1;
  return page::render_bars(drawing);
}

page::Table chart_table(const Chart& chart) {
  std::vector<std::vector<std::string>> rows = chart_rows(chart);
  page::Table table{chart.title, std::move(rows.front()), {}, false};
  for (std::size_t i = 1; i < rows.size(); ++i) {
    table.rows.emplace_back();
    for (std::string& cell : rows[i]) table.rows.back().push_back({std::move(cell)});
  }
  return table;
}

std::string figure(const Chart& chart) {
  const std::string body = chart.categories.empty() ? lines_body(chart) : bars_body(chart);
  const std::string title = chart.unit.empty() ? chart.title : chart.title + ", " + chart.unit;
  return page::render_figure({title, chart.note, body, chart_table(chart)});
}

page::Table claims_of(const ExperimentResult& result, bool other_readings) {
  page::Table table{other_readings ? "The same in other readings" : "Printed claims beside ours",
                    {"What", "Printed", "Ours", "Verdict"},
                    {},
                    true};
  for (const Claim& claim : result.claims) {
    if (claim.other_reading != other_readings) continue;
    const std::string band = claim.comparable ? fmt::format(" (agrees: {})", band_text(claim)) : "";
    table.rows.push_back({{claim.what}, {claim.printed + band}, {"ours: " + ours_text(claim)}, {verdict_text(claim)}});
  }
  return table;
}

std::string claims(const ExperimentResult& result) {
  std::string out;
  if (const page::Table main = claims_of(result, false); !main.rows.empty()) out += page::render_table(main);
  if (const page::Table others = claims_of(result, true); !others.rows.empty())
    out += fmt::format("<details><summary>In other readings: {}</summary>\n{}</details>\n", others.rows.size(),
                       page::render_table(others));
  return out;
}

std::string list(const std::string& title, const std::vector<std::string>& lines) {
  if (lines.empty()) return "";
  std::string out = "<h3>" + page::escape(title) + "</h3><ul>";
  for (const std::string& line : lines) out += "<li>" + page::escape(line) + "</li>";
  return out + "</ul>\n";
}

std::string section(const ExperimentOutcome& outcome) {
  const Experiment& experiment = *outcome.experiment;
  const ExperimentResult& result = outcome.result;
  std::string out = fmt::format("<section id=\"{}\"><h2>{}</h2>\n<p class=\"lead\">{}</p>\n", experiment.name,
                                page::escape(fmt::format("{} {}", experiment.paper, experiment.figure)),
                                page::escape(experiment.summary));
  for (const Chart& chart : result.charts) out += figure(chart);
  out += claims(result);
  out += list("What the paper fixes", result.setting.fixed);
  out += list("What we chose", result.setting.chosen);
  out += list("How to read it", result.notes);
  return out + "</section>\n";
}

}  // namespace

std::string experiments_page(const ExperimentOutcomes& all) {
  std::string links, body;
  for (const ExperimentOutcome& outcome : all.outcomes) {
    links += fmt::format("<a href=\"#{0}\">{0}</a>", outcome.experiment->name);
    body += section(outcome);
  }
  std::string header =
      "<header><p class=\"kicker\">Published experiments, run again</p><h1>" +
      page::escape(verdicts_text(all.outcomes)) + "</h1><p class=\"support\">" +
      page::escape(fmt::format("Figures that are random are means over {} seed{}, unless the setting says otherwise.",
                               all.seeds, all.seeds == 1 ? "" : "s")) +
      "</p></header>\n";
  for (const std::string& name : all.not_run)
    header += "<p class=\"caution\" role=\"note\"><strong>Mind:</strong> " + page::escape(name + " was interrupted.") +
              "</p>\n";
  return page::render_document("Published experiments, run again",
                               header + "<nav aria-label=\"Experiments\">" + links + "</nav>\n" + body +
                                   page::escape(fmt::format("Generated by lips {}.", version)));
}

}  // namespace lips::cmd
