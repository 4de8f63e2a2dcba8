#include "twin/live_twin.h"

#include <fmt/format.h>

#include <cmath>
#include <memory>
#include <utility>

#include "policies/registry/registry.h"
#include "simulation/run.h"
#include "twin/recorded_scenario.h"

namespace lips::twin {

namespace {

// A shorter window while there are too many tasks in it.
Result<RecordedDay> recent_day(const TwinQuestion& question) {
  for (Duration window = question.window;; window /= 2) {
    Result<RecordedDay> day = recorded_day(question.journal, {question.stop, {}, window, question.most_tasks});
    if (day || day.error().code != ErrorCode::gone) return day;
    if (window.count() == 0)
      return fail(ErrorCode::invalid_input, "one file of the journal has " + day.error().message);
  }
}

Result<simulation::RunResult> simulate(const TwinQuestion& question, const simulation::Scenario& scenario,
                                       const std::string& name, std::optional<TimePoint> until) {
  const Result<std::unique_ptr<Policy>> policy = make_policy(name, scenario.settings);
  if (!policy) return tl::unexpected(policy.error());
  simulation::RunOptions options;
  options.stop = question.stop;
  options.until = until;
  Result<simulation::RunResult> run = simulation::run(scenario, **policy, name, options);
  if (!run) return fail(run.error().code, fmt::format("{}: {}", name, run.error().message));
  if (question.stop && question.stop()) return fail(ErrorCode::cancelled, "interrupted");
  return run;
}

TwinRegime regime_of(const std::string& policy, const simulation::RunResult& run) {
  const bool finished = !run.stopped && !run.stuck && !run.endless && run.jobs_finished == run.jobs;
  return {policy, without_storage(run.invoice), seconds(run.mean_wait), finished};
}

TwinReport facts_of(const RecordedDay& day) {
  TwinReport report;
  report.span = day.span, report.unknown = day.unknown;
  report.records = day.records, report.jobs = day.scenario.jobs.size();
  report.watched = day.watched;
  if (day.counted) report.counted = as_counted(day, *day.counted);
  for (const simulation::Assumption& fact : day.not_known)
    report.not_known.push_back(fmt::format("{}: {}. {}", fact.name, fact.value, fact.note));
  return report;
}

}  // namespace

Result<TwinReport> twin_report(const TwinQuestion& question) {
  const Result<RecordedDay> day = recent_day(question);
  if (!day) return tl::unexpected(day.error());
  const simulation::Scenario& scenario = day->scenario;
  TwinReport report = facts_of(*day);
  const std::string& own = scenario.policies.front();
  if (report.counted) {
    const Result<simulation::RunResult> until_last = simulate(question, scenario, own, TimePoint(day->span));
    if (!until_last) return tl::unexpected(until_last.error());
    report.until_last = as_counted(*day, until_last->invoice);
  }
  std::vector<std::string> policies{own};
  for (const std::string& policy : question.policies)
    if (policy != own) policies.push_back(policy);
  for (const std::string& policy : policies) {
    const Result<simulation::RunResult> run = simulate(question, scenario, policy, std::nullopt);
    if (!run) return tl::unexpected(run.error());
    (policy == own ? report.ran : report.others.emplace_back()) = regime_of(policy, *run);
  }
  return report;
}

}  // namespace lips::twin
