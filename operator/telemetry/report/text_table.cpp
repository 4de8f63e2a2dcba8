#include "telemetry/report/text_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "telemetry/page/numbers.h"
#include "telemetry/report/summary.h"

namespace lips {
namespace {

constexpr std::size_t longest_name = 24, gap = 2;

std::size_t code_points(const std::string& text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

// Replaces control characters and limits the length.
std::string plain(const std::string& name) {
  std::string out;
  for (const char c : name) out += (c >= 0 && c < ' ') || c == '\x7f' ? '?' : c;
  if (code_points(out) <= longest_name) return out;
  std::size_t end = 0;
  for (std::size_t kept = 0; end < out.size(); ++end) {
    if ((static_cast<unsigned char>(out[end]) & 0xC0) != 0x80 && kept++ == longest_name - 1) break;
  }
  return out.substr(0, end) + "~";
}

struct Column {
  std::string title;
  int importance;  // if the line is too long, the least important goes first
  std::vector<std::string> cells;
  std::size_t width = 0;
};

std::string compact(std::string text) {
  std::erase(text, ' ');
  return text;
}

// "2h 16m": a terminal has little room.
std::string short_duration(double seconds) {
  auto text = page::duration(seconds);
  for (const auto& [unit, letter] : {std::pair{" min", "m"}, {" h", "h"}, {" d", "d"}, {" s", "s"}}) {
    const auto at = text.find(unit);
    if (at != std::string::npos) text.replace(at, std::string_view(unit).size(), letter);
  }
  return text;
}

std::string saving(const ReportRun& run, const ReportRun& baseline) {
  if (&run == &baseline) return "base";
  if (!(baseline.bill.dollars > 0)) return "-";
  const auto text = compact(page::percent(1 - run.bill.dollars / baseline.bill.dollars));
  return text.starts_with('-') || text == "0%" ? text : "+" + text;
}

std::vector<Column> columns(const ReportData& data) {
  using Value = std::optional<std::string>;
  std::vector<Column> out;
  const auto add = [&](std::string title, int importance, const std::function<Value(const ReportRun&)>& value) {
    Column column{std::move(title), importance, {}, 0};
    bool any = false;
    for (const auto& run : data.runs) {
      const auto text = value(run);
      any = any || text;
      column.cells.push_back(text.value_or("-"));
    }
    if (any) out.push_back(std::move(column));
  };
  const auto* baseline = page::baseline_of(data);
  add("policy", 100, [](const auto& run) { return plain(run.policy); });
  add(data.bill_name.empty() ? "dollars" : data.bill_name, 99,
      [](const auto& run) { return page::usd(run.bill.dollars); });
  if (baseline != nullptr) add("saving", 98, [&](const auto& run) { return saving(run, *baseline); });
  add(data.other_bill_name, 98,
      [](const auto& run) { return run.other_bill ? Value(page::usd(run.other_bill->dollars)) : Value(); });
  if (data.lower_bound && data.lower_bound->dollars > 0) {
    add("x bound", 96,
        [&](const auto& run) { return page::multiple(page::bounded_dollars(data, run) / data.lower_bound->dollars); });
  }
  add("makespan", 97, [](const auto& run) { return short_duration(run.makespan_seconds); });
  add("mean job", 95, [](const auto& run) { return short_duration(run.completion.mean_seconds); });
  add("p95 job", 92, [](const auto& run) { return short_duration(run.completion.p95_seconds); });
  add("local", 94,
      [](const auto& run) { return run.locality ? Value(compact(page::percent(run.locality->node))) : Value(); });
  add("cross-zone", 93, [](const auto& run) {
    return run.cross_zone_gigabytes ? Value(page::gigabytes(*run.cross_zone_gigabytes)) : Value();
  });
  add("fairness", 91,
      [](const auto& run) { return run.fairness ? Value(page::multiple(run.fairness->jain_index)) : Value(); });
  for (auto& column : out) {
    column.width = column.title.size();
    for (const auto& cell : column.cells) column.width = std::max(column.width, code_points(cell));
  }
  return out;
}

std::size_t line_width(const std::vector<Column>& columns) {
  std::size_t width = 0;
  for (const auto& column : columns) width += column.width + (width == 0 ? 0 : gap);
  return width;
}

std::string padded(const std::string& text, std::size_t width, bool left) {
  const std::string space(width - std::min(width, code_points(text)), ' ');
  return left ? text + space : space + text;
}

}  // namespace

std::string render_text_table(const ReportData& data, std::size_t width) {
  if (data.runs.empty()) return "";
  auto shown = columns(data);
  while (line_width(shown) > width && shown.size() > 2) {
    shown.erase(std::min_element(shown.begin(), shown.end(),
                                 [](const auto& a, const auto& b) { return a.importance < b.importance; }));
  }
  std::string out;
  const auto line = [&](const auto& text) {
    std::string cells;
    for (std::size_t i = 0; i < shown.size(); ++i) {
      if (i > 0) cells.append(gap, ' ');
      cells.append(padded(text(shown[i]), shown[i].width, i == 0));
    }
    while (cells.ends_with(' ')) cells.pop_back();
    out += cells + "\n";
  };
  line([](const Column& column) { return column.title; });
  line([](const Column& column) { return std::string(column.width, '-'); });
  for (std::size_t run = 0; run < data.runs.size(); ++run)
    line([&](const Column& column) { return column.cells[run]; });
  if (data.lower_bound)
    out += "lower bound " + (data.lower_bound->of_other_bill ? data.other_bill_name + " " : "") +
           page::usd(data.lower_bound->dollars) +
           (data.lower_bound->name.empty() ? "" : " (" + plain(data.lower_bound->name) + ")") + "\n";
  return out;
}

}  // namespace lips
