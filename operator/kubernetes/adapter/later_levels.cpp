#include "kubernetes/adapter/later_levels.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

namespace lips::kubernetes {
namespace {

struct StepTimes {
  TimePoint begin{}, end{};  // the greatest: nobody knows
  bool ended = false;
  bool waits = false;  // for others
};

TimePoint later(TimePoint from, Duration by) { return from == TimePoint::max() ? from : from + by; }

class Times {
 public:
  Times(const IdVector<StepIndex, Step>& steps, const IdVector<StepIndex, Duration>& lasts, TimePoint now)
      : steps_(steps), lasts_(lasts), now_(now), of_(steps.size()) {}

  const StepTimes& of(StepIndex index) const { return of_[index]; }

  // Finds the begin of a step after those for which it waits.
  void find(StepIndex index) {
    const Step& step = steps_[index];
    StepTimes& times = of_[index];
    times.begin = now_;
    for (const Step::After& after : step.after) wait_for(after, times);
    const bool joins = step.name.empty();
    if (step.state == StepState::ended || (joins && !times.waits)) times = {now_, now_, true, false};
    if (step.state == StepState::waiting || step.state == StepState::running) times.begin = now_, times.waits = false;
    times.end = end_of(step, times, lasts_[index]);
  }

 private:
  void wait_for(const Step::After& after, StepTimes& times) const {
    const StepTimes& other = of_[after.step];
    const StepState state = steps_[after.step].state;
    if (other.ended || (after.ready && state == StepState::running)) return;
    times.waits = true;
    times.begin = std::max(times.begin, after.ready ? other.begin : other.end);
  }

  TimePoint end_of(const Step& step, const StepTimes& times, Duration lasts) const {
    if (times.ended) return now_;
    if (step.open_ended) return TimePoint::max();
    if (step.state != StepState::running) return later(times.begin, lasts);
    return step.since ? std::max(now_, *step.since + lasts) : now_ + lasts / 2;
  }

  const IdVector<StepIndex, Step>& steps_;
  const IdVector<StepIndex, Duration>& lasts_;
  const TimePoint now_;
  IdVector<StepIndex, StepTimes> of_;
};

// Each after all for which it waits; those in a circle are left out.
std::vector<StepIndex> in_order(const IdVector<StepIndex, Step>& steps) {
  IdVector<StepIndex, std::vector<StepIndex>> before(steps.size());
  IdVector<StepIndex, std::size_t> missing(steps.size());
  std::vector<StepIndex> order;
  order.reserve(steps.size());
  for (const StepIndex step : steps.ids()) {
    missing[step] = steps[step].after.size();
    for (const Step::After& after : steps[step].after) before[after.step].push_back(step);
    if (missing[step] == 0) order.push_back(step);
  }
  for (std::size_t at = 0; at < order.size(); ++at)
    for (const StepIndex next : before[order[at]])
      if (--missing[next] == 0) order.push_back(next);
  return order;
}

// The Jobs that a JobSet has made of one of its replicated jobs.
struct JobsOfStep {
  std::int32_t ended = 0;
  bool all_started = true;
  std::optional<TimePoint> started;  // the last
};
using JobsByTemplate = std::map<std::string, JobsOfStep>;

std::string template_of_job(const std::string& name_space, const std::string& job) {
  return template_of(name_space, Owner{"Job", job, ""}, "");
}

JobsByTemplate by_template(const std::map<std::string, BatchJob>& jobs) {
  JobsByTemplate result;
  for (const auto& [uid, job] : jobs) {
    if (job.deleting) continue;
    JobsOfStep& of = result[template_of_job(job.meta.name_space, job.meta.name)];
    of.ended += job.ended;
    of.all_started &= job.started.has_value();
    of.started = std::max(of.started, job.started);
  }
  return result;
}

// The status of a JobSet comes after its Jobs, and does not say since when they run.
void look_at(const JobsOfStep& jobs, Step& step) {
  if (step.state == StepState::to_come) step.state = jobs.all_started ? StepState::running : StepState::waiting;
  if (jobs.ended >= step.copies) step.state = StepState::ended;
  step.since = jobs.started;
}

class LaterLevels {
 public:
  LaterLevels(const ExpectationContext& context, TimePoint now) : context_(context), now_(now) {}

  void add(const Workflow& workflow, const JobsByTemplate& jobs) {
    if (!workflow.goes_on()) return;
    if (!workflow.problem.empty()) return complain(workflow, workflow.problem);
    if (workflow.kind != Workflow::Kind::job_set) return add(workflow, workflow.steps);
    IdVector<StepIndex, Step> steps = workflow.steps;
    for (Step& step : steps)
      if (const auto made = jobs.find(template_of_job(workflow.meta.name_space, step.name)); made != jobs.end())
        look_at(made->second, step);
    add(workflow, steps);
  }

  ExpectedJobs take() { return std::move(result_); }

 private:
  // The needs of one workflow, by the originals of its steps, and how many.
  using Needs = std::map<std::pair<const JobSpec*, std::int32_t>, Result<ExpectedPods>>;

  void add(const Workflow& workflow, const IdVector<StepIndex, Step>& steps) {
    Needs needs;
    IdVector<StepIndex, Duration> lasts(steps.size());
    IdVector<StepIndex, const ExpectedPods*> pods(steps.size(), nullptr);
    for (const StepIndex index : steps.ids()) {
      const Step& step = steps[index];
      if (step.name.empty() || step.state == StepState::ended) continue;
      pods[index] = step.spec ? needs_of(workflow, step, needs) : nullptr;
      lasts[index] = pods[index] ? pods[index]->lasts : context_.history.default_run_time;
    }
    const auto begins = later_begins(steps, lasts, now_);
    if (!begins) return complain(workflow, begins.error().message);
    for (const StepIndex index : steps.ids()) {
      const ExpectedPods* const of = pods[index];
      if (!(*begins)[index] || !of || !of->planned || of->tasks == 0) continue;
      ExpectedWork& work = result_.work.emplace_back(of->work);
      if (work.job.empty()) work.job = workflow.meta.name_space + '/' + steps[index].name;
      work.at = *(*begins)[index];
    }
  }

  // Null: they cannot be read.
  const ExpectedPods* needs_of(const Workflow& workflow, const Step& step, Needs& needs) {
    const auto known = needs.find({step.spec.get(), step.copies});
    if (known != needs.end()) return known->second ? &*known->second : nullptr;
    const Owner owner = workflow.kind == Workflow::Kind::job_set ? Owner{"Job", step.name, ""}
                                                                 : Owner{"Workflow", workflow.meta.name, ""};
    Result<ExpectedPods> found = expected_pods({workflow.meta.name_space, owner, *step.spec, step.copies}, context_);
    if (!found) complain(workflow, found.error().message);
    const auto& kept = needs.emplace(std::pair(step.spec.get(), step.copies), std::move(found)).first->second;
    return kept ? &*kept : nullptr;
  }

  void complain(const Workflow& workflow, const std::string& what) {
    const char* const kind = workflow.kind == Workflow::Kind::job_set ? "JobSet" : "Workflow";
    result_.problems.push_back({kind, fmt::format("{} {}: {}", kind, full_name(workflow.meta), what)});
  }

  const ExpectationContext& context_;
  const TimePoint now_;
  ExpectedJobs result_;
};

}  // namespace

Result<IdVector<StepIndex, std::optional<TimePoint>>> later_begins(const IdVector<StepIndex, Step>& steps,
                                                                   const IdVector<StepIndex, Duration>& lasts,
                                                                   TimePoint now) {
  const std::vector<StepIndex> order = in_order(steps);
  if (order.size() < steps.size())
    return fail(ErrorCode::invalid_input,
                fmt::format("{} of its steps wait for each other in a circle", steps.size() - order.size()));
  Times times(steps, lasts, now);
  for (const StepIndex step : order) times.find(step);
  IdVector<StepIndex, std::optional<TimePoint>> begins(steps.size());
  for (const StepIndex step : order) {
    const StepTimes& of = times.of(step);
    if (of.waits && of.begin != TimePoint::max() && !steps[step].name.empty()) begins[step] = of.begin;
  }
  return begins;
}

ExpectedJobs later_levels(const std::map<std::string, Workflow>& workflows, const std::map<std::string, BatchJob>& jobs,
                          const ExpectationContext& context, TimePoint now) {
  LaterLevels levels(context, now);
  const JobsByTemplate made = workflows.empty() ? JobsByTemplate{} : by_template(jobs);
  for (const auto& [uid, workflow] : workflows) levels.add(workflow, made);
  return levels.take();
}

}  // namespace lips::kubernetes
