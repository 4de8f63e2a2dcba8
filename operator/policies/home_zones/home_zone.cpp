#include "policies/home_zones/home_zone.h"

#include <algorithm>
#include <cmath>

#include "base/check.h"
#include "policies/home_zones/home_zone_bound.h"
#include "policies/home_zones/home_zone_search.h"

namespace lips {
namespace {

using home::Allowed;
using home::Candidate;
using home::Cut;
using home::lowest;
using home::Model;
using home::Relaxation;

std::vector<double> plain(std::span<const UsdPerCpuSecond> prices, const Model& model) {
  std::vector<double> result;
  for (const UsdPerCpuSecond price : prices) result.push_back(std::clamp(price.value(), 0.0, model.overflow));
  result.resize(model.zones, model.overflow);
  return result;
}

std::vector<UsdPerCpuSecond> typed(std::span<const double> prices) {
  std::vector<UsdPerCpuSecond> result;
  for (const double price : prices) result.emplace_back(price);
  return result;
}

std::vector<std::vector<double>> first_prices(const Model& model, const HomeInput& input) {
  std::vector<std::vector<double>> start{home::common_price(model)};
  if (input.prices.size() == model.zones) start.push_back(plain(input.prices, model));
  return start;
}

double relative_gap(double cost, double bound) { return (cost - bound) / std::max(std::abs(bound), 1e-300); }

// Tasks by group and zone, [group * zones + zone].
std::vector<double> amounts_of(const Model& model, const Candidate& plan) {
  std::vector<double> amounts(model.tasks.size() * model.zones);
  for (std::size_t k = 0; k < plan.relaxation.cuts.size(); ++k) {
    const double weight = plan.relaxation.weight[k];
    if (weight <= 0) continue;
    for (std::size_t job = 0; job < model.jobs; ++job)
      for (std::uint32_t group = model.first_group[job]; group < model.first_group[job + 1]; ++group)
        amounts[group * model.zones + home::zone_of(model, job, group, lowest(plan.homes[job]),
                                                    plan.relaxation.cuts[k].prices)] += weight * model.tasks[group];
  }
  return amounts;
}

double task_cost(const Model& model, std::size_t job, std::size_t group, std::size_t home, std::size_t zone) {
  return model.read[group * model.zones + zone] + model.output[job] * model.transfer[zone * model.zones + home];
}

// Groups that a mixture divides between zones a and b, put whole into one or the other as far as possible: the same
// work in each zone, at no higher cost, and at most one group left divided.
void gather(const Model& model, const Candidate& plan, std::size_t a, std::size_t b, std::vector<double>& amounts) {
  struct Divided {
    double preference;  // for a: USD per CPU-second
    std::size_t group;
  };
  std::vector<Divided> divided;
  double work_in_a = 0;
  for (std::size_t job = 0; job < model.jobs; ++job)
    for (std::uint32_t group = model.first_group[job]; group < model.first_group[job + 1]; ++group) {
      const double in_a = amounts[group * model.zones + a], in_b = amounts[group * model.zones + b];
      if (in_a <= 0 || in_b <= 0 || model.work[group] <= 0) continue;
      const std::size_t home = lowest(plan.homes[job]);
      const double dearer = task_cost(model, job, group, home, a) - task_cost(model, job, group, home, b);
      divided.push_back({dearer / model.work[group], group});
      work_in_a += in_a * model.work[group];
    }
  std::sort(divided.begin(), divided.end(), [](const Divided& x, const Divided& y) {
    return x.preference != y.preference ? x.preference < y.preference : x.group < y.group;
  });
  for (const Divided& item : divided) {
    double& in_a = amounts[item.group * model.zones + a];
    double& in_b = amounts[item.group * model.zones + b];
    const double both = in_a + in_b;
    in_a = std::clamp(work_in_a / model.work[item.group], 0.0, both);
    if (both - in_a < 1e-9 * both) in_a = both;
    if (in_a < 1e-9 * both) in_a = 0;
    in_b = both - in_a;
    work_in_a = std::max(0.0, work_in_a - in_a * model.work[item.group]);
  }
}

HomePlan plan_of(const HomeInput& input, const Model& model, const Candidate& candidate) {
  std::vector<double> amounts = amounts_of(model, candidate);
  for (std::size_t a = 0; a < model.zones; ++a)
    for (std::size_t b = a + 1; b < model.zones; ++b) gather(model, candidate, a, b, amounts);
  HomePlan plan;
  std::vector<double> load(model.zones);
  for (std::size_t job = 0; job < model.jobs; ++job) {
    const std::size_t home = lowest(candidate.homes[job]);
    HomePlacement placement;
    if (model.has_choice[job]) placement.home = ZoneId(static_cast<std::uint32_t>(home));
    placement.reducers.resize(model.zones);
    placement.reducers[home] = 1;
    load[home] += model.reduce_work[job];
    plan.cost.shuffle += Usd(model.at_home[job * model.zones + home]);
    const std::uint32_t first = model.first_group[job];
    for (std::uint32_t group = first; group < model.first_group[job + 1]; ++group) {
      const double* tasks = &amounts[group * model.zones];
      for (std::size_t zone = 0; zone < model.zones; ++zone) {
        load[zone] += tasks[zone] * model.work[group];
        plan.cost.transfer += Usd(tasks[zone] * model.read[group * model.zones + zone]);
        plan.cost.shuffle += Usd(tasks[zone] * model.output[job] * model.transfer[zone * model.zones + home]);
      }
      if (group - first < input.jobs[job].maps.size())
        placement.maps.insert(placement.maps.end(), tasks, tasks + model.zones);
      else
        placement.reducers.assign(tasks, tasks + model.zones);
    }
    plan.jobs.push_back(std::move(placement));
  }
  plan.cost.cpu = Usd(model.supply_cost(load));
  plan.zone_prices = typed(candidate.relaxation.prices);
  plan.method = candidate.method;
  return plan;
}

void certify(HomePlan& plan, double bound) {
  bound = std::min(bound, plan.cost.total().value());  // rounding may put one over the other where they meet
  plan.lower_bound = Usd(bound);
  plan.gap = relative_gap(plan.cost.total().value(), bound);
}

}  // namespace

HomePlan plan_homes(const HomeInput& input, const HomeOptions& options) {
  const Model model = home::make_model(input);
  const home::SearchResult found = home::search_homes(model, first_prices(model, input), options);
  HomePlan plan = plan_of(input, model, found.best);
  plan.evaluations = found.evaluations;
  plan.nodes = found.nodes;
  certify(plan, found.lower_bound);
  return plan;
}

HomePlan plan_with_homes(const HomeInput& input, std::span<const ZoneId> homes) {
  const Model model = home::make_model(input);
  Allowed fixed = model.allowed;
  for (std::size_t job = 0; job < model.jobs; ++job) {
    if (std::has_single_bit(fixed[job])) continue;
    LIPS_CHECK(homes[job].valid() && homes[job].index() < model.zones, "a job with shuffle needs a home");
    fixed[job] = std::uint64_t{1} << homes[job].index();
  }
  Candidate candidate;
  candidate.relaxation = home::relax(model, fixed, first_prices(model, input), home::exact);
  candidate.homes = std::move(fixed);
  HomePlan plan = plan_of(input, model, candidate);
  plan.evaluations = candidate.relaxation.evaluations;
  certify(plan, candidate.relaxation.lower_bound);
  return plan;
}

Usd home_lower_bound(const HomeInput& input, std::span<const UsdPerCpuSecond> prices) {
  const Model model = home::make_model(input);
  return Usd(home::evaluate(model, model.allowed, plain(prices, model)).bound);
}

HullBound hull_bound(const HomeInput& input) {
  const Model model = home::make_model(input);
  const Relaxation relaxation = home::relax(model, model.allowed, first_prices(model, input), home::exact);
  HullBound result{Usd(relaxation.lower_bound), typed(relaxation.prices), {}, relaxation.evaluations};
  for (std::size_t job = 0; job < model.jobs; ++job) {
    std::vector<double> share;
    if (model.has_choice[job]) {
      share.resize(model.zones);
      home::shares_of(relaxation, job, share);
    }
    result.home_share.push_back(std::move(share));
  }
  return result;
}

std::vector<ZoneId> homes_by_prices(const HomeInput& input, std::span<const UsdPerCpuSecond> prices) {
  const Model model = home::make_model(input);
  const Cut cut = home::evaluate(model, model.allowed, plain(prices, model));
  std::vector<ZoneId> homes(model.jobs);
  for (std::size_t job = 0; job < model.jobs; ++job)
    if (model.has_choice[job]) homes[job] = ZoneId(cut.home[job]);
  return homes;
}

}  // namespace lips
