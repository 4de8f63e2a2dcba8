#include "telemetry/page/spread.h"

#include "telemetry/page/html.h"
#include "telemetry/page/numbers.h"

namespace lips::page {
namespace {

constexpr auto median_shape = "<circle class=\"dot\" cx=\"0\" cy=\"0\" r=\"4.5\"></circle>";
constexpr auto mean_shape = "<path class=\"dot\" d=\"M0-6L6 0L0 6L-6 0Z\"></path>";
constexpr auto tail_shape = "<circle class=\"ring\" cx=\"0\" cy=\"0\" r=\"4.5\"></circle>";

std::string at(double position, const std::string& shape, const std::string& tip) {
  return "<svg class=\"point\" x=\"" + along(position) + "\" y=\"16\"><g><title>" + escape(tip) + "</title>" + shape +
         "</g></svg>";
}

std::string row(const Spread& spread, const Axis& axis) {
  std::string drawn;
  for (const auto& tick : axis.ticks) {
    const auto x = along(tick.position);
    drawn += "<line class=\"grid\" x1=\"" + x + "\" x2=\"" + x + "\" y1=\"0\" y2=\"32\"></line>";
  }
  drawn += "<line class=\"range\" x1=\"" + along(axis.at(spread.p50)) + "\" x2=\"" + along(axis.at(spread.p95)) +
           "\" y1=\"16\" y2=\"16\"></line>";
  const auto median = "median " + duration(spread.p50), mean = "mean " + duration(spread.mean),
             tail = "95th percentile " + duration(spread.p95);
  drawn += at(axis.at(spread.p95), tail_shape, tail) + at(axis.at(spread.p50), median_shape, median) +
           at(axis.at(spread.mean), mean_shape, mean);
  return std::string("<div class=\"row") + (spread.emphasised ? " strong" : "") + "\"><span class=\"name\">" +
         escape(spread.name) + "</span><svg class=\"bar\" role=\"img\" aria-label=\"" +
         escape(spread.name + ": " + median + ", " + mean + ", " + tail) + "\">" + drawn +
         "</svg><span class=\"value\">" + escape(spread.value) + "</span></div>\n";
}

std::string legend_entry(const std::string& shape, const std::string& name) {
  return "<li><svg class=\"strong\" aria-hidden=\"true\"><svg class=\"point\" x=\"7\" y=\"7\"><g>" + shape +
         "</g></svg></svg>" + name + "</li>";
}

}  // namespace

std::string render_spreads(const std::vector<Spread>& spreads, const Axis& axis) {
  std::string out = "<ul class=\"legend\">" + legend_entry(median_shape, "median") + legend_entry(mean_shape, "mean") +
                    legend_entry(tail_shape, "95th percentile") + "</ul>\n<div class=\"rows\">";
  for (const auto& spread : spreads) out += row(spread, axis);
  out += "<div class=\"row axis-row\" aria-hidden=\"true\"><span class=\"name\"></span><div class=\"x-axis\">";
  for (const auto& tick : axis.ticks) {
    out += "<span style=\"left:" + along(tick.position) + "\">" + escape(tick.label) + "</span>";
  }
  return out + "</div><span class=\"value\"></span></div></div>\n";
}

}  // namespace lips::page
