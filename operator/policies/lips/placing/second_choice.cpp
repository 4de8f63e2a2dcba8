#include "policies/lips/placing/second_choice.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <optional>
#include <tuple>

#include "policies/lips/placing/demands.h"
#include "policies/lips/placing/offers.h"
#include "policies/lips/prices/price_terms.h"

namespace lips {

namespace {

// Tasks of a list that are not stranded, fit some node, and still wait. Each pool has looks of its own, so that many
// tasks of one do not hide those of another.
constexpr int most_in_vain = 24, most_in_vain_of_all = 96;
// An autoscaler may launch a larger node than the one that was asked for. Who asked takes it up to so many times the
// price of a launch elsewhere; else it would go unused, and so would the next one.
constexpr double dearest_that_came = 3;

class SecondChoices {
 public:
  SecondChoices(const PackingFacts& facts, Packed& packed, IdVector<NodeId, Resources>& free)
      : cluster_(facts.market.cluster),
        classes_(facts.market.classes),
        workload_(facts.market.workload),
        amounts_(facts.market.amounts),
        demands_(facts.demands),
        pools_(packed.pools),
        stranded_(classes_.classes.size()),
        offers_(cluster_, classes_, free, packed.promised) {
    IdVector<PoolId, bool> wants(cluster_.pools.size(), false);
    for (const PortionId id : workload_.portions.ids()) wants[demands_[id].pool] = true;
    const auto pools = static_cast<int>(std::count(wants.begin(), wants.end(), true));
    looks_ = std::clamp(most_in_vain_of_all / std::max(1, pools), 1, most_in_vain);
    for (const ClassId c : classes_.classes.ids()) launches_ = launches_ || classes_.classes[c].offer.valid();
    for (const ClassId c : classes_.classes.ids())
      for (const NodeId node : classes_.classes[c].nodes)
        stranded_[c] += std::max(0.0, classes_.usable.of(free[node].cpu).value());
  }

  void add_ends(const std::vector<Placement>& packed) {
    for (const Placement& placement : packed)
      if (placement.start <= 0)
        for (std::uint32_t i = 0; i < placement.tasks; ++i)
          offers_.add_end(seconds(placement.portion, classes_.class_of[placement.node]), placement.node,
                          *demands_[placement.portion].request);
  }

  // The most urgent tasks first, whatever their list.
  SecondChoice run(IdVector<PortionId, std::uint32_t> tasks, WholeQuotas& rest) {
    std::vector<Waiting> waiting;
    std::vector<Quota> unserved;
    if (!launches_) unserved = left_unserved(std::move(tasks), rest);
    collect(unserved, {}, 0, waiting);
    for (const ZoneId zone : rest.zone.ids())
      collect(rest.zone[zone], {nullptr, ClassId::none(), zone}, zone_budget(zone), waiting);
    for (const ClassId c : rest.in_class.ids())
      collect(rest.in_class[c], {nullptr, c, classes_.classes[c].zone}, stranded_[c], waiting);
    std::stable_sort(waiting.begin(), waiting.end(), [&](const Waiting& a, const Waiting& b) {
      const Demand &left = demands_[a.quota->portion], &right = demands_[b.quota->portion];
      return left.priority != right.priority ? left.priority > right.priority : left.urgency < right.urgency;
    });
    for (const Waiting& each : waiting) offer(each);
    return std::move(result_);
  }

 private:
  struct Waiting {
    Quota* quota;
    ClassId of_class;  // none: any of the zone
    ZoneId zone;
    std::uint32_t stranded = 0;  // of its tasks; the others wait as the program says
    bool blocked = false;        // an empty node keeps the one that the program meant from coming
  };

  // Tasks that the program left for a later plan: of each pool the most urgent, those that are alike taking turns with
  // others, since where one finds no room the next seldom does. `tasks`: those that packing did not start.
  std::vector<Quota> left_unserved(IdVector<PortionId, std::uint32_t> tasks, const WholeQuotas& rest) {
    for (const std::vector<Quota>& list : rest.zone)
      for (const Quota& quota : list) tasks[quota.portion] -= quota.tasks;
    for (const std::vector<Quota>& list : rest.in_class)
      for (const Quota& quota : list) tasks[quota.portion] -= quota.tasks;
    std::vector<PortionId> waiting;
    for (const PortionId id : workload_.portions.ids())
      if (tasks[id] > 0 && pools_.tasks(demands_[id].pool, *demands_[id].request) >= 1 && fits_now(demands_[id]))
        waiting.push_back(id);
    std::sort(waiting.begin(), waiting.end(), [&](PortionId a, PortionId b) {
      const Demand &one = demands_[a], &other = demands_[b];
      return std::tuple(-std::int64_t{one.priority}, one.urgency, a) <
             std::tuple(-std::int64_t{other.priority}, other.urgency, b);
    });
    std::vector<std::uint32_t> alike(demands_.lanes(), 0);
    std::vector<std::pair<std::uint32_t, PortionId>> in_turn;
    for (const PortionId id : waiting) in_turn.emplace_back(alike[demands_[id].lane]++, id);
    std::stable_sort(in_turn.begin(), in_turn.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    IdVector<PoolId, int> looks(cluster_.pools.size(), 0);
    std::vector<Quota> left;
    for (const auto& [turn, id] : in_turn)
      if (looks[demands_[id].pool]++ < looks_) left.push_back({id, tasks[id]});
    return left;
  }

  // Cores of the zone's classes in use by tasks that take any class.
  double zone_budget(ZoneId zone) const {
    double cores = 0;
    for (const ClassId c : classes_.classes.ids())
      if (classes_.classes[c].zone == zone && amounts_.open_work[c] > 0) cores += stranded_[c];
    return cores;
  }

  // Where nodes are launched, a task that is not stranded leaves the room that is there to those for which it was
  // launched, unless no node would be launched for the task itself.
  bool is_offered(const Waiting& waiting) {
    if (!launches_) return true;
    const Demand& demand = demands_[waiting.quota->portion];
    for (const ClassId c : classes_.classes.ids()) {
      const NodeClass& group = classes_.classes[c];
      const bool meant =
          waiting.of_class.valid() ? c == waiting.of_class : group.zone == waiting.zone && amounts_.open_work[c] > 0;
      if (meant && group.offer.valid() &&
          offers_.is_never_launched(workload_.commodities[demand.commodity], *demand.request, group))
        return true;
    }
    return false;
  }

  // Some node that may take such a task has room for it, before anything is offered.
  bool fits_now(const Demand& demand) {
    const Commodity& commodity = workload_.commodities[demand.commodity];
    const ConstraintId constraint = commodity.any_class ? ConstraintId::none() : commodity.constraint;
    const auto [known, added] = fits_now_.try_emplace({demand.request, commodity.any_class, constraint}, false);
    if (added) known->second = offers_.any_now(commodity, *demand.request);
    return known->second;
  }

  void collect(std::vector<Quota>& list, Waiting each, double cores, std::vector<Waiting>& waiting) {
    if (list.empty()) return;
    IdVector<PoolId, int> in_vain(cluster_.pools.size(), 0);
    for (Quota& quota : list) {
      const Demand& demand = demands_[quota.portion];
      if (quota.tasks == 0 || pools_.tasks(demand.pool, *demand.request) < 1) continue;
      const double request = cores_of(*demand.request);
      each.quota = &quota;
      each.stranded =
          static_cast<std::uint32_t>(std::min<double>(quota.tasks, std::ceil(std::max(0.0, cores - 1e-6) / request)));
      cores -= each.stranded * request;
      if (each.stranded == 0 && (!fits_now(demand) || !is_offered(each))) continue;
      each.blocked = launches_ && each.stranded == 0;
      if (each.blocked) each.stranded = quota.tasks;
      if (each.stranded == 0 && ++in_vain[demand.pool] > looks_) continue;
      waiting.push_back(each);
    }
  }

  double seconds(PortionId id, ClassId c) const {
    const Demand& demand = demands_[id];
    return run_seconds(cluster_, workload_.commodities[demand.commodity], classes_.classes[c], *demand.request,
                       demand.work);
  }

  // USD per CPU-second that the program expects of a start at once where it put the tasks.
  double program_price(const Waiting& waiting, const Commodity& commodity) const {
    if (waiting.of_class.valid()) return price_in(classes_, classes_.classes[waiting.of_class], commodity);
    double least = commodity.unserved_price;
    for (const NodeClass& group : classes_.classes)
      if (group.zone == waiting.zone) least = std::min(least, price_in(classes_, group, commodity));
    return least;
  }

  // The cheapest place for one of the tasks. None: a later plan serves it for less.
  std::optional<PlaceOffer> place_for(const Waiting& waiting) {
    const Demand& demand = demands_[waiting.quota->portion];
    const Commodity& commodity = workload_.commodities[demand.commodity];
    const std::optional<PlaceOffer> offer = offers_.cheapest(commodity, *demand.request, demand.work);
    if (!offer || !(offer->price <= commodity.unserved_price)) return std::nullopt;
    if (!waiting.blocked || offer->now()) return offer;
    const std::optional<PlaceOffer> came = offers_.cheapest_now(commodity, *demand.request, demand.work);
    return came && came->price <= dearest_that_came * offer->price ? came : offer;
  }

  // Tasks of a portion are alike: once one that is not stranded waits, the others do.
  void offer(Waiting waiting) {
    Quota& quota = *waiting.quota;
    const Demand& demand = demands_[quota.portion];
    const Commodity& commodity = workload_.commodities[demand.commodity];
    for (std::uint32_t wait = 0; wait < quota.tasks && pools_.tasks(demand.pool, *demand.request) >= 1;) {
      const std::optional<PlaceOffer> offer = place_for(waiting);
      const bool now = offer && offer->now();
      if (!now && waiting.stranded == 0) return;
      if (waiting.stranded > 0) {
        const double price = offer ? offer->price : commodity.unserved_price;
        result_.usd += demand.work * std::max(0.0, price - program_price(waiting, commodity));
        --waiting.stranded;
      }
      if (offer && offers_.take(*offer, *demand.request, seconds(quota.portion, offer->of_class)))
        hold(quota.portion, offer->node);
      if (!now && (!offer || offer->node.valid())) {
        ++wait;
        continue;
      }
      --quota.tasks;
      pools_.take(demand.pool, *demand.request, 1);
      now ? start(quota.portion, offer->node) : launch(waiting, offer->of_class);
    }
  }

  void start(PortionId portion, NodeId node) {
    std::vector<Placement>& placed = result_.placements;
    if (!placed.empty() && placed.back().portion == portion && placed.back().node == node)
      ++placed.back().tasks;
    else
      placed.push_back({portion, 1, node, 0, {}});
  }

  void hold(PortionId portion, NodeId node) {
    const Resources& room = cluster_.free[node];
    if (room.cpu > Cores(0))
      add_held(result_.held,
               {HeldFor::large_task, workload_.portions[portion].job, cluster_.nodes[node].zone, 1, room, false});
  }

  void launch(const Waiting& waiting, ClassId offer) {
    const PortionId portion = waiting.quota->portion;
    std::vector<LaunchChoice>& launches = result_.launches;
    if (!launches.empty() && launches.back().offer == offer && launches.back().quota.portion == portion &&
        launches.back().of_class == waiting.of_class && launches.back().zone == waiting.zone)
      ++launches.back().quota.tasks;
    else
      launches.push_back({offer, {portion, 1}, waiting.of_class, waiting.zone});
  }

  const ClusterSnapshot& cluster_;
  const NodeClasses& classes_;
  const Workload& workload_;
  const Amounts& amounts_;
  const Demands& demands_;
  PoolRoom& pools_;
  IdVector<ClassId, double> stranded_;  // cores that are free and that no task of the class's list takes
  std::map<std::tuple<const Resources*, bool, ConstraintId>, bool> fits_now_;  // looked up only
  Offers offers_;
  bool launches_ = false;  // an autoscaler launches nodes
  int looks_ = 0;          // in vain, of each pool in each list
  SecondChoice result_;
};

}  // namespace

SecondChoice choose_again(const PackingFacts& facts, const TasksInTurn& turn, Packed& packed,
                          IdVector<NodeId, Resources>& free) {
  IdVector<PortionId, std::uint32_t> left = turn.left;
  for (const Placement& placement : packed.placements) left[placement.portion] -= placement.tasks;
  if (!packed.room_left || std::all_of(left.begin(), left.end(), [](std::uint32_t tasks) { return tasks == 0; }))
    return {};
  SecondChoices choices(facts, packed, free);
  choices.add_ends(turn.started);
  choices.add_ends(packed.placements);
  return choices.run(std::move(left), packed.rest);
}

}  // namespace lips
