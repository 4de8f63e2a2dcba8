#include "telemetry/report/gantt.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "telemetry/page/html.h"
#include "telemetry/page/numbers.h"
#include "telemetry/page/scale.h"

namespace lips::page {
namespace {

constexpr std::size_t most_rows = 40, most_lanes = 4, bins = 120, shades = 5;

using Lanes = std::vector<std::vector<const ReportInterval*>>;

// The data does not record slots, so each task takes the first lane that is free at its start.
Lanes lanes_of(const ReportMachine& machine) {
  std::vector<const ReportInterval*> order;
  for (const auto& interval : machine.busy) order.push_back(&interval);
  std::stable_sort(order.begin(), order.end(),
                   [](const auto* a, const auto* b) { return a->start_seconds < b->start_seconds; });
  Lanes lanes;
  for (const auto* interval : order) {
    const auto free = std::find_if(lanes.begin(), lanes.end(), [&](const auto& lane) {
      return lane.back()->end_seconds <= interval->start_seconds + 1e-6;
    });
    if (free == lanes.end()) {
      lanes.push_back({interval});
    } else {
      free->push_back(interval);
    }
  }
  return lanes;
}

void add_busy(std::vector<double>& level, const ReportInterval& interval, double span) {
  const double width = span / bins;
  const double start = std::clamp(interval.start_seconds, 0.0, span), end = std::clamp(interval.end_seconds, 0.0, span);
  if (!(start < end)) return;
  for (auto bin = static_cast<std::size_t>(start / width); bin < bins && static_cast<double>(bin) * width < end;
       ++bin) {
    const double low = std::max(start, static_cast<double>(bin) * width);
    const double high = std::min(end, static_cast<double>(bin + 1) * width);
    if (high > low) level[bin] += (high - low) / width;
  }
}

// Busy slots in each bin.
std::vector<double> busy_slots(const ReportMachine& machine, double span) {
  std::vector<double> level(bins, 0);
  const double slots = std::max(machine.slots, 1);
  if (machine.utilisation.empty()) {
    for (const auto& interval : machine.busy) add_busy(level, interval, span);
    return level;
  }
  for (std::size_t i = 0; i < bins; ++i) level[i] = slots * machine.utilisation[i * machine.utilisation.size() / bins];
  return level;
}

struct Group {
  std::vector<double> busy = std::vector<double>(bins, 0);
  double slots = 0;
  std::size_t machines = 0;
};

Strip to_strip(std::string name, Group group) {
  Strip strip{std::move(name), std::move(group.busy), 0};
  for (auto& level : strip.level) {
    level = level > 0 ? std::min(level / group.slots, 1.0) : 0;  // NaN counts as idle
    strip.mean += level / bins;
  }
  return strip;
}

// The length of the common prefix of zone names; a single zone needs no name.
std::size_t common_zone_prefix(const std::vector<ReportMachine>& machines) {
  std::size_t length = machines.empty() ? 0 : machines.front().zone.size();
  for (const auto& machine : machines) {
    const auto& zone = machines.front().zone;
    const auto end = std::mismatch(zone.begin(), zone.end(), machine.zone.begin(), machine.zone.end()).first;
    length = std::min(length, static_cast<std::size_t>(end - zone.begin()));
  }
  while (length > 0 && (static_cast<unsigned char>(machines.front().zone[length - 1]) & 0x80) != 0) --length;
  return length;
}

std::string with_zone(const std::string& name, const std::string& zone, std::size_t prefix) {
  return zone.size() <= prefix ? name : name + " · " + zone.substr(prefix);
}

std::string strip_paths(const std::vector<Strip>& rows) {
  std::string out;
  for (std::size_t row = 0; row < rows.size(); ++row) {
    std::vector<std::string> paths(shades + 1);
    const auto shade = [&](std::size_t bin) {
      return static_cast<std::size_t>(std::ceil(rows[row].level[bin] * shades - 0.02));
    };
    for (std::size_t from = 0; from < bins;) {
      std::size_t to = from + 1;
      while (to < bins && shade(to) == shade(from)) ++to;
      paths[shade(from)] += fmt::format("M{} {}h{}v8h-{}z", from, row * 10 + 1, to - from, to - from);
      from = to;
    }
    out += "<g><title>" + escape(rows[row].name + ": busy " + percent(rows[row].mean)) + "</title>";
    for (std::size_t i = 0; i <= shades; ++i) {
      if (!paths[i].empty()) out += fmt::format("<path class=\"h{}\" d=\"{}\"></path>", i, paths[i]);
    }
    out += "</g>\n";
  }
  return out;
}

std::string task_bars(const GanttChart& chart) {
  std::string out;
  std::map<std::string, std::string> classes;
  for (std::size_t i = 0; i < chart.pools.size(); ++i) classes.emplace(chart.pools[i], categorical("", i).css_class);
  for (std::size_t row = 0; row < chart.machines.size(); ++row) {
    const auto lanes = lanes_of(chart.machines[row]);
    out += fmt::format("<path class=\"h0\" d=\"M0 {}h{}v8h-{}z\"></path>", row * 10 + 1, bins, bins);
    const double height = 8.0 / static_cast<double>(std::max<std::size_t>(lanes.size(), 1));
    for (std::size_t lane = 0; lane < lanes.size(); ++lane) {
      for (const auto* interval : lanes[lane]) {
        const double from = std::clamp(interval->start_seconds / chart.span, 0.0, 1.0) * bins;
        const double to = std::clamp(interval->end_seconds / chart.span, 0.0, 1.0) * bins;
        if (!(from <= to)) continue;
        const auto found = classes.find(interval->pool);
        const auto tip = interval->job + (interval->pool.empty() ? "" : " (" + interval->pool + ")") + ", " +
                         duration(interval->start_seconds) + " to " + duration(interval->end_seconds);
        out += fmt::format(
            "<rect class=\"task {}\" x=\"{:.2f}\" y=\"{:.2f}\" width=\"{:.2f}\" "
            "height=\"{:.2f}\"><title>{}</title></rect>",
            found == classes.end() ? "c1" : found->second, from,
            static_cast<double>(row) * 10 + 1 + static_cast<double>(lane) * height, std::max(to - from, 0.05), height,
            escape(tip));
      }
    }
    out += '\n';
  }
  return out;
}

std::string shade_legend() {
  std::vector<Series> series{{"idle", "h0", ""}};
  for (std::size_t i = 1; i <= shades; ++i) {
    series.push_back({fmt::format("{}{} %", i == 1 ? "busy up to " : "", i * 100 / shades), fmt::format("h{}", i), ""});
  }
  return render_legend(series);
}

}  // namespace

bool drawn_as_tasks(const GanttChart& chart) {
  if (chart.machines.size() > most_rows) return false;
  std::size_t bars = 0;
  for (const auto& machine : chart.machines) {
    bars += machine.busy.size();
    if (bars > chart.most_bars || !machine.utilisation.empty() || lanes_of(machine).size() > most_lanes) return false;
  }
  return true;
}

std::vector<Strip> strips(const std::vector<ReportMachine>& machines, double span) {
  std::vector<Strip> out;
  if (!(span > 0)) return out;
  const auto prefix = common_zone_prefix(machines);
  std::map<std::pair<std::string, std::string>, Group> groups;
  for (const auto& machine : machines) {
    Group alone{busy_slots(machine, span), static_cast<double>(std::max(machine.slots, 1)), 1};
    if (machines.size() <= most_rows) {
      out.push_back(to_strip(with_zone(machine.name, machine.zone, prefix), std::move(alone)));
      continue;
    }
    auto& group = groups[{machine.node_class, machine.zone}];
    for (std::size_t i = 0; i < bins; ++i) group.busy[i] += alone.busy[i];
    group.slots += alone.slots;
    ++group.machines;
  }
  Group rest;
  std::size_t kinds = 0;
  for (auto& [key, group] : groups) {
    if (groups.size() > most_rows && out.size() + 1 >= most_rows) {
      for (std::size_t i = 0; i < bins; ++i) rest.busy[i] += group.busy[i];
      rest.slots += group.slots;
      ++kinds;
      continue;
    }
    const auto name = with_zone(key.first.empty() ? "nodes" : key.first, key.second, prefix);
    const std::string title = fmt::format("{} ×{}", name, count(group.machines));
    out.push_back(to_strip(title, std::move(group)));
  }
  if (kinds > 0) out.push_back(to_strip(fmt::format("{} other classes", kinds), std::move(rest)));
  return out;
}

std::string render_gantt(const GanttChart& chart) {
  const bool tasks = drawn_as_tasks(chart);
  const auto rows = strips(chart.machines, chart.span);
  std::vector<Series> pools;
  for (std::size_t i = 0; i < chart.pools.size(); ++i)
    pools.push_back({chart.pools[i], categorical("", i).css_class, ""});
  std::string names, out = !tasks ? shade_legend() : pools.size() > 1 ? render_legend(pools) : "";
  for (const auto& row : rows) names += "<span title=\"" + escape(row.name) + "\">" + escape(row.name) + "</span>";
  const double width = chart.axis_end > 0 ? std::min(chart.span / chart.axis_end, 1.0) : 1;
  const auto height = rows.size() * (rows.size() <= 12 ? 22 : 16);
  out += fmt::format("<div class=\"gantt{}\"><div class=\"names\" aria-hidden=\"true\">{}</div>",
                     rows.size() <= 12 ? " roomy" : "", names);
  out += fmt::format(
      "<svg role=\"img\" aria-label=\"{}\" height=\"{}\"><svg width=\"{}\" height=\"100%\" viewBox=\"0 0 {} {}\" "
      "preserveAspectRatio=\"none\">{}</svg></svg>",
      escape(chart.description), height, along(width), bins, rows.size() * 10,
      tasks ? task_bars(chart) : strip_paths(rows));
  out += "<div class=\"x-axis\" aria-hidden=\"true\">";
  for (const auto& tick : clock_axis(chart.axis_end).ticks) {
    const auto* edge = tick.position < 0.02 ? " class=\"first\"" : tick.position > 0.96 ? " class=\"last\"" : "";
    out += fmt::format("<span{} style=\"left:{}\">{}</span>", edge, along(tick.position), escape(tick.label));
  }
  return out + "</div></div>\n";
}

}  // namespace lips::page
