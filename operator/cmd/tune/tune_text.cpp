#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "cmd/tune/tune_result.h"
#include "telemetry/page/numbers.h"

namespace lips::cmd {

namespace {

std::string mark_of(const TuneResult& result, const CurvePoint& point) {
  std::vector<std::string> marks;
  if (&point == result.chosen()) marks.emplace_back("recommended");
  if (point.present) marks.emplace_back("now");
  if (point.dominated) marks.emplace_back("dominated");
  if (!point.unfinished.empty()) marks.push_back(point.unfinished);
  return fmt::format("{}", fmt::join(marks, ", "));
}

std::string curve_table(const TuneResult& result) {
  std::string out;
  const std::string* variant = nullptr;
  for (const CurvePoint& point : result.points) {
    if (!variant || *variant != point.variant) {
      if (variant) out += "\n";
      out +=
          fmt::format("{:<14}{:>12}{:>12}{:>17}{:>14}{:>14}\n", point.variant.empty() ? "waitingPrice" : point.variant,
                      bill_name(result.billing), "a day", "mean completion", "p95", "mean wait");
    }
    variant = &point.variant;
    const std::string mark = mark_of(result, point);
    out += fmt::format("{:<14}{:>12}{:>12}{:>17}{:>14}{:>14}{}\n", fmt::format("{:g}", point.waiting_price),
                       page::usd(point.dollars), page::usd(point.dollars_per_day),
                       page::duration(point.completion_mean), page::duration(point.completion_p95),
                       page::duration(point.mean_wait), mark.empty() ? "" : "  " + mark);
  }
  if (std::ranges::any_of(result.points, &CurvePoint::dominated))
    out += "dominated: another price costs no more and takes no longer\n";
  out += "mean wait: from a job's arrival to the start of its tasks, weighted by work: large jobs count most\n";
  return out;
}

// For each point, the part that each pool used of what it may use.
std::string share_table(const TuneResult& result) {
  std::string out = fmt::format("{:<28}", "used of what it may use");
  for (const PoolPart& part : result.points.empty() ? std::vector<PoolPart>{} : result.points.front().pools)
    out += fmt::format("{:>14}", part.pool);
  for (const CurvePoint& point : result.points) {
    out += fmt::format("\n{:<28}", point_name(point));
    for (const PoolPart& part : point.pools) out += fmt::format("{:>14}", used_text(part));
  }
  return out + fmt::format("\n\nin the Pool {}:\n  spec.weight\n", result.weighed);
}

std::string recommendation(const TuneResult& result) {
  if (!result.weighed.empty()) return share_table(result);
  const CurvePoint* chosen = result.chosen();
  if (!chosen) return "no recommendation: no run finished all jobs\n";
  std::string out = fmt::format("recommended: {}\n  {}\n", point_name(*chosen), reason_text(result));
  if (const std::string change = against_present(result); !change.empty())
    out += fmt::format("  compared with the present {:g}: {}\n", result.present, change);
  if (result.wish.rule == ChoiceRule::knee)
    out += "  if you know what a wait is worth, say so: --hour USD, --mean-wait TIME or --budget-per-day USD\n";
  return out + fmt::format("\nin the operator's configuration (with Helm under `config`):\n  {}\n",
                           fmt::join(setting_lines(*chosen), "\n  "));
}

}  // namespace

std::string tune_text(const TuneResult& result) {
  std::string out =
      fmt::format("{}{}{}\n{} nodes, {} jobs, seed {}\n\n", result.name, result.description.empty() ? "" : ": ",
                  result.description, result.nodes, result.jobs, result.seed);
  out += curve_table(result) + "\n" + recommendation(result) + "\nassumptions (--format json has their notes)\n";
  for (const simulation::Assumption& assumption : result.assumptions)
    out += fmt::format("  {}: {}\n", assumption.name, assumption.value);
  return out;
}

}  // namespace lips::cmd
