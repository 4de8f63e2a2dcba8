#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <unordered_map>
#include <utility>

#include "advice/place.h"
#include "advice/why.h"
#include "cmd/ask/source.h"
#include "cmd/ask/subject.h"
#include "cmd/ask/why_answer.h"
#include "cmd/cli/today.h"
#include "cmd/service/overview_of.h"

namespace lips::cmd {

namespace {

constexpr std::size_t most_tasks = 500;  // in the table

class JobViewer {
 public:
  JobViewer(const EpochRecord& record, const advice::Question& question)
      : record_(record), question_(question), cluster_(question.cluster) {
    if (record.live)
      for (const PodOfTask& pod : record.live->pods) names_.emplace(pod.task, pod.name);
    for (const RunningTask& run : cluster_.running) ends_.emplace(run.task, run.expected_end);
  }

  // The view of all parts with that name.
  JobView view(const std::string& name) {
    view_.name = name;
    TimePoint arrival = cluster_.now;
    std::map<DataSetId, Mebibytes> inputs;
    for (const Job& job : cluster_.jobs) {
      if (job.name != name) continue;
      view_.pool = cluster_.pools[job.pool].name;
      view_.maps += job.map_tasks, view_.reduces += job.reduce_tasks;
      view_.waiting += job.tasks() - job.running - job.finished_maps - job.finished_reduces;
      view_.running += job.running, view_.finished += job.finished_maps + job.finished_reduces;
      view_.shuffle = std::max(view_.shuffle, job.shuffle);
      arrival = std::min(arrival, job.arrival);
      if (job.due.complete_by) view_.due = *job.due.complete_by - cluster_.now;
      for (const JobInput& input : job.inputs)
        inputs[input.data_set] = cluster_.data_sets[input.data_set].size * input.fraction;
      add_tasks(job);
    }
    view_.age = cluster_.now - arrival;
    for (const auto& [data_set, size] : inputs) view_.inputs.emplace_back(cluster_.data_sets[data_set].name, size);
    if (record_.live)
      for (const JobDay& day : record_.live->ledger)
        if (day.job == name)
          view_.dollars.push_back({name_of_day(day.day), day.dollars.finished, day.dollars.predicted.total(),
                                   day.dollars.counted.total(), day.dollars.spent.total()});
    return std::move(view_);
  }

 private:
  void add_tasks(const Job& job) {
    for (std::uint32_t number = 0; number < job.tasks(); ++number) {
      const TaskId id(job.first_task.index() + number);
      const Task& task = cluster_.tasks[id];
      if (task.state == TaskState::finished) continue;
      if (view_.tasks.size() >= most_tasks) {
        ++view_.more_tasks;
        continue;
      }
      const auto named = names_.find(id);
      ShownTask shown{
          named != names_.end() ? named->second : fmt::format("{}/{}", job.name, number), {}, {}, {}, {}, {}};
      if (task.state == TaskState::bound || task.state == TaskState::running)
        add_place(id, shown);
      else
        shown.state = task.state == TaskState::pending ? "waits" : "waits for others";
      view_.tasks.push_back(std::move(shown));
    }
  }

  void add_place(TaskId id, ShownTask& shown) {
    constexpr EnumArray<Locality, std::string_view> reads{"on the node", "in its rack", "in its zone", "across zones",
                                                          "no block"};
    const Task& task = cluster_.tasks[id];
    shown.state = task.state == TaskState::running ? "runs" : "starts";
    shown.node = cluster_.nodes[task.node].name;
    shown.zone = cluster_.zones[cluster_.nodes[task.node].zone].name;
    shown.reads = reads[advice::place_on(question_, id, task.node).locality];
    if (const auto end = ends_.find(id); end != ends_.end())
      shown.ends = std::max(Duration(0), end->second - cluster_.now);
  }

  const EpochRecord& record_;
  const advice::Question& question_;
  const ClusterSnapshot& cluster_;
  std::unordered_map<TaskId, std::string> names_;
  std::unordered_map<TaskId, TimePoint> ends_;
  JobView view_;
};

}  // namespace

Result<JobView> job_view_of(const EpochRecord& record, const std::string& job) {
  const Result<Subject> subject = find_subject(record, job, "");
  if (!subject) return tl::unexpected(subject.error());
  if (!subject->task.valid()) {  // a pod that is not to be placed
    JobView view;
    view.name = job, view.why = held_text(subject->name, subject->held);
    return view;
  }
  const Result<advice::Question> question = question_of(record, {});
  if (!question) return tl::unexpected(question.error());
  const Task& task = question->cluster.tasks[subject->task];
  JobView view = JobViewer(record, *question).view(question->cluster.jobs[task.job].name);
  if (task.state == TaskState::finished) return view;
  const Result<advice::Explanation> explanation = advice::explain(*question, subject->task);
  if (!explanation) return tl::unexpected(explanation.error());
  view.why = why_text(*question, *explanation, subject->name);
  return view;
}

}  // namespace lips::cmd
