#include <algorithm>
#include <map>
#include <unordered_map>
#include <utility>

#include "kubernetes/pods/argo_workflow.h"

namespace lips::kubernetes {
namespace {

constexpr std::size_t deepest = 20;  // templates inside each other

// "wf.load(0:a).part(1)" is a node of "wf.load.part": of one item, or one attempt.
std::string without_items(std::string_view node) {
  std::string result;
  std::size_t open = 0;
  for (const char c : node) {
    open += c == '(';
    if (open == 0) result += c;
    if (c == ')' && open > 0) --open;
  }
  return result;
}

// The status of one name.
class ArgoState {
 public:
  void add(const ArgoNode& node, bool of_item) {
    if (of_item && whole_) return;
    if (!of_item) {
      *this = {};
      whole_ = true;
    }
    since_ = std::max(since_, node.since);
    ++nodes_;
    all_ended_ &= node.state == StepState::ended;
    any_waits_ |= node.state == StepState::waiting;
  }
  StepState state(std::int32_t copies) const {
    if (all_ended_ && (whole_ || nodes_ >= copies)) return StepState::ended;
    return any_waits_ ? StepState::waiting : StepState::running;
  }
  // The begin of the nodes that run; where all of its nodes have ended, others are still to come.
  std::optional<TimePoint> since() const { return all_ended_ ? std::nullopt : since_; }

 private:
  bool whole_ = false, all_ended_ = true, any_waits_ = false;
  std::int32_t nodes_ = 0;
  std::optional<TimePoint> since_;
};

void add_missing(const TextMap& from, TextMap& to) {
  const TextMap own = to;
  for (const auto& entry : from)
    if (!find_text(own, entry.first)) to.push_back(entry);
  std::sort(to.begin(), to.end());
}

// A template with what a task refers to found by name.
struct Unfoldable {
  const ArgoTemplate* from = nullptr;
  std::shared_ptr<const JobSpec> pod;                        // of each of its steps, when there is one
  std::vector<std::vector<std::vector<std::size_t>>> after;  // by group and task: tasks of the group
  bool open = false;                                         // its tasks are being unfolded
};

class Unfolding {
 public:
  explicit Unfolding(const ArgoWorkflow& from) {
    const ArgoSpec& spec = from.spec.templates.empty() ? from.stored : from.spec;
    const auto either = [&](std::string ArgoSpec::*text) {
      return (from.spec.*text).empty() ? from.stored.*text : from.spec.*text;
    };
    notes_ = from.spec.pod_notes == PodNotes{} ? from.stored.pod_notes : from.spec.pod_notes;
    scheduler_ = either(&ArgoSpec::scheduler);
    for (const ArgoTemplate& each : spec.templates) templates_.try_emplace(each.name, unfoldable(each));
    for (const ArgoNode& node : from.nodes) {
      std::string name = without_items(node.name);
      const bool of_item = name.size() != node.name.size();
      states_[std::move(name)].add(node, of_item);
    }
    Task whole;
    whole.of = either(&ArgoSpec::entrypoint);
    unfold(room_for(1), whole, {from.meta.name, 1, 0}, {});
  }

  bool too_many() const { return too_many_; }
  IdVector<StepIndex, Step> take() { return std::move(steps_); }

 private:
  using Task = ArgoTemplate::Task;
  struct Place {
    std::string node;
    std::int32_t copies;
    std::size_t depth;
  };

  static Unfoldable unfoldable(const ArgoTemplate& from) {
    Unfoldable result;
    result.from = &from;
    for (const std::vector<Task>& group : from.tasks) {
      std::map<std::string_view, std::size_t> named;
      for (std::size_t i = 0; i < group.size(); ++i) named.emplace(group[i].name, i);
      std::vector<std::vector<std::size_t>>& after = result.after.emplace_back(group.size());
      for (std::size_t i = 0; i < group.size(); ++i)
        for (const std::string& name : group[i].after)
          if (const auto other = named.find(name); other != named.end()) after[i].push_back(other->second);
    }
    return result;
  }

  // All steps of a template share one.
  const std::shared_ptr<const JobSpec>& pod_of(Unfoldable& of) const {
    if (of.pod || of.from->kind != ArgoTemplate::Kind::pod) return of.pod;
    JobSpec pod = of.from->pod;
    if (pod.scheduler.empty()) pod.scheduler = scheduler_;
    add_missing(notes_.annotations, pod.pod_notes.annotations);
    add_missing(notes_.labels, pod.pod_notes.labels);
    return of.pod = std::make_shared<const JobSpec>(std::move(pod));
  }

  // The first of so many new steps; none: there would be too many.
  StepIndex room_for(std::size_t count) {
    too_many_ |= steps_.size() + count > most_steps;
    if (too_many_) return StepIndex::none();
    const StepIndex first(static_cast<std::uint32_t>(steps_.size()));
    steps_.resize(steps_.size() + count);
    return first;
  }

  void come_after(StepIndex step, std::vector<Step::After> others) {
    dependencies_ += others.size();
    too_many_ |= dependencies_ > most_dependencies;
    if (!too_many_) steps_[step].after = std::move(others);
  }

  // The steps of a task whose end is `end`.
  void unfold(StepIndex end, const Task& task, Place place, std::vector<Step::After> after) {
    if (too_many_) return;
    const auto found = templates_.find(task.of);
    Unfoldable* const of = found == templates_.end() || found->second.open ? nullptr : &found->second;
    const bool inner = of && !of->from->tasks.empty() && place.depth < deepest;
    const auto known = states_.find(place.node);
    Step& step = steps_[end];
    if (known != states_.end()) {
      step.state = known->second.state(place.copies);
      step.since = known->second.since();
    }
    if (inner && step.state != StepState::ended) {
      step.state = StepState::to_come;  // its tasks say more
      return unfold_tasks(end, *of, place, std::move(after));
    }
    step.copies = place.copies;
    if (of) step.spec = pod_of(*of);
    if (of) step.open_ended = of->from->kind == ArgoTemplate::Kind::suspend && !of->from->ends_by_itself;
    step.name = std::move(place.node);
    come_after(end, std::move(after));
  }

  // Each begins when `after` has ended, and joins what it waits for, so that edges do not multiply.
  void unfold_tasks(StepIndex end, Unfoldable& of, const Place& place, std::vector<Step::After> after) {
    of.open = true;
    StepIndex before = room_for(1);
    if (!too_many_) come_after(before, std::move(after));
    for (std::size_t group = 0; group < of.from->tasks.size() && !too_many_; ++group) {
      const bool last = group + 1 == of.from->tasks.size();
      const StepIndex done = last ? end : room_for(1);
      unfold_group(done, before, of, group, place);
      before = done;
    }
    of.open = false;
  }

  void unfold_group(StepIndex done, StepIndex before, const Unfoldable& of, std::size_t group, const Place& place) {
    const std::vector<Task>& tasks = of.from->tasks[group];
    const StepIndex first = room_for(tasks.size());
    const auto end_of = [&](std::size_t task) {
      return Step::After{StepIndex(first.index() + static_cast<std::uint32_t>(task))};
    };
    const bool steps = of.from->kind == ArgoTemplate::Kind::steps;
    const std::string prefix = place.node + (steps ? '[' + std::to_string(group) + "]." : ".");
    std::vector<Step::After> all{{before}};
    for (std::size_t i = 0; i < tasks.size() && !too_many_; ++i) {
      std::vector<Step::After> after{{before}};
      if (!steps)
        for (const std::size_t other : of.after[group][i]) after.push_back(end_of(other));
      all.push_back(end_of(i));
      const std::int64_t copies = std::int64_t{place.copies} * tasks[i].copies;
      const auto limited = static_cast<std::int32_t>(std::min<std::int64_t>(copies, 1'000'000));
      unfold(end_of(i).step, tasks[i], {prefix + tasks[i].name, limited, place.depth + 1}, std::move(after));
    }
    if (!too_many_) come_after(done, std::move(all));
  }

  PodNotes notes_;
  std::string scheduler_;
  std::map<std::string, Unfoldable, std::less<>> templates_;
  std::unordered_map<std::string, ArgoState> states_;
  IdVector<StepIndex, Step> steps_;
  std::size_t dependencies_ = 0;
  bool too_many_ = false;
};

}  // namespace

Workflow workflow_of(const ArgoWorkflow& from) {
  Workflow result;
  result.meta = from.meta;
  result.kind = Workflow::Kind::argo;
  result.suspended = from.spec.suspended, result.deleting = from.deleting, result.ended = from.ended;
  if (!result.goes_on()) return result;
  if (from.nodes_elsewhere) {
    result.problem = "status.nodes: they are compressed, or in a database, so nobody knows which steps are to come";
    return result;
  }
  Unfolding unfolding(from);
  if (unfolding.too_many())
    result.problem = "spec.templates: found more than " + std::to_string(most_steps) + " steps or " +
                     std::to_string(most_dependencies) + " dependencies";
  else
    result.steps = unfolding.take();
  return result;
}

}  // namespace lips::kubernetes
