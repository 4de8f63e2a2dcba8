#include "policies/lips/lips_policy.h"

#include <algorithm>

#include "policies/lips/account.h"
#include "policies/lips/class_form.h"
#include "policies/lips/copies.h"
#include "policies/lips/express.h"
#include "policies/lips/homes.h"
#include "policies/lips/places.h"
#include "policies/lips/zone_form.h"

namespace lips {

namespace {

// Above this many groups the copies of shared data are priced by fair shares instead of columns of their own.
constexpr std::size_t most_copy_units = 1000;

bool memory_binds(const Units& units, const NodeClasses& classes) {
  return std::any_of(units.units.begin(), units.units.end(), [&](const Unit& unit) {
    return std::any_of(classes.classes.begin(), classes.classes.end(), [&](const NodeClass& group) {
      return unit.request.memory.value() * group.shape.cpu.value() > unit.request.cpu.value() * group.shape.memory.value() + 1e-9;
    });
  });
}

// One decision, stage by stage: classes, express, homes, units, model, whole tasks, nodes, tasks, account.
class Decision {
 public:
  Decision(const PolicyInput& input, const PolicySettings& settings)
      : input_(input), cluster_(input.cluster), settings_(settings), whole_horizon_(settings.horizon > Duration(0)) {}

  Result<Plan> run() {
    const double started = clock();
    plan_.replan_after = whole_horizon_ ? settings_.horizon : settings_.replan_every;
    if (settings_.keep_copies) drop_idle_copies(cluster_, settings_.drop_copies_after, plan_);
    if (cluster_.pending_tasks == 0) return std::move(plan_);
    classes_ = make_classes(cluster_, buckets());
    plan_.rest = DeferralReason::cheaper_later;
    free_ = cluster_.free;
    if (!whole_horizon_ && settings_.express_limit.value() > 0)
      express_ = serve_small_jobs(input_, {settings_.express_limit, copies()}, classes_, free_);
    choose_home_zones();
    units_ = make_units(cluster_, input_.costs, classes_, unit_settings());
    plan_.account.seconds.group = lap(started);
    if (!units_.units.empty()) {
      amounts_ = solve();
      if (whole_horizon_ && settings_.makespan_tolerance > 0) shorten_makespan();
    }
    plan_.account.seconds.solve = lap(started) - plan_.account.seconds.group;
    place();
    plan_.account.seconds.total = lap(started);
    return std::move(plan_);
  }

 private:
  double clock() const { return input_.stopwatch ? input_.stopwatch->seconds() : 0; }
  double lap(double started) const { return clock() - started; }

  CopyPricing copies() const {
    if (settings_.copy_columns && shared_groups() <= most_copy_units) return CopyPricing::columns;
    if (settings_.copy_columns) return CopyPricing::fair_share;
    return settings_.keep_copies ? CopyPricing::shared_price : CopyPricing::none;
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

  BucketSettings buckets() const {
    BucketSettings buckets;
    if (whole_horizon_) {
      buckets.edges = {Duration(0), settings_.horizon};
      buckets.stretch_first = false;
    } else {
      buckets.edges = settings_.bucket_edges;
    }
    buckets.waiting_price = settings_.waiting_price;
    return buckets;
  }

  bool pool_rows() const {
    return whole_horizon_ && std::any_of(cluster_.pools.begin(), cluster_.pools.end(), [](const Pool& pool) {
             return pool.shortfall_price.value() > 0 || pool.maximum.value() > 0;
           });
  }

  UnitSettings unit_settings() const {
    UnitSettings units;
    units.order_factor = settings_.order_factor;
    units.copies = copies();
    units.locality_price = settings_.locality_price;
    units.per_pool = pool_rows();
    units.links = whole_horizon_ && cluster_.network.zone_link.value() > 0;
    units.skip = express_.served;
    units.homes = homes_.zone;
    const double hour = settings_.waiting_price * classes_.mean_price;
    units.share_boost_hours = hour > 0 ? 1 / hour : 0;
    return units;
  }

  ClassFormSettings model_settings() const {
    ClassFormSettings model;
    model.horizon = to_seconds(buckets().edges.back());
    if (!pool_rows()) return model;
    const double all = classes_.work_rate * model.horizon;
    double weights = 0;
    for (const Pool& pool : cluster_.pools) weights += pool.weight;
    for (PoolId id : cluster_.pools.ids()) {
      const Pool& pool = cluster_.pools[id];
      const double per_core = classes_.work_rate / classes_.cores * model.horizon;
      model.pools.push_back({id, std::max(pool.minimum.value() * per_core, all * pool.weight / std::max(1e-9, weights)),
                             pool.maximum.value() * per_core, pool.shortfall_price.value()});
    }
    return model;
  }

  Amounts solve() const {
    if (zone_form_holds(units_) && !pool_rows() && !unit_settings().links)
      return solve_zone_form(cluster_, classes_, units_);
    return solve_class_form(cluster_, input_.costs, classes_, units_, model_settings());
  }

  void choose_home_zones() {
    if (!settings_.home_zones) return;
    homes_ = choose_homes(input_, classes_, express_.served);
    for (JobId id : homes_.decided) {
      JobMemory memory = cluster_.jobs[id].memory;
      memory.home = homes_.zone[id.index()];
      memory.home_decided = true;
      plan_.remember.push_back({id, memory});
    }
  }

  // The least horizon whose optimum stays within (1 + d) of the least cost (the second objective).
  void shorten_makespan() {
    const double most = amounts_.objective * (1 + settings_.makespan_tolerance);
    const double bound = amounts_.lower_bound;
    const auto full = classes_.steps;
    double low = 0, high = 1;
    for (int step = 0; step < 12; ++step) {
      const double share = (low + high) / 2;
      for (std::size_t c = 0; c < full.size(); ++c)
        for (std::size_t b = 0; b < full[c].size(); ++b) {
          classes_.steps[c][b].work = full[c][b].work * share;
          classes_.steps[c][b].memory = full[c][b].memory * share;
        }
      Amounts shorter = solve();
      if (shorter.objective <= most && !shorter.fell_back) {
        high = share;
        amounts_ = std::move(shorter);
      } else {
        low = share;
      }
    }
    classes_.steps = full;
    window_share_ = high;
    amounts_.lower_bound = bound;  // of the least cost, which is what the account compares with
  }

  void place() {
    std::vector<Placement> placements;
    double objective = 0;
    if (!units_.units.empty()) {
      const double started = clock();
      WholeQuotas quotas = round_amounts(cluster_, units_, amounts_, classes_);
      if (!whole_horizon_) objective = cost_of_quotas(classes_, units_, quotas);
      plan_.account.seconds.round = lap(started);
      PackingSettings packing;
      packing.window = whole_horizon_ ? to_seconds(settings_.horizon) * window_share_ : to_seconds(settings_.plan_ahead);
      if (express_.waiting) packing.window = 0;  // the next slots that free are theirs, by the next plan
      packing.strict = whole_horizon_;
      packing.balance = whole_horizon_ && memory_binds(units_, classes_);
      placements = pack(cluster_, classes_, units_, amounts_, std::move(quotas), packing, free_);
      if (whole_horizon_) objective = cost_of_deferred(classes_, units_, placements, cluster_, model_settings().pools);
      plan_.account.seconds.pack = lap(started) - plan_.account.seconds.round;
    }
    const double started = clock();
    const PlaceSettings places{settings_.keep_copies, settings_.copy_columns && whole_horizon_, whole_horizon_};
    choose_tasks(input_, express_.units, std::move(express_.placements), places, plan_);
    choose_tasks(input_, units_, std::move(placements), places, plan_);
    plan_.account.seconds.locality = lap(started);
    fill_account(input_, classes_, units_, amounts_, plan_);
    PlanAccount& account = plan_.account;
    account.objective = Usd(objective) + (whole_horizon_ ? account.dollars() : Usd(0));
    if (account.lower_bound)
      account.gap = (*account.objective - *account.lower_bound) / std::max(Usd(1e-12), *account.lower_bound);
  }

  const PolicyInput& input_;
  const ClusterSnapshot& cluster_;
  const PolicySettings& settings_;
  const bool whole_horizon_;
  double window_share_ = 1;
  Plan plan_;
  NodeClasses classes_;
  IdVector<NodeId, Resources> free_;
  Express express_;
  Units units_;
  Homes homes_;
  Amounts amounts_;
};

}  // namespace

Cadence LipsPolicy::cadence() const {
  if (settings_.horizon > Duration(0)) return {Cadence::Trigger::epoch, settings_.horizon, Duration(0)};
  return {Cadence::Trigger::events, settings_.replan_every, settings_.replan_least};
}

Result<Plan> LipsPolicy::decide(const PolicyInput& input) const { return Decision(input, settings_).run(); }

std::unique_ptr<Policy> make_lips(const PolicySettings& settings) { return std::make_unique<LipsPolicy>(settings); }

}  // namespace lips
