#include "telemetry/page/lines.h"

#include <fmt/format.h>

#include <array>
#include <cstddef>

#include "telemetry/page/html.h"
#include "telemetry/page/plot.h"

namespace lips::page {
namespace {

constexpr std::size_t looks = 7;
constexpr std::array<const char*, 4> shapes{"M-4.5 0a4.5 4.5 0 1 0 9 0a4.5 4.5 0 1 0-9 0Z", "M-4-4H4V4H-4Z",
                                            "M0-5.5L5.5 4.5H-5.5Z", "M0-6L6 0L0 6L-6 0Z"};

std::string css_class(std::size_t index) { return fmt::format("l{}", index < looks - 1 ? index + 1 : 0); }

std::string shape(std::size_t index) {
  return "<path class=\"dot " + css_class(index) + "\" d=\"" + shapes[index % shapes.size()] + "\"></path>";
}

std::string line_path(const LineChart& chart, std::size_t index) {
  std::string path;
  for (const auto& point : chart.lines[index].points) {
    path += fmt::format("{}{:.1f} {:.1f}", path.empty() ? "M" : "L", chart.x.at(point.x) * 1000,
                        (1 - chart.y.at(point.y)) * 1000);
  }
  return path.empty() ? "" : "<path class=\"line " + css_class(index) + "\" d=\"" + path + "\"></path>";
}

}  // namespace

std::string render_lines(const LineChart& chart) {
  std::string paths, points, legend = "<ul class=\"legend\">";
  for (std::size_t i = 0; i < chart.lines.size(); ++i) {
    const auto& line = chart.lines[i];
    paths += line_path(chart, i);
    for (const auto& point : line.points) {
      if (chart.marks == LineMarks::last && &point != &line.points.back()) continue;
      points += "<svg class=\"point\" x=\"" + along(chart.x.at(point.x)) + "\" y=\"" + along(1 - chart.y.at(point.y)) +
                "\"><g><title>" + escape(line.name + ": " + point.tip) + "</title>" + shape(i) + "</g></svg>";
    }
    legend += "<li><svg class=\"long\" aria-hidden=\"true\"><path class=\"line " + css_class(i) +
              "\" d=\"M0 7H32\"></path><svg class=\"point\" x=\"16\" y=\"7\">" + shape(i) + "</svg></svg>" +
              escape(line.name) + "</li>";
  }
  return legend + "</ul>\n" +
         render_plot({chart.description, chart.x, chart.y, stretched(paths) + points, "", chart.x_title, "tall"});
}

}  // namespace lips::page
