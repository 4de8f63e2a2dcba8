#include "telemetry/status/money_charts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <map>
#include <utility>

#include "telemetry/page/html.h"
#include "telemetry/page/lines.h"
#include "telemetry/page/numbers.h"
#include "telemetry/page/scale.h"

namespace lips {

namespace {

constexpr std::size_t most_lines = 6;  // that differ in colour
constexpr std::size_t most_rows = 13;  // of a table

// A sum over time, from the first point on.
struct Curve {
  std::string name;
  std::vector<double> dollars;  // by point
};

using Value = std::function<double(const MoneyPoint&)>;

Curve curve_of(const std::vector<MoneyPoint>& points, std::string name, const Value& value) {
  Curve curve{std::move(name), {}};
  for (const MoneyPoint& point : points) curve.dollars.push_back(value(point) - value(points.front()));
  return curve;
}

template <class Key, class T>
T value_at(const std::map<Key, T>& values, const Key& key) {
  const auto found = values.find(key);
  return found == values.end() ? T{} : found->second;
}

std::string pool_label(const std::string& pool) {
  if (pool == data_pool) return "copies and storage";
  return pool.empty() ? "no pool" : pool;
}

// Largest first; all beyond the most that can be told apart are one.
std::vector<Curve> by_pool(const std::vector<MoneyPoint>& points) {
  std::vector<Curve> curves;
  for (const auto& [pool, dollars] : points.back().spent)
    curves.push_back(curve_of(points, pool_label(pool),
                              [&pool = pool](const MoneyPoint& point) { return value_at(point.spent, pool); }));
  std::ranges::stable_sort(curves, std::greater(), [](const Curve& curve) { return curve.dollars.back(); });
  if (curves.size() <= most_lines) return curves;
  Curve& others = curves[most_lines - 1];
  for (std::size_t i = most_lines; i < curves.size(); ++i)
    std::ranges::transform(others.dollars, curves[i].dollars, others.dollars.begin(), std::plus());
  others.name = fmt::format("{} others", curves.size() - most_lines + 1);
  curves.resize(most_lines);
  return curves;
}

std::vector<Curve> of_invoice(const std::vector<MoneyPoint>& points) {
  if (points.back().paid <= points.front().paid) return {};
  return {curve_of(points, "paid", [](const MoneyPoint& point) { return point.paid; }),
          curve_of(points, "of it for idle nodes", [](const MoneyPoint& point) { return point.idle; })};
}

std::string ago(double seconds) { return seconds < 0.5 ? "now" : page::duration(seconds) + " ago"; }

// From -span to 0, with the ticks of a clock that counts backwards.
page::Axis past_axis(double span) {
  constexpr double most_ticks = 4;
  page::Axis axis = page::clock_axis(span, most_ticks);
  for (page::Tick& tick : axis.ticks) {
    tick.label = ago(tick.position * span);
    tick.position = 1 - tick.position;
  }
  axis.low = -span, axis.high = 0;
  return axis;
}

page::Table table_of(const std::vector<MoneyPoint>& points, const std::vector<Curve>& curves, std::string caption) {
  page::Table table{std::move(caption), {"when"}, {}, false};
  for (const Curve& curve : curves) table.columns.push_back(curve.name);
  const std::size_t last = points.size() - 1, step = last / (most_rows - 1) + 1;
  for (std::size_t back = last / step + 1; back-- > 0;) {
    const std::size_t i = last - back * step;
    table.rows.push_back({{ago(to_seconds(points[last].at - points[i].at))}});
    for (const Curve& curve : curves) table.rows.back().push_back({page::usd(curve.dollars[i])});
  }
  return table;
}

struct Words {
  std::string title, note;
};

std::string figure_of(const std::vector<MoneyPoint>& points, const std::vector<Curve>& curves, const Words& words) {
  page::LineChart drawing;
  double high = 0;
  const double span = to_seconds(points.back().at - points.front().at);
  std::string ends;
  for (const Curve& curve : curves) {
    const std::string sum = page::usd(curve.dollars.back());
    page::Line line{curve.name + ": " + sum, {}};
    ends += fmt::format("{}{} {}", ends.empty() ? "" : ", ", curve.name, sum);
    for (std::size_t i = 0; i < points.size(); ++i) {
      const double before = to_seconds(points.back().at - points[i].at);
      line.points.push_back(
          {-before, curve.dollars[i], fmt::format("{} {}", page::usd(curve.dollars[i]), ago(before))});
      high = std::max(high, curve.dollars[i]);
    }
    drawing.lines.push_back(std::move(line));
  }
  drawing.description = fmt::format("{}, over {}: {}", words.title, page::duration(span), ends);
  drawing.x = past_axis(span);
  drawing.y = page::dollar_axis(0, high);
  drawing.marks = page::LineMarks::last;
  return page::render_figure(
      {words.title, words.note, page::render_lines(drawing), table_of(points, curves, words.title)});
}

}  // namespace

std::string render_money(const std::vector<MoneyPoint>& points) {
  if (points.size() < 2 || points.back().at <= points.front().at) return "";
  const std::string span = page::duration(to_seconds(points.back().at - points.front().at));
  std::string out;
  if (const std::vector<Curve> invoice = of_invoice(points); !invoice.empty())
    out += figure_of(points, invoice,
                     {"Invoice", fmt::format("Nodes, used or not, and bytes, in the last {}, summed up.", span)});
  if (const std::vector<Curve> pools = by_pool(points); !pools.empty())
    out += figure_of(points, pools,
                     {"Dollars by use, by pool", fmt::format("Spent by use in the last {}, summed up.", span)});
  return out.empty() ? "" : "<div class=\"pair\">" + out + "</div>";
}

}  // namespace lips
