#include "twin/live_twin.h"

#include <fmt/format.h>

#include <cmath>
#include <memory>
#include <utility>

#include "policies/registry/registry.h"
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

// Simulates one day under several policies.
class Regimes {
 public:
  Regimes(const TwinQuestion& question, const RecordedDay& day) : question_(question), day_(day) {}

  Result<simulation::RunResult> run(const std::string& name, std::optional<TimePoint> until = std::nullopt) {
    simulation::RunOptions options;
    options.stop = question_.stop;
    options.until = until;
    const Result<std::unique_ptr<Policy>> policy = make_policy(name, day_.scenario.settings);
    if (!policy) return tl::unexpected(policy.error());
    Result<RegimeRun> run = run_regime(day_, **policy, name, options, question_.alone);
    if (!run) return fail(run.error().code, fmt::format("{}: {}", name, run.error().message));
    if (!run->stood_in.empty()) stood_in_ = run->stood_in;
    if (question_.stop && question_.stop()) return fail(ErrorCode::cancelled, "interrupted");
    return std::move(run->result);
  }
  // Why a policy stood in for kube-scheduler; empty: none had to.
  const std::string& stood_in() const { return stood_in_; }

 private:
  const TwinQuestion& question_;
  const RecordedDay& day_;
  std::string stood_in_;
};

TwinRegime regime_of(const std::string& policy, const simulation::RunResult& run) {
  const bool finished = !run.stopped && !run.stuck && !run.endless && run.jobs_finished == run.jobs;
  return {policy, without_storage(run.invoice), seconds(run.mean_wait), finished};
}

std::string words_of(const simulation::Assumption& fact) {
  return fmt::format("{}: {}. {}", fact.name, fact.value, fact.note);
}

TwinReport facts_of(const RecordedDay& day) {
  TwinReport report;
  report.span = day.span, report.unknown = day.unknown;
  report.records = day.records, report.jobs = day.scenario.jobs.size();
  report.watched = day.watched;
  if (day.counted) report.counted = as_counted(day, *day.counted);
  for (const simulation::Assumption& fact : day.not_known) report.not_known.push_back(words_of(fact));
  return report;
}

}  // namespace

Result<TwinReport> twin_report(const TwinQuestion& question) {
  const Result<RecordedDay> day = recent_day(question);
  if (!day) return tl::unexpected(day.error());
  TwinReport report = facts_of(*day);
  Regimes regimes(question, *day);
  const std::string& own = day->scenario.policies.front();
  if (report.counted) {
    const Result<simulation::RunResult> until_last = regimes.run(own, TimePoint(day->span));
    if (!until_last) return tl::unexpected(until_last.error());
    report.until_last = as_counted(*day, until_last->invoice);
  }
  std::vector<std::string> policies{own};
  for (const std::string& policy : question.policies)
    if (policy != own) policies.push_back(policy);
  for (const std::string& policy : policies) {
    const Result<simulation::RunResult> run = regimes.run(policy);
    if (!run) return tl::unexpected(run.error());
    (policy == own ? report.ran : report.others.emplace_back()) = regime_of(policy, *run);
  }
  if (!regimes.stood_in().empty()) report.not_known.push_back(words_of(stand_in(regimes.stood_in())));
  return report;
}

}  // namespace lips::twin
