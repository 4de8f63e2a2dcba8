#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <numeric>

#include "base/enum_array.h"
#include "cmd/experiment/experiment_result.h"

namespace lips::cmd {

namespace {

using namespace experiments;

constexpr std::size_t least_width = 100;

// Wraps words into lines of at most `width` columns, indented by `indent`.
std::string wrapped(std::string_view text, std::size_t indent, std::size_t width = least_width) {
  std::string out;
  std::size_t column = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (column > 0 && indent + column + 1 + word.size() > width) {
      out += "\n" + std::string(indent, ' ');
      column = 0;
    } else if (column > 0) {
      out += ' ', ++column;
    }
    out += word, column += word.size();
  }
  return out + "\n";
}

std::string bullets(std::string_view title, const std::vector<std::string>& lines) {
  std::string out;
  for (const std::string& line : lines)
    out += fmt::format("  {:<18}{}", out.empty() ? title : "", wrapped("- " + line, 22));
  return out;
}

std::string claims_text(const std::vector<Claim>& claims) {
  std::size_t what = 4, printed = 7, ours = 4;
  for (const Claim& claim : claims) {
    what = std::max(what, std::min<std::size_t>(claim.what.size(), 80));
    printed = std::max(printed, std::min<std::size_t>(claim.printed.size(), 24));
    ours = std::max(ours, std::min<std::size_t>(ours_text(claim).size(), 44));
  }
  std::string out = fmt::format("  {:<{}}  {:<{}}  {:<{}}  verdict\n", "what", what, "printed", printed, "ours", ours);
  for (const Claim& claim : claims) {
    out += fmt::format("  {:<{}}  {:<{}}  {:<{}}  {}{}\n", claim.what, what, claim.printed, printed, ours_text(claim),
                       ours, to_string(claim.verdict()), claim.other_reading ? " (another reading)" : "");
    if (!claim.reason.empty()) out += "      " + wrapped(claim.reason, 6);
  }
  return out;
}

std::string chart_text(const Chart& chart) {
  const std::vector<std::vector<std::string>> rows = chart_rows(chart);
  if (rows.size() > 46) return fmt::format("  {}: {} points, drawn with --report\n", chart.title, rows.size() - 1);
  std::string out = fmt::format("  {}{}\n", chart.title, chart.unit.empty() ? "" : ", " + chart.unit);
  std::size_t name = chart.categories.empty() ? 8 : 0;
  for (const std::vector<std::string>& row : rows) name = std::max(name, row.front().size());
  for (const std::vector<std::string>& row : rows) {
    out += fmt::format("    {:<{}}", row.front(), name);
    for (std::size_t i = 1; i < row.size(); ++i)
      out += fmt::format("  {:>{}}", row[i], std::max<std::size_t>(12, rows.front()[i].size()));
    out += "\n";
  }
  return out;
}

}  // namespace

std::vector<std::vector<std::string>> chart_rows(const Chart& chart) {
  std::vector<double> xs;
  std::vector<std::vector<std::string>> rows = {{chart.x_title}};
  for (const Curve& curve : chart.curves) {
    rows.front().push_back(curve.name);
    for (const ChartPoint& point : curve.points) xs.push_back(point.x);
  }
  std::ranges::sort(xs);
  xs.erase(std::ranges::unique(xs).begin(), xs.end());
  for (const double x : xs) {
    const auto at = static_cast<std::size_t>(x);
    rows.push_back({at < chart.categories.size() ? chart.categories[at] : fmt::format("{:g}", x)});
    for (const Curve& curve : chart.curves) {
      const auto point = std::ranges::find(curve.points, x, &ChartPoint::x);
      rows.back().push_back(point == curve.points.end() ? "-" : fmt::format("{:.4g}", point->y));
    }
  }
  return rows;
}

std::string verdicts_text(std::span<const ExperimentOutcome> outcomes) {
  EnumArray<Verdict, std::size_t> count;
  std::size_t others = 0;
  for (const ExperimentOutcome& outcome : outcomes)
    for (const Claim& claim : outcome.result.claims) ++(claim.other_reading ? others : count[claim.verdict()]);
  const std::size_t all = std::accumulate(count.begin(), count.end(), std::size_t{0});
  const std::string experiments = fmt::format("{} experiment{}", outcomes.size(), outcomes.size() == 1 ? "" : "s");
  if (all + others == 0) return experiments + " without claims";
  return fmt::format("{}, {} claims: {} agree, {} differ, {} cannot be compared", experiments, all,
                     count[Verdict::agree], count[Verdict::differ], count[Verdict::not_comparable]) +
         (others > 0 ? fmt::format("; {} in other readings", others) : "");
}

std::string experiment_text(const ExperimentOutcome& outcome) {
  const Experiment& experiment = *outcome.experiment;
  std::string out = fmt::format("{} ({} {}): {}  [{:.1f} s]\n", experiment.name, experiment.paper, experiment.figure,
                                experiment.summary, outcome.seconds);
  out += bullets("the paper fixes", outcome.result.setting.fixed);
  out += bullets("we chose", outcome.result.setting.chosen);
  if (!outcome.result.claims.empty()) out += "\n" + claims_text(outcome.result.claims);
  for (const Chart& chart : outcome.result.charts) out += "\n" + chart_text(chart);
  if (!outcome.result.notes.empty()) out += "\n" + bullets("how to read it", outcome.result.notes);
  return out + "\n";
}

}  // namespace lips::cmd
