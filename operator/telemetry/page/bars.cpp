#include "telemetry/page/bars.h"

#include <algorithm>

namespace lips::page {
namespace {

constexpr double room_for_text = 0.13;  // of the row, on the narrowest page

std::string rectangle(double from, double to, const std::string& paint, const std::string& content) {
  return "<rect x=\"" + along(from) + "\" y=\"6\" width=\"" + along(to - from) + "\" height=\"20\" " + paint + ">" +
         content + "</rect>";
}

std::string segment_svg(const BarChart& chart, const Segment& segment, double from, double to) {
  const auto& series = chart.series[segment.series];
  const auto title = "<title>" + escape(segment.tip) + "</title>";
  auto out = rectangle(from, to, "class=\"block " + series.css_class + "\"", title);
  if (!series.pattern.empty()) out += rectangle(from, to, "class=\"over\" fill=\"url(#" + series.pattern + ")\"", "");
  if (!segment.inside.empty() && to - from >= room_for_text) {
    out += "<text class=\"on-" + series.css_class + "\" x=\"" + along((from + to) / 2) +
           "\" y=\"20\" text-anchor=\"middle\">" + escape(segment.inside) + "</text>";
  }
  return out;
}

std::string row(const BarChart& chart, const Bar& bar) {
  std::string spoken = bar.name + ": " + bar.value, drawn;
  const double maximum = chart.maximum > 0 ? chart.maximum : 1;
  double from = 0;
  for (const auto& segment : bar.segments) {
    if (!(segment.value > 0) || segment.series >= chart.series.size()) continue;
    const double to = std::min(from + segment.value / maximum, 1.0);
    drawn += segment_svg(chart, segment, from, to);
    if (bar.segments.size() > 1) spoken += "; " + segment.tip;
    from = to;
  }
  if (chart.reference) {
    const auto x = along(chart.reference->value / maximum);
    for (const std::string kind : {"casing", "reference"}) {
      drawn += "<line class=\"" + kind + "\" x1=\"" + x + "\" x2=\"" + x + "\" y1=\"0\" y2=\"32\"></line>";
    }
  }
  return std::string("<div class=\"row") + (bar.emphasised ? " strong" : "") + "\"><span class=\"name\">" +
         escape(bar.name) + "</span><svg class=\"bar\" role=\"img\" aria-label=\"" + escape(spoken) + "\">" + drawn +
         "</svg><span class=\"value\">" + escape(bar.value) + "</span></div>\n";
}

}  // namespace

std::string render_bars(const BarChart& chart) {
  std::string out;
  if (chart.legend) out += render_legend(chart.series);
  out += "<div class=\"rows\">";
  for (const auto& bar : chart.bars) out += row(chart, bar);
  out += "</div>\n";
  if (chart.reference) {
    out +=
        "<p class=\"key\"><svg aria-hidden=\"true\"><line class=\"reference\" x1=\"7\" x2=\"7\" y1=\"0\" "
        "y2=\"14\"></line></svg>" +
        escape(chart.reference->label) + "</p>\n";
  }
  return out;
}

}  // namespace lips::page
