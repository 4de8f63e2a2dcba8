#include "policies/lips_horizon/lips_horizon.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>

#include "policies/lips/account/account.h"
#include "policies/lips/data/copies.h"
#include "policies/lips/data/new_data.h"
#include "policies/lips/demand/commodities.h"
#include "policies/lips/demand/homes.h"
#include "policies/lips/demand/waiting_weights.h"
#include "policies/lips/lips_policy.h"
#include "policies/lips/placing/task_selection.h"
#include "policies/lips/program/class_form.h"
#include "policies/lips/program/zone_form.h"
#include "policies/lips/supply/classes.h"

namespace lips {

namespace {

constexpr int most_tries = 4;       // to pack
constexpr int makespan_steps = 12;  // of bisection

// One decision: classes, homes, commodities, the program, the shortest makespan, whole tasks, account.
class HorizonDecision {
 public:
  HorizonDecision(const PolicyInput& input, const PolicySettings& settings)
      : input_(input),
        cluster_(input.cluster),
        settings_(settings),
        waiting_price_(price_of_wait(input.cluster, settings.lips, {})) {}

  Result<Plan> run() {
    const double started = clock();
    plan_.replan_after = settings_.lips.horizon;
    if (settings_.lips.keep_copies) drop_idle_copies(cluster_, settings_.lips.drop_copies_after, plan_);
    if (cluster_.pending_tasks == 0) return std::move(plan_);
    plan_.rest = DeferralReason::cheaper_later;
    prepare();
    plan_.account.seconds.group = lap(started);
    if (!workload_.commodities.empty()) {
      amounts_ = solve(classes_);
      if (settings_.lips.makespan_tolerance > 0) shorten_makespan();
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
    free_ = cluster_.free;
    if (settings_.lips.home_zones) {
      homes_ = choose_homes(input_, classes_, {});
      remember_homes(cluster_, homes_, plan_);
    }
    workload_ = make_commodities(cluster_, input_.costs, classes_, commodity_settings());
  }

  double clock() const { return input_.stopwatch ? input_.stopwatch->seconds() : 0; }
  double lap(double started) const { return clock() - started; }

  TimeSlotSettings time_slots(double share = 1) const {
    TimeSlotSettings time_slots;
    time_slots.edges = {Duration(0), seconds(share * to_seconds(settings_.lips.horizon))};
    time_slots.stretch_first = false;
    time_slots.waiting_price = waiting_price_;
    return time_slots;
  }

  bool pool_rows() const {
    return std::any_of(cluster_.pools.begin(), cluster_.pools.end(),
                       [](const Pool& pool) { return pool.shortfall_price.value() > 0 || pool.maximum.value() > 0; });
  }
  bool links() const { return cluster_.network.zone_link.value() > 0; }
  bool use_zone_form() const { return zone_form_holds(workload_) && !pool_rows() && !links(); }

  CommoditySettings commodity_settings() const {
    CommoditySettings commodities;
    commodities.copies = copy_pricing(cluster_, settings_.lips);
    commodities.locality_price = settings_.lips.locality_price;
    commodities.per_pool = pool_rows();
    commodities.links = links();
    commodities.horizon = settings_.lips.horizon;
    commodities.homes = homes_.zone;
    commodities.order =
        job_order(cluster_, settings_.lips, {}, classes_.mean_price * (waiting_price_ * classes_.queue_charge));
    return commodities;
  }

  ClassFormSettings model_settings() const {
    ClassFormSettings model;
    const double horizon = to_seconds(settings_.lips.horizon);
    model.link_capacity = Mebibytes(cluster_.network.zone_link.value() * horizon);
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

  // The use of running tasks within the horizon counts against their pools' shares and maxima.
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

  Amounts solve(const NodeClasses& classes) const {
    if (use_zone_form()) return solve_zone_form(cluster_, input_.costs, classes, workload_);
    const ClassFormSettings model = model_settings();
    return solve_class_form({cluster_, input_.costs, classes, workload_, model});
  }

  // The same program for a part of the horizon.
  Amounts solve_shorter(double share) const { return solve(make_classes(cluster_, time_slots(share))); }

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
    amounts_.lower_bound = whole.lower_bound;  // of the least cost, with which the account compares
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

  // Tasks that find no room after others go before them in another try, and the cheaper packing counts.
  std::vector<Placement> pack_amounts(const Amounts& amounts, double share, IdVector<NodeId, Resources>& free) {
    const WholeQuotas quotas = round_amounts(cluster_, workload_, amounts, classes_);
    const PackingSettings settings = packing(share);
    const std::vector<PoolRow> pools = model_settings().pools;
    IdVector<PortionId, bool> first;
    std::optional<PackedTry> best;
    for (int tries = 0; tries < most_tries; ++tries) {
      PackedTry packed{{}, free, 0};
      packed.placements = pack(PackingFacts({cluster_, classes_, workload_, amounts}, input_.costs, first), quotas,
                               settings, packed.free)
                              .placements;
      const bool more = add_stranded(quotas, packed.placements, first);
      if (!best && !more) {
        free = std::move(packed.free);
        return std::move(packed.placements);
      }
      packed.usd = cost_of_placements(classes_, workload_, packed.placements, cluster_, pools);
      if (!best || packed.usd < best->usd) best = std::move(packed);
      if (!more) break;
    }
    free = std::move(best->free);
    return std::move(best->placements);
  }

  struct PackedTry {
    std::vector<Placement> placements;
    IdVector<NodeId, Resources> free;
    double usd = 0;
  };

  // Adds the portions of which tasks found no room. False: all of these went first already.
  bool add_stranded(const WholeQuotas& quotas, const std::vector<Placement>& placements,
                    IdVector<PortionId, bool>& first) const {
    IdVector<PortionId, std::int64_t> left(workload_.portions.size(), 0);
    for (const auto& list : quotas.zone)
      for (const Quota& quota : list) left[quota.portion] += quota.tasks;
    for (const auto& list : quotas.in_class)
      for (const Quota& quota : list) left[quota.portion] += quota.tasks;
    for (const Placement& placement : placements) left[placement.portion] -= placement.tasks;
    first.resize(workload_.portions.size(), false);
    bool added = false;
    for (const PortionId id : left.ids())
      if (left[id] > 0 && !first[id]) first[id] = added = true;
    return added;
  }

  PackingSettings packing(double share) const {
    PackingSettings packing;
    packing.window = to_seconds(settings_.lips.horizon) * share;
    packing.strict = true;
    packing.balance = side_rows(workload_, classes_).memory;
    packing.pools = PoolRoom(cluster_, cluster_.pool_cores);
    const ClassFormSettings model = model_settings();
    packing.link_budget = model.link_capacity;
    if (model.pools.empty()) return packing;
    packing.pool_budget.resize(cluster_.pools.size(), 1e300);
    for (const PoolRow& pool : model.pools)
      if (pool.most < solver::infinity) packing.pool_budget[pool.pool] = pool.most;
    return packing;
  }

  void place() {
    std::vector<Placement> placements;
    Usd preferred(0);
    if (!workload_.commodities.empty()) {
      const double began = clock();
      placements = pack_amounts(amounts_, window_share_, free_);
      plan_.account.seconds.pack += lap(began);
      const PricedPreferences priced =
          price_preferences(classes_, workload_, placements, cluster_, model_settings().pools);
      plan_.account.locality = priced.locality;
      plan_.account.waiting = priced.waiting;
      plan_.account.fairness = priced.fairness;
      plan_.account.terms = dollars_by_term(classes_, workload_, placements);
      preferred = priced.waiting + priced.fairness;
    }
    const double started = clock();
    const bool shares = settings_.lips.copy_columns;
    std::optional<CopiesToKeep> copies;
    if (settings_.lips.keep_copies && !shares) copies.emplace(input_, settings_.lips.billing, settings_.lips.move_cost);
    const LocalityReached reached =
        choose_tasks(input_, workload_, placements, {copies ? &*copies : nullptr, shares, true}, plan_);
    plan_.account.seconds.locality = lap(started);
    fill_account(input_, classes_, workload_, amounts_, plan_);
    reached.tell(plan_.account);
    plan_.account.objective = preferred + plan_.account.dollars();
    compare_with_bound(amounts_, plan_.account);
  }

  const PolicyInput& input_;
  const ClusterSnapshot& cluster_;
  const PolicySettings& settings_;
  double waiting_price_;  // once a decision: it looks at every node
  double window_share_ = 1;
  Plan plan_;
  NodeClasses classes_;
  IdVector<NodeId, Resources> free_;
  Workload workload_;
  Homes homes_;
  Amounts amounts_;
};

}  // namespace

Result<Plan> LipsHorizonPolicy::decide(const PolicyInput& input) const {
  Result<Plan> plan = HorizonDecision(input, settings_).run();
  if (plan) place_new_data(input, settings_.lips.horizon, *plan);
  return plan;
}

std::unique_ptr<Policy> make_lips_as_set(const PolicySettings& settings) {
  if (settings.lips.horizon > Duration(0)) return std::make_unique<LipsHorizonPolicy>(settings);
  return make_lips(settings);
}

solver::LinearProgram lips_program_as_set(const PolicyInput& input, const PolicySettings& settings) {
  return settings.lips.horizon > Duration(0) ? HorizonDecision(input, settings).program()
                                             : lips_program(input, settings);
}

}  // namespace lips
