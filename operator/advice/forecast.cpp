#include "advice/forecast.h"

#include <algorithm>

#include "model/degraded_read.h"
#include "model/pending_tasks.h"

namespace lips::advice {

namespace {

// Plans are at least so far apart, a little farther each time, so that a bounded number of them reaches far.
constexpr double first_step = 1, growth = 1.1;  // seconds
constexpr std::uint64_t many_tasks = 20'000;
constexpr int plans_of_few = 100, plans_of_many = 30;

class Ahead {
 public:
  explicit Ahead(ClusterSnapshot& cluster) : cluster_(cluster) {}

  void start(const Assignment& assignment) {
    unlink_pending(cluster_, assignment.task);
    Task& task = cluster_.tasks[assignment.task];
    Job& job = cluster_.jobs[task.job];
    task.state = TaskState::running;
    task.node = assignment.node;
    const Locality level = locality_of(cluster_, assignment);
    cluster_.free[assignment.node] -= job.request;
    cluster_.pool_cores[job.pool] += job.request.cpu;
    ++job.running;
    cluster_.running.push_back({assignment.task, task.job, assignment.node,
                                cluster_.now + expected_duration(cluster_, task, assignment.node, level)});
    if (job.pending == 0) std::erase(cluster_.pending, task.job);
  }

  // False if nothing runs that could end.
  bool advance(double step) {
    if (cluster_.running.empty()) return false;
    TimePoint next = TimePoint::max();
    for (const RunningTask& run : cluster_.running) next = std::min(next, run.expected_end);
    cluster_.now = std::max(next, cluster_.now + seconds(step));
    std::erase_if(cluster_.running, [this](const RunningTask& run) {
      if (run.expected_end > cluster_.now) return false;
      end(run);
      return true;
    });
    return true;
  }

 private:
  void end(const RunningTask& run) {
    Task& task = cluster_.tasks[run.task];
    Job& job = cluster_.jobs[task.job];
    cluster_.free[run.node] += job.request;
    cluster_.pool_cores[job.pool] -= job.request.cpu;
    --job.running;
    task.state = TaskState::finished;
    ++(task.kind == TaskKind::reduce ? job.finished_reduces : job.finished_maps);
    if (!job.finished()) return;
    cluster_.locality[task.job] = {};
    cluster_.groups[task.job] = {};
  }

  ClusterSnapshot& cluster_;
};

}  // namespace

std::optional<Duration> Forecast::start_of(TaskId task) const {
  for (const auto& [started, after] : starts)
    if (started == task) return after;
  return std::nullopt;
}

Result<Forecast> forecast(Question question, TaskId until, const std::function<bool()>& goes_on) {
  Forecast result;
  Ahead ahead(question.cluster);
  const TimePoint began = question.cluster.now;
  const int most_plans = question.cluster.pending_tasks > many_tasks ? plans_of_many : plans_of_few;
  double step = first_step;
  for (int plans = 0; plans < most_plans && question.cluster.pending_tasks > 0; ++plans) {
    if (goes_on && !goes_on()) return result;
    const Result<Outcome> outcome = ask(question);
    if (!outcome) return tl::unexpected(outcome.error());
    for (const Remembered& remembered : outcome->plan.remember)
      question.cluster.jobs[remembered.job].memory = remembered.memory;
    for (const Assignment& assignment : outcome->starting) {
      ahead.start(assignment);
      result.starts.emplace_back(assignment.task, question.cluster.now - began);
      if (assignment.task == until) return result;
    }
    if (question.cluster.pending_tasks == 0 || !ahead.advance(step)) break;
    step *= growth;
  }
  result.complete = question.cluster.pending_tasks == 0;
  return result;
}

}  // namespace lips::advice
