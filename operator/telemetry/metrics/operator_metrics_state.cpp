#include "telemetry/metrics/operator_metrics_state.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "model/days.h"
#include "telemetry/metrics/plan_metrics.h"
#include "telemetry/metrics/pool_activity.h"
#include "telemetry/metrics/pool_series.h"
#include "telemetry/metrics/process_usage.h"

namespace lips {
namespace {

constexpr Duration keep_gone_pool{300'000'000};  // so that the last it did is scraped under its name

PoolId pool_of(const ClusterSnapshot& cluster, TaskId task) { return cluster.jobs[cluster.tasks[task].job].pool; }

using Terms = std::array<std::pair<std::string_view, double>, 3>;
Terms terms_of(const Bill& bill) {
  return {{{"cpu", bill.cpu.value()}, {"transfer", bill.transfer.value()}, {"shuffle", bill.shuffle.value()}}};
}

}  // namespace

OperatorMetrics::OperatorMetrics(About about) : state_(std::make_unique<State>()) {
  state_->about = std::move(about);
  state_->figures.version = state_->about.version;
  state_->figures.cluster = state_->about.cluster;
  MetricRegistry& registry = state_->registry;
  registry.set("lips_build_info", {state_->about.version, state_->about.revision}, 1);
  registry.set("process_start_time_seconds", {}, now_since_1970());
  registry.set("lips_leader", {}, 0);
  registry.set("lips_synced", {}, 0);
  for (const Doing doing : enumerators<Doing>)
    registry.set("lips_operator_state", {doing_names[doing]}, doing == Doing::awaits);
  // These series exist from the start, so a rate shows their first step.
  for (const std::string_view outcome : bind_outcomes) registry.add("lips_binds_total", {outcome}, 0);
  for (const std::string_view phase : move_phases) registry.set("lips_moves", {phase}, 0);
  for (const std::string_view outcome : {"committed", "failed"})
    registry.add("lips_moves_ended_total", {"", outcome}, 0);
  for (const std::string_view outcome : reload_outcomes) registry.add("lips_config_reloads_total", {outcome}, 0);
  for (const std::string_view term : {"moves", "storage"})
    registry.add("lips_spend_dollars_total", {data_pool, term}, 0);
  registry.add("lips_solver_fallbacks_total", {}, 0);
  for (const PlanFault::Kind fault :
       {PlanFault::Kind::failed, PlanFault::Kind::invalid, PlanFault::Kind::bound_above_cost})
    registry.add("lips_plans_refused_total", {to_string(fault)}, 0);
  registry.add("lips_moved_bytes_total", {}, 0);
}

OperatorMetrics::~OperatorMetrics() = default;

void OperatorMetrics::State::tell_spent(const Charge& charge) {
  const Bill more = books.add(charge);
  figures.spent += more;
  if (charge.pool == data_pool) {
    for (const auto& [term, dollars] : {std::pair("moves", more.moves), std::pair("storage", more.storage)})
      if (dollars.value() > 0) registry.add("lips_spend_dollars_total", {data_pool, term}, dollars.value());
    return;
  }
  spent[known(charge.pool)] += more;
  for (const auto& [term, dollars] : terms_of(more))
    if (dollars > 0) registry.add("lips_spend_dollars_total", {charge.pool, term}, dollars);
}

void OperatorMetrics::State::see(TimePoint now) {
  seen = std::max(seen.value_or(now), now);
  spend.see(*seen);
}

void OperatorMetrics::State::count_running() {
  if (!seen) return;
  spend.count_until(now());
  node_meter.count_until(now());
}

MoneyPoint OperatorMetrics::State::money_now() const {
  MoneyPoint point;
  point.at = now();
  point.paid = invoice().total().value(), point.idle = node_meter.idle_dollars().value();
  for (const auto& [pool, bill] : spent) point.spent[pool] = bill.total().value();
  if (const Usd data = figures.spent.moves + figures.spent.storage; data.value() > 0)
    point.spent[std::string(data_pool)] = data.value();
  return point;
}

InvoiceSoFar OperatorMetrics::State::invoice() const {
  const Bill& bill = figures.spent;
  return {node_meter.dollars(), bill.transfer, bill.shuffle, bill.moves, bill.storage};
}

void OperatorMetrics::State::count_ended(const EndedTask& task) {
  if (task.end == EndedTask::End::finished) {
    count_finished(task);
  } else if (task.end == EndedTask::End::lost || task.end == EndedTask::End::refused) {
    registry.add("lips_tasks_lost_total", {known(task.pool)});
    ++figures.lost;
  }
}

void OperatorMetrics::State::count_finished(const EndedTask& task) {
  books.add_ended(day_of(*seen), task);
  ++finished[task.pool], ++figures.finished;
  registry.add("lips_tasks_finished_total", {task.pool});
  for (const auto& [term, dollars] : terms_of(task.ours)) registry.add("lips_counted_dollars_total", {term}, dollars);
  for (const auto& [term, dollars] : terms_of(task.predicted))
    registry.add("lips_predicted_dollars_total", {term}, dollars);
}

void OperatorMetrics::State::count_storage(const ClusterSnapshot& cluster) {
  const Spend::Kept kept = spend.count_storage(cluster);
  figures.extra_copies = kept.copies;
  registry.set("lips_extra_copies", {}, static_cast<double>(kept.copies));
  registry.set("lips_extra_copy_bytes", {}, kept.size.value() * bytes_per_mebibyte);
}

void OperatorMetrics::State::count_plan(const DecidedPlan& decided) {
  tell_plan(decided, registry, figures);
  registry.set("lips_last_epoch_timestamp_seconds", {}, now_since_1970());
  last_epoch = SteadyClock::now();
  ++figures.epochs;
  tell_pending(decided, registry, figures);
  queued = decided.plan.assignments.size();
  registry.set("lips_pending_tasks", {"queued"}, static_cast<double>(queued));
}

void OperatorMetrics::State::count_taken_back(const DecidedPlan& decided) {
  const ClusterSnapshot& cluster = decided.cluster;
  for (const Reclaim& reclaim : decided.plan.reclaims) {
    const PoolId own = pool_of(cluster, reclaim.task);
    const std::string& pool = known(cluster.pools[own].name);
    const std::string_view reason = own == reclaim.pool ? "priority" : "share";
    registry.add("lips_tasks_taken_back_total", {pool, reason});
    registry.add("lips_taken_back_dollars_total", {pool, reason}, reclaim.lost.value());
  }
}

void OperatorMetrics::State::count_pools(const DecidedPlan& decided) {
  const ClusterSnapshot& cluster = decided.cluster;
  sharing_metrics.set(decided.plan.account.sharing, cluster.now);
  const IdVector<PoolId, PoolActivity> activity = pool_activity(cluster);
  IdVector<PoolId, Cores> held(cluster.pools.size());
  for (const HeldRoom& room : decided.plan.account.held)
    if (room.reason != HeldFor::large_task) held[cluster.jobs[room.job].pool] += room.room.cpu;
  figures.pools.clear();
  for (const PoolId id : activity.ids()) {
    const std::string& pool = known(cluster.pools[id].name);
    const PoolActivity& now = activity[id];
    registry.set("lips_pool_cores", {pool}, now.cores);
    registry.set("lips_pool_share_ratio", {pool}, now.share());
    registry.set("lips_pool_held_cores", {pool}, held[id].value());
    registry.set("lips_pool_unpaid_core_seconds", {pool}, cluster.pools[id].unpaid_room.value());
    registry.set("lips_pool_pending_tasks", {pool}, static_cast<double>(now.pending));
    registry.set("lips_running_tasks", {pool}, static_cast<double>(now.running));
    figures.pools.push_back({pool, spent[pool], now.cores, now.share(), now.rate, now.pending, now.running,
                             finished[pool], sharing_metrics.of(pool)});
  }
  registry.set("lips_pools_without_series", {}, static_cast<double>(registry.pools_without_series()));
}

void OperatorMetrics::State::count_move(const std::string& pool, bool committed) {
  registry.add("lips_moves_ended_total",
               {pool.empty() ? std::string_view() : known(pool), committed ? "committed" : "failed"});
  ++(committed ? figures.moves_committed : figures.moves_failed);
}

void OperatorMetrics::State::note_waiting(const std::string& pool, const std::string& what, bool is_so) {
  if (is_so) {
    waiting[pool].insert(what);
  } else if (const auto known_pool = waiting.find(pool); known_pool != waiting.end()) {
    known_pool->second.erase(what);
    if (known_pool->second.empty()) waiting.erase(known_pool);
  }
}

// Names of pools may come and go without end, like namespaces. The sums of gone pools move to one common name.
void OperatorMetrics::State::forget_pools(const ClusterSnapshot& cluster) {
  std::set<std::string_view> there;
  for (const Pool& pool : cluster.pools) there.insert(pool.name);
  for (const auto& [pool, what] : waiting) there.insert(pool);
  for (auto place = pools.begin(); place != pools.end();) {
    auto& [pool, gone] = *place;
    if (there.contains(pool)) {
      gone.reset();
      ++place;
      continue;
    }
    if (!gone) {
      gone = cluster.now;
      for (const MetricLabel gauge : pool_gauges) registry.remove(gauge, pool);
    }
    if (cluster.now - *gone < keep_gone_pool) {
      ++place;
      continue;
    }
    for (const MetricLabel gauge : pool_gauges) registry.remove(gauge, pool);  // of pods that no plan knows
    for (const MetricLabel sum : pool_sums) registry.fold(sum, pool, all_gone);
    spent.erase(pool);
    books.forget_pool(pool);
    finished.erase(pool);
    place = pools.erase(place);
  }
}

void OperatorMetrics::State::count_cluster(const ClusterSnapshot& cluster) {
  const ZoneNodes::Count nodes = zone_nodes.look(cluster, node_meter.lists_absent());
  figures.nodes = nodes.all, figures.nodes_schedulable = nodes.schedulable;
  figures.moves_in_flight = cluster.moves.size();
  if (!phases_told) registry.set("lips_moves", {"copying"}, static_cast<double>(cluster.moves.size()));
}

InvoiceSoFar OperatorMetrics::decided(const DecidedPlan& decided) {
  on_loop();
  State& state = *state_;
  const std::lock_guard lock(state.mutex);
  state.see(decided.cluster.now);
  state.count_running();
  state.node_meter.look(decided.cluster, state.now());
  state.spend.price(decided.costs);
  state.count_plan(decided);
  state.count_taken_back(decided);
  state.count_pools(decided);
  state.forget_pools(decided.cluster);
  state.count_cluster(decided.cluster);
  state.count_storage(decided.cluster);
  if (state.money.due(state.now())) state.money.add(state.money_now());
  return state.invoice();
}

// Without the lock: its thread is of low priority, and nobody is to wait for it.
void OperatorMetrics::twin_told(const TwinState& twin, double seconds) {
  state_->twin_metrics.set(twin, seconds, now_since_1970());
}

Usd OperatorMetrics::nodes_until(const ClusterSnapshot& cluster) {
  State& state = *state_;
  const std::lock_guard lock(state.mutex);
  state.see(cluster.now);
  state.node_meter.listed(cluster, state.now());
  return state.node_meter.dollars();
}

void OperatorMetrics::plan_refused(const PlanFault& fault) {
  state_->registry.add("lips_plans_refused_total", {to_string(fault.kind)});
}

void OperatorMetrics::journalled(JournalOutcome outcome, std::uint64_t bytes) {
  state_->registry.add("lips_journal_records_total", {journal_outcomes[outcome]});
  state_->registry.set("lips_journal_bytes", {}, static_cast<double>(bytes));
}

void OperatorMetrics::reloaded(ReloadOutcome outcome) {
  state_->registry.add("lips_config_reloads_total", {reload_outcomes[outcome]});
}

void OperatorMetrics::targets(const std::vector<TargetReport>& reports) {
  const std::lock_guard lock(state_->mutex);
  state_->target_metrics.set(state_->figures.targets = reports);
}

void OperatorMetrics::own_targets(const std::vector<OwnTargetReport>& reports,
                                  const std::vector<MissedTarget>& missed) {
  const std::lock_guard lock(state_->mutex);
  state_->own_target_metrics.set(reports, state_->figures.own_targets);
  state_->own_target_metrics.missed(missed);
}

void OperatorMetrics::left_alone(const std::string& pool, std::optional<LeftAlone> reason) {
  state_->target_metrics.left_alone(pool, reason);
}

void OperatorMetrics::bill_nodes_by(const NodeTerms& terms) {
  const std::lock_guard lock(state_->mutex);
  state_->node_meter.bill_by(terms, state_->now());
}

void OperatorMetrics::prices_as_of(std::chrono::system_clock::time_point oldest) {
  state_->registry.set("lips_prices_timestamp_seconds", {}, since_1970(oldest));
}

void OperatorMetrics::prices_read(std::chrono::system_clock::time_point last) {
  state_->registry.set("lips_prices_read_timestamp_seconds", {}, since_1970(last));
}

void OperatorMetrics::on_event(const ClusterSnapshot& cluster, const ClusterEvent& event) {
  on_loop();
  if (const auto* ended = std::get_if<MoveEnded>(&event)) {
    if (!state_->phases_told) on_move_ended("", ended->committed, Mebibytes(0));
    return;
  }
  const std::lock_guard lock(state_->mutex);
  state_->see(cluster.now);
  state_->count_event(cluster, event);
}

void OperatorMetrics::State::count_event(const ClusterSnapshot& cluster, const ClusterEvent& event) {
  const Spend::Changes changes = spend.on_event(cluster, event);
  for (const EndedTask& task : changes.ended) count_ended(task);
  if (changes.copied) registry.add("lips_moved_bytes_total", {}, changes.copied->value() * bytes_per_mebibyte);
  if (const auto* stays = std::get_if<TaskStays>(&event))
    registry.add("lips_tasks_not_taken_back_total", {known(cluster.pools[pool_of(cluster, stays->task)].name)});
  if (const auto* listed = std::get_if<ClusterListed>(&event)) {
    node_meter.listed(*listed->start, now());
  } else if (const auto* gone = std::get_if<NodeLost>(&event)) {
    node_meter.lost(cluster.nodes[gone->node], now());
  }
}

void OperatorMetrics::on_bind(const ClusterSnapshot& cluster, const Assignment& assignment) {
  State& state = *state_;
  const Task& task = cluster.tasks[assignment.task];
  const Locality level =
      assignment.read_from.valid() ? locality_of(cluster, assignment.read_from, assignment.node) : Locality::none;
  const std::lock_guard lock(state.mutex);
  state.see(cluster.now);
  state.spend.on_bind(cluster, assignment);
  state.node_meter.bound(cluster.nodes[assignment.node], state.now());
  const std::string_view level_name = to_string(level);
  state.registry.add("lips_tasks_bound_total",
                     {state.known(pool_name(cluster, cluster.jobs[task.job].pool)), level_name});
  if (level != Locality::none)
    state.registry.add("lips_read_bytes_total", {level_name}, task.input.value() * bytes_per_mebibyte);
  ++state.figures.bound[level];
  if (state.queued > 0) --state.queued;
  state.registry.set("lips_pending_tasks", {"queued"}, static_cast<double>(state.queued));
}

std::string OperatorMetrics::exposition() const {
  {
    const std::lock_guard lock(state_->mutex);
    const double cpu = cpu_seconds();
    state_->registry.add("process_cpu_seconds_total", {}, cpu - state_->cpu_counted);
    state_->cpu_counted = cpu;
    state_->count_running();
  }
  state_->registry.set("process_resident_memory_bytes", {}, resident_bytes());
  return state_->registry.text();
}

OperatorFigures OperatorMetrics::figures() const {
  const std::lock_guard lock(state_->mutex);
  state_->count_running();
  OperatorFigures figures = state_->figures;
  figures.leads = state_->leads, figures.state = state_->doing;
  figures.now = state_->now();
  const auto since = [](SteadyClock::time_point then) {
    return std::chrono::duration<double>(SteadyClock::now() - then).count();
  };
  figures.since_start = since(state_->started);
  figures.since_last_epoch = figures.epochs > 0 ? since(state_->last_epoch) : 0;
  if (state_->queued > 0) figures.pending.emplace_back("queued", state_->queued);
  for (PoolFigures& pool : figures.pools)
    if (const auto spent = state_->spent.find(pool.name); spent != state_->spent.end()) pool.spent = spent->second;
  const NodeMeter& meter = state_->node_meter;
  figures.invoice = {state_->invoice(), meter.idle_dollars(), meter.task_core_seconds() / 3600,
                     state_->unknown_prices.by_type()};
  if (!state_->money.points().empty()) {
    figures.money = state_->money.points();
    figures.money.push_back(state_->money_now());
  }
  return figures;
}

std::vector<JobDay> OperatorMetrics::by_job() const {
  const std::lock_guard lock(state_->mutex);
  state_->count_running();
  return state_->books.by_job();
}

OperatorState OperatorMetrics::state() const {
  const std::lock_guard lock(state_->mutex);
  return state_->doing;
}

std::optional<AdapterStatus> OperatorMetrics::status() const {
  const std::lock_guard lock(state_->mutex);
  return state_->status;
}

bool OperatorMetrics::leads() const { return state_->leads; }

double OperatorMetrics::seconds_since_turn() const {
  const SteadyClock::duration then(state_->turned.load());
  return std::chrono::duration<double>(SteadyClock::now().time_since_epoch() - then).count();
}

}  // namespace lips
