#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cmd/experiment/experiment_result.h"

namespace lips::cmd {

namespace {

using namespace experiments;

std::string cell(std::string text) {
  for (std::size_t at = text.find('|'); at != std::string::npos; at = text.find('|', at + 2)) text.insert(at, "\\");
  return text;
}

std::string table(const std::vector<std::vector<std::string>>& rows) {
  std::string out;
  for (const std::vector<std::string>& row : rows) {
    out += '|';
    for (const std::string& text : row) out += " " + cell(text) + " |";
    out += '\n';
    if (&row != &rows.front()) continue;
    for (std::size_t i = 0; i < row.size(); ++i) out += "|---";
    out += "|\n";
  }
  return out;
}

}  // namespace

std::string experiments_markdown(const ExperimentOutcomes& all) {
  std::string out;
  for (const ExperimentOutcome& outcome : all.outcomes) {
    const ExperimentResult& result = outcome.result;
    out += fmt::format("## {} {}: {}\n\n", outcome.experiment->paper, outcome.experiment->figure,
                       outcome.experiment->summary);
    out += fmt::format("`lips experiment {}`, {} seeds.\n", outcome.experiment->name, all.seeds);
    if (!result.claims.empty()) out += "\n" + claims_table(result.claims);
    for (const Chart& chart : result.charts)
      out += fmt::format("\n{}{}:\n\n{}", chart.title, chart.unit.empty() ? "" : ", " + chart.unit,
                         table(chart_rows(chart)));
    out += "\n";
  }
  return out;
}

}  // namespace lips::cmd
