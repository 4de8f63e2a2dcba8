#include "policies/lips/demand/expected_room.h"

#include <algorithm>
#include <cmath>
#include <compare>
#include <limits>
#include <map>
#include <utility>
#include <vector>

#include "model/work_left.h"
#include "policies/lips/demand/data_costs.h"
#include "policies/lips/demand/homes.h"
#include "policies/lips/market/by_zone.h"
#include "policies/lips/prices/read_prices.h"
#include "solver/transportation.h"

namespace lips {

namespace {

constexpr std::size_t most_places = 30;   // of solver::ZoneTransportation, whose time grows with their square
constexpr std::size_t most_arrivals = 3;  // that begin a time slot
constexpr double large_arrival = 0.1;     // of all that the nodes do within reach
constexpr Duration shortest_slot = std::chrono::seconds(1);
constexpr double about_least = 1.05;  // times the least that a job pays at any home

// Work that the program cannot tell apart.
struct Stream {
  bool expected = false;
  std::size_t slot = 0;    // in which it comes
  std::vector<int> costs;  // of a CPU-second by zone, beside CPU and time: in powers of the square root of two
  friend auto operator<=>(const Stream&, const Stream&) = default;
};
struct StreamSize {
  double work = 0;
  ByZone usd;                          // of all of it in that zone
  std::map<std::uint32_t, double> of;  // its work by expected work
};

// Maps of a job: what they read from the same zones, and what they leave for its reduces.
struct Maps {
  ZoneSet zones;
  double work = 0;
  double input = 0, output = 0;  // MiB
};

// A place of the program is a zone in a time slot.
class Room {
 public:
  Room(const ClusterSnapshot& cluster, const CostModel& costs, const CountedWork& counted, NodeClasses& classes)
      : cluster_(cluster), costs_(costs), counted_(counted), classes_(classes), reads_(costs, cluster.zones.size()) {}

  std::vector<KeptRoom> keep() {
    find_slots();
    if (begins_.size() < 2) return {};
    add_expected();
    if (streams_.empty()) return {};
    add_pending();
    find_steps();
    return take(solver::solve_zone_transportation(problem()));
  }

 private:
  struct Step {
    ClassId of_class;
    std::size_t step;
    double price;
  };

  // Finds the classes' time slots within reach; where there are many, some of each neighbours are one.
  void find_slots() {
    std::vector<double> all;
    for (const auto& steps : classes_.steps)
      for (const CapacityStep& step : steps)
        if (step.work > 0 && step.from <= to_seconds(counted_.reach)) all.push_back(step.from);
    std::sort(all.begin(), all.end());
    all.erase(std::unique(all.begin(), all.end()), all.end());
    const std::size_t most = most_places / std::max<std::size_t>(1, cluster_.zones.size());
    const std::size_t neighbours = most > 0 ? (all.size() + most - 1) / most : 0;
    for (std::size_t i = 0; i < all.size() && most > 0; i += neighbours) begins_.push_back(all[i]);
  }

  std::size_t slot_that_holds(double second) const {
    const auto next = std::upper_bound(begins_.begin(), begins_.end(), second);
    return static_cast<std::size_t>(std::max<std::ptrdiff_t>(0, next - begins_.begin() - 1));
  }
  // The one that begins nearest to that time, but not the first: what is not here cannot use what is free now.
  std::size_t slot_of(double comes) const {
    const std::size_t slot = std::max<std::size_t>(1, slot_that_holds(comes));
    return slot + 1 < begins_.size() && comes - begins_[slot] > begins_[slot + 1] - comes ? slot + 1 : slot;
  }
  std::size_t place(ZoneId zone, std::size_t slot) const { return zone.index() * begins_.size() + slot; }

  // Nothing is added to a stream without work.
  StreamSize* add(bool expected, std::size_t slot, double work, const ByZone& usd) {
    if (work <= 0) return nullptr;
    Stream stream{expected, slot, {}};
    for (const double each : usd)
      stream.costs.push_back(each > 0 ? static_cast<int>(std::lround(2 * std::log2(each / work))) : -10'000);
    StreamSize& size = streams_[stream];
    if (size.usd.empty()) size.usd.assign(usd.size(), 0.0);
    size.work += work;
    for (const ZoneId zone : cluster_.zones.ids()) size.usd[zone] += usd[zone];
    return &size;
  }

  // Adds the maps of a job that has no home yet. In a zone they pay to read there, and either to send their output to
  // one of the homes at which the job would pay about least, or for the others to come along and have the home there,
  // too. Returns what became of each.
  std::vector<StreamSize*> add_before_home(bool expected, std::size_t slot, const std::vector<Maps>& all) {
    const ByZone price = cheapest_way_home(all);
    ByZone together(cluster_.zones.size(), 0.0);
    double work = 0;
    for (const Maps& maps : all) {
      const ByZone& read = reads_.from(maps.zones);
      for (const ZoneId zone : cluster_.zones.ids()) together[zone] += maps.input * read[zone];
      work += maps.work;
    }
    std::vector<StreamSize*> added;
    for (const Maps& maps : all) {
      const ByZone& read = reads_.from(maps.zones);
      ByZone usd(cluster_.zones.size(), 0.0);
      for (const ZoneId zone : cluster_.zones.ids())
        usd[zone] = std::min(maps.input * read[zone] + maps.output * price[zone],
                             std::max(maps.input * read[zone], work > 0 ? together[zone] * maps.work / work : 0));
      added.push_back(add(expected, slot, maps.work, usd));
    }
    return added;
  }

  // USD per MiB by zone, to one of the homes at which the job would pay about least.
  ByZone cheapest_way_home(const std::vector<Maps>& all) {
    ByZone usd(cluster_.zones.size(), 0.0);
    for (const Maps& maps : all) {
      const ByZone& read = reads_.from(maps.zones);
      for (const ZoneId home : cluster_.zones.ids()) {
        double least = std::numeric_limits<double>::infinity();
        for (const ZoneId zone : cluster_.zones.ids())
          least = std::min(least, maps.input * read[zone] + maps.output * costs_.transfer(zone, home).value());
        usd[home] += least;
      }
    }
    const double enough = about_least * *std::min_element(usd.begin(), usd.end());
    ByZone price(cluster_.zones.size(), std::numeric_limits<double>::infinity());
    for (const ZoneId zone : cluster_.zones.ids())
      for (const ZoneId home : cluster_.zones.ids())
        if (usd[home] <= enough) price[zone] = std::min(price[zone], costs_.transfer(zone, home).value());
    return price;
  }

  void add_expected() {
    for (std::uint32_t i = 0; i < cluster_.expected.size(); ++i)
      if (counted_.chances[i] > 0) add_expected(i);
  }

  void add_expected(std::uint32_t index) {
    const ExpectedWork& work = cluster_.expected[index];
    const std::size_t slot = slot_of(to_seconds(std::max(Duration(0), work.at - cluster_.now)));
    const double chance = counted_.chances[index], cpu = counted_.work(cluster_, index);
    const std::map<ZoneSet, double>& held = held_by_zones(work.input);
    double all = 0;
    for (const auto& [zones, size] : held) all += size;
    std::vector<Maps> maps;
    for (const auto& [zones, size] : held)
      maps.push_back(
          {zones, cpu * size / all, chance * work.fraction * size, chance * work.shuffle.value() * size / all});
    if (held.empty()) maps.push_back({{}, cpu, 0, 0});
    const std::vector<StreamSize*> added = add_before_home(true, slot, maps);
    for (std::size_t i = 0; i < maps.size(); ++i)
      if (added[i]) added[i]->of[index] += maps[i].work;
  }

  // MiB of the data set's blocks by the zones that hold them; nothing of none.
  const std::map<ZoneSet, double>& held_by_zones(DataSetId id) {
    const auto [place, added] = held_.try_emplace(id);
    if (!added || !id.valid()) return place->second;
    const DataSet& data_set = cluster_.data_sets[id];
    for (std::uint32_t i = 0; i < data_set.blocks; ++i) {
      const Block& block = cluster_.blocks[BlockId(data_set.first_block.index() + i)];
      if (block.size.value() > 0) place->second[block.zones] += block.size.value();
    }
    return place->second;
  }

  void add_pending() {
    for (const JobId id : cluster_.pending) {
      const Job& job = cluster_.jobs[id];
      if (chooses_home(job)) {
        add_before_home(id);
        continue;
      }
      ByZone usd;
      for (const TaskGroup& group : cluster_.groups[id]) {
        non_cpu_costs(cluster_, reads_, job, group, job.memory.home, usd);
        for (double& each : usd) each *= group.count;
        add(false, 0, group.count * group.cpu.value(), usd);
      }
    }
  }

  void add_before_home(JobId id) {
    const Job& job = cluster_.jobs[id];
    std::vector<Maps> maps;
    for (const TaskGroup& group : cluster_.groups[id])
      maps.push_back({group.zones_soon(), group.count * group.cpu.value(),
                      group.reads ? group.count * group.input.value() : 0,
                      (job.shuffle * (group.count / static_cast<double>(job.all_maps()))).value()});
    add_before_home(false, 0, maps);
  }

  void find_steps() {
    steps_.resize(cluster_.zones.size() * begins_.size());
    for (const ClassId c : classes_.classes.ids())
      for (std::size_t i = 0; i < classes_.steps[c].size(); ++i) {
        const CapacityStep& step = classes_.steps[c][i];
        if (step.work > 0)
          steps_[place(classes_.classes[c].zone, slot_that_holds(step.from))].push_back(
              {c, i, classes_.classes[c].price.value() + step.waiting_price});
      }
    for (std::vector<Step>& steps : steps_)
      std::stable_sort(steps.begin(), steps.end(), [](const Step& a, const Step& b) { return a.price < b.price; });
  }

  double capacity(const Step& step) const { return classes_.steps[step.of_class][step.step].work; }

  solver::ZoneTransportation problem() const {
    solver::ZoneTransportation problem;
    double dearest = 0;
    problem.steps.resize(steps_.size());
    for (std::size_t at = 0; at < steps_.size(); ++at)
      for (const Step& step : steps_[at]) {
        problem.steps[at].push_back({capacity(step), step.price});
        dearest = std::max(dearest, step.price);
      }
    for (const auto& [stream, size] : streams_) {
      problem.supply.push_back(size.work);
      problem.unserved_price.push_back(10 * dearest);
      for (const ZoneId zone : cluster_.zones.ids()) {
        const double cost = size.usd[zone] / size.work;
        for (std::size_t slot = 0; slot < begins_.size(); ++slot)
          problem.unit_cost.push_back(slot >= stream.slot ? cost : std::numeric_limits<double>::infinity());
      }
    }
    return problem;
  }

  // In each zone the pending work goes first; the rest of what runs is expected work.
  std::vector<KeptRoom> take(const solver::ZoneTransportationSolution& solution) {
    IdVector<ZoneId, double> pending(cluster_.zones.size(), 0.0);
    std::map<std::pair<std::uint32_t, ZoneId>, double> room;
    std::size_t row = 0;
    for (const auto& [stream, size] : streams_) {
      for (const ZoneId zone : pending.ids()) {
        double runs = 0;
        for (std::size_t slot = 0; slot < begins_.size(); ++slot)
          runs += solution.amount[row * steps_.size() + place(zone, slot)];
        if (!stream.expected) pending[zone] += runs;
        for (const auto& [of, work] : size.of) room[{of, zone}] += runs * work / size.work;
      }
      ++row;
    }
    shrink_zones(solution, std::move(pending));
    std::vector<KeptRoom> kept;
    for (const auto& [of, work] : room)
      if (work > 0) kept.push_back({of.first, of.second, CpuSeconds(work)});
    return kept;
  }

  void shrink_zones(const solver::ZoneTransportationSolution& solution, IdVector<ZoneId, double> pending) {
    for (const ZoneId zone : pending.ids())
      for (std::size_t slot = 0; slot < begins_.size(); ++slot) {
        const double runs = solution.zone_load[place(zone, slot)];
        const double own = std::min(pending[zone], runs);
        pending[zone] -= own;
        if (runs - own > 1e-9 * runs) shrink(steps_[place(zone, slot)], runs, (runs - own) / runs);
      }
  }

  // That share of what runs in these steps, the cheapest of which run first, is no longer there.
  void shrink(const std::vector<Step>& steps, double runs, double share) {
    for (const Step& at : steps) {
      CapacityStep& step = classes_.steps[at.of_class][at.step];
      const double used = std::min(runs, step.work);
      const double left = std::clamp(1 - share * used / step.work, 0.0, 1.0);
      step.work *= left, step.memory *= left, step.slots *= left;
      runs -= used;
      if (runs <= 0) return;
    }
  }

  const ClusterSnapshot& cluster_;
  const CostModel& costs_;
  const CountedWork& counted_;
  NodeClasses& classes_;
  ReadPrices reads_;
  std::vector<double> begins_;  // of the time slots, in seconds from now
  std::map<Stream, StreamSize> streams_;
  std::map<DataSetId, std::map<ZoneSet, double>> held_;
  std::vector<std::vector<Step>> steps_;  // by place, the cheapest first
};

}  // namespace

std::vector<Duration> begin_slots_with_expected(const ClusterSnapshot& cluster, const CountedWork& counted,
                                                std::vector<Duration> edges) {
  if (edges.size() < 2 || counted.chances.empty()) return edges;
  std::map<TimePoint, double> work;
  for (std::size_t i = 0; i < counted.chances.size(); ++i)
    if (const TimePoint at = cluster.expected[i].at; counted.chances[i] > 0 && at - cluster.now > edges[1])
      work[at] += counted.work(cluster, i);
  const double large = large_arrival * work_rate(cluster) * to_seconds(counted.reach);
  std::vector<std::pair<double, TimePoint>> largest;
  for (const auto& [at, amount] : work)
    if (amount > large) largest.push_back({-amount, at});
  std::sort(largest.begin(), largest.end());
  largest.resize(std::min(largest.size(), most_arrivals));
  for (const auto& [amount, at] : largest) {
    const Duration edge = at - cluster.now;
    const auto next = std::lower_bound(edges.begin(), edges.end(), edge);
    if (next != edges.end() && *next - edge >= shortest_slot && edge - *(next - 1) >= shortest_slot)
      edges.insert(next, edge);
  }
  return edges;
}

std::vector<KeptRoom> keep_expected_room(const ClusterSnapshot& cluster, const CostModel& costs,
                                         const CountedWork& counted, NodeClasses& classes) {
  if (counted.chances.empty()) return {};
  return Room(cluster, costs, counted, classes).keep();
}

}  // namespace lips
