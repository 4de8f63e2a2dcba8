#include "bounds/slot_flow.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <utility>

#include "solver/min_cost_flow.h"

namespace lips {

namespace {

constexpr double usd_unit = 1e-12;    // of costs in the flow
constexpr double least_share = 1e-3;  // of a job's work that the flow still counts
constexpr double cost_step = 1.05;    // between costs that are not the same

std::int64_t cost_of(double usd) { return std::llround(usd / usd_unit); }

// Work that the flow does not tell apart: when it may start, and what a CPU-second of it costs beyond time, by zone.
using FlowKey = std::pair<std::size_t, std::vector<std::int64_t>>;
struct FlowGroup {
  double work = 0, arrived = 0;  // arrived: work x when it is done if it does not wait
  std::vector<double> usd;       // of all of it in that zone, without rounding
};

class Flow {
 public:
  Flow(const RelaxedRun& run, const TimeGrid& grid, const CopyShares& copies, double waiting_price)
      : run_(run), grid_(grid), copies_(copies), waiting_price_(waiting_price) {
    double least_rate = 1e300;
    for (std::size_t z = 0; z < run.zones(); ++z)
      for (const PriceStep& step : run.steps(z)) least_rate = std::min(least_rate, step.rate);
    work_unit_ = least_rate * grid.slot / 1000;
  }

  std::optional<SlotFlow> cheapest(const HomeShares& shares) {
    for (std::size_t j = 0; j < shares.size(); ++j) {
      double counted = 0;
      for (const double share : shares[j]) counted += share >= least_share ? share : 0;
      for (std::size_t home = 0; home < run_.zones(); ++home)
        if (shares[j][home] >= least_share) add_job(run_.jobs()[j], home, shares[j][home] / counted);
    }
    solver::MinCostFlow flow(sink() + 1 + static_cast<std::int32_t>(groups_.size()));
    add_time(flow);
    add_supplies(flow);
    const solver::FlowSolution solution = flow.solve();
    if (solution.status != solver::FlowStatus::optimal) return std::nullopt;
    SlotFlow result{prices(solution), 0, 0};
    add_costs(solution, result);
    return result;
  }

 private:
  struct TimeArc {
    std::int32_t arc;
    double price, time;
  };
  struct GroupArc {
    std::int32_t arc;
    double usd;  // if it takes all that its group has
    std::int64_t supply;
  };

  std::int32_t node(std::size_t zone, std::size_t slot) const {
    return static_cast<std::int32_t>(zone * (grid_.slots + 1) + slot);
  }
  std::int32_t sink() const { return node(run_.zones(), 0); }

  void add_job(const BoundJob& job, std::size_t home, double share) {
    std::vector<double> usd(run_.zones());
    for (const AlikeMaps& group : job.maps) {
      for (std::size_t z = 0; z < run_.zones(); ++z)
        usd[z] = share * group.count * (copies_.transfer(group.each, z) + run_.shuffle(job, z, home));
      add_work(job, job.arrival, group.each.work, share * group.count, usd);
    }
    for (const AlikeReduces& group : job.reduces) {
      for (std::size_t z = 0; z < run_.zones(); ++z)
        usd[z] = job.shuffles() && z != home ? 100 * run_.mean_price() * share * group.count * group.work : 0;
      add_work(job, job.reduces_from, group.work, share * group.count, usd);
    }
  }

  // So many tasks of that work. None does more of it within a time after its start than its duration allows, so it
  // comes evenly over the duration.
  void add_work(const BoundJob& job, double start, double each, double count, const std::vector<double>& usd) {
    if (each <= 0 || count <= 0) return;
    std::vector<std::int64_t> costs(usd.size());
    for (std::size_t z = 0; z < usd.size(); ++z) costs[z] = rounded(usd[z] / (each * count));
    const double duration = run_.least_duration(job, each), end = start + duration;
    for (std::size_t k = grid_.slot_of(start); k <= grid_.slot_of(end); ++k) {
      const double until = k < grid_.slots ? std::min(end, grid_.begin(k + 1)) : end;
      const double share = duration > 0 ? (until - std::max(start, grid_.begin(k))) / duration : 1;
      if (share <= 0) continue;
      FlowGroup& group = groups_[{k, costs}];
      group.work += share * each * count;
      group.arrived += share * each * count * (job.arrival + duration / 2);
      group.usd.resize(usd.size());
      for (std::size_t z = 0; z < usd.size(); ++z) group.usd[z] += share * usd[z];
    }
  }

  // At most a hundred mean prices: no work would go there anyway.
  std::int64_t rounded(double usd_per_work) const {
    const double most = std::min(usd_per_work, 100 * run_.mean_price());
    if (most <= 1e-3 * run_.mean_price()) return 0;
    const double step = std::log(cost_step);
    return cost_of(std::exp(std::round(std::log(most) / step) * step));
  }

  std::int64_t amount(double work) const { return std::llround(work / work_unit_); }

  // Each slot of a zone, to its price steps and to the next slot.
  void add_time(solver::MinCostFlow& flow) {
    const auto add = [&](std::size_t z, std::size_t k, std::int64_t capacity, double price, double time) {
      const std::int64_t cost = cost_of(price + waiting_price_ * time);
      time_arcs_.push_back({flow.add_arc(node(z, k), sink(), capacity, cost), price, time});
    };
    for (std::size_t z = 0; z < run_.zones(); ++z) {
      if (run_.closed(z)) continue;
      for (std::size_t k = 0; k < grid_.slots; ++k) {
        for (const PriceStep& step : run_.steps(z))
          add(z, k, amount(step.rate * grid_.slot), step.price, grid_.middle(k));
        flow.add_arc(node(z, k), node(z, k + 1), solver::MinCostFlow::unlimited, 0);
      }
      const double cheapest = run_.steps(z).front().price;
      add(z, grid_.slots, solver::MinCostFlow::unlimited, cheapest, grid_.begin(grid_.slots));
    }
  }

  void add_supplies(solver::MinCostFlow& flow) {
    std::int32_t from = sink();
    std::int64_t all = 0;
    for (const auto& [key, group] : groups_) {
      const std::int64_t supply = std::max<std::int64_t>(1, amount(group.work));
      flow.set_supply(++from, supply);
      all += supply;
      arrived_ += static_cast<double>(supply) * work_unit_ * group.arrived / group.work;
      for (std::size_t z = 0; z < run_.zones(); ++z)
        if (!run_.closed(z)) {
          const std::int32_t arc =
              flow.add_arc(from, node(z, key.first), solver::MinCostFlow::unlimited, key.second[z]);
          group_arcs_.push_back({arc, group.usd[z], supply});
        }
    }
    flow.set_supply(sink(), -all);
  }

  SlotPrices prices(const solver::FlowSolution& solution) const {
    SlotPrices prices(run_, grid_, waiting_price_);
    for (std::size_t z = 0; z < run_.zones(); ++z)
      for (std::size_t k = 0; k < grid_.slots && !run_.closed(z); ++k)
        prices.usd[z][k] = static_cast<double>(solution.potential[sink()] - solution.potential[node(z, k)]) * usd_unit;
    return prices;
  }

  void add_costs(const solver::FlowSolution& solution, SlotFlow& result) const {
    double time = -arrived_;
    for (const TimeArc& arc : time_arcs_) {
      const double work = static_cast<double>(solution.flow[arc.arc]) * work_unit_;
      result.usd += work * arc.price;
      time += work * arc.time;
    }
    for (const GroupArc& arc : group_arcs_)
      result.usd += arc.usd * static_cast<double>(solution.flow[arc.arc]) / static_cast<double>(arc.supply);
    result.usd += waiting_price_ * time;
    result.mean_wait = run_.work() > 0 ? time / run_.work() : 0;
  }

  const RelaxedRun& run_;
  const TimeGrid& grid_;
  const CopyShares& copies_;
  double waiting_price_, work_unit_ = 1;
  double arrived_ = 0;  // of the amounts that flow
  std::map<FlowKey, FlowGroup> groups_;
  std::vector<TimeArc> time_arcs_;
  std::vector<GroupArc> group_arcs_;
};

}  // namespace

std::optional<SlotFlow> cheapest_flow(const RelaxedRun& run, const TimeGrid& grid, const CopyShares& copies,
                                      const HomeShares& shares, double waiting_price) {
  return Flow(run, grid, copies, waiting_price).cheapest(shares);
}

}  // namespace lips
