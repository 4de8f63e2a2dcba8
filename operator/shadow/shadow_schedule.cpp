#include "shadow/shadow_schedule.h"

#include <string_view>
#include <utility>

#include "advice/place.h"

namespace lips {

namespace {

constexpr EnumArray<FleetKind, Usd WatchedDollars::*> node_term{&WatchedDollars::fixed, &WatchedDollars::elastic};

bool stays(const WatchedPod& pod) { return pod.found || !pod.placeable; }

WatchOutcome outcome_of(const WatchedPod& pod, bool planned, bool was_planned) {
  if (pod.found) return WatchOutcome::found;
  if (!pod.placeable) return WatchOutcome::not_honoured;
  if (planned) return WatchOutcome::compared;
  return was_planned ? WatchOutcome::would_wait : WatchOutcome::not_planned;
}

}  // namespace

// A pod takes room where it was planned, else, if it is not to be planned, where it is. A node that is gone, because
// its own scheduler had left it empty, has none to take.
void ShadowSchedule::occupy(WatchedCluster& watched) {
  ClusterState& state = watched.state;
  std::unordered_map<std::string_view, NodeId> nodes;
  for (const NodeId id : state.snapshot().nodes.ids()) nodes.emplace(state.snapshot().nodes[id].name, id);
  for (const TaskId task : watched.pods.ids()) {
    const WatchedPod& pod = watched.pods[task];
    const Known& known = pods_.at(pod.id);
    const std::optional<Place>& planned = known.planned;
    if (!planned && !stays(pod)) continue;
    const auto there = planned ? nodes.find(planned->node) : nodes.end();
    const NodeId node = there != nodes.end() ? there->second : planned ? NodeId::none() : pod.node;
    if (node.valid() && !pod.ended)
      state.apply(TaskFound{task, node, planned ? known.planned_start : known.since});
    else
      state.apply(TaskWithdrawn{task});
  }
}

void ShadowSchedule::recall(ClusterState& state) const {
  const ClusterSnapshot& cluster = state.snapshot();
  for (const JobId id : cluster.jobs.ids()) {
    const auto known = notes_.find(cluster.jobs[id].name);
    if (known == notes_.end()) continue;
    Remembered again{id, known->second.memory};
    again.memory.home = ZoneId::none();
    for (const ZoneId zone : cluster.zones.ids())
      if (cluster.zones[zone].name == known->second.home) again.memory.home = zone;
    state.remember(again);
  }
}

void ShadowSchedule::remember(const ClusterSnapshot& cluster, const Plan& plan) {
  for (const Remembered& each : plan.remember) {
    const ZoneId home = each.memory.home;
    notes_[cluster.jobs[each.job].name] = {each.memory, home.valid() ? cluster.zones[home].name : ""};
  }
}

ShadowSchedule::Place ShadowSchedule::place_at(const Node& node, Usd transfer) {
  const bool sized = node.capacity.cpu.value() > 0;
  return {node.name, sized ? full_packing_price(node.price, node.capacity.cpu, node.speed) : UsdPerCpuSecond(0),
          node.speed, node.fleet, transfer};
}

// False: there is no plan.
bool ShadowSchedule::plan(const advice::Question& question, const IdVector<TaskId, WatchedPod>& pods,
                          std::uint64_t most_tasks) {
  const ClusterSnapshot& cluster = question.cluster;
  if (cluster.pending_tasks == 0 || cluster.pending_tasks > most_tasks) return cluster.pending_tasks == 0;
  const Result<advice::Outcome> outcome = advice::ask(question);
  if (!outcome) return false;
  remember(cluster, outcome->plan);
  const auto put = [&](TaskId task, const advice::Place& place) {
    Known& known = pods_.at(pods[task].id);
    known.planned = place_at(cluster.nodes[place.node], place.bill.transfer);
    known.planned_start = cluster.now;
  };
  for (const Assignment& assignment : outcome->starting) put(assignment.task, advice::place_of(question, assignment));
  if (!outcome->plan.node_requests) return true;
  for (const NodeRequest& request : *outcome->plan.node_requests) {
    Known& known = pods_.at(pods[request.task].id);
    if (known.planned || request.to_come > 0) continue;
    put(request.task, advice::place_on(question, request.task, cluster.offers[request.offer].like));
    known.planned->node.clear();
  }
  return true;
}

// Both are charged for the same work: the time that the pod had its cores, on the node where it was.
std::optional<WatchedEnd> ShadowSchedule::end_of(const WatchedPod& pod, const Known& known, Cores held, TimePoint now) {
  if (!known.actual) return std::nullopt;  // it never ran
  WatchedEnd end{
      pod.name_space, pod.job, outcome_of(pod, known.planned.has_value(), known.was_planned), {}, {}, {}, {}};
  const Duration ran = pod.ran.value_or(now - known.started);
  const CpuSeconds work(std::max(held.value(), least_cores) * to_seconds(ran) * known.actual->speed);
  const auto dollars = [&](const Place& place) {
    WatchedDollars result;
    result.*node_term[place.fleet] = work * place.price;
    result.transfer = place.transfer;
    return result;
  };
  end.actual = dollars(*known.actual);
  end.planned = end.outcome == WatchOutcome::compared ? dollars(*known.planned) : end.actual;
  if (end.outcome != WatchOutcome::compared) return end;
  end.actual_wait = known.started - known.since;
  end.planned_wait = known.planned_start - known.since;
  return end;
}

std::vector<WatchedEnd> ShadowSchedule::step(WatchedCluster watched, const ShadowRules& rules) {
  ++steps_;
  const TimePoint now = watched.state.snapshot().now;
  for (const WatchedPod& pod : watched.pods) {
    Known& known = pods_[pod.id];
    if (known.step == 0) known.since = now;
    known.step = steps_;
  }
  recall(watched.state);
  occupy(watched);
  advice::Question question{std::move(watched.state).take(), watched.costs, rules.policy, rules.settings, rules.seed};
  question.settings.lips.keep_copies = question.settings.lips.copy_columns = false;
  for (const TaskId task : watched.pods.ids()) {
    const WatchedPod& pod = watched.pods[task];
    Known& known = pods_.at(pod.id);
    if (known.actual || !pod.node.valid()) continue;
    known.actual = place_at(question.cluster.nodes[pod.node], advice::place_on(question, task, pod.node).bill.transfer);
    known.started = now;
  }
  const bool planned = plan(question, watched.pods, rules.most_tasks);
  std::vector<WatchedEnd> ended;
  for (const TaskId task : watched.pods.ids()) {
    const WatchedPod& pod = watched.pods[task];
    Known& known = pods_.at(pod.id);
    known.was_planned |= planned;
    if (!pod.ended) continue;
    const Job& job = question.cluster.jobs[question.cluster.tasks[task].job];
    if (std::optional<WatchedEnd> end = end_of(pod, known, job.request.cpu, now)) ended.push_back(std::move(*end));
    known.step = 0;
  }
  std::erase_if(pods_, [this](const auto& entry) { return entry.second.step != steps_; });
  if (pods_.empty()) notes_.clear();
  return ended;
}

}  // namespace lips
