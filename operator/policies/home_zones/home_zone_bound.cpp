#include "policies/home_zones/home_zone_bound.h"

#include <algorithm>
#include <array>
#include <numeric>

#include "base/check.h"
#include "solver/clp_backend.h"

namespace lips::home {
namespace {

using Row = std::array<double, ZoneSet::max_zones>;

constexpr int max_cuts = 200;
constexpr double rounding = 1e-13;  // of all work; CLP's primal was seen to stop early on coefficients this small

void add_group(Model& model, const MapGroup& group, const CostModel& costs) {
  model.tasks.push_back(group.tasks);
  model.work.push_back(group.work.value());
  for (std::size_t zone = 0; zone < model.zones; ++zone)
    model.read.push_back((group.input * costs.transfer(group.zones, ZoneId(static_cast<std::uint32_t>(zone)))).value());
}

void add_job(Model& model, const HomeJob& job, const CostModel& costs) {
  double maps = 0, written = 0;
  for (const MapGroup& group : job.maps) {
    add_group(model, group, costs);
    maps += group.tasks;
  }
  for (const Mebibytes output : job.map_output) written += output.value();
  const bool shuffles = (maps > 0 && job.shuffle.value() > 0) || written > 0;
  const bool choice = shuffles || job.home.valid();
  if (!choice) add_group(model, {.zones = {}, .tasks = 1, .work = job.reduce_work, .input = {}}, costs);
  model.first_group.push_back(static_cast<std::uint32_t>(model.tasks.size()));
  model.has_choice.push_back(choice);
  model.reduce_work.push_back(choice ? job.reduce_work.value() : 0);
  model.output.push_back(maps > 0 ? job.shuffle.value() / maps : 0);
  for (std::size_t home = 0; home < model.zones; ++home) {
    double usd = 0;
    for (std::size_t zone = 0; zone < job.map_output.size(); ++zone)
      usd += job.map_output[zone].value() * model.transfer[zone * model.zones + home];
    model.at_home.push_back(usd);
  }
  const std::uint64_t all = model.zones == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << model.zones) - 1;
  // A job without choice costs the same with every home: look at one only.
  const std::uint64_t free = job.homes.empty() ? all : job.homes.bits() & all;
  model.allowed.push_back(!choice ? 1 : job.home.valid() ? std::uint64_t{1} << job.home.index() : free);
}

// min cost of a mixture of the cuts' columns and the supply that it needs; the rows' duals are the zone prices.
struct Master {
  std::vector<double> prices, weight;
};

double largest_demand(const std::vector<Cut>& cuts, std::size_t zone) {
  double most = 0;
  for (const Cut& cut : cuts) most = std::max(most, cut.demand[zone]);
  return most;
}

// No mixture needs more than the largest demand: the steps that hold it, and the next one, whose price bounds the dual.
std::size_t steps_in_reach(const Supply& supply, double demand) {
  std::size_t step = 0;
  while (step < supply.prices().size() && demand >= 0) demand -= supply.capacities()[step++];
  return std::min(step + 1, supply.prices().size());
}

Master solve_master(const Model& model, const std::vector<Cut>& cuts, solver::Algorithm algorithm) {
  // In units of the mean cut's demand and of one dollar per unit, so that tolerances mean the same for every cluster.
  const double unit = std::max(1e-9, std::accumulate(cuts[0].demand.begin(), cuts[0].demand.end(), 0.0));
  const double money = unit * model.overflow;
  solver::LinearProgram program;
  program.add_row(1, 1);
  for (std::size_t zone = 0; zone < model.zones; ++zone) program.add_row(-solver::infinity, 0);
  std::vector<solver::Entry> entries;
  double least = cuts[0].cost;
  for (const Cut& cut : cuts) least = std::min(least, cut.cost);
  for (const Cut& cut : cuts) {
    entries.assign(1, {0, 1.0});
    for (std::size_t zone = 0; zone < model.zones; ++zone)
      if (std::abs(cut.demand[zone]) > rounding * unit)
        entries.push_back({static_cast<std::int32_t>(zone + 1), cut.demand[zone] / unit});
    program.add_column((cut.cost - least) / money * 1e3, 0, solver::infinity, entries);
  }
  for (std::size_t zone = 0; zone < model.zones; ++zone) {
    const solver::Entry entry{static_cast<std::int32_t>(zone + 1), -1.0};
    const Supply& supply = model.supply[zone];
    const std::size_t used = steps_in_reach(supply, largest_demand(cuts, zone));
    for (std::size_t step = 0; step < used; ++step)
      program.add_column(supply.prices()[step] / model.overflow * 1e3, 0, supply.capacities()[step] / unit,
                         {&entry, 1});
    if (used == supply.prices().size()) program.add_column(1e3, 0, solver::infinity, {&entry, 1});
  }
  const solver::LpSolution solution = solver::solve(program, {.algorithm = algorithm, .presolve = false});
  Master master;
  if (solution.status != solver::LpStatus::optimal) return master;
  for (std::size_t zone = 0; zone < model.zones; ++zone)
    master.prices.push_back(std::clamp(-solution.row_dual[zone + 1] * model.overflow / 1e3, 0.0, model.overflow));
  master.weight.assign(solution.primal.begin(), solution.primal.begin() + std::ssize(cuts));
  double sum = 0;
  for (double& weight : master.weight) sum += weight = std::max(0.0, weight);
  if (sum <= 0) return {};
  for (double& weight : master.weight) weight /= sum;
  return master;
}

double mixture_cost(const Model& model, const Relaxation& relaxation) {
  double cost = 0;
  for (std::size_t k = 0; k < relaxation.cuts.size(); ++k) cost += relaxation.weight[k] * relaxation.cuts[k].cost;
  return cost + model.supply_cost(load_of(model, relaxation));
}

// Even if the solver erred, the weights form a mixture.
void settle(const Model& model, Relaxation& relaxation) {
  relaxation.weight.resize(relaxation.cuts.size());
  if (std::accumulate(relaxation.weight.begin(), relaxation.weight.end(), 0.0) < 0.5) relaxation.weight.back() = 1;
  relaxation.mixture_cost = mixture_cost(model, relaxation);
}

bool seen(const Relaxation& relaxation, const std::vector<double>& prices) {
  return std::any_of(relaxation.cuts.begin(), relaxation.cuts.end(),
                     [&](const Cut& cut) { return cut.prices == prices; });
}

void add_cut(Relaxation& relaxation, Cut cut) {
  if (relaxation.cuts.empty() || cut.bound > relaxation.lower_bound) {
    relaxation.lower_bound = cut.bound;
    relaxation.prices = cut.prices;
  }
  relaxation.cuts.push_back(std::move(cut));
  relaxation.weight.push_back(0);
}

}  // namespace

Supply::Supply(const ZoneSupply& steps, double overflow) : overflow_(overflow) {
  ZoneSupply sorted;
  for (const SupplyStep& step : steps)
    if (step.capacity.value() > 0 && step.price.value() < overflow) sorted.push_back(step);
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const SupplyStep& a, const SupplyStep& b) { return a.price < b.price; });
  double work = 0, cost = 0;
  for (const SupplyStep& step : sorted) {
    price_.push_back(step.price.value());
    capacity_.push_back(step.capacity.value());
    work_before_.push_back(work);
    cost_before_.push_back(cost);
    work += step.capacity.value();
    cost += step.capacity.value() * step.price.value();
  }
  work_before_.push_back(work);
  cost_before_.push_back(cost);
}

double Supply::cost(double load) const {
  const auto after = std::upper_bound(work_before_.begin(), work_before_.end(), load);
  const std::size_t step =
      after == work_before_.begin() ? 0 : static_cast<std::size_t>(after - work_before_.begin()) - 1;
  const double price = step < price_.size() ? price_[step] : overflow_;
  return cost_before_[step] + (load - work_before_[step]) * price;
}

double Supply::surplus(double price) const {
  double sum = 0;
  for (std::size_t step = 0; step < price_.size() && price_[step] < price; ++step)
    sum += capacity_[step] * (price - price_[step]);
  return sum;
}

double Model::supply_cost(std::span<const double> load) const {
  double sum = 0;
  for (std::size_t zone = 0; zone < zones; ++zone) sum += supply[zone].cost(load[zone]);
  return sum;
}

Model make_model(const HomeInput& input) {
  Model model;
  model.zones = input.zones.size();
  model.jobs = input.jobs.size();
  LIPS_CHECK(model.zones > 0 && model.zones <= ZoneSet::max_zones, "between 1 and 64 zones");
  double dearest = 0;
  for (const ZoneSupply& steps : input.zones)
    for (const SupplyStep& step : steps) dearest = std::max(dearest, step.price.value());
  model.overflow = input.overflow.value() > 0 ? input.overflow.value() : dearest > 0 ? 10 * dearest : 1;
  for (const ZoneSupply& steps : input.zones) model.supply.emplace_back(steps, model.overflow);
  for (std::uint32_t from = 0; from < model.zones; ++from)
    for (std::uint32_t to = 0; to < model.zones; ++to)
      model.transfer.push_back(input.costs.transfer(ZoneId(from), ZoneId(to)).value());
  model.first_group.push_back(0);
  for (const HomeJob& job : input.jobs) add_job(model, job, input.costs);
  return model;
}

std::size_t zone_of(const Model& model, std::size_t job, std::size_t group, std::size_t home,
                    std::span<const double> prices) {
  const double* read = &model.read[group * model.zones];
  std::size_t best = 0;
  double least = solver::infinity;
  for (std::size_t zone = 0; zone < model.zones; ++zone) {
    const double usd =
        model.work[group] * prices[zone] + read[zone] + model.output[job] * model.transfer[zone * model.zones + home];
    if (usd < least) {
      least = usd;
      best = zone;
    }
  }
  return best;
}

void values_by_home(const Model& model, std::size_t job, std::span<const double> prices, std::span<double> value) {
  const std::size_t zones = model.zones;
  const double* transfer = model.transfer.data();
  const double output = model.output[job];
  Row least;
  for (std::size_t home = 0; home < zones; ++home)
    value[home] = model.reduce_work[job] * prices[home] + model.at_home[job * zones + home];
  for (std::uint32_t group = model.first_group[job]; group < model.first_group[job + 1]; ++group) {
    const double work = model.work[group], tasks = model.tasks[group];
    const double* read = &model.read[group * zones];
    std::fill_n(least.begin(), zones, solver::infinity);
    for (std::size_t zone = 0; zone < zones; ++zone) {
      const double usd = work * prices[zone] + read[zone];
      for (std::size_t home = 0; home < zones; ++home)
        least[home] = std::min(least[home], usd + output * transfer[zone * zones + home]);
    }
    for (std::size_t home = 0; home < zones; ++home) value[home] += tasks * least[home];
  }
}

double add_pattern(const Model& model, std::size_t job, std::size_t home, const Cut& at, double weight,
                   std::span<double> demand) {
  double usd = model.at_home[job * model.zones + home];
  demand[home] += weight * model.reduce_work[job];
  for (std::uint32_t group = model.first_group[job]; group < model.first_group[job + 1]; ++group) {
    const std::size_t zone = zone_of(model, job, group, home, at.prices);
    demand[zone] += weight * model.tasks[group] * model.work[group];
    usd += model.tasks[group] *
           (model.read[group * model.zones + zone] + model.output[job] * model.transfer[zone * model.zones + home]);
  }
  return usd;
}

Cut evaluate(const Model& model, const Allowed& allowed, std::vector<double> prices) {
  Cut cut{.prices = std::move(prices), .cost = 0, .demand = std::vector<double>(model.zones), .home = {}, .bound = 0};
  cut.home.resize(model.jobs);
  Row value;
  for (std::size_t job = 0; job < model.jobs; ++job) {
    std::size_t home = lowest(allowed[job]);
    if (!std::has_single_bit(allowed[job])) {
      values_by_home(model, job, cut.prices, value);
      for (std::uint64_t left = allowed[job]; left != 0; left &= left - 1)
        if (value[lowest(left)] < value[home]) home = lowest(left);
    }
    cut.home[job] = static_cast<std::uint8_t>(home);
    cut.cost += add_pattern(model, job, home, cut, 1, cut.demand);
  }
  cut.bound = cut.cost;
  for (std::size_t zone = 0; zone < model.zones; ++zone)
    cut.bound += cut.demand[zone] * cut.prices[zone] - model.supply[zone].surplus(cut.prices[zone]);
  return cut;
}

std::vector<double> load_of(const Model& model, const Relaxation& relaxation) {
  std::vector<double> load(model.zones);
  for (std::size_t k = 0; k < relaxation.cuts.size(); ++k)
    for (std::size_t zone = 0; zone < model.zones; ++zone)
      load[zone] += relaxation.weight[k] * relaxation.cuts[k].demand[zone];
  return load;
}

void tighten(const Model& model, const Allowed& allowed, Relaxation& relaxation, double tolerance) {
  for (;;) {
    Master master = solve_master(model, relaxation.cuts, solver::Algorithm::primal);
    // A true optimum with an open gap yields new prices; prices that were tried already mean that the solver erred.
    for (int attempt = 0; attempt < 2; ++attempt) {
      if (!master.weight.empty()) {
        relaxation.weight = master.weight;
        relaxation.mixture_cost = mixture_cost(model, relaxation);
        const double open = relaxation.mixture_cost - relaxation.lower_bound;
        if (open <= tolerance * std::abs(relaxation.mixture_cost) || relaxation.evaluations >= max_cuts) return;
        if (!seen(relaxation, master.prices)) break;
      }
      if (attempt == 0)
        master = solve_master(model, relaxation.cuts, solver::Algorithm::dual);
      else
        return settle(model, relaxation);
    }
    add_cut(relaxation, evaluate(model, allowed, master.prices));
    ++relaxation.evaluations;
  }
}

Relaxation relax(const Model& model, const Allowed& allowed, std::span<const std::vector<double>> start,
                 double tolerance) {
  Relaxation relaxation;
  for (const std::vector<double>& prices : start) {
    add_cut(relaxation, evaluate(model, allowed, prices));
    ++relaxation.evaluations;
  }
  tighten(model, allowed, relaxation, tolerance);
  return relaxation;
}

Relaxation restricted(const Model& model, const Relaxation& relaxation, std::size_t job, std::uint64_t allowed) {
  Relaxation result;
  Row value;
  for (Cut cut : relaxation.cuts) {
    if (!((allowed >> cut.home[job]) & 1)) {
      values_by_home(model, job, cut.prices, value);
      std::size_t home = lowest(allowed);
      for (std::uint64_t left = allowed; left != 0; left &= left - 1)
        if (value[lowest(left)] < value[home]) home = lowest(left);
      cut.bound += value[home] - value[cut.home[job]];
      cut.cost -= add_pattern(model, job, cut.home[job], cut, -1, cut.demand);
      cut.cost += add_pattern(model, job, home, cut, 1, cut.demand);
      cut.home[job] = static_cast<std::uint8_t>(home);
    }
    add_cut(result, std::move(cut));
  }
  return result;
}

std::vector<double> common_price(const Model& model) {
  double work = std::accumulate(model.reduce_work.begin(), model.reduce_work.end(), 0.0);
  for (std::size_t group = 0; group < model.tasks.size(); ++group) work += model.tasks[group] * model.work[group];
  std::vector<std::pair<double, double>> steps;
  for (const Supply& supply : model.supply)
    for (std::size_t step = 0; step < supply.prices().size(); ++step)
      steps.emplace_back(supply.prices()[step], supply.capacities()[step]);
  std::sort(steps.begin(), steps.end());
  double price = model.overflow;
  for (const auto& [step_price, capacity] : steps) {
    work -= capacity;
    if (work > 0) continue;
    price = step_price;
    break;
  }
  return std::vector<double>(model.zones, price);
}

}  // namespace lips::home
