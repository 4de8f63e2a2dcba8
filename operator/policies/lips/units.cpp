#include "policies/lips/units.h"

#include <algorithm>
#include <optional>
#include <string>
#include <unordered_map>

namespace lips {

namespace {

// E of planning: other pending jobs' unread share of the data set, in whole data sets.
double other_readers(const ClusterSnapshot& cluster, const IdVector<DataSetId, double>& readers, JobId job, const TaskGroup& group) {
  double own = 0;
  for (const TaskGroup& other : cluster.groups[job])
    if (other.data_set == group.data_set) own += other.count * other.input.value();
  return std::max(0.0, readers[group.data_set] - own / cluster.data_sets[group.data_set].size.value());
}

// Work of nothing would make prices per CPU-second infinite.
constexpr double least_work = 1e-3;

class UnitMaker {
 public:
  UnitMaker(const ClusterSnapshot& cluster, const CostModel& costs, const NodeClasses& classes, const UnitSettings& settings)
      : cluster_(cluster), costs_(costs), classes_(classes), settings_(settings), fits_all_(cluster.constraints.size() + 1, -1) {
    if (settings.copies != CopyPricing::none) readers_ = pending_readers(cluster);
    if (settings.copies == CopyPricing::fair_share) fair_shares_.emplace(cluster);
    least_memory_per_core_ = least_slots_per_core_ = 1e300;
    for (const NodeClass& group : classes.classes) {
      least_memory_per_core_ = std::min(least_memory_per_core_, group.shape.memory.value() / group.shape.cpu.value());
      least_slots_per_core_ = std::min(least_slots_per_core_, group.shape.slots / group.shape.cpu.value());
      least_node_ = std::min(least_node_, group.shape.cpu.value());
      fastest_ = std::max(fastest_, group.speed);
    }
  }

  Units make() {
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
  static bool readable(const TaskGroup& group) {
    return group.count > 0 && (!group.data_set.valid() || !group.zones.empty());
  }

  void add(JobId id, std::uint32_t g) {
    const Job& job = cluster_.jobs[id];
    const TaskGroup& group = cluster_.groups[id][g];
    Portion portion{id, g, group.count, std::max(least_work, group.cpu.value()), 0, 0};
    portion.urgency = to_seconds(job.arrival) + settings_.order_factor * job.work.value() / std::max(1e-9, classes_.work_rate);
    portion.urgency -= boost(job);
    const bool chosen = !settings_.homes.empty() && settings_.homes[id.index()].valid();
    extra_costs(cluster_, costs_, job, group, chosen ? settings_.homes[id.index()] : job.memory.home, extra_);
    const DataSetId shared = price_copies(id, group);
    for (double& usd : extra_) usd = usd / portion.work + settings_.locality_price.value() * group.input.value() / portion.work;
    portion.unit = unit_for(job, group, shared, portion);
    result_.units[portion.unit].work += portion.work * portion.tasks;
    result_.units[portion.unit].portions.push_back(static_cast<std::uint32_t>(result_.portions.size()));
    result_.portions.push_back(portion);
  }

  // Copies as columns leave the price to the model and name the data.
  DataSetId price_copies(JobId id, const TaskGroup& group) {
    if (settings_.copies == CopyPricing::none || !group.data_set.valid() || group.kind != TaskKind::map) return DataSetId::none();
    if (settings_.copies == CopyPricing::fair_share) {
      const double off = 1 - fair_shares_->of(group);
      for (std::uint32_t z = 0; z < extra_.size(); ++z) extra_[z] -= off * (group.input * costs_.transfer(group.zones, ZoneId(z))).value();
      return DataSetId::none();
    }
    if (settings_.copies == CopyPricing::shared_price) {
      discount_shared_copy(cluster_, costs_, readers_, id, group, extra_);
      return DataSetId::none();
    }
    return other_readers(cluster_, readers_, id, group) > 1e-9 ? group.data_set : DataSetId::none();
  }

  // Seconds by which jobs of a pool below its share go earlier.
  double boost(const Job& job) const {
    const Pool& pool = cluster_.pools[job.pool];
    if (pool.shortfall_price.value() <= 0 || settings_.share_boost_hours <= 0) return 0;
    double weights = 0;
    for (const Pool& other : cluster_.pools) weights += other.weight;
    const double share = std::max(pool.minimum.value(), classes_.cores * pool.weight / std::max(1e-9, weights));
    return cluster_.pool_cores[job.pool].value() < share ? 3600 * settings_.share_boost_hours * pool.shortfall_price.value() : 0;
  }

  bool fits_every_class(const Job& job, const TaskGroup& group) {
    const Resources& request = job.request;
    if (request.memory.value() > request.cpu.value() * least_memory_per_core_ + 1e-9) return false;
    if (request.slots > request.cpu.value() * least_slots_per_core_ + 1e-9) return false;
    if (request.cpu.value() > least_node_) return false;
    // A task bound by its read takes its core for longer than its work: only the class form counts that.
    const double remote = cluster_.network.stream(Locality::remote).value();
    if (remote > 0 && group.input.value() / remote > group.cpu.value() / (request.cpu.value() * fastest_) + 1e-9) return false;
    const std::size_t key = job.constraint.valid() ? job.constraint.index() + 1 : 0;
    if (fits_all_[key] < 0)
      fits_all_[key] = std::all_of(classes_.classes.begin(), classes_.classes.end(), [&](const NodeClass& candidate) {
        return cluster_.eligible(job.constraint, candidate.nodes.front());
      });
    return fits_all_[key] == 1;
  }

  std::uint32_t unit_for(const Job& job, const TaskGroup& group, DataSetId shared, const Portion& portion) {
    const bool any_class = fits_every_class(job, group);
    key_.assign(reinterpret_cast<const char*>(extra_.data()), extra_.size() * sizeof(double));
    const auto append = [&](const auto& value) { key_.append(reinterpret_cast<const char*>(&value), sizeof value); };
    if (!any_class) {
      append(job.constraint);
      append(job.request.cpu);
      append(job.request.memory);
      append(job.request.slots);
      append(portion.work);
    }
    if (settings_.per_pool) append(job.pool);
    if (settings_.links) append(group.zones);
    if (settings_.links || !any_class) append(group.input);
    if (shared.valid()) {
      append(shared);
      append(group.zones);
      append(portion.work);
    }
    const auto [found, added] = by_key_.try_emplace(key_, static_cast<std::uint32_t>(result_.units.size()));
    if (added) {
      Unit unit;
      unit.extra = extra_;
      unit.preference.assign(extra_.size(), settings_.locality_price.value() * group.input.value() / portion.work);
      unit.any_class = any_class;
      unit.constraint = job.constraint;
      unit.request = job.request;
      if (settings_.per_pool) unit.pool = job.pool;
      unit.shared = shared;
      unit.zones = group.zones;
      unit.input_per_work = group.input.value() / portion.work;
      result_.units.push_back(std::move(unit));
    }
    return found->second;
  }

  void finish() {
    double dearest = 0;
    for (const NodeClass& group : classes_.classes) dearest = std::max(dearest, group.price.value());
    double extra = 0, waiting = 0;
    for (const Unit& unit : result_.units)
      for (double usd : unit.extra) extra = std::max(extra, usd);
    for (const auto& steps : classes_.steps)
      for (const CapacityStep& step : steps) waiting = std::max(waiting, step.waiting_price);
    const double price = settings_.overflow_price > 0 ? settings_.overflow_price : 10 * (dearest + extra + waiting) + 1e-12;
    for (Unit& unit : result_.units) {
      // Nobody starves: the price rises with the wait of the unit's longest waiting job.
      double waited = 0;
      for (std::uint32_t p : unit.portions)
        waited = std::max(waited, to_hours(cluster_.now - cluster_.jobs[result_.portions[p].job].arrival));
      unit.overflow_price = price * (1 + waited);
      std::sort(unit.portions.begin(), unit.portions.end(), [&](std::uint32_t a, std::uint32_t b) {
        const Portion& left = result_.portions[a];
        const Portion& right = result_.portions[b];
        if (cluster_.jobs[left.job].priority != cluster_.jobs[right.job].priority)
          return cluster_.jobs[left.job].priority > cluster_.jobs[right.job].priority;
        if (left.urgency != right.urgency) return left.urgency < right.urgency;
        return a < b;
      });
    }
  }

  const ClusterSnapshot& cluster_;
  const CostModel& costs_;
  const NodeClasses& classes_;
  const UnitSettings& settings_;
  Units result_;
  IdVector<DataSetId, double> readers_;
  std::optional<FairShares> fair_shares_;
  std::unordered_map<std::string, std::uint32_t> by_key_;
  std::vector<signed char> fits_all_;
  std::vector<double> extra_;
  std::string key_;
  double least_memory_per_core_ = 0, least_slots_per_core_ = 0, least_node_ = 1e300, fastest_ = 0;
};

}  // namespace

Units make_units(const ClusterSnapshot& cluster, const CostModel& costs, const NodeClasses& classes, const UnitSettings& settings) {
  return UnitMaker(cluster, costs, classes, settings).make();
}

IdVector<DataSetId, double> pending_readers(const ClusterSnapshot& cluster) {
  IdVector<DataSetId, double> readers(cluster.data_sets.size(), 0.0);
  for (JobId id : cluster.pending)
    for (const TaskGroup& group : cluster.groups[id])
      if (group.data_set.valid() && cluster.data_sets[group.data_set].size.value() > 0)
        readers[group.data_set] += group.count * group.input.value() / cluster.data_sets[group.data_set].size.value();
  return readers;
}

FairShares::FairShares(const ClusterSnapshot& cluster) {
  std::map<std::pair<DataSetId, ZoneSet>, std::pair<double, double>> read;  // most of one job, all
  std::map<std::pair<DataSetId, ZoneSet>, double> own;
  for (JobId id : cluster.pending) {
    own.clear();
    for (const TaskGroup& group : cluster.groups[id])
      if (group.count > 0 && group.data_set.valid()) own[{group.data_set, group.zones}] += group.count * group.input.value();
    for (const auto& [key, size] : own) {
      read[key].first = std::max(read[key].first, size);
      read[key].second += size;
    }
  }
  for (const auto& [key, size] : read)
    if (size.second > size.first) share_[key] = size.first / size.second;
}

double FairShares::of(const TaskGroup& group) const {
  const auto found = share_.find({group.data_set, group.zones});
  return found == share_.end() ? 1 : found->second;
}

double discount_shared_copy(const ClusterSnapshot& cluster, const CostModel& costs, const IdVector<DataSetId, double>& readers,
                            JobId job, const TaskGroup& group, std::vector<double>& usd) {
  if (!group.data_set.valid() || group.kind != TaskKind::map) return 0;
  const double others = other_readers(cluster, readers, job, group);
  const double off = 1 - 1 / (1 + std::min(others, 2.0));
  for (std::uint32_t z = 0; z < usd.size(); ++z) usd[z] -= off * (group.input * costs.transfer(group.zones, ZoneId(z))).value();
  return others;
}

void extra_costs(const ClusterSnapshot& cluster, const CostModel& costs, const Job& job, const TaskGroup& group, ZoneId home,
                 std::vector<double>& usd) {
  usd.assign(cluster.zones.size(), 0.0);
  for (std::uint32_t z = 0; z < usd.size(); ++z) {
    const ZoneId zone(z);
    if (group.kind == TaskKind::reduce) {
      for (std::uint32_t from = 0; from < job.map_output.size(); ++from)
        usd[z] += ((job.map_output[from] / job.reduce_tasks) * costs.transfer(ZoneId(from), zone)).value();
      continue;
    }
    usd[z] = (group.input * costs.transfer(group.zones, zone)).value();
    // A map away from the job's home sends its output there (planning, section 4b: sigma).
    if (home.valid() && job.reduce_tasks > 0 && home != zone)
      usd[z] += ((job.shuffle / job.map_tasks) * costs.transfer(zone, home)).value();
  }
}

}  // namespace lips
