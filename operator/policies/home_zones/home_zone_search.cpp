#include "policies/home_zones/home_zone_search.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>

namespace lips::home {
namespace {

using Row = std::array<double, ZoneSet::max_zones>;

constexpr double branch_exact = 1e-5;
constexpr double share_seen = 1e-9;  // of a mixture; less is rounding error
constexpr int improvement_rounds = 6;

Candidate with_homes(const Model& model, Allowed homes, const Relaxation& near, HomeMethod method) {
  std::vector<std::vector<double>> start{near.prices};
  for (std::size_t k = 0; k < near.cuts.size(); ++k)
    if (near.weight[k] > share_seen && near.cuts[k].prices != near.prices) start.push_back(near.cuts[k].prices);
  Relaxation relaxation = relax(model, homes, start, exact);
  return {std::move(homes), std::move(relaxation), method};
}

// The homes that the mixture gives, where every job lives in one zone in all of it: then it is the optimal plan with
// these homes.
std::optional<Candidate> unanimous(const Model& model, const Relaxation& relaxation) {
  Candidate plan{Allowed(model.jobs), {}, HomeMethod::prices};
  Relaxation& used = plan.relaxation;
  used.lower_bound = relaxation.lower_bound, used.mixture_cost = relaxation.mixture_cost;
  used.prices = relaxation.prices;
  for (std::size_t k = 0; k < relaxation.cuts.size(); ++k) {
    if (relaxation.weight[k] <= 0) continue;
    if (!used.cuts.empty() && relaxation.cuts[k].home != used.cuts.front().home) return std::nullopt;
    used.cuts.push_back(relaxation.cuts[k]);
    used.weight.push_back(relaxation.weight[k]);
  }
  if (used.cuts.empty()) return std::nullopt;
  for (std::size_t job = 0; job < model.jobs; ++job) plan.homes[job] = std::uint64_t{1} << used.cuts.front().home[job];
  return plan;
}

// CPU-seconds by zone of one job in the mixture.
void expected_demand(const Model& model, const Relaxation& relaxation, std::size_t job, std::span<double> demand) {
  std::fill(demand.begin(), demand.end(), 0.0);
  for (std::size_t k = 0; k < relaxation.cuts.size(); ++k)
    if (relaxation.weight[k] > share_seen)
      add_pattern(model, job, relaxation.cuts[k].home[job], relaxation.cuts[k], relaxation.weight[k], demand);
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

// One home per job: the mixture's home where it is unanimous; each divided job in turn where it costs least while the
// rest stays as in the mixture.
Allowed round_homes(const Model& model, const Allowed& allowed, const Relaxation& relaxation) {
  Allowed homes(model.jobs);
  const Cut& reference =
      *std::max_element(relaxation.cuts.begin(), relaxation.cuts.end(), [&](const Cut& a, const Cut& b) {
        return relaxation.weight[&a - relaxation.cuts.data()] < relaxation.weight[&b - relaxation.cuts.data()];
      });
  for (std::size_t job = 0; job < model.jobs; ++job) homes[job] = std::uint64_t{1} << reference.home[job];
  const auto best = std::max_element(relaxation.cuts.begin(), relaxation.cuts.end(),
                                     [](const Cut& a, const Cut& b) { return a.bound < b.bound; });
  std::vector<double> load = load_of(model, relaxation), expected(model.zones), trial;
  for (const std::size_t job : divided_jobs(model, relaxation)) {
    expected_demand(model, relaxation, job, expected);
    for (std::size_t zone = 0; zone < model.zones; ++zone) load[zone] = std::max(0.0, load[zone] - expected[zone]);
    double least = std::numeric_limits<double>::infinity();
    std::vector<double> chosen;
    for (std::uint64_t left = allowed[job]; left != 0; left &= left - 1) {
      trial = load;
      const double usd = add_pattern(model, job, lowest(left), *best, 1, trial) + model.supply_cost(trial);
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

// Moves of one job's home that pay off at the plan's prices and loads, best first; each is applied to the loads left
// by the last.
std::vector<Move> paying_moves(const Model& model, const Allowed& allowed, const Candidate& plan) {
  const std::vector<double> load = load_of(model, plan.relaxation);
  const Cut at{.prices = plan.relaxation.prices, .cost = 0, .demand = {}, .home = {}, .bound = 0};
  const double before = model.supply_cost(load), worth = exact * std::abs(plan.cost());
  std::vector<double> trial;
  std::vector<Move> moves;
  for (std::size_t job = 0; job < model.jobs; ++job) {
    if (std::has_single_bit(allowed[job])) continue;
    std::vector<double> without = load;
    const double usd = add_pattern(model, job, lowest(plan.homes[job]), at, -1, without);
    Move best{worth, job, 0};
    for (std::uint64_t left = allowed[job] & ~plan.homes[job]; left != 0; left &= left - 1) {
      trial = without;
      const double moved = add_pattern(model, job, lowest(left), at, 1, trial);
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
  std::vector<double> load = load_of(model, plan.relaxation), trial;
  const Cut at{.prices = plan.relaxation.prices, .cost = 0, .demand = {}, .home = {}, .bound = 0};
  for (const Move& move : moves) {
    trial = load;
    const double out = add_pattern(model, move.job, lowest(homes[move.job]), at, -1, trial);
    const double in = add_pattern(model, move.job, move.home, at, 1, trial);
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

  SearchResult run(std::span<const std::vector<double>> start) {
    Leaf root{model_.allowed, relax(model_, model_.allowed, start, exact)};
    evaluations_ += root.relaxation.evaluations;
    if (std::optional<Candidate> plan = unanimous(model_, root.relaxation))
      best_ = std::move(*plan);
    else
      best_ =
          with_homes(model_, round_homes(model_, root.allowed, root.relaxation), root.relaxation, HomeMethod::prices);
    evaluations_ += best_.relaxation.evaluations;
    // Moves are cheap beside branching: go on for longer.
    const double bound_of_root = root.relaxation.lower_bound;
    improve(model_, root.allowed, best_, bound_of_root + 0.1 * options_.enough * std::abs(bound_of_root), evaluations_);
    leaves_.push_back(std::move(root));
    while (nodes_ < options_.max_nodes && evaluations_ < options_.max_evaluations &&
           best_.cost() > enough_for(lower_bound()) && branch()) {
      ++nodes_;
    }
    const double bound = lower_bound();
    return {std::move(best_), bound, evaluations_, nodes_};
  }

 private:
  double lower_bound() const {
    double bound = best_.cost();
    for (const Leaf& leaf : leaves_) bound = std::min(bound, leaf.relaxation.lower_bound);
    return bound;
  }

  struct Leaf {
    Allowed allowed;
    Relaxation relaxation;
  };

  double enough_for(double bound) const { return bound + options_.enough * std::abs(bound); }

  // False when the leaf with the least bound has nothing left to branch on.
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
    Leaf leaf{parent.allowed, restricted(model_, parent.relaxation, job, part)};
    leaf.allowed[job] = part;
    tighten(model_, leaf.allowed, leaf.relaxation, branch_exact);
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

}  // namespace

// By home: the part of the mixture in which the job lives there.
void shares_of(const Relaxation& relaxation, std::size_t job, std::span<double> share) {
  std::fill(share.begin(), share.end(), 0.0);
  for (std::size_t k = 0; k < relaxation.cuts.size(); ++k) share[relaxation.cuts[k].home[job]] += relaxation.weight[k];
}

SearchResult search_homes(const Model& model, std::span<const std::vector<double>> start, const HomeOptions& options) {
  return Search(model, options).run(start);
}

}  // namespace lips::home
