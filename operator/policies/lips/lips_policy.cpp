#include "policies/lips/lips_policy.h"

#include <algorithm>
#include <unordered_set>
#include <utility>

#include "model/peers.h"
#include "policies/lips/account.h"
#include "policies/lips/data/copies.h"
#include "policies/lips/data/new_data.h"
#include "policies/lips/data/rescues.h"
#include "policies/lips/demand/commodities.h"
#include "policies/lips/demand/expected_room.h"
#include "policies/lips/demand/homes.h"
#include "policies/lips/demand/waiting_weights.h"
#include "policies/lips/gangs/peers.h"
#include "policies/lips/placing/far_reads.h"
#include "policies/lips/placing/fast_path.h"
#include "policies/lips/placing/node_requests.h"
#include "policies/lips/placing/second_choice.h"
#include "policies/lips/placing/task_selection.h"
#include "policies/lips/program/class_form.h"
#include "policies/lips/program/zone_form.h"
#include "policies/lips/supply/classes.h"

namespace lips {

namespace {

// Above this many groups the copies of shared data are priced by fair shares instead of columns of their own.
constexpr std::size_t most_copy_commodities = 1000;

constexpr int makespan_steps = 12;  // of bisection

// One decision, stage by stage: classes, peers, fast path, commodities, model, homes, whole tasks, nodes, tasks,
// account.
class Decision {
 public:
  Decision(const PolicyInput& input, const PolicySettings& settings)
      : input_(input),
        cluster_(input.cluster),
        settings_(settings),
        whole_horizon_(settings.lips.horizon > Duration(0)),
        weights_(whole_horizon_ ? JobWeights{} : job_weights(input.cluster, settings.lips)),
        waiting_price_(price_of_wait(input.cluster, settings.lips, weights_.in_price)) {}

  Result<Plan> run() {
    const double started = clock();
    plan_.replan_after = whole_horizon_ ? settings_.lips.horizon : settings_.replan_every;
    if (!whole_horizon_) rescue_data(input_, plan_);  // its program has the links for its own moves
    if (settings_.lips.keep_copies) drop_idle_copies(cluster_, settings_.lips.drop_copies_after, plan_);
    if (cluster_.pending_tasks == 0) {
      keep_room_for_peers();
      return std::move(plan_);
    }
    plan_.rest = DeferralReason::cheaper_later;
    prepare();
    plan_.account.seconds.group = lap(started);
    if (!workload_.commodities.empty()) {
      amounts_ = solve(classes_);
      if (whole_horizon_ && settings_.lips.makespan_tolerance > 0) shorten_makespan();
    }
    plan_.account.seconds.solve = lap(started) - plan_.account.seconds.group;
    place();
    plan_.account.seconds.total = lap(started);
    return std::move(plan_);
  }

  solver::LinearProgram program() {
    prepare();
    if (use_zone_form()) return zone_form_program(cluster_, classes_, workload_);
    const ClassFormSettings model = model_settings();
    return class_form_program({cluster_, input_.costs, classes_, workload_, model});
  }

 private:
  void prepare() {
    classes_ = make_classes(cluster_, time_slots());
    if (!whole_horizon_ && !buys())  // an autoscaler has room for whatever comes
      plan_.account.kept_room = keep_expected_room(cluster_, input_.costs, settings_.lips.expected_reach, classes_);
    free_ = cluster_.free;
    if (!whole_horizon_ && settings_.lips.home_zones) start_peers();
    if (!whole_horizon_ && !buys() && settings_.lips.fast_path_limit.value() > 0) {
      fast_path_ = serve_small_jobs(input_, {settings_.lips.fast_path_limit, copies(), std::move(served_), pool_cores_},
                                    classes_, free_);
      served_ = fast_path_.served;
      pool_cores_ = fast_path_.pool_cores;
    }
    choose_home_zones();
    workload_ = make_commodities(cluster_, input_.costs, classes_, commodity_settings());
  }

  void start_peers() {
    const LipsSettings& lips = settings_.lips;
    peers_ = place_peers(input_, {waiting_price_, lips.settle, lips.keep_room, buys()}, classes_, free_);
    served_ = peers_.served;
    pool_cores_ = peers_.pool_cores;
    plan_.deferrals.insert(plan_.deferrals.end(), peers_.deferrals.begin(), peers_.deferrals.end());
    plan_.account.jobs_apart = peers_.apart;
    if (peers_.look_again) plan_.replan_after = std::min(*plan_.replan_after, *peers_.look_again);
  }

  // Nothing is pending, but tasks may come for which nodes are there. Those for which there are none wait for the next
  // plan: else an autoscaler would launch nodes for them anywhere.
  void keep_room_for_peers() {
    if (!buys()) return;
    plan_.node_requests.emplace();
    if (!settings_.lips.home_zones || running_peers(cluster_).empty()) return;
    classes_ = make_classes(cluster_, time_slots());
    free_ = cluster_.free;
    start_peers();
    plan_.node_requests = std::move(peers_.requests);
  }

  // Small jobs, too, wait for a node that others need instead of one node each.
  bool buys() const {
    return !whole_horizon_ && settings_.lips.billing == Billing::invoice && !cluster_.offers.empty();
  }

  double clock() const { return input_.stopwatch ? input_.stopwatch->seconds() : 0; }
  double lap(double started) const { return clock() - started; }

  CopyPricing copies() const {
    if (settings_.lips.copy_columns && shared_groups() <= most_copy_commodities) return CopyPricing::columns;
    if (settings_.lips.copy_columns) return CopyPricing::fair_share;
    return settings_.lips.keep_copies ? CopyPricing::shared_price : CopyPricing::none;
  }

  // Task groups that read data of more than one pending job, as far as it matters here.
  std::size_t shared_groups() const {
    const IdVector<DataSetId, double> readers = pending_readers(cluster_);
    std::size_t count = 0;
    for (JobId id : cluster_.pending)
      for (const TaskGroup& group : cluster_.groups[id])
        count += group.count > 0 && group.data_set.valid() && readers[group.data_set] > 1 + 1e-9;
    return count;
  }

  TimeSlotSettings time_slots(double share = 1) const {
    TimeSlotSettings time_slots;
    if (whole_horizon_) {
      time_slots.edges = {Duration(0), seconds(share * to_seconds(settings_.lips.horizon))};
      time_slots.stretch_first = false;
    } else {
      time_slots.edges = settings_.lips.time_slot_edges;
      if (!buys())
        time_slots.edges = begin_slots_with_expected(cluster_, settings_.lips.expected_reach, time_slots.edges);
      time_slots.billing = settings_.lips.billing;
      time_slots.charge_queue = settings_.lips.queue_charge && settings_.lips.billing == Billing::invoice;
      time_slots.expected_reach = settings_.lips.expected_reach;
    }
    time_slots.waiting_price = waiting_price_;
    return time_slots;
  }

  bool pool_rows() const {
    return whole_horizon_ && std::any_of(cluster_.pools.begin(), cluster_.pools.end(), [](const Pool& pool) {
             return pool.shortfall_price.value() > 0 || pool.maximum.value() > 0;
           });
  }

  CommoditySettings commodity_settings() const {
    CommoditySettings commodities;
    commodities.copies = copies();
    commodities.locality_price = settings_.lips.locality_price;
    commodities.per_pool = pool_rows();
    commodities.links = links();
    if (whole_horizon_) commodities.horizon = settings_.lips.horizon;
    commodities.skip = served_;
    commodities.homes = homes_.zone;
    commodities.weights = weights_.in_price;
    commodities.order = job_order(cluster_, settings_.lips, weights_.in_order,
                                  classes_.mean_price * (waiting_price_ * classes_.queue_charge));
    return commodities;
  }

  ClassFormSettings model_settings() const {
    ClassFormSettings model;
    const double horizon = to_seconds(settings_.lips.horizon);
    if (whole_horizon_) model.link_capacity = Mebibytes(cluster_.network.zone_link.value() * horizon);
    if (!pool_rows()) return model;
    const double rate = classes_.work_rate / std::max(1e-9, classes_.cores.value()) * horizon;  // work of one core
    double weights = 0;
    for (const Pool& pool : cluster_.pools) weights += pool.weight;
    const IdVector<PoolId, PoolUse> running = pools_running();
    for (PoolId id : cluster_.pools.ids()) {
      const Pool& pool = cluster_.pools[id];
      PoolRow row{id, 0, solver::infinity, pool.shortfall_price.value()};
      row.least = std::max(pool.minimum.value(), classes_.cores.value() * pool.weight / std::max(1e-9, weights)) * rate;
      if (pool.maximum.value() > 0) {
        row.most = std::max(0.0, pool.maximum.value() * horizon - running[id].core_seconds);
        row.least = std::min(row.least, pool.maximum.value() * rate);
      }
      row.least = std::max(0.0, row.least - running[id].work);
      model.pools.push_back(row);
    }
    return model;
  }

  struct PoolUse {
    double work = 0, core_seconds = 0;
  };

  // What running tasks still use in the horizon counts against their pools' shares and maxima.
  IdVector<PoolId, PoolUse> pools_running() const {
    IdVector<PoolId, PoolUse> use(cluster_.pools.size());
    for (const RunningTask& run : cluster_.running) {
      const Job& job = cluster_.jobs[run.job];
      const double left = to_seconds(std::clamp(run.expected_end - cluster_.now, Duration(0), settings_.lips.horizon));
      use[job.pool].core_seconds += job.request.cpu.value() * left;
      use[job.pool].work += job.request.cpu.value() * left * cluster_.nodes[run.node].speed;
    }
    return use;
  }

  bool links() const { return whole_horizon_ && cluster_.network.zone_link.value() > 0; }
  bool use_zone_form() const { return zone_form_holds(workload_) && !pool_rows() && !links(); }

  Amounts solve(const NodeClasses& classes) const {
    if (use_zone_form()) return solve_zone_form(cluster_, input_.costs, classes, workload_);
    const ClassFormSettings model = model_settings();
    return solve_class_form({cluster_, input_.costs, classes, workload_, model});
  }

  // The same program for a part of the horizon.
  Amounts solve_shorter(double share) const { return solve(make_classes(cluster_, time_slots(share))); }

  void choose_home_zones() {
    if (!settings_.lips.home_zones) return;
    homes_ = choose_homes(input_, classes_, served_);
    if (!homes_.decided.empty()) plan_.account.home_gap = homes_.gap;
    for (JobId id : homes_.decided) {
      JobMemory memory = cluster_.jobs[id].memory;
      memory.home = homes_.zone[id.index()];
      memory.home_decided = true;
      plan_.remember.push_back({id, memory});
    }
  }

  // The least horizon whose optimum stays within (1 + d) of the least cost (the second objective).
  void shorten_makespan() {
    if (amounts_.fell_back) return;
    const double most = amounts_.objective * (1 + settings_.lips.makespan_tolerance);
    const Amounts whole = amounts_;
    double low = 0, high = 1;
    for (int step = 0; step < makespan_steps; ++step) {
      const double share = (low + high) / 2;
      Amounts shorter = solve_shorter(share);
      if (shorter.objective <= most && !shorter.fell_back) {
        high = share;
        amounts_ = std::move(shorter);
      } else {
        low = share;
      }
    }
    window_share_ = high;
    keep_shorter_plan(whole);
    amounts_.lower_bound = whole.lower_bound;  // of the least cost, which is what the account compares with
  }

  // Whole tasks fit a shorter window less well: where they cost too much, the next longer one.
  void keep_shorter_plan(const Amounts& whole) {
    const auto cost = [&](const Amounts& amounts, double share) {
      IdVector<NodeId, Resources> free = free_;
      const std::vector<Placement> placements = pack_amounts(amounts, share, free);
      return cost_of_placements(classes_, workload_, placements, cluster_, model_settings().pools);
    };
    const double most = cost(whole, 1) * (1 + settings_.lips.makespan_tolerance) + 1e-12;
    while (window_share_ < 1) {
      if (cost(amounts_, window_share_) <= most) return;
      window_share_ = window_share_ > 0.95 ? 1 : (1 + 3 * window_share_) / 4;
      amounts_ = solve_shorter(window_share_);
    }
    amounts_ = whole;
  }

  std::vector<Placement> pack_amounts(const Amounts& amounts, double share, IdVector<NodeId, Resources>& free) {
    return pack(input_, classes_, workload_, amounts, round_amounts(cluster_, workload_, amounts, classes_),
                packing(share), free)
        .placements;
  }

  PackingSettings packing(double share) const {
    PackingSettings packing;
    packing.window =
        whole_horizon_ ? to_seconds(settings_.lips.horizon) * share : to_seconds(settings_.lips.plan_ahead);
    if (fast_path_.waiting) packing.window = 0;  // the next slots that free are theirs, by the next plan
    packing.strict = whole_horizon_;
    packing.fill = buys();
    packing.balance = whole_horizon_ && side_rows(workload_, classes_).memory;
    packing.pool_cores = pool_cores_.empty() ? cluster_.pool_cores : pool_cores_;
    const ClassFormSettings model = model_settings();
    packing.link_budget = model.link_capacity;
    if (model.pools.empty()) return packing;
    packing.pool_budget.resize(cluster_.pools.size(), 1e300);
    for (const PoolRow& pool : model.pools)
      if (pool.most < solver::infinity) packing.pool_budget[pool.pool] = pool.most;
    return packing;
  }

  struct WholeTasks {
    WholeQuotas quotas;
    std::vector<Placement> placements;
    double stranded_usd = 0;  // of tasks that found no room where the program meant them
  };

  WholeTasks place_whole() {
    const double started = clock();
    WholeTasks whole{round_amounts(cluster_, workload_, amounts_, classes_), {}};
    plan_.account.seconds.round += lap(started);
    const double rounded = clock();
    Packed packed = pack(input_, classes_, workload_, amounts_, whole.quotas, packing(window_share_), free_);
    whole.placements = std::move(packed.placements);
    if (!whole_horizon_) {
      SecondChoice again =
          choose_again(cluster_, classes_, workload_, amounts_, packed.rest, whole.placements, free_, packed.pools);
      whole.placements.insert(whole.placements.end(), again.placements.begin(), again.placements.end());
      for (const auto& [offer, quota] : again.launches) whole.quotas.in_class[offer].push_back(quota);
      whole.stranded_usd = again.usd;
    }
    plan_.account.seconds.pack += lap(rounded);
    return whole;
  }

  // Beside an autoscaler a job's tasks that wait get nodes where its data lies: see far_reads.h.
  WholeTasks place_beside_data() {
    if (!buys()) return place_whole();
    const IdVector<NodeId, Resources> free = free_;
    std::unordered_set<JobId> lighter;
    WholeTasks packed = place_whole();
    for (int round = 0; round < rounds_of_far_reads && make_lighter(packed, lighter); ++round) {
      const double started = clock();
      workload_ = make_commodities(cluster_, input_.costs, classes_, commodity_settings());
      amounts_ = solve(classes_);
      plan_.account.seconds.solve += lap(started);
      free_ = free;
      packed = place_whole();
    }
    return packed;
  }

  bool make_lighter(const WholeTasks& packed, std::unordered_set<JobId>& lighter) {
    bool changed = false;
    for (const JobId job : far_for_nothing(cluster_, workload_, packed.placements)) {
      if (!lighter.insert(job).second) continue;
      weights_.in_price.of_job[job] = lighter_wait * weights_.in_price.of(job);
      changed = true;
    }
    return changed;
  }

  void place() {
    WholeTasks packed;
    double objective = 0;
    if (!workload_.commodities.empty()) {
      packed = place_beside_data();
      if (!whole_horizon_)
        objective = cost_of_quotas(cluster_, classes_, workload_, packed.quotas) + packed.stranded_usd;
      const PricedPreferences priced =
          price_preferences(classes_, workload_, packed.placements, cluster_, model_settings().pools);
      plan_.account.locality = priced.locality;
      plan_.account.terms = dollars_by_term(classes_, workload_, packed.placements);
      if (whole_horizon_) {
        plan_.account.waiting = priced.waiting;
        plan_.account.fairness = priced.fairness;
        objective = (priced.waiting + priced.fairness).value();
      }
    }
    const double started = clock();
    const bool shares = settings_.lips.copy_columns && whole_horizon_;
    std::optional<CopiesToKeep> copies;
    if (settings_.lips.keep_copies && !shares) copies.emplace(input_, settings_.lips.billing, settings_.lips.move_cost);
    const TaskSelectionSettings selection{copies ? &*copies : nullptr, shares, whole_horizon_};
    LocalityReached reached = choose_tasks(input_, peers_.workload, peers_.placements, selection, plan_);
    reached += choose_tasks(input_, fast_path_.workload, fast_path_.placements, selection, plan_);
    reached += choose_tasks(input_, workload_, packed.placements, selection, plan_);
    if (buys()) {
      request_nodes(cluster_, classes_, workload_, amounts_, std::move(packed.quotas), packed.placements, plan_);
      plan_.node_requests->insert(plan_.node_requests->end(), peers_.requests.begin(), peers_.requests.end());
    }
    plan_.account.seconds.locality = lap(started);
    fill_account(input_, classes_, workload_, amounts_, plan_);
    PlanAccount& account = plan_.account;
    if (reached.readers > 0) {
      account.node_local_share = static_cast<double>(reached.local) / static_cast<double>(reached.readers);
      account.node_local_bound = static_cast<double>(reached.bound) / static_cast<double>(reached.readers);
    }
    account.objective = Usd(objective) + (whole_horizon_ ? account.dollars() : Usd(0));
    account.loss = std::max(Usd(0), *account.objective - Usd(amounts_.objective));
    if (account.lower_bound)
      account.gap = (*account.objective - *account.lower_bound) / std::max(Usd(1e-12), *account.lower_bound);
  }

  const PolicyInput& input_;
  const ClusterSnapshot& cluster_;
  const PolicySettings& settings_;
  const bool whole_horizon_;
  JobWeights weights_;
  double waiting_price_;  // once a decision: it looks at every node
  double window_share_ = 1;
  Plan plan_;
  NodeClasses classes_;
  IdVector<NodeId, Resources> free_;
  PeersPlan peers_;
  FastPath fast_path_;
  std::vector<bool> served_;            // [job] outside of the program; empty: none
  IdVector<PoolId, Cores> pool_cores_;  // in use, with what is served; empty: as in the snapshot
  Workload workload_;
  Homes homes_;
  Amounts amounts_;
};

}  // namespace

Cadence LipsPolicy::cadence() const {
  if (settings_.lips.horizon > Duration(0)) return {Cadence::Trigger::epoch, settings_.lips.horizon, Duration(0)};
  return {Cadence::Trigger::events, settings_.replan_every, settings_.replan_least};
}

Result<Plan> LipsPolicy::decide(const PolicyInput& input) const {
  constexpr Duration ahead = std::chrono::hours(1);  // in which readers of new data are assumed to run
  Result<Plan> plan = Decision(input, settings_).run();
  if (plan) place_new_data(input, settings_.lips.horizon > Duration(0) ? settings_.lips.horizon : ahead, *plan);
  return plan;
}

solver::LinearProgram lips_program(const PolicyInput& input, const PolicySettings& settings) {
  return Decision(input, settings).program();
}

std::unique_ptr<Policy> make_lips(const PolicySettings& settings) { return std::make_unique<LipsPolicy>(settings); }

}  // namespace lips
