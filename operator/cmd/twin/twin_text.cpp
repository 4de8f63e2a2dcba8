#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "cmd/cli/simulation_runs.h"
#include "cmd/twin/twin_result.h"
#include "telemetry/page/numbers.h"

namespace lips::cmd {

namespace {

std::string usd(Usd dollars) { return page::usd(dollars.value()); }
std::string signed_percent(double fraction) { return fmt::format("{:+.1f} %", 100 * fraction); }

std::string counted_text(const TwinResult& result) {
  const twin::RecordedDay& day = result.day;
  if (!day.counted) return "invoice of what ran: not in this journal (records of an earlier version, or one alone)\n";
  std::string out =
      fmt::format("{:<42}{:>10}\n",
                  day.watched ? "counted until the last record, nodes" : "counted until the last record, no storage",
                  usd(twin::as_counted(day, *day.counted)));
  if (result.until_last)
    out += fmt::format("{:<40}{:>12}{:>12}  its own error\n", "the twin of what ran, until then",
                       usd(twin::as_counted(day, result.until_last->invoice)),
                       result.error() ? signed_percent(*result.error()) : "-");
  return out;
}

std::string regimes_text(const TwinResult& result) {
  std::string out = fmt::format("{:<36}{:>10}{:>14}{:>12}{:>12}{:>17}{:>14}{:>10}\n", "until the last job ends",
                                "invoice", "of what ran", "nodes", "mean wait", "mean completion", "p95", "launches");
  for (const Regime& regime : result.regimes) {
    const simulation::RunResult& run = regime.run;
    out += fmt::format("{:<36}{:>10}{:>14}{:>12}{:>12}{:>17}{:>14}{:>10}\n", regime.name, usd(run.invoice.total()),
                       regime.ran ? "ran" : signed_percent(result.against_what_ran(regime)), usd(run.invoice.nodes),
                       page::duration(run.mean_wait), page::duration(run.completion.mean),
                       page::duration(run.completion.p95), run.fleet.launches);
    if (!finished(run)) out += fmt::format("! {}: {} of {} jobs finished\n", regime.name, run.jobs_finished, run.jobs);
  }
  return out + "mean wait: from a job's arrival to the start of its tasks, weighted by work\n";
}

std::string floor_text(const TwinResult& result) {
  if (!result.floor) return fmt::format("no floor: {}\n", result.no_floor);
  return fmt::format(
      "no scheduler that ends within {} could have paid less than {}, even if it had known what was to come\n",
      page::duration(to_seconds(result.floor->horizon)), usd(result.floor->dollars));
}

}  // namespace

std::string about_day(const twin::RecordedDay& day) {
  return fmt::format("{} records over {}, policy {}; {} jobs", day.records, page::duration(to_seconds(day.span)),
                     fmt::join(day.scenario.policies, ", "), day.scenario.jobs.size());
}

std::string not_known_text(const twin::RecordedDay& day) {
  if (day.not_known.empty()) return "not known: nothing that the journal should have\n";
  std::string out = "not known, and not made up\n";
  for (const simulation::Assumption& fact : day.not_known)
    out += fmt::format("  {}: {}. {}\n", fact.name, fact.value, fact.note);
  return out;
}

std::string twin_text(const TwinResult& result) {
  return fmt::format("{}: {}\n\n{}\n{}\n{}\n{}", result.day.scenario.name, about_day(result.day), counted_text(result),
                     regimes_text(result), floor_text(result), not_known_text(result.day));
}

}  // namespace lips::cmd
