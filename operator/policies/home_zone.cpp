#include "policies/home_zone.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/check.h"
#include "policies/home_zone_bound.h"

namespace lips {
namespace {

using home::Allowed;
using home::Cut;
using home::Model;
using home::Relaxation;
using Row = std::array<double, ZoneSet::max_zones>;

constexpr double exact = 1e-7;  // relative gap at which an LP counts as solved
constexpr double branch_exact = 1e-5;
constexpr double share_seen = 1e-9;  // of a mixture; less is rounding error
constexpr int improvement_rounds = 6;

// Homes, and the optimal plan with them as a mixture.
struct Candidate {
  Allowed homes;  // one bit a job
  Relaxation relaxation;
  HomeMethod method = HomeMethod::given;
  double cost() const { return relaxation.mixture_cost; }
};

std::size_t lowest(std::uint64_t bits) {
  return static_cast<std::size_t>(std::countr_zero(bits));
}

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

double relative_gap(double cost, double bound) {
  return (cost - bound) / std::max(std::abs(bound), 1e-300);
}

Candidate with_homes(const Model& model, Allowed homes, const Relaxation& near, HomeMethod method) {
  std::vector<std::vector<double>> start{near.prices};
  for (std::size_t k = 0; k < near.cuts.size(); ++k)
    if (near.weight[k] > share_seen && near.cuts[k].prices != near.prices) start.push_back(near.cuts[k].prices);
  Relaxation relaxation = home::relax(model, homes, start, exact);
  return {std::move(homes), std::move(relaxation), method};
}

// By home: the part of the mixture in which the job lives there.
void shares_of(const Relaxation& relaxation, std::size_t job, std::span<double> share) {
  std::fill(share.begin(), share.end(), 0.0);
  for (std::size_t k = 0; k < relaxation.cuts.size(); ++k) share[relaxation.cuts[k].home[job]] += relaxation.weight[k];
}

// CPU-seconds by zone of one job in the mixture.
void expected_demand(const Model& model, const Relaxation& relaxation, std::size_t job, std::span<double> demand) {
  std::fill(demand.begin(), demand.end(), 0.0);
  for (std::size_t k = 0; k < relaxation.cuts.size(); ++k)
    if (relaxation.weight[k] > share_seen)
      home::add_pattern(model, job, relaxation.cuts[k].home[job], relaxation.cuts[k], relaxation.weight[k], demand);
}

double job_work(const Model& model, std::size_t job) {
  double work = model.reduce_work[job];
  for (std::uint32_t group = model.first_group[job]; group < model.first_group[job + 1]; ++group)
    work += model.tasks[group] * model.work[group];
  return work;
}

// Jobs that live in several zones in the mixture, the largest first.
std::vector<std::size_t> divided_jobs(const Model& model, const Relaxation& relaxation) {
  std::vector<std::pair<double, std::size_t>> divided;
  std::vector<const Cut*> used;
  for (std::size_t k = 0; k < relaxation.cuts.size(); ++k)
    if (relaxation.weight[k] > share_seen) used.push_back(&relaxation.cuts[k]);
  for (std::size_t job = 0; job < model.jobs; ++job)
    if (std::any_of(used.begin(), used.end(), [&](const Cut* cut) { return cut->home[job] != used[0]->home[job]; }))
      divided.emplace_back(-job_work(model, job), job);
  std::sort(divided.begin(), divided.end());
  std::vector<std::size_t> jobs;
  for (const auto& [work, job] : divided) jobs.push_back(job);
  return jobs;
}

// One home a job: what the mixture agrees on; each divided job in turn where it costs least while the rest is as in the
// mixture.
Allowed round_homes(const Model& model, const Allowed& allowed, const Relaxation& relaxation) {
  Allowed homes(model.jobs);
  const Cut& reference =
      *std::max_element(relaxation.cuts.begin(), relaxation.cuts.end(), [&](const Cut& a, const Cut& b) {
        return relaxation.weight[&a - relaxation.cuts.data()] < relaxation.weight[&b - relaxation.cuts.data()];
      });
  for (std::size_t job = 0; job < model.jobs; ++job) homes[job] = std::uint64_t{1} << reference.home[job];
  const auto best = std::max_element(relaxation.cuts.begin(), relaxation.cuts.end(),
                                     [](const Cut& a, const Cut& b) { return a.bound < b.bound; });
  std::vector<double> load = home::load_of(model, relaxation), expected(model.zones), trial;
  for (const std::size_t job : divided_jobs(model, relaxation)) {
    expected_demand(model, relaxation, job, expected);
    for (std::size_t zone = 0; zone < model.zones; ++zone) load[zone] = std::max(0.0, load[zone] - expected[zone]);
    double least = std::numeric_limits<double>::infinity();
    std::vector<double> chosen;
    for (std::uint64_t left = allowed[job]; left != 0; left &= left - 1) {
      trial = load;
      const double usd = home::add_pattern(model, job, lowest(left), *best, 1, trial) + model.supply_cost(trial);
      if (usd >= least) continue;
      least = usd;
      homes[job] = std::uint64_t{1} << lowest(left);
      chosen = trial;
    }
    load = chosen;
  }
  return homes;
}

struct Move {
  double gain;
  std::size_t job, home;
};

// Moves of one job's home that pay at the plan's prices and loads, the best first; taken one after the other on the
// loads that they leave.
std::vector<Move> paying_moves(const Model& model, const Allowed& allowed, const Candidate& plan) {
  const std::vector<double> load = home::load_of(model, plan.relaxation);
  const Cut at{.prices = plan.relaxation.prices, .cost = 0, .demand = {}, .home = {}, .bound = 0};
  const double before = model.supply_cost(load), worth = exact * std::abs(plan.cost());
  std::vector<double> trial;
  std::vector<Move> moves;
  for (std::size_t job = 0; job < model.jobs; ++job) {
    if (std::has_single_bit(allowed[job])) continue;
    std::vector<double> without = load;
    const double usd = home::add_pattern(model, job, lowest(plan.homes[job]), at, -1, without);
    Move best{worth, job, 0};
    for (std::uint64_t left = allowed[job] & ~plan.homes[job]; left != 0; left &= left - 1) {
      trial = without;
      const double moved = home::add_pattern(model, job, lowest(left), at, 1, trial);
      for (double& work : trial) work = std::max(0.0, work);
      const double gain = usd - moved + before - model.supply_cost(trial);
      if (gain > best.gain) best = {gain, job, lowest(left)};
    }
    if (best.gain > worth) moves.push_back(best);
  }
  std::sort(moves.begin(), moves.end(),
            [](const Move& a, const Move& b) { return a.gain != b.gain ? a.gain > b.gain : a.job < b.job; });
  return moves;
}

Allowed moved(const Model& model, const Candidate& plan, std::span<const Move> moves) {
  Allowed homes = plan.homes;
  std::vector<double> load = home::load_of(model, plan.relaxation), trial;
  const Cut at{.prices = plan.relaxation.prices, .cost = 0, .demand = {}, .home = {}, .bound = 0};
  for (const Move& move : moves) {
    trial = load;
    const double out = home::add_pattern(model, move.job, lowest(homes[move.job]), at, -1, trial);
    const double in = home::add_pattern(model, move.job, move.home, at, 1, trial);
    for (double& work : trial) work = std::max(0.0, work);
    if (in - out + model.supply_cost(trial) >= model.supply_cost(load)) continue;
    homes[move.job] = std::uint64_t{1} << move.home;
    load = trial;
  }
  return homes;
}

void improve(const Model& model, const Allowed& allowed, Candidate& plan, double enough_cost, int& evaluations) {
  bool one_at_a_time = false;
  for (int round = 0; round < improvement_rounds && plan.cost() > enough_cost; ++round) {
    std::vector<Move> moves = paying_moves(model, allowed, plan);
    if (moves.empty()) return;
    if (one_at_a_time) moves.erase(moves.begin() + 1, moves.end());
    Candidate next = with_homes(model, moved(model, plan, moves), plan.relaxation, HomeMethod::improved);
    evaluations += next.relaxation.evaluations;
    if (next.cost() < plan.cost()) {
      plan = std::move(next);
    } else if (one_at_a_time) {
      return;
    } else {
      one_at_a_time = true;
    }
  }
}

// Best-first search on homes. Every open leaf keeps its bound; the least of them bounds the whole.
class Search {
 public:
  Search(const Model& model, const HomeOptions& options) : model_(model), options_(options) {}

  void run(const HomeInput& input) {
    Leaf root{model_.allowed, home::relax(model_, model_.allowed, first_prices(model_, input), exact)};
    evaluations_ += root.relaxation.evaluations;
    best_ = with_homes(model_, round_homes(model_, root.allowed, root.relaxation), root.relaxation, HomeMethod::prices);
    evaluations_ += best_.relaxation.evaluations;
    improve(model_, root.allowed, best_, enough_for(root.relaxation.lower_bound), evaluations_);
    leaves_.push_back(std::move(root));
    while (nodes_ < options_.max_nodes && best_.cost() > enough_for(lower_bound()) && branch()) ++nodes_;
  }

  const Candidate& best() const { return best_; }
  double lower_bound() const {
    double bound = best_.cost();
    for (const Leaf& leaf : leaves_) bound = std::min(bound, leaf.relaxation.lower_bound);
    return bound;
  }
  int evaluations() const { return evaluations_; }
  int nodes() const { return nodes_; }

 private:
  struct Leaf {
    Allowed allowed;
    Relaxation relaxation;
  };

  double enough_for(double bound) const { return bound + options_.enough * std::abs(bound); }

  // False when nothing is left to branch on in the leaf that holds the bound down.
  bool branch() {
    const auto worst = std::min_element(leaves_.begin(), leaves_.end(), [](const Leaf& a, const Leaf& b) {
      return a.relaxation.lower_bound < b.relaxation.lower_bound;
    });
    const std::size_t job = most_divided(worst->relaxation);
    if (job == model_.jobs) return false;
    Leaf parent = std::move(*worst);
    leaves_.erase(worst);
    Row share;
    shares_of(parent.relaxation, job, {share.data(), model_.zones});
    const auto favourite = static_cast<std::size_t>(
        std::max_element(share.begin(), share.begin() + static_cast<std::ptrdiff_t>(model_.zones)) - share.begin());
    const std::uint64_t bit = std::uint64_t{1} << favourite;
    for (const std::uint64_t part : {parent.allowed[job] & bit, parent.allowed[job] & ~bit})
      if (part != 0) add_leaf(parent, job, part);
    return true;
  }

  void add_leaf(const Leaf& parent, std::size_t job, std::uint64_t part) {
    Leaf leaf{parent.allowed, home::restricted(model_, parent.relaxation, job, part)};
    leaf.allowed[job] = part;
    home::tighten(model_, leaf.allowed, leaf.relaxation, branch_exact);
    evaluations_ += leaf.relaxation.evaluations;
    if (leaf.relaxation.lower_bound < best_.cost()) {
      Candidate found =
          with_homes(model_, round_homes(model_, leaf.allowed, leaf.relaxation), leaf.relaxation, HomeMethod::branched);
      evaluations_ += found.relaxation.evaluations;
      if (found.cost() < best_.cost()) best_ = std::move(found);
    }
    leaves_.push_back(std::move(leaf));
  }

  std::size_t most_divided(const Relaxation& relaxation) const {
    std::size_t chosen = model_.jobs;
    double most = -1;
    Row share;
    for (const std::size_t job : divided_jobs(model_, relaxation)) {
      shares_of(relaxation, job, {share.data(), model_.zones});
      const double weight =
          (1 - *std::max_element(share.begin(), share.begin() + static_cast<std::ptrdiff_t>(model_.zones))) *
          job_work(model_, job);
      if (weight <= most) continue;
      most = weight;
      chosen = job;
    }
    return chosen;
  }

  const Model& model_;
  HomeOptions options_;
  std::vector<Leaf> leaves_;
  Candidate best_;
  int evaluations_ = 0, nodes_ = 0;
};

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
// work in either zone, no dearer, and at most one group left divided.
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
  plan.lower_bound = Usd(bound);
  plan.gap = relative_gap(plan.cost.total().value(), bound);
}

}  // namespace

HomePlan plan_homes(const HomeInput& input, const HomeOptions& options) {
  const Model model = home::make_model(input);
  Search search(model, options);
  search.run(input);
  HomePlan plan = plan_of(input, model, search.best());
  plan.evaluations = search.evaluations();
  plan.nodes = search.nodes();
  certify(plan, search.lower_bound());
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
  candidate.relaxation = home::relax(model, fixed, first_prices(model, input), exact);
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
  const Relaxation relaxation = home::relax(model, model.allowed, first_prices(model, input), exact);
  HullBound result{Usd(relaxation.lower_bound), typed(relaxation.prices), {}, relaxation.evaluations};
  for (std::size_t job = 0; job < model.jobs; ++job) {
    std::vector<double> share;
    if (model.has_choice[job]) {
      share.resize(model.zones);
      shares_of(relaxation, job, share);
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
