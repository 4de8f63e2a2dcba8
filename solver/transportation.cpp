#include "solver/transportation.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>

namespace lips::solver {
namespace {

constexpr double unbounded = std::numeric_limits<double>::infinity();
constexpr std::int64_t blocked = std::int64_t{1} << 60;

// Scales prices to integers of 50 bits: path comparisons are exact, and rounding makes no negative cycles.
struct PriceScale {
  int exponent = 0;

  explicit PriceScale(const ZoneTransportation& problem) {
    double largest = 0;
    const auto see = [&](double price) {
      if (std::isfinite(price)) largest = std::max(largest, std::abs(price));
    };
    for (double cost : problem.unit_cost) see(cost);
    for (double price : problem.unserved_price) see(price);
    for (const auto& zone : problem.steps)
      for (const ZoneStep& step : zone) see(step.unit_price);
    exponent = largest > 0 ? 50 - (std::ilogb(largest) + 1) : 0;
    up_ = std::ldexp(1.0, exponent);
  }
  std::int64_t to_integer(double price) const {
    if (!std::isfinite(price)) return blocked;
    const double scaled = price * up_;
    return static_cast<std::int64_t>(scaled + (scaled < 0 ? -0.5 : 0.5));
  }
  double to_price(std::int64_t integer) const { return std::ldexp(static_cast<double>(integer), -exponent); }

 private:
  double up_ = 1;
};

// Groups are placed one after another, each along the cheapest path of the graph whose nodes are the zones: the edge
// from zone a to b moves the group in a that loses least; a zone ends at its cheapest step with room. Unserved supply
// is one more zone whose steps are free. Ahuja, Magnanti and Orlin, Network Flows, 1993, section 9.7.
class ZoneFlow {
 public:
  explicit ZoneFlow(const ZoneTransportation& problem)
      : problem_(problem),
        scale_(problem),
        groups_(static_cast<int>(problem.supply.size())),
        zones_(static_cast<int>(problem.steps.size())),
        nodes_(zones_ + 1),
        // Dearer than any path of real prices, and small enough that sums stay in 63 bits.
        closed_price_((std::int64_t{1} << 50) * (2 * nodes_ + 2)),
        numbers_(by_falling_supply(problem)) {
    load_groups();
    load_steps();
    const std::size_t pairs = static_cast<std::size_t>(nodes_) * static_cast<std::size_t>(nodes_);
    exchange_.resize(pairs);
    members_.resize(nodes_);
    exchange_cost_.assign(pairs, blocked);
    total_ = std::accumulate(problem.supply.begin(), problem.supply.end(), 0.0);
    tolerance_ = 1e-14 * total_;
  }

  ZoneTransportationSolution solve() {
    refresh_distances();
    for (int group = 0; group < groups_; ++group) place(group);
    return finish();
  }

 private:
  struct Step {
    std::int64_t price;
    double room;
  };
  struct Candidate {
    std::int64_t cost = blocked;
    std::int32_t group = 0, number = 0;
    bool operator>(const Candidate& other) const {
      return cost != other.cost ? cost > other.cost : number > other.number;
    }
  };
  // From a zone to another. Of most pairs of zones only the least is ever asked for, so a heap is filled when that has
  // left.
  struct Exchange {
    Candidate least;
    std::vector<Candidate> heap;
    std::size_t seen = 0;  // of the zone's members: the heap has those that were in the zone then

    void push(const Candidate& candidate) {
      heap.push_back(candidate);
      std::push_heap(heap.begin(), heap.end(), std::greater<>{});
    }
    void pop() {
      std::pop_heap(heap.begin(), heap.end(), std::greater<>{});
      heap.pop_back();
    }
  };
  static constexpr int sink = -1;

  // Large groups first, because later ones then displace little.
  static std::vector<std::int32_t> by_falling_supply(const ZoneTransportation& problem) {
    std::vector<std::pair<double, std::int32_t>> order;
    order.reserve(problem.supply.size());
    for (const double supply : problem.supply) order.emplace_back(-supply, static_cast<std::int32_t>(order.size()));
    std::sort(order.begin(), order.end());
    std::vector<std::int32_t> numbers;
    numbers.reserve(order.size());
    for (const auto& [supply, number] : order) numbers.push_back(number);
    return numbers;
  }

  void load_groups() {
    cost_.resize(static_cast<std::size_t>(groups_) * nodes_);
    amount_.assign(cost_.size(), 0);
    queued_.assign(cost_.size(), 0);
    supply_.resize(groups_);
    for (int g = 0; g < groups_; ++g) {
      const auto number = static_cast<std::size_t>(numbers_[g]);
      for (int z = 0; z < zones_; ++z)
        cost_[g * nodes_ + z] = scale_.to_integer(problem_.unit_cost[number * zones_ + z]);
      cost_[g * nodes_ + zones_] = scale_.to_integer(problem_.unserved_price[number]);
      supply_[g] = problem_.supply[number];
    }
  }

  void load_steps() {
    steps_.resize(nodes_);
    current_.assign(nodes_, 0);
    for (int z = 0; z < zones_; ++z) {
      for (const ZoneStep& step : problem_.steps[z])
        if (step.capacity > 0) steps_[z].push_back({scale_.to_integer(step.unit_price), step.capacity});
      const auto cheaper = [](const Step& a, const Step& b) { return a.price < b.price; };
      if (!std::is_sorted(steps_[z].begin(), steps_[z].end(), cheaper))
        std::stable_sort(steps_[z].begin(), steps_[z].end(), cheaper);
      steps_[z].push_back({closed_price_, unbounded});
    }
    steps_[zones_].push_back({0, unbounded});
  }

  std::int64_t step_price(int zone) const { return steps_[zone][current_[zone]].price; }

  // Bellman-Ford towards the sink. There are no negative cycles, so `next_` has no cycle.
  void refresh_distances() {
    distance_.resize(nodes_);
    next_.assign(nodes_, sink);
    for (int z = 0; z < nodes_; ++z) distance_[z] = step_price(z);
    for (bool changed = true; changed;) {
      changed = false;
      for (int a = 0; a < nodes_; ++a) {
        const std::int64_t* costs = &exchange_cost_[static_cast<std::size_t>(a) * static_cast<std::size_t>(nodes_)];
        for (int b = 0; b < nodes_; ++b)
          if (costs[b] + distance_[b] < distance_[a]) {
            distance_[a] = costs[b] + distance_[b];
            next_[a] = b;
            changed = true;
          }
      }
    }
  }

  int best_zone(int group) const {
    const std::int64_t* costs = &cost_[static_cast<std::size_t>(group) * nodes_];
    int best = 0;
    for (int z = 1; z < nodes_; ++z)
      if (costs[z] + distance_[z] < costs[best] + distance_[best]) best = z;
    return costs[best] == blocked ? sink : best;
  }

  void place(int group) {
    double rest = supply_[group];
    while (rest > 0) {  // each round takes more than the tolerance, or uses up a step or an exchange
      const int first = best_zone(group);
      if (first == sink) {
        unplaceable_ = true;
        return;
      }
      double step = rest;
      int last = first, moving = group;
      for (; next_[last] != sink; last = next_[last]) {
        const int exchanged = exchange_group(last, next_[last]);
        if (exchanged != moving) step = std::min(step, amount(exchanged, last));  // else it only passes through
        moving = exchanged;
      }
      Step& paid = steps_[last][current_[last]];
      step = std::min(step, paid.room);
      bool stale = move_along(group, first, step);
      paid.room -= step;
      if (paid.price == closed_price_) beyond_capacity_ += step;
      if (paid.room <= tolerance_) {
        ++current_[last];
        stale = true;
      }
      rest = step < rest ? rest - step : 0;
      if (stale) refresh_distances();
    }
  }

  // True when an exchanged group has nothing left in its old zone.
  bool move_along(int group, int first, double step) {
    bool emptied = false;
    int moving = group;
    for (int a = first;; a = next_[a]) {
      const int b = next_[a];
      const int exchanged = b == sink ? -1 : exchange_group(a, b);
      if (exchanged == moving) continue;
      add(moving, a, step);
      if (b == sink) return emptied;
      double& left = amount_[static_cast<std::size_t>(exchanged) * nodes_ + a];
      left -= step;
      if (left <= tolerance_) {
        left = 0;
        emptied = true;
        forget(exchanged, a);
      }
      moving = exchanged;
    }
  }

  double amount(int group, int zone) const { return amount_[static_cast<std::size_t>(group) * nodes_ + zone]; }
  int exchange_group(int a, int b) const { return exchange_[a * nodes_ + b].least.group; }

  void add(int group, int zone, double step) {
    const std::size_t row = static_cast<std::size_t>(group) * nodes_;
    const bool fresh = amount_[row + zone] == 0;
    amount_[row + zone] += step;
    if (!fresh) return;
    std::uint32_t& queued = queued_[row + zone];
    const bool joins = queued == 0;
    for (int b = 0; b < nodes_; ++b) {
      if (b == zone || cost_[row + b] == blocked) continue;
      Exchange& exchange = exchange_[zone * nodes_ + b];
      const Candidate candidate{cost_[row + b] - cost_[row + zone], group, numbers_[group]};
      if (!joins && (queued >> b & 1U) == 0) exchange.push(candidate);
      queued |= 1U << b;
      std::int64_t& least = exchange_cost_[zone * nodes_ + b];
      if (least != blocked && !(exchange.least > candidate)) continue;
      exchange.least = candidate;
      least = candidate.cost;
    }
    if (joins) members_[zone].push_back(group);
  }

  void forget(int group, int zone) {
    for (int b = 0; b < nodes_; ++b)
      if (exchange_cost_[zone * nodes_ + b] != blocked && exchange_group(zone, b) == group) find_least(zone, b);
  }

  // Groups that left zone a stay in its heaps until they reach the top.
  void find_least(int a, int b) {
    Exchange& exchange = exchange_[a * nodes_ + b];
    const auto is_in_a = [&](int group) {
      if (amount(group, a) > 0) return true;
      queued_[static_cast<std::size_t>(group) * nodes_ + a] &= ~(1U << b);
      return false;
    };
    for (; exchange.seen < members_[a].size(); ++exchange.seen) {
      const std::int32_t group = members_[a][exchange.seen];
      const std::size_t row = static_cast<std::size_t>(group) * nodes_;
      if (cost_[row + b] != blocked && is_in_a(group))
        exchange.push({cost_[row + b] - cost_[row + a], group, numbers_[group]});
    }
    while (!exchange.heap.empty() && !is_in_a(exchange.heap.front().group)) exchange.pop();
    std::int64_t& least = exchange_cost_[a * nodes_ + b];
    least = blocked;
    if (exchange.heap.empty()) return;
    exchange.least = exchange.heap.front();
    least = exchange.least.cost;
  }

  ZoneTransportationSolution finish() {
    ZoneTransportationSolution solution;
    solution.feasible = !unplaceable_ && beyond_capacity_ <= 1e-12 * total_;
    solution.amount.resize(static_cast<std::size_t>(groups_) * zones_);
    solution.unserved.resize(groups_);
    solution.zone_load.assign(zones_, 0);
    for (int g = 0; g < groups_; ++g) {
      sweep_dust(g);
      const auto number = static_cast<std::size_t>(numbers_[g]);
      for (int z = 0; z < zones_; ++z) solution.amount[number * zones_ + z] = amount(g, z);
      solution.unserved[number] = amount(g, zones_);
    }
    for (int g = 0; g < groups_; ++g)
      for (int z = 0; z < zones_; ++z)
        solution.zone_load[z] += solution.amount[static_cast<std::size_t>(g) * zones_ + z];
    set_duals(solution);
    set_objective(solution);
    set_lower_bound(solution);
    return solution;
  }

  // Moves the amount that rounding left in a zone, or lost, to where most of the group is.
  void sweep_dust(int group) {
    double* row = &amount_[static_cast<std::size_t>(group) * nodes_];
    double* most = std::max_element(row, row + nodes_);
    double elsewhere = 0;
    for (double* cell = row; cell != row + nodes_; ++cell) {
      if (*cell <= 1e-14 * supply_[group]) *cell = 0;
      if (cell != most) elsewhere += *cell;
    }
    if (*most > 0) *most = std::max(0.0, supply_[group] - elsewhere);
  }

  // A zone that is closed to all further supply may have any price above a limit; reports the limit.
  void set_duals(ZoneTransportationSolution& solution) const {
    std::vector<std::int64_t> price(distance_.begin(), distance_.end());
    const auto is_closed = [&](int z) { return distance_[z] >= closed_price_ / 2; };
    std::int64_t slack = blocked;
    for (int z = 0; z < zones_; ++z) {
      if (!is_closed(z)) continue;
      if (current_[z] > 0) slack = std::min(slack, price[z] - steps_[z][current_[z] - 1].price);
      for (int g = 0; g < groups_; ++g) {
        const int best = best_zone(g);
        if (best == sink || supply_[g] <= 0 || is_closed(best)) continue;
        const std::size_t row = static_cast<std::size_t>(g) * nodes_;
        if (cost_[row + z] == blocked) continue;
        slack = std::min(slack, cost_[row + z] + price[z] - cost_[row + best] - price[best]);
      }
    }
    solution.zone_dual.resize(zones_);
    for (int z = 0; z < zones_; ++z)
      solution.zone_dual[z] = scale_.to_price(is_closed(z) ? price[z] - std::min(slack, price[z]) : price[z]);
    solution.group_dual.resize(groups_);
    for (int g = 0; g < groups_; ++g) {
      double dual = problem_.unserved_price[g];
      for (int z = 0; z < zones_; ++z)
        dual = std::min(dual, problem_.unit_cost[static_cast<std::size_t>(g) * zones_ + z] + solution.zone_dual[z]);
      solution.group_dual[g] = dual;
    }
  }

  void set_objective(ZoneTransportationSolution& solution) const {
    double sum = 0;
    for (int g = 0; g < groups_; ++g) {
      for (int z = 0; z < zones_; ++z) {
        const std::size_t cell = static_cast<std::size_t>(g) * zones_ + z;
        if (solution.amount[cell] > 0) sum += solution.amount[cell] * problem_.unit_cost[cell];
      }
      if (solution.unserved[g] > 0) sum += solution.unserved[g] * problem_.unserved_price[g];
    }
    for (int z = 0; z < zones_; ++z) {
      double load = solution.zone_load[z];
      for (const Step& step : original_steps(z)) {
        if (load <= 0) break;
        sum += std::min(load, step.room) * scale_.to_price(step.price);
        load -= step.room;
      }
    }
    solution.objective = sum;
  }

  std::vector<Step> original_steps(int zone) const {
    std::vector<Step> steps;
    for (const ZoneStep& step : problem_.steps[zone])
      if (step.capacity > 0) steps.push_back({scale_.to_integer(step.unit_price), step.capacity});
    std::stable_sort(steps.begin(), steps.end(), [](const Step& a, const Step& b) { return a.price < b.price; });
    return steps;
  }

  void set_lower_bound(ZoneTransportationSolution& solution) const {
    double bound = 0;
    for (int g = 0; g < groups_; ++g)
      if (problem_.supply[g] > 0) bound += problem_.supply[g] * solution.group_dual[g];
    for (int z = 0; z < zones_; ++z)
      for (const ZoneStep& step : problem_.steps[z])
        bound -= std::max(0.0, step.capacity) * std::max(0.0, solution.zone_dual[z] - step.unit_price);
    solution.lower_bound = bound;
  }

  const ZoneTransportation& problem_;
  const PriceScale scale_;
  const int groups_, zones_, nodes_;
  const std::int64_t closed_price_;
  // From here on groups go by falling supply, so that what is read for one lies beside what was read for the one
  // before.
  const std::vector<std::int32_t> numbers_;  // of each group in the problem
  std::vector<double> supply_;
  std::vector<std::int64_t> cost_;     // [group * nodes + node]; the last node takes unserved supply
  std::vector<double> amount_;         // the same shape
  std::vector<std::uint32_t> queued_;  // the same shape: for which exchanges of that zone the group stands in line
  std::vector<std::vector<Step>> steps_;
  std::vector<std::size_t> current_;
  std::vector<std::vector<std::int32_t>> members_;  // [a]: groups that have come to a
  std::vector<Exchange> exchange_;                  // [a * nodes + b]: groups in a by the cost of moving to b
  std::vector<std::int64_t> exchange_cost_;         // of the least
  std::vector<std::int64_t> distance_;
  std::vector<int> next_;
  double total_ = 0, beyond_capacity_ = 0;
  double tolerance_ = 0;  // less than this is a rounding error of the whole
  bool unplaceable_ = false;
};

}  // namespace

ZoneTransportationSolution solve_zone_transportation(const ZoneTransportation& problem) {
  return ZoneFlow(problem).solve();
}

}  // namespace lips::solver
