#include "shadow/shadow_schedule.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

#include "advice/place.h"

namespace lips {

namespace {

constexpr Duration exchange_kept = std::chrono::hours(1);  // without a pod: reduces come after their maps are gone
constexpr std::size_t most_exchanges = 50'000;             // with those that have no pod

constexpr EnumArray<FleetKind, Usd WatchedDollars::*> node_term{&WatchedDollars::fixed, &WatchedDollars::elastic};

bool stays(const WatchedPod& pod) { return pod.found || !pod.placeable; }

WatchOutcome outcome_of(const WatchedPod& pod, bool planned, bool was_planned) {
  if (pod.found) return WatchOutcome::found;
  if (!pod.placeable) return WatchOutcome::not_honoured;
  if (planned) return WatchOutcome::compared;
  return was_planned ? WatchOutcome::would_wait : WatchOutcome::not_planned;
}

// Work that a pod has done, and the part of what is expected of it.
struct Done {
  CpuSeconds work;
  double part = 0;
};

CpuSeconds work_in(Duration ran, const Job& job, double speed) {
  return CpuSeconds(std::max(job.request.cpu.value(), least_cores) * to_seconds(ran) * speed);
}

double part_of(CpuSeconds work, const Task& task) {
  return task.cpu.value() > 0 ? std::min(1.0, work / task.cpu) : 0.0;
}

}  // namespace

void ShadowSchedule::meet(const WatchedCluster& watched) {
  const ClusterSnapshot& cluster = watched.state.snapshot();
  for (const WatchedPod& pod : watched.pods) {
    Known& known = pods_[pod.id];
    if (known.step == 0) known.since = cluster.now;
    known.step = steps_;
  }
}

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

ShadowSchedule::Place ShadowSchedule::place_at(const ClusterSnapshot& cluster, NodeId id, Usd transfer) const {
  const Node& node = cluster.nodes[id];
  const bool sized = node.capacity.cpu.value() > 0;
  return {node.name,
          zones_.stable(node.zone),
          sized ? full_packing_price(node.price, node.capacity.cpu, node.speed) : UsdPerCpuSecond(0),
          node.speed,
          node.fleet,
          transfer};
}

void ShadowSchedule::look_at_exchanges(Look& look) {
  const ClusterSnapshot& cluster = look.question.cluster;
  look.exchanges.assign(cluster.jobs.size(), nullptr);
  for (const JobId id : cluster.jobs.ids()) {
    const Job& job = cluster.jobs[id];
    const WatchedJob& watched = look.jobs[id];
    if (watched.whole.empty()) continue;
    auto known = exchanges_.find(watched.whole);
    if (known == exchanges_.end()) {
      if (job.shuffle.value() <= 0 && !watched.exchanged_a_cpu_second) continue;
      known = exchanges_.try_emplace(watched.whole).first;
    }
    Exchange& exchange = known->second;
    if (std::exchange(exchange.step, steps_) != steps_) exchange.job.begin();
    exchange.seen = cluster.now;
    exchange.job.look(job, watched.exchanged_a_cpu_second);
    look.exchanges[id] = &exchange;
  }
  for (const TaskId task : look.pods.ids()) {
    Exchange* const exchange = look.exchanges[cluster.tasks[task].job];
    if (exchange && !std::exchange(pods_.at(look.pods[task].id).exchanges, true))
      exchange->job.arrived(cluster.tasks[task].kind, peer_weight(look.job_of(task)));
  }
}

// Reduces find the output of maps where the plan has it, whatever the other scheduler did with them.
void ShadowSchedule::put_map_output(Look& look) const {
  ClusterSnapshot& cluster = look.question.cluster;
  for (const JobId id : cluster.jobs.ids()) {
    Job& job = cluster.jobs[id];
    if (!look.exchanges[id] || job.whole.peers || job.reduce_tasks == 0 || job.map_output.empty()) continue;
    const PeersByZone maps = look.exchanges[id]->job.planned_maps();
    double all = 0;
    for (const double part : maps) all += part;
    if (all <= 0) continue;
    for (const ZoneId zone : cluster.zones.ids()) {
      const ZoneId stable = zones_.stable(zone);
      const double here = maps.contains(stable) ? maps[stable] : 0;
      job.map_output[zone.index()] = job.shuffle * (here / std::max(all, double{1} * job.all_maps()));
    }
  }
}

// Notes where the other scheduler has put pods since the last step.
void ShadowSchedule::settle(const Look& look) {
  const ClusterSnapshot& cluster = look.question.cluster;
  for (const TaskId task : look.pods.ids()) {
    const WatchedPod& pod = look.pods[task];
    Known& known = pods_.at(pod.id);
    if (known.actual || !pod.node.valid()) continue;
    known.actual = place_at(cluster, pod.node, advice::place_on(look.question, task, pod.node).bill.transfer);
    known.started = cluster.now;
    if (!pod.found) continue;
    known.before = pod.ran.value_or(Duration(0));
    known.done_before = part_of(work_in(known.before, look.job_of(task), known.actual->speed), cluster.tasks[task]);
  }
}

// False: there is no plan.
bool ShadowSchedule::plan(const Look& look, std::uint64_t most_tasks) {
  const advice::Question& question = look.question;
  const ClusterSnapshot& cluster = question.cluster;
  if (cluster.pending_tasks == 0 || cluster.pending_tasks > most_tasks) return cluster.pending_tasks == 0;
  const Result<advice::Outcome> outcome = advice::ask(question);
  if (!outcome) return false;
  remember(cluster, outcome->plan);
  const auto put = [&](TaskId task, const advice::Place& place) {
    Known& known = pods_.at(look.pods[task].id);
    known.planned = place_at(cluster, place.node, place.bill.transfer);
    known.planned_start = cluster.now;
  };
  for (const Assignment& assignment : outcome->starting) put(assignment.task, advice::place_of(question, assignment));
  if (!outcome->plan.node_requests) return true;
  for (const NodeRequest& request : *outcome->plan.node_requests) {
    Known& known = pods_.at(look.pods[request.task].id);
    if (known.planned || request.to_come > 0) continue;
    put(request.task, advice::place_on(question, request.task, cluster.offers[request.offer].like));
    known.planned->node.clear();
  }
  return true;
}

// Both are charged for the same work: the time that the pod had its cores, on the node where it is.
void ShadowSchedule::count(const Look& look, TaskId id, WatchedSum& more) {
  const WatchedPod& pod = look.pods[id];
  Known& known = pods_.at(pod.id);
  const Task& task = look.question.cluster.tasks[id];
  const Job& job = look.job_of(id);
  if (!known.actual) return;  // it has not run
  const Duration silent = pod.ended ? look.question.cluster.now - known.started : Duration(0);
  const Duration ran = pod.ran.value_or(silent);
  Done done{work_in(std::max(Duration(0), ran - known.before), job, known.actual->speed)};
  const CpuSeconds all = work_in(ran, job, known.actual->speed);
  done.part = std::max(0.0, (pod.ended ? 1 : part_of(all, task)) - known.done_before);
  const WatchOutcome outcome = outcome_of(pod, known.planned.has_value(), known.was_planned);
  const bool compared = outcome == WatchOutcome::compared;
  const auto dollars = [&](const Place& place) {
    WatchedDollars result;
    result.*node_term[place.fleet] = done.work * place.price;
    result.transfer = place.transfer * done.part;
    return result;
  };
  const WatchedDollars actual = dollars(*known.actual), planned = compared ? dollars(*known.planned) : actual;
  (more.actual += actual) -= std::exchange(known.told, actual);
  (more.planned += planned) -= std::exchange(known.told_planned, planned);
  if (Exchange* const exchange = look.exchanges[task.job])
    exchange->job.add({task.kind, peer_weight(job), known.actual->zone, compared ? known.planned->zone : ZoneId::none(),
                       done.work, done.part, pod.ended});
  if (!pod.ended) {
    ++more.running;
    return;
  }
  ++more.pods[outcome];
  if (!compared) return;
  more.actual_wait += known.started - known.since;
  more.planned_wait += known.planned_start - known.since;
}

std::vector<WatchedChange> ShadowSchedule::count_all(const Look& look) {
  const ClusterSnapshot& cluster = look.question.cluster;
  IdVector<JobId, WatchedSum> sums(cluster.jobs.size());
  for (const TaskId task : look.pods.ids()) count(look, task, sums[cluster.tasks[task].job]);
  std::map<std::pair<std::string_view, std::string_view>, WatchedSum> rows;
  for (const JobId id : cluster.jobs.ids()) {
    if (Exchange* const exchange = look.exchanges[id]) {  // of its parts, the first gets all of it
      const JobExchange::Dollars more = exchange->job.change(zones_.costs());
      sums[id].actual += more.actual, sums[id].planned += more.planned;
    }
    rows[{look.jobs[id].name_space, look.jobs[id].name}] += sums[id];
  }
  std::vector<WatchedChange> changes;
  for (const auto& [job, more] : rows)
    if (more != WatchedSum{}) changes.push_back({std::string(job.first), std::string(job.second), more});
  return changes;
}

void ShadowSchedule::forget(TimePoint now) {
  std::erase_if(pods_, [this](const auto& entry) { return entry.second.step != steps_; });
  if (pods_.empty()) notes_.clear();
  const bool crowded = exchanges_.size() > most_exchanges;
  std::erase_if(exchanges_, [&](const auto& entry) {
    const Exchange& exchange = entry.second;
    return exchange.step != steps_ && (crowded || now - exchange.seen > exchange_kept);
  });
}

std::vector<WatchedChange> ShadowSchedule::step(WatchedCluster watched, const ShadowRules& rules) {
  ++steps_;
  if (watched.anew) pods_.clear(), exchanges_.clear();
  meet(watched);
  recall(watched.state);
  occupy(watched);
  Look look{{std::move(watched.state).take(), std::move(watched.costs), rules.policy, rules.settings, rules.seed},
            std::move(watched.pods),
            std::move(watched.jobs)};
  look.question.settings.lips.keep_copies = look.question.settings.lips.copy_columns = false;
  zones_.look(look.question.cluster, look.question.costs);
  look_at_exchanges(look);
  put_map_output(look);
  settle(look);
  const bool planned = plan(look, rules.most_tasks);
  for (const WatchedPod& pod : look.pods) pods_.at(pod.id).was_planned |= planned;
  std::vector<WatchedChange> changes = count_all(look);
  for (const WatchedPod& pod : look.pods)
    if (pod.ended) pods_.at(pod.id).step = 0;
  forget(look.question.cluster.now);
  return changes;
}

}  // namespace lips
