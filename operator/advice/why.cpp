#include "advice/why.h"

#include <algorithm>

#include "advice/forecast.h"
#include "advice/lips_classes.h"
#include "model/eligibility.h"

namespace lips::advice {

namespace {

class Explaining {
 public:
  Explaining(const Question& question, TaskId task)
      : question_(question),
        cluster_(question.cluster),
        task_(cluster_.tasks[task]),
        job_(cluster_.jobs[task_.job]),
        free_(cluster_.free) {
    result_.task = task;
  }

  Result<Explanation> run() {
    switch (task_.state) {
      case TaskState::finished:
        result_.standing = Standing::ended;
        return std::move(result_);
      case TaskState::bound:
      case TaskState::running:
        describe_run();
        return std::move(result_);
      case TaskState::blocked:
        describe_block();
        return std::move(result_);
      case TaskState::pending:
        break;
    }
    const Result<Outcome> outcome = ask(question_);
    if (!outcome) return tl::unexpected(outcome.error());
    if (Result<void> done = describe_wait(*outcome); !done) return tl::unexpected(done.error());
    return std::move(result_);
  }

 private:
  void describe_run() {
    result_.standing = Standing::runs;
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

  void describe_block() {
    result_.standing = job_.held ? Standing::inputs_missing : Standing::maps_unfinished;
    const std::uint32_t ended = std::max(job_.finished_maps, job_.whole.finished_maps);
    result_.maps_left = job_.all_maps() - std::min(job_.all_maps(), ended);
  }

  Result<void> describe_wait(const Outcome& outcome) {
    for (const Assignment& assignment : outcome.starting)
      free_[assignment.node] -= cluster_.jobs[cluster_.tasks[assignment.task].job].request;
    if (const Assignment* planned = outcome.planned_for(result_.task)) result_.place = place_of(question_, *planned);
    find_cheapest();
    result_.standing = standing(outcome);
    if (!waits(result_.standing)) return {};
    result_.queue = place_in_queue(question_, outcome, result_.task);
    price_waiting();
    find_room();
    if (result_.standing != Standing::not_eligible) {
      const Result<Forecast> ahead = forecast(question_, result_.task);
      if (!ahead) return tl::unexpected(ahead.error());
      result_.starts_in = ahead->start_of(result_.task);
    }
    Result<std::vector<Remedy>> remedies = remedies_for(question_, outcome, result_.task);
    if (!remedies) return tl::unexpected(remedies.error());
    result_.remedies = *std::move(remedies);
    return {};
  }

  Standing standing(const Outcome& outcome) {
    if (outcome.start_of(result_.task)) return Standing::starts_now;
    if (const Assignment* planned = outcome.planned_for(result_.task)) {
      const bool lacks_input =
          planned->read_from.valid() && cluster_.blocks[task_.block].on(planned->read_from) == nullptr;
      return lacks_input ? Standing::waits_for_data : Standing::next_on_node;
    }
    if (!has_a_node()) return Standing::not_eligible;
    switch (reason(outcome.plan)) {
      case DeferralReason::waits_for_node:
        return Standing::waits_for_node;
      case DeferralReason::waits_for_data:
        return Standing::waits_for_data;
      case DeferralReason::waits_for_locality:
        return Standing::waits_for_locality;
      case DeferralReason::waits_for_peers:
        return Standing::waits_for_peers;
      case DeferralReason::plan_refused:
        return Standing::plan_refused;
      case DeferralReason::pool_maximum:
        return Standing::pool_maximum;
      // The policy does not say which: the free room says it.
      case DeferralReason::no_capacity:
      case DeferralReason::cheaper_later:
      case DeferralReason::not_eligible:
      case DeferralReason::not_considered:
        break;
    }
    if (is_at_maximum(outcome)) return Standing::pool_maximum;
    if (room_in(free_, true)) return Standing::cheaper_later;
    return room_in(cluster_.free, false) ? Standing::behind_others : Standing::no_capacity;
  }

  DeferralReason reason(const Plan& plan) const {
    for (const Deferral& deferral : plan.deferrals)
      if (deferral.task == result_.task) return deferral.reason;
    return plan.rest;
  }

  // Counts the nodes that would not take it even if they were empty.
  bool has_a_node() {
    bool any = false;
    for (const NodeId id : cluster_.nodes.ids()) {
      if (is_offered(id)) continue;
      if (const std::optional<Mismatch> mismatch = mismatch_of(id))
        ++result_.mismatches[*mismatch];
      else
        any = true;
    }
    for (const Offer& offer : cluster_.offers)
      any |= offer.left > 0 && cluster_.eligible(job_.constraint, offer.like) &&
             fits(job_.request, cluster_.nodes[offer.like].capacity);
    return any;
  }

  bool is_offered(NodeId node) const {
    return std::any_of(cluster_.offers.begin(), cluster_.offers.end(),
                       [node](const Offer& offer) { return offer.like == node; });
  }

  std::optional<Mismatch> mismatch_of(NodeId id) const {
    static const PlacementConstraint none;
    const Node& node = cluster_.nodes[id];
    const NodeProfile& profile = cluster_.profiles[node.profile];
    const PlacementConstraint& constraint = job_.constraint.valid() ? cluster_.constraints[job_.constraint] : none;
    if (!node.schedulable) return Mismatch::not_schedulable;
    if (!matches_labels(constraint, profile)) return Mismatch::labels;
    if (!reaches_volumes(constraint, profile)) return Mismatch::volumes;
    if (untolerated_taint(constraint, profile)) return Mismatch::taint;
    if (!fits(job_.request, node.capacity - node.others)) return Mismatch::too_small;
    return std::nullopt;
  }

  bool is_at_maximum(const Outcome& outcome) const {
    const Pool& pool = cluster_.pools[job_.pool];
    if (pool.maximum.value() <= 0) return false;
    Cores cores = cluster_.pool_cores[job_.pool] + job_.request.cpu;
    for (const Assignment& assignment : outcome.starting) {
      const Job& job = cluster_.jobs[cluster_.tasks[assignment.task].job];
      if (job.pool == job_.pool) cores += job.request.cpu;
    }
    constexpr double rounding = 1e-7;
    return cores.value() > pool.maximum.value() + rounding;
  }

  // Whether some node has room for it; with `note`, the cheapest is kept.
  bool room_in(const IdVector<NodeId, Resources>& free, bool note) {
    std::vector<NodeId> nodes;
    for (const NodeId node : cluster_.nodes.ids())
      if (takes(cluster_, result_.task, node) && fits(job_.request, free[node])) nodes.push_back(node);
    if (note) result_.dearer = cheapest_of(question_, result_.task, nodes);
    return !nodes.empty();
  }

  void price_waiting() {
    if (question_.policy != "lips") return;
    result_.waiting_price = question_.settings.lips.waiting_price;
    result_.waiting_hour = price_of_waiting(question_, lips_classes(question_)) * task_.cpu;
  }

  // As tasks end when expected and nobody takes their room.
  void find_room() {
    std::vector<RunningTask> ends = cluster_.running;
    std::stable_sort(ends.begin(), ends.end(), [](const RunningTask& a, const RunningTask& b) {
      return std::pair(a.expected_end, a.task) < std::pair(b.expected_end, b.task);
    });
    IdVector<NodeId, Resources> free = free_;
    for (const RunningTask& run : ends) {
      free[run.node] += cluster_.jobs[cluster_.tasks[run.task].job].request;
      if (!takes(cluster_, result_.task, run.node) || !fits(job_.request, free[run.node])) continue;
      result_.room = {run.node, std::max(Duration(0), run.expected_end - cluster_.now)};
      return;
    }
  }

  const Question& question_;
  const ClusterSnapshot& cluster_;
  const Task& task_;
  const Job& job_;
  IdVector<NodeId, Resources> free_;  // after what starts at once
  Explanation result_;
};

}  // namespace

std::string_view to_string(Standing standing) {
  constexpr EnumArray<Standing, std::string_view> names{
      "runs",           "ended",          "starts-now",         "next-on-node",    "maps-unfinished", "inputs-missing",
      "waits-for-node", "waits-for-data", "waits-for-locality", "waits-for-peers", "pool-maximum",    "not-eligible",
      "cheaper-later",  "behind-others",  "no-capacity",        "plan-refused"};
  return names[standing];
}

std::string_view to_string(Mismatch mismatch) {
  constexpr EnumArray<Mismatch, std::string_view> names{"not-schedulable", "labels", "volumes", "taint", "too-small"};
  return names[mismatch];
}

Result<Explanation> explain(const Question& question, TaskId task) { return Explaining(question, task).run(); }

}  // namespace lips::advice
