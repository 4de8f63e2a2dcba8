#include "policies/lips/demand/commodities.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <unordered_map>
#include <unordered_set>

#include "policies/lips/demand/commodity_table.h"
#include "policies/lips/prices/interruptions.h"
#include "policies/lips/prices/price_terms.h"

namespace lips {

namespace {

constexpr double unserved_where_all_is_free = 1e-6;

constexpr std::array<Locality, 2> near_and_far{Locality::zone, Locality::remote};

// Prices of a MiB by the cheapest chain of copies and reads, which may cost less than the direct way.
struct CheapestChains {
  CostModel price;
  bool direct = true;
};

CheapestChains cheapest_chains(const CostModel& costs, std::size_t zones) {
  std::vector<std::vector<UsdPerMebibyte>> price(zones, std::vector<UsdPerMebibyte>(zones));
  for (std::uint32_t from = 0; from < zones; ++from)
    for (std::uint32_t to = 0; to < zones; ++to) price[from][to] = costs.transfer(ZoneId(from), ZoneId(to));
  bool direct = true;
  for (std::size_t by = 0; by < zones; ++by)
    for (std::size_t from = 0; from < zones; ++from)
      for (std::size_t to = 0; to < zones; ++to)
        if (const UsdPerMebibyte chain = price[from][by] + price[by][to]; chain < price[from][to] * (1 - 1e-12)) {
          price[from][to] = chain;
          direct = false;
        }
  return {CostModel(std::move(price)), direct};
}

class CommodityMaker {
 public:
  CommodityMaker(const ClusterSnapshot& cluster, const CostModel& costs, const NodeClasses& classes,
                 const CommoditySettings& settings)
      : cluster_(cluster),
        costs_(costs),
        classes_(classes),
        settings_(settings),
        order_(cluster, classes, settings.order),
        chains_(cheapest_chains(costs, cluster.zones.size())),
        read_prices_(costs, cluster.zones.size()),
        chain_prices_(chains_.price, cluster.zones.size()),
        dearest_(cluster.zones.size()) {
    result_.copies_pay_off_once = chains_.direct;
    if (settings.horizon > Duration(0)) reads_.emplace(cluster);
    if (settings.copies == CopyPricing::shared_price) readers_.emplace(cluster);
    if (settings.copies == CopyPricing::fair_share || settings.copies == CopyPricing::columns) {
      shared_data_.emplace(cluster);
      result_.objects = shared_data_->objects();
    }
    least_memory_per_core_ = least_slots_per_core_ = 1e300;
    for (const NodeClass& group : classes.classes) {
      least_memory_per_core_ = std::min(least_memory_per_core_, group.shape.memory.value() / group.shape.cpu.value());
      least_slots_per_core_ = std::min(least_slots_per_core_, group.shape.slots / group.shape.cpu.value());
      dearest_[group.zone] = std::max(dearest_[group.zone], group.price.value());
      slowest_ = std::min(slowest_, group.speed);
      fastest_ = std::max(fastest_, group.speed);
    }
  }

  Workload make() {
    if (settings_.copies == CopyPricing::columns) find_open_objects();
    std::size_t most = 0;  // to move a million commodities while they become more takes as long as to make them
    for (JobId id : cluster_.pending) most += cluster_.groups[id].size();
    result_.portions.reserve(most), result_.commodities.reserve(most);
    for (JobId id : cluster_.pending) {
      if (!settings_.skip.empty() && settings_.skip[id.index()]) continue;
      for (std::uint32_t g = 0; g < cluster_.groups[id].size(); ++g)
        if (readable(cluster_.groups[id][g])) add(id, g);
    }
    finish();
    return std::move(result_);
  }

 private:
  // Blocks that no store holds at present have to wait.
  static bool readable(const TaskGroup& group) { return group.count > 0 && (!group.reads || !group.zones.empty()); }

  // An object's copies are columns only if all of its readers may run in any class: one price for all readers.
  void find_open_objects() {
    open_object_.resize(result_.objects.size(), true);
    for (JobId id : cluster_.pending)
      for (std::uint32_t g = 0; g < cluster_.groups[id].size(); ++g) {
        if (!readable(cluster_.groups[id][g])) continue;
        const SharedObjectId object = shared_data_->object(id, g);
        if (object.valid() &&
            !fits_every_class(cluster_.jobs[id], cluster_.groups[id][g], settings_.weights.urgency_of(id)))
          open_object_[object] = false;
      }
  }

  void add(JobId id, std::uint32_t g) {
    const Job& job = cluster_.jobs[id];
    const TaskGroup& group = cluster_.groups[id][g];
    const double weight = settings_.weights.of(id);
    Portion portion{id, g, group.count, std::max(least_work, group.cpu.value()), order_.urgency(id), {}};
    const bool chosen = !settings_.homes.empty() && settings_.homes[id.index()].valid();
    const ZoneId home = chosen ? settings_.homes[id.index()] : job.memory.home;
    non_cpu_costs(cluster_, read_prices_, job, group, home, non_cpu_cost_);
    const double urgency = settings_.weights.urgency_of(id);
    const bool any_class = fits_every_class(job, group, urgency);
    const SharedObjectId shared = price_copies(id, g);
    const double locality = settings_.locality_price.value() * (group.reads ? group.input.value() : 0);
    virtual_cost_.assign(non_cpu_cost_.size(), 0.0);
    for (ZoneId z : non_cpu_cost_.ids()) {
      virtual_cost_[z] = (locality + home_cost(costs_, job, group, home, z)) / portion.work;
      non_cpu_cost_[z] = (non_cpu_cost_[z] + locality) / portion.work;
      if (weight != 1) virtual_cost_[z] /= weight, non_cpu_cost_[z] /= weight;
    }
    portion.commodity = commodity_for(job, group, {any_class, shared, portion.work, urgency});
    Commodity& commodity = result_.commodities[portion.commodity];
    commodity.work += portion.work * portion.tasks;
    commodity.portions.emplace_back(static_cast<std::uint32_t>(result_.portions.size()));
    if (job.request.cpu.value() > 0)
      commodity.longest = std::max(commodity.longest, portion.work / cores_of(job.request));
    if (reads_) lower(commodity.least, group, portion.work, shared);
    result_.portions.push_back(portion);
  }

  // The least costs of a commodity are the least of its portions'.
  void lower(LeastCosts& least, const TaskGroup& group, double work, SharedObjectId shared) {
    const bool reads = group.reads && group.kind == TaskKind::map;
    const PendingReads::Of read = reads ? reads_->of(group) : PendingReads::Of{1, group.zones_soon()};
    const bool by_column = shared.valid() && chains_.direct;  // the model pays for its copies
    const double share = by_column ? 1.0 : 1.0 / read.most_readers;
    const ZoneSet zones = by_column ? group.zones_soon() : read.zones;
    const double own = std::min(1.0, group.cpu.value() / work);  // of the work that the model counts
    const bool first = least.non_cpu_cost.empty();
    if (first) least.non_cpu_cost.assign(non_cpu_cost_.size(), 1e300);
    const ByZone& chain = chain_prices_.from(zones);
    for (ZoneId z : non_cpu_cost_.ids()) {
      double usd = non_cpu_cost_[z] - virtual_cost_[z];
      if (reads) usd = std::min(usd, share * (group.input.value() * chain[z]) / work);
      least.non_cpu_cost[z] = std::min(least.non_cpu_cost[z], usd - (1 - own) * dearest_[z]);
    }
    const double link = share * (reads ? group.input.value() / work : 0);
    least.input_per_work = first ? link : std::min(least.input_per_work, link);
    least.zones = ZoneSet(least.zones.bits() | zones.bits());
  }

  // Copies as columns leave the price to the model and name the object.
  SharedObjectId price_copies(JobId id, std::uint32_t g) {
    const TaskGroup& group = cluster_.groups[id][g];
    if (settings_.copies == CopyPricing::none || !group.data_set.valid() || group.kind != TaskKind::map)
      return SharedObjectId::none();
    if (settings_.copies == CopyPricing::shared_price) {
      discount_shared_copy(read_prices_, *readers_, id, group, non_cpu_cost_);
      return SharedObjectId::none();
    }
    const SharedObjectId object = shared_data_->object(id, g);
    if (settings_.copies == CopyPricing::columns && object.valid() && open_object_[object]) return object;
    const double off = 1 - shared_data_->fair_share(id, g);
    const ByZone& price = read_prices_.from(group.zones_soon());
    for (ZoneId z : non_cpu_cost_.ids()) non_cpu_cost_[z] -= off * (group.input.value() * price[z]);
    return SharedObjectId::none();
  }

  // Eligible and large enough everywhere, and with no more memory or slots per core than any class has.
  bool fits_every_node(const Job& job) {
    const auto [known, added] = fits_all_.try_emplace({job.constraint, job.request}, false);
    if (!added) return known->second;
    const Resources& request = job.request;
    if (request.extended != Resources{}.extended) return false;  // counted per node, whatever the cores
    if (request.memory.value() > request.cpu.value() * least_memory_per_core_ + 1e-9) return false;
    if (request.slots > request.cpu.value() * least_slots_per_core_ + 1e-9) return false;
    return known->second =
               std::all_of(classes_.classes.begin(), classes_.classes.end(), [&](const NodeClass& candidate) {
                 return fits(request, candidate.least) && classes_.eligible.contain(job.constraint, candidate.like);
               });
  }

  bool fits_every_class(const Job& job, const TaskGroup& group, double urgency) {
    if (!fits_every_node(job)) return false;
    // A maximum counts cores. Where speeds differ, only the class form knows the cores per CPU-second.
    if (settings_.per_pool && cluster_.pools[job.pool].maximum.value() > 0 && fastest_ > slowest_) return false;
    return !bound_by_read(group, job.request) && charged(group, job.request, urgency) == 0;
  }

  std::uint32_t charged(const TaskGroup& group, const Resources& request, double urgency) const {
    return charged_terms(classes_, {request, group.cpu.value() / cores_of(request), double{1} * group.count, urgency});
  }

  // A task bound by its read takes its core for longer than its work: only the class form counts that.
  bool bound_by_read(const TaskGroup& group, const Resources& request) const {
    if (!group.reads) return false;
    const double least = group.cpu.value() / (cores_of(request) * fastest_);
    return std::any_of(near_and_far.begin(), near_and_far.end(), [&](Locality level) {
      const double bandwidth = cluster_.network.stream(level).value();
      return bandwidth > 0 && group.input.value() / bandwidth > least + 1e-9;
    });
  }

  struct Trait {
    bool any_class;
    SharedObjectId shared;
    double work;
    double urgency;
  };

  CommodityId commodity_for(const Job& job, const TaskGroup& group, const Trait& trait) {
    const bool any_class = trait.any_class;
    const Resources& asked = job.request;
    const bool reads_count = settings_.links || !any_class;
    const PoolId pool = settings_.per_pool ? job.pool : PoolId::none();
    CommodityHash hash;
    for (double usd : non_cpu_cost_) hash.mix(usd);
    for (double usd : virtual_cost_) hash.mix(usd);
    if (!any_class) {
      hash.mix(trait.urgency);
      hash.mix(std::uint64_t{job.constraint.index()});
      hash.mix(asked.cpu.value());
      hash.mix(asked.memory.value());
      for (const auto& [resource, amount] : asked.extended) {
        hash.mix(std::uint64_t{resource.index()});
        hash.mix(amount);
      }
    }
    if (reads_count) {
      hash.mix(group.zones_soon().bits());
      hash.mix(trait.work);
      hash.mix(group.input.value());
    }
    hash.mix(std::uint64_t{pool.index()} << 32 | trait.shared.index());
    // Everything by which a row of the model may tell commodities apart, compared as whole values.
    const auto same = [&](CommodityId id) {
      const Commodity& known = result_.commodities[id];
      if (known.any_class != any_class || known.pool != pool || known.shared != trait.shared) return false;
      if (known.non_cpu_cost != non_cpu_cost_ || known.virtual_cost != virtual_cost_) return false;
      if (known.urgency != trait.urgency) return false;
      if (!any_class && (known.constraint != job.constraint || known.request != asked)) return false;
      if (!reads_count) return true;
      const Portion& like = result_.portions[known.portions.front()];
      return known.zones == group.zones_soon() && like.work == trait.work &&
             cluster_.groups[like.job][like.group].input == group.input;
    };
    const CommodityId fresh(static_cast<std::uint32_t>(result_.commodities.size()));
    const CommodityId found = table_.find_or_add(hash.value(), fresh, same);
    const double memory_per_core = asked.memory.value() / cores_of(asked);
    if (found == fresh) {
      Commodity commodity;
      commodity.non_cpu_cost = non_cpu_cost_;
      commodity.virtual_cost = virtual_cost_;
      commodity.any_class = any_class;
      commodity.constraint = job.constraint;
      commodity.request = asked;
      commodity.least_memory_per_core = memory_per_core;
      commodity.pool = pool;
      commodity.shared = trait.shared;
      commodity.zones = group.zones_soon();
      commodity.urgency = trait.urgency;
      commodity.charged = charged(group, asked, trait.urgency);
      commodity.input_per_work = group.reads ? group.input.value() / trait.work : 0;
      result_.commodities.push_back(std::move(commodity));
    }
    double& least = result_.commodities[found].least_memory_per_core;
    least = std::min(least, memory_per_core);
    return found;
  }

  void finish() {
    if (reads_) compare_with_least();
    double dearest = 0;
    for (const NodeClass& group : classes_.classes) dearest = std::max(dearest, group.price.value());
    double non_cpu_cost = 0, waiting = 0, lost = 0;  // as at no urgency
    for (const Commodity& commodity : result_.commodities) {
      for (double usd : commodity.non_cpu_cost) non_cpu_cost = std::max(non_cpu_cost, usd * commodity.urgency);
      if (commodity.charged != 0) lost = std::max(lost, most_charged(commodity));
    }
    for (const auto& steps : classes_.steps)
      for (const CapacityStep& step : steps) waiting = std::max(waiting, step.waiting_price);
    const double real = dearest + non_cpu_cost + waiting + lost;
    const double price = settings_.unserved_price.value() > 0 ? settings_.unserved_price.value()
                         : real > 0                           ? 10 * real
                                                              : unserved_where_all_is_free;
    for (Commodity& commodity : result_.commodities) {
      // Nobody starves: the price rises with the wait of the commodity's longest waiting job.
      double waited = 0;
      for (PortionId p : commodity.portions)
        waited = std::max(waited, to_hours(cluster_.now - began(cluster_.jobs[result_.portions[p].job])));
      commodity.unserved_price = price * (1 + waited) / std::min(1.0, commodity.urgency);
      std::sort(commodity.portions.begin(), commodity.portions.end(), [&](PortionId a, PortionId b) {
        const Portion& left = result_.portions[a];
        const Portion& right = result_.portions[b];
        if (cluster_.jobs[left.job].priority != cluster_.jobs[right.job].priority)
          return cluster_.jobs[left.job].priority > cluster_.jobs[right.job].priority;
        if (left.urgency != right.urgency) return left.urgency < right.urgency;
        return a < b;
      });
    }
  }

  double most_charged(const Commodity& commodity) const {
    double usd = 0;
    const auto look_at = [&](const Commodity& asked) {
      for (const NodeClass& group : classes_.classes) usd = std::max(usd, class_charges(classes_, group, asked));
    };
    if (commodity.urgency == 1) {
      look_at(commodity);
    } else {
      Commodity usual = commodity;
      usual.urgency = 1;
      look_at(usual);
    }
    return usd;
  }

  void compare_with_least() {
    for (const Commodity& commodity : result_.commodities) {
      const bool linked =
          commodity.least.zones == commodity.zones && commodity.least.input_per_work == commodity.input_per_work;
      if (commodity.least.non_cpu_cost != commodity.non_cpu_cost ||
          (!commodity.any_class && commodity.least.zones != commodity.zones) || (settings_.links && !linked) ||
          occupies_less_at_least(commodity))
        result_.costs_are_least = false;
      const double horizon = to_seconds(settings_.horizon);
      if (may_run_past(commodity, horizon)) result_.overrun = horizon;
    }
    if (result_.overrun > 0) result_.costs_are_least = false;
  }

  // Where the model assumes a read slower than one from the node itself, or counts cores that no task requests.
  bool occupies_less_at_least(const Commodity& commodity) const {
    if (commodity.any_class) return false;
    const double zone = cluster_.network.stream(Locality::zone).value();
    return commodity.request.cpu.value() <= 0 || (zone > 0 && read_rate(commodity) / zone * fastest_ > 1);
  }

  // MiB/s at speed 1.
  static double read_rate(const Commodity& commodity) { return cores_of(commodity.request) * commodity.input_per_work; }

  bool may_run_past(const Commodity& commodity, double horizon) const {
    const double remote = cluster_.network.stream(Locality::remote).value();
    const double read = commodity.any_class || remote <= 0 ? 0 : read_rate(commodity) / remote;
    return commodity.longest * std::max(1 / slowest_, read) > horizon * (1 + 1e-9);
  }

  const ClusterSnapshot& cluster_;
  const CostModel& costs_;
  const NodeClasses& classes_;
  const CommoditySettings& settings_;
  const JobOrder order_;
  std::optional<PendingReads> reads_;  // where a bound is to cover the plans of others
  const CheapestChains chains_;
  ReadPrices read_prices_, chain_prices_;
  IdVector<ZoneId, double> dearest_;  // USD per CPU-second
  Workload result_;
  std::optional<OtherReaders> readers_;
  std::optional<SharedData> shared_data_;
  IdVector<SharedObjectId, bool> open_object_;
  CommodityTable table_;
  std::map<std::pair<ConstraintId, Resources>, bool> fits_all_;
  ByZone non_cpu_cost_, virtual_cost_;  // of the last portion
  double least_memory_per_core_ = 0, least_slots_per_core_ = 0, slowest_ = 1e300, fastest_ = 0;
};

}  // namespace

CopyPricing copy_pricing(const ClusterSnapshot& cluster, const LipsSettings& settings) {
  constexpr std::size_t most_with_columns = 1000;
  if (!settings.copy_columns) return settings.keep_copies ? CopyPricing::shared_price : CopyPricing::none;
  // Task groups that read data of more than one pending job, as far as it matters here.
  const IdVector<DataSetId, double> readers = pending_readers(cluster);
  std::size_t shared = 0;
  for (const JobId id : cluster.pending)
    for (const TaskGroup& group : cluster.groups[id])
      shared += group.count > 0 && group.data_set.valid() && readers[group.data_set] > 1 + 1e-9;
  return shared <= most_with_columns ? CopyPricing::columns : CopyPricing::fair_share;
}

Workload make_commodities(const ClusterSnapshot& cluster, const CostModel& costs, const NodeClasses& classes,
                          const CommoditySettings& settings) {
  return CommodityMaker(cluster, costs, classes, settings).make();
}

}  // namespace lips
