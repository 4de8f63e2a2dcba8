#include "telemetry/page/plot.h"

#include "telemetry/page/html.h"

namespace lips::page {

std::string stretched(const std::string& paths) {
  return "<svg width=\"100%\" height=\"100%\" viewBox=\"0 0 1000 1000\" preserveAspectRatio=\"none\">" + paths +
         "</svg>";
}

std::string render_plot(const Plot& plot) {
  std::string grid, y_labels, x_labels;
  for (const auto& tick : plot.y.ticks) {
    const auto y = along(1 - tick.position);
    grid += "<line class=\"grid\" x1=\"0\" x2=\"100%\" y1=\"" + y + "\" y2=\"" + y + "\"></line>";
    y_labels += "<span style=\"top:" + y + "\">" + escape(tick.label) + "</span>";
  }
  for (const auto& tick : plot.x.ticks) {
    const auto x = along(tick.position);
    grid += "<line class=\"notch\" x1=\"" + x + "\" x2=\"" + x + "\" y1=\"100%\" y2=\"98%\"></line>";
    const auto* edge = tick.position < 0.02 ? " class=\"first\"" : tick.position > 0.96 ? " class=\"last\"" : "";
    x_labels += "<span" + std::string(edge) + " style=\"left:" + x + "\">" + escape(tick.label) + "</span>";
  }
  return "<div class=\"plot " + plot.css_class + "\"><div class=\"y-axis\" aria-hidden=\"true\">" + y_labels +
         "</div><div class=\"area\"><svg role=\"img\" aria-label=\"" + escape(plot.description) + "\">" + grid +
         plot.drawing + "</svg>" + plot.labels + "</div><div class=\"x-axis\" aria-hidden=\"true\">" + x_labels +
         "</div>" +
         (plot.x_title.empty() ? "" : "<p class=\"x-title\" aria-hidden=\"true\">" + escape(plot.x_title) + "</p>") +
         "</div>\n";
}

}  // namespace lips::page
