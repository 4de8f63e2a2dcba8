// The online rule: one job against the steps that the others leave.
#include <algorithm>
#include <limits>

#include "policies/home_zone.h"
#include "policies/home_zone_bound.h"

namespace lips {
namespace {

// Steps of all zones, consumed from the cheapest.
class Remaining {
 public:
  explicit Remaining(const std::vector<home::Supply>& supply, double overflow) : supply_(supply), overflow_(overflow) {
    for (const home::Supply& zone : supply) {
      step_.push_back(0);
      left_.push_back(zone.capacities().empty() ? 0 : zone.capacities()[0]);
    }
  }
  double price(std::size_t zone) const {
    return step_[zone] < supply_[zone].prices().size() ? supply_[zone].prices()[step_[zone]] : overflow_;
  }
  // What the present step still takes.
  double room(std::size_t zone) const {
    return step_[zone] < supply_[zone].prices().size() ? left_[zone] : std::numeric_limits<double>::infinity();
  }
  double take(std::size_t zone, double work) {
    const double usd = price(zone) * work;
    // What rounding leaves of a step is not a step: those who fill steps must come to an end.
    if (room(zone) - work > 1e-12 * room(zone)) {
      left_[zone] -= work;
    } else if (++step_[zone] < supply_[zone].prices().size()) {
      left_[zone] = supply_[zone].capacities()[step_[zone]];
    }
    return usd;
  }

 private:
  const std::vector<home::Supply>& supply_;
  double overflow_;
  std::vector<std::size_t> step_;
  std::vector<double> left_;
};

struct Spread {
  double usd = 0;                  // CPU and transfer
  std::vector<double> work_share;  // by zone
};

// Work that may run anywhere, on the cheapest steps.
Spread pour(Remaining& remaining, double work, std::size_t zones) {
  Spread spread{0, std::vector<double>(zones)};
  for (double left = work; left > 0;) {
    std::size_t zone = 0;
    for (std::size_t other = 1; other < zones; ++other)
      if (remaining.price(other) < remaining.price(zone)) zone = other;
    const double taken = std::min(left, remaining.room(zone));
    spread.usd += remaining.take(zone, taken);
    spread.work_share[zone] += taken / work;
    left -= taken;
  }
  return spread;
}

// Maps, always the cheapest pair of group and zone next. `home` == zones: shuffle is not looked at.
Spread run_maps(const home::Model& model, Remaining& remaining, std::size_t groups, std::size_t home) {
  const std::size_t zones = model.zones;
  Spread spread{0, std::vector<double>(zones)};
  std::vector<double> left(model.tasks.begin(), model.tasks.begin() + static_cast<std::ptrdiff_t>(groups));
  double all = 0;
  for (const double tasks : left) all += tasks;
  for (;;) {
    double least = std::numeric_limits<double>::infinity();
    std::size_t group = groups, zone = 0;
    for (std::size_t g = 0; g < groups; ++g)
      for (std::size_t z = 0; z < zones && left[g] > 0; ++z) {
        const double moved = home < zones ? model.output[0] * model.transfer[z * zones + home] : 0;
        const double usd = model.work[g] * remaining.price(z) + model.read[g * zones + z] + moved;
        if (usd >= least) continue;
        least = usd;
        group = g;
        zone = z;
      }
    if (group == groups) return spread;
    const double work = model.work[group];
    const bool whole = work * left[group] <= remaining.room(zone);
    const double tasks = whole ? left[group] : remaining.room(zone) / work;
    remaining.take(zone, tasks * work);
    spread.usd += tasks * least;
    spread.work_share[zone] += tasks / all;
    left[group] = whole ? 0 : left[group] - tasks;
  }
}

}  // namespace

HomeChoice choose_home(const HomeJob& job, std::span<const ZoneSupply> zones, const CostModel& costs) {
  HomeInput input;
  input.jobs = {job};
  input.zones.assign(zones.begin(), zones.end());
  input.costs = costs;
  const home::Model model = home::make_model(input);
  const std::size_t groups = job.maps.size();
  HomeChoice choice;
  for (std::size_t home = 0; home < model.zones; ++home) {
    Remaining remaining(model.supply, model.overflow);
    double usd = model.at_home[home];
    for (double left = job.reduce_work.value(); left > 0;) {
      const double taken = std::min(left, remaining.room(home));
      usd += remaining.take(home, taken);
      left -= taken;
    }
    choice.cost.emplace_back(usd + run_maps(model, remaining, groups, home).usd);
  }
  Remaining remaining(model.supply, model.overflow);
  const Spread maps = run_maps(model, remaining, groups, model.zones);
  const Spread reducers = pour(remaining, job.reduce_work.value(), model.zones);
  double usd = maps.usd + reducers.usd;
  const double written = groups > 0 ? job.shuffle.value() : 0;
  for (std::size_t to = 0; to < model.zones; ++to) {
    // Reducers without work still have to be somewhere: count them where the maps are.
    const double share = job.reduce_work.value() > 0 ? reducers.work_share[to] : maps.work_share[to];
    usd += share * model.at_home[to];
    for (std::size_t from = 0; from < model.zones; ++from)
      usd += share * maps.work_share[from] * written * model.transfer[from * model.zones + to];
  }
  choice.without_home = Usd(usd);
  if (job.home.valid()) {
    choice.home = job.home;
    return choice;
  }
  const auto best = std::min_element(choice.cost.begin(), choice.cost.end());
  const bool shuffles = model.has_choice[0];
  if (shuffles && *best <= choice.without_home)
    choice.home = ZoneId(static_cast<std::uint32_t>(best - choice.cost.begin()));
  return choice;
}

}  // namespace lips
