#include "bounds/waiting_bound.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "model/cluster_state.h"
#include "model/zone_set.h"
#include "solver/min_cost_flow.h"

namespace lips {

namespace {

// Maps of one job that are exactly alike.
struct MapKey {
  ZoneSet zones;
  std::uint32_t readers = 0;
  double work = 0, input = 0;
  friend auto operator<=>(const MapKey&, const MapKey&) = default;
};

struct MapGroup {
  MapKey each;
  double count = 0;
};

struct BoundJob {
  double arrival = 0;  // seconds from the start
  std::vector<MapGroup> maps;
  double output = 0;                // MiB of shuffle from each map
  double reduce_work = 0;           // CPU-seconds of all reduce tasks if each were the smallest
  double reduce_excess = 0;         // what the larger ones take beyond that
  std::size_t home = 0;             // the best one at the last prices
  std::vector<double> home_shares;  // of the homes that the flow serves
};

struct PriceStep {
  double price = 0, rate = 0;  // CPU-seconds a second
};

// The price of capacity in each zone and time slot; the last slot is open-ended.
using CapacityPrices = std::vector<std::vector<double>>;

constexpr double usd_unit = 1e-12;    // unit of costs in the flow
constexpr double least_share = 1e-3;  // of a job's work that the flow still counts

class WaitingBound {
 public:
  WaitingBound(const WholeRun& run, const WaitingBoundSettings& settings)
      : costs_(run.costs),
        zones_(run.cluster.zones.size()),
        slot_(to_seconds(settings.slot)),
        rounds_(settings.rounds),
        mixing_rounds_(settings.mixing_rounds) {
    read_nodes(run.cluster);
    read_jobs(run);
    double last = 0;
    for (const BoundJob& job : jobs_) last = std::max(last, job.arrival);
    slots_ = static_cast<std::size_t>(std::ceil((last + to_seconds(settings.tail)) / slot_)) + 1;
  }

  bool possible() const { return cheapest_ < 1e300; }
  double mean_price() const { return mean_price_; }

  // The greatest value of the dual function over all rounds.
  double least(double price) {
    CapacityPrices capacity(zones_, std::vector<double>(slots_ + 1));
    for (std::size_t z = 0; z < zones_; ++z)
      for (double& entry : capacity[z])
        entry = steps_[z].empty() ? closed : std::max(mean_price_, steps_[z].front().price);
    close_last_slot(capacity);
    double best = dual_value(capacity, price);
    for (int round = 0; round < rounds_ + mixing_rounds_; ++round) {
      mix_homes(round == 0 || round < rounds_ ? 1 : 2.0 / (round - rounds_ + 3));
      if (!flow_prices(price, capacity)) break;
      best = std::max(best, dual_value(capacity, price));
    }
    return best;
  }

 private:
  static constexpr double closed = 1e6;  // USD per CPU-second where a zone has no nodes

  void read_nodes(const ClusterSnapshot& snapshot) {
    ClusterSnapshot cluster = snapshot;
    derive(cluster);
    std::vector<std::map<double, double>> rates(zones_);
    double rate = 0, usd = 0;
    for (const Node& node : cluster.nodes) {
      if (!node.schedulable || node.capacity.cpu.value() <= 0) continue;
      const double own = node.capacity.cpu.value() * node.speed;
      rates[node.zone.index()][node.cpu_price.value()] += own;
      slowest_ = std::min(slowest_, node.speed);
      cheapest_ = std::min(cheapest_, node.cpu_price.value());
      rate += node.capacity.cpu.value();
      usd += node.capacity.cpu.value() * node.cpu_price.value();
    }
    mean_price_ = rate > 0 ? usd / rate : 0;
    steps_.resize(zones_);
    for (std::size_t z = 0; z < zones_; ++z)
      for (const auto& [price, own] : rates[z]) steps_[z].push_back({price, own});
  }

  void read_jobs(const WholeRun& run) {
    std::vector<std::uint32_t> readers(run.cluster.blocks.size(), 0);
    for (const JobArrived& arrival : run.jobs)
      for (const Task& task : arrival.tasks)
        if (task.block.valid()) ++readers[task.block.index()];
    std::size_t next = 0;
    for (const JobArrived& arrival : run.jobs) {
      BoundJob job;
      job.arrival = std::max(0.0, to_seconds(arrival.job.arrival - run.cluster.now));
      if (arrival.job.reduce_tasks > 0 && arrival.job.map_tasks > 0)
        job.output = (arrival.job.shuffle / arrival.job.map_tasks).value();
      std::map<MapKey, double> maps;
      double least_reduce = 1e300, reduces = 0, reduce_count = 0;
      const double pace = std::max(1e-9, arrival.job.request.cpu.value() * slowest_);
      for (const Task& task : arrival.tasks) {
        const double work = run.work[next++].value();
        arrival_work_ += work * job.arrival;
        half_durations_ += work * work / pace / 2;
        if (task.kind == TaskKind::reduce) {
          least_reduce = std::min(least_reduce, work);
          reduces += work;
          ++reduce_count;
          continue;
        }
        MapKey key;
        key.work = work;
        if (task.block.valid() && task.input.value() > 0) {
          for (const Replica& replica : run.cluster.blocks[task.block].replicas)
            key.zones.insert(run.cluster.stores[replica.store].zone);
          key.readers = readers[task.block.index()];
          key.input = task.input.value();
        }
        maps[key] += 1;
      }
      for (const auto& [key, count] : maps) job.maps.push_back({key, count});
      if (reduce_count > 0) job.reduce_work = least_reduce * reduce_count;
      job.reduce_excess = reduces - job.reduce_work;
      jobs_.push_back(std::move(job));
    }
    ways_.assign(zones_, std::vector<double>(zones_, 0));
    for (std::uint32_t a = 0; a < zones_; ++a)
      for (std::uint32_t b = 0; b < zones_; ++b)
        if (a != b) ways_[a][b] = costs_.transfer(ZoneId(a), ZoneId(b)).value();
    hops_ = ways_;
    for (std::size_t via = 0; via < zones_; ++via)
      for (std::size_t a = 0; a < zones_; ++a)
        for (std::size_t b = 0; b < zones_; ++b) ways_[a][b] = std::min(ways_[a][b], ways_[a][via] + ways_[via][b]);
  }

  // USD to bring the input of one task to that zone. An input with one reader takes the cheapest path. An input with
  // several readers may be copied once and kept: each reader is charged its share of the cheapest last hop, as if all
  // readers were there.
  double transfer(const MapKey& key, std::size_t to) const {
    if (key.input <= 0 || key.zones.empty() || key.zones.contains(ZoneId(static_cast<std::uint32_t>(to)))) return 0;
    double least = 1e300;
    for (std::uint32_t from = 0; from < zones_; ++from) {
      if (from == to) continue;
      if (key.readers > 1)
        least = std::min(least, hops_[from][to]);
      else if (key.zones.contains(ZoneId(from)))
        least = std::min(least, ways_[from][to]);
    }
    return least >= 1e300 ? 0 : least * key.input / key.readers;
  }

  // Moves that share of each job to its best home. With a step of 1 all work follows the last prices at once and they
  // may swing for ever; falling steps are those of Frank and Wolfe's method, and prices settle.
  void mix_homes(double step) {
    for (BoundJob& job : jobs_) {
      job.home_shares.resize(zones_, 0);
      for (double& share : job.home_shares) share *= 1 - step;
      job.home_shares[job.home] += step;
    }
  }

  std::size_t slot_of(double time) const { return std::min(slots_, static_cast<std::size_t>(time / slot_)); }

  void close_last_slot(CapacityPrices& capacity) const {
    for (std::size_t z = 0; z < zones_; ++z)
      if (!steps_[z].empty()) capacity[z][slots_] = steps_[z].front().price;
  }

  // The dual function: the least cost of each job alone at these prices, minus the rent of all capacity, minus
  // constants of the waiting price. Also sets the best home of each job.
  double dual_value(const CapacityPrices& capacity, double price) {
    CapacityPrices from_here = capacity;  // least capacity + waiting price from a slot on
    for (std::size_t z = 0; z < zones_; ++z)
      for (std::size_t k = slots_ + 1; k-- > 0;) {
        from_here[z][k] += price * slot_ * static_cast<double>(k);
        if (k < slots_) from_here[z][k] = std::min(from_here[z][k], from_here[z][k + 1]);
      }
    double value = -price * (arrival_work_ + half_durations_);
    for (std::size_t z = 0; z < zones_; ++z)
      for (std::size_t k = 0; k < slots_; ++k)
        for (const PriceStep& step : steps_[z]) value -= step.rate * slot_ * std::max(0.0, capacity[z][k] - step.price);
    std::vector<double> unit(zones_);
    for (BoundJob& job : jobs_) {
      const std::size_t k = slot_of(job.arrival);
      for (std::size_t z = 0; z < zones_; ++z) {
        unit[z] = capacity[z][k] + price * std::max(job.arrival, slot_ * static_cast<double>(k));
        if (k < slots_) unit[z] = std::min(unit[z], from_here[z][k + 1]);
      }
      value += job_value(job, unit);
    }
    return value;
  }

  // Shuffle and reduce work are linear in the placement of reducers, so one home for all of them is optimal.
  double job_value(BoundJob& job, const std::vector<double>& unit) const {
    double best = 1e300;
    const bool homes = job.output > 0;
    for (std::size_t home = 0; home < (homes ? zones_ : 1); ++home) {
      double usd = job.reduce_work * (homes ? unit[home] : *std::min_element(unit.begin(), unit.end()));
      for (const MapGroup& group : job.maps) {
        double least = 1e300;
        for (std::size_t z = 0; z < zones_; ++z)
          least = std::min(least, group.each.work * unit[z] + transfer(group.each, z) + off_home(job, z, home));
        usd += group.count * least;
      }
      if (usd >= best) continue;
      best = usd;
      job.home = home;
    }
    return best + job.reduce_excess * *std::min_element(unit.begin(), unit.end());
  }

  double off_home(const BoundJob& job, std::size_t zone, std::size_t home) const {
    return job.output > 0 ? job.output * hops_[zone][home] : 0;
  }

  // Groups work that the flow need not distinguish. The flow only suggests prices, so it may be approximate.
  std::map<std::pair<std::size_t, std::vector<std::int64_t>>, double> flow_groups() const {
    std::map<std::pair<std::size_t, std::vector<std::int64_t>>, double> groups;
    std::vector<std::int64_t> extra(zones_);
    for (const BoundJob& job : jobs_)
      for (std::size_t home = 0; home < zones_; ++home) {
        const double share = job.home_shares[home];
        if (share < least_share) continue;
        const std::size_t k = slot_of(job.arrival);
        for (const MapGroup& group : job.maps) {
          if (group.each.work <= 0) continue;
          for (std::size_t z = 0; z < zones_; ++z)
            extra[z] = rough((transfer(group.each, z) + off_home(job, z, home)) / group.each.work);
          groups[{k, extra}] += share * group.count * group.each.work;
        }
        if (job.reduce_work + job.reduce_excess <= 0) continue;
        for (std::size_t z = 0; z < zones_; ++z) extra[z] = job.output > 0 && z != home ? rough(100 * mean_price_) : 0;
        groups[{k, extra}] += share * (job.reduce_work + job.reduce_excess);
      }
    return groups;
  }

  // Rounds to 5 %, and caps at a hundred mean prices: no work would go there anyway.
  std::int64_t rough(double usd_per_work) const {
    const double most = std::min(usd_per_work, 100 * mean_price_);
    if (most <= 1e-3 * mean_price_) return 0;
    const double step = std::log(1.05);
    return std::llround(std::exp(std::round(std::log(most) / step) * step) / usd_unit);
  }

  // Reads prices of capacity off the potentials of a least-cost flow: groups -> a zone's slot of their arrival -> its
  // later slots -> the price steps of the zone there.
  bool flow_prices(double price, CapacityPrices& capacity) const {
    const auto groups = flow_groups();
    const auto slots = static_cast<std::int32_t>(slots_ + 1);
    const auto node_of = [&](std::size_t z, std::size_t k) {
      return static_cast<std::int32_t>(z) * slots + static_cast<std::int32_t>(k);
    };
    const std::int32_t sink = slots * static_cast<std::int32_t>(zones_);
    solver::MinCostFlow flow(sink + 1 + static_cast<std::int32_t>(groups.size()));
    double least_rate = 1e300;
    for (const auto& steps : steps_)
      for (const PriceStep& step : steps) least_rate = std::min(least_rate, step.rate);
    const double work_unit = least_rate * slot_ / 1000;
    const auto amount = [&](double work) { return std::llround(work / work_unit); };
    const auto cost = [](double usd) { return std::llround(usd / usd_unit); };
    for (std::size_t z = 0; z < zones_; ++z) {
      if (steps_[z].empty()) continue;
      for (std::size_t k = 0; k <= slots_; ++k) {
        const double waiting = price * slot_ * static_cast<double>(k);
        if (k < slots_) {
          for (const PriceStep& step : steps_[z])
            flow.add_arc(node_of(z, k), sink, amount(step.rate * slot_), cost(step.price + waiting));
          flow.add_arc(node_of(z, k), node_of(z, k + 1), solver::MinCostFlow::unlimited, 0);
        } else {
          flow.add_arc(node_of(z, k), sink, solver::MinCostFlow::unlimited, cost(steps_[z].front().price + waiting));
        }
      }
    }
    std::int32_t node = sink;
    std::int64_t all = 0;
    for (const auto& [key, work] : groups) {
      const std::int64_t supply = std::max<std::int64_t>(1, amount(work));
      flow.set_supply(++node, supply);
      all += supply;
      for (std::size_t z = 0; z < zones_; ++z)
        if (!steps_[z].empty())
          flow.add_arc(node, node_of(z, key.first), solver::MinCostFlow::unlimited, key.second[z]);
    }
    flow.set_supply(sink, -all);
    const solver::FlowSolution solution = flow.solve();
    if (solution.status != solver::FlowStatus::optimal) return false;
    for (std::size_t z = 0; z < zones_; ++z) {
      if (steps_[z].empty()) continue;
      for (std::size_t k = 0; k < slots_; ++k) {
        const double total =
            static_cast<double>(solution.potential[sink] - solution.potential[node_of(z, k)]) * usd_unit;
        capacity[z][k] = std::max(total - price * slot_ * static_cast<double>(k), steps_[z].front().price);
      }
    }
    close_last_slot(capacity);
    return true;
  }

  const CostModel& costs_;
  std::size_t zones_, slots_ = 0;
  double slot_;
  int rounds_, mixing_rounds_;
  std::vector<std::vector<PriceStep>> steps_;
  std::vector<BoundJob> jobs_;
  std::vector<std::vector<double>> ways_, hops_;
  double slowest_ = 1e300, cheapest_ = 1e300, mean_price_ = 0;
  double arrival_work_ = 0, half_durations_ = 0;
};

}  // namespace

Result<std::vector<WaitingCut>> waiting_cuts(const WholeRun& run, std::span<const double> waiting_prices,
                                             const WaitingBoundSettings& settings) {
  WaitingBound bound(run, settings);
  if (!bound.possible()) return fail(ErrorCode::invalid_input, "no node can run a task");
  std::vector<WaitingCut> cuts;
  for (double factor : waiting_prices) {
    const double price = factor * bound.mean_price() / 3600;
    cuts.push_back({price, Usd(bound.least(price))});
  }
  return cuts;
}

Result<std::vector<WaitingCut>> tighter_cuts(const WholeRun& run, std::span<const WaitingCut> cuts, Duration mean_wait,
                                             WaitingBoundSettings settings) {
  if (cuts.empty()) return fail(ErrorCode::invalid_input, "no cuts to tighten");
  settings.mixing_rounds = std::max(settings.mixing_rounds, 20);
  WaitingBound bound(run, settings);
  if (!bound.possible()) return fail(ErrorCode::invalid_input, "no node can run a task");
  std::vector<WaitingCut> all(cuts.begin(), cuts.end());
  std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.price < b.price; });
  const auto value = [&](const WaitingCut& cut) { return least_dollars_with_mean_wait(run, {&cut, 1}, mean_wait); };
  const auto best =
      std::max_element(all.begin(), all.end(), [&](const auto& a, const auto& b) { return value(a) < value(b); });
  const double price = best->price;
  std::vector<double> prices = {price};
  if (best != all.begin()) prices.push_back((price + std::prev(best)->price) / 2);
  if (std::next(best) != all.end()) prices.push_back((price + std::next(best)->price) / 2);
  for (const double each : prices) all.push_back({each, Usd(bound.least(each))});
  return all;
}

Usd least_dollars_with_mean_wait(const WholeRun& run, std::span<const WaitingCut> cuts, Duration mean_wait) {
  double work = 0;
  for (CpuSeconds each : run.work) work += each.value();
  Usd best{0};
  for (const WaitingCut& cut : cuts) best = std::max(best, cut.least - Usd(cut.price * work * to_seconds(mean_wait)));
  return best;
}

}  // namespace lips
