#include "advice/why.h"

#include <algorithm>

#include "advice/forecast.h"
#include "advice/lips_classes.h"
#include "policies/waiting_price.h"

namespace lips::advice {

namespace {

class Explaining {
 public:
  Explaining(const Question& question, TaskId task)
      : question_(question), cluster_(question.cluster), task_(cluster_.tasks[task]), job_(cluster_.jobs[task_.job]) {
    result_.task = task;
  }

  Result<Explanation> run() {
    if (job_.due.any()) {
      Deadlines deadlines(cluster_);
      result_.deadline = deadlines.of(task_.job);
      result_.last_start = deadlines.of_start(task_.job);
    }
    if (const std::optional<Standing> known = standing_unless_pending(cluster_, result_.task)) {
      result_.standing = *known;
      if (known == Standing::runs) describe_run();
      if (task_.state == TaskState::blocked) count_maps_left();
      return std::move(result_);
    }
    const Result<Outcome> outcome = ask(question_);
    if (!outcome) return tl::unexpected(outcome.error());
    if (Result<void> done = describe_wait(*outcome); !done) return tl::unexpected(done.error());
    return std::move(result_);
  }

 private:
  void describe_run() {
    result_.place = place_on(question_, result_.task, task_.node);
    for (const RunningTask& run : cluster_.running)
      if (run.task == result_.task) result_.left = std::max(Duration(0), run.expected_end - cluster_.now);
    find_cheapest();
  }

  // The cheapest node that is not like its own.
  void find_cheapest() {
    std::vector<NodeId> nodes;
    const NodeId own = result_.place ? result_.place->node : NodeId::none();
    for (const NodeId id : cluster_.nodes.ids()) {
      const Node& node = cluster_.nodes[id];
      const bool alike =
          own.valid() && node.zone == cluster_.nodes[own].zone && node.cpu_price == cluster_.nodes[own].cpu_price;
      if (!alike && takes(cluster_, result_.task, id)) nodes.push_back(id);
    }
    result_.cheapest = cheapest_of(question_, result_.task, nodes);
  }

  void count_maps_left() {
    const std::uint32_t ended = std::max(job_.finished_maps, job_.whole.finished_maps);
    result_.maps_left = job_.all_maps() - std::min(job_.all_maps(), ended);
  }

  Result<void> describe_wait(const Outcome& outcome) {
    const Standings standings(cluster_, outcome);
    if (const Assignment* planned = outcome.planned_for(result_.task)) result_.place = place_of(question_, *planned);
    find_cheapest();
    result_.standing = standings.of(result_.task);
    if (!waits(result_.standing)) return find_made_room(outcome, Duration(0));
    result_.mismatches = standings.mismatches(result_.task);
    if (result_.standing == Standing::cheaper_later)
      result_.dearer = cheapest_of(question_, result_.task, standings.with_room(result_.task, standings.free()));
    result_.queue = place_in_queue(question_, outcome, result_.task);
    price_waiting();
    find_room(standings.free());
    if (result_.standing != Standing::not_eligible) {
      const Result<Forecast> ahead = forecast(question_, result_.task);
      if (!ahead) return tl::unexpected(ahead.error());
      result_.starts_in = ahead->start_of(result_.task);
      if (Result<void> done = find_made_room(outcome, result_.starts_in); !done) return done;
    }
    Result<std::optional<HeldBack>> held = held_back(question_, outcome, result_.task);
    if (!held) return tl::unexpected(held.error());
    result_.held_back = *std::move(held);
    // A plan does not say which: only the plan without that room does.
    const Standing said = result_.standing;
    if (result_.held_back && (said == Standing::cheaper_later || said == Standing::behind_others ||
                              said == Standing::no_capacity || said == Standing::pool_share))
      result_.standing = Standing::room_kept;
    Result<std::vector<Remedy>> remedies = remedies_for(question_, outcome, result_.task);
    if (!remedies) return tl::unexpected(remedies.error());
    result_.remedies = *std::move(remedies);
    return {};
  }

  Result<void> find_made_room(const Outcome& outcome, std::optional<Duration> starts_in) {
    Result<std::optional<MadeRoom>> made = room_made(question_, outcome, result_.task, starts_in);
    if (!made) return tl::unexpected(made.error());
    result_.made_room = *std::move(made);
    return {};
  }

  void price_waiting() {
    if (question_.policy != "lips") return;
    result_.waiting_price = waiting_price(cluster_, question_.settings.lips);
    result_.waiting_hour = lips_classes(question_).wait_of(task_.job) * task_.cpu;
  }

  // As tasks end when expected and nobody takes their room.
  void find_room(IdVector<NodeId, Resources> free) {
    std::vector<RunningTask> ends = cluster_.running;
    std::stable_sort(ends.begin(), ends.end(), [](const RunningTask& a, const RunningTask& b) {
      return std::pair(a.expected_end, a.task) < std::pair(b.expected_end, b.task);
    });
    for (const RunningTask& run : ends) {
      free[run.node] += cluster_.jobs[run.job].request;
      if (!takes(cluster_, result_.task, run.node) || !fits(job_.request, free[run.node])) continue;
      result_.room = {run.node, std::max(Duration(0), run.expected_end - cluster_.now)};
      return;
    }
  }

  const Question& question_;
  const ClusterSnapshot& cluster_;
  const Task& task_;
  const Job& job_;
  Explanation result_;
};

}  // namespace

Result<Explanation> explain(const Question& question, TaskId task) { return Explaining(question, task).run(); }

}  // namespace lips::advice
