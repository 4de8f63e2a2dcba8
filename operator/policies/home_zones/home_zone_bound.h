// The concave bound behind home zones and its maximisation by cutting planes (Kelley 1960; Dantzig-Wolfe seen from the
// other side). Plain numbers, flattened for speed; for home_zone.cpp only.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "policies/home_zones/home_plan.h"

namespace lips::home {

// Capacity steps of one zone by rising price; beyond them work costs the overflow price.
class Supply {
 public:
  Supply(const ZoneSupply& steps, double overflow);
  double cost(double load) const;      // of the cheapest `load` CPU-seconds
  double surplus(double price) const;  // sum_c cap_c max(0, price - p_c)
  const std::vector<double>& prices() const { return price_; }
  const std::vector<double>& capacities() const { return capacity_; }

 private:
  std::vector<double> price_, capacity_, work_before_, cost_before_;
  double overflow_;
};

// The first zone of a set of homes, one bit a zone.
inline std::size_t lowest(std::uint64_t bits) { return static_cast<std::size_t>(std::countr_zero(bits)); }

inline constexpr std::uint8_t no_choice = 255;

// All jobs, with their map groups one after the other. A job without shuffle has no choice of home; its reducers are
// one more group of a single task that reads nothing.
struct Model {
  std::size_t zones = 0, jobs = 0;
  double overflow = 0;
  std::vector<Supply> supply;
  std::vector<double> transfer;             // [from * zones + to], USD per MiB
  std::vector<std::uint32_t> first_group;   // by job, and the end
  std::vector<double> tasks, work, read;    // by group; read[group * zones + zone] in USD per task
  std::vector<double> reduce_work, output;  // by job; MiB of map output per map
  std::vector<double> at_home;              // [job * zones + home], USD of map output already written
  std::vector<std::uint64_t> allowed;       // homes of each job as bits
  std::vector<char> has_choice;             // false: no shuffle

  double supply_cost(std::span<const double> load) const;
};

Model make_model(const HomeInput& input);

// The jobs' choices at some prices: one cut of the bound and one column of its dual.
struct Cut {
  std::vector<double> prices;
  double cost = 0;                 // transfer and shuffle
  std::vector<double> demand;      // CPU-seconds by zone
  std::vector<std::uint8_t> home;  // by job
  double bound = 0;
};

using Allowed = std::vector<std::uint64_t>;

Cut evaluate(const Model& model, const Allowed& allowed, std::vector<double> prices);
// USD of a job by home, CPU at these prices.
void values_by_home(const Model& model, std::size_t job, std::span<const double> prices, std::span<double> value);
// Adds the CPU demand of the job at these prices and this home, times `weight`; returns its transfer and shuffle in
// USD.
double add_pattern(const Model& model, std::size_t job, std::size_t home, const Cut& at, double weight,
                   std::span<double> demand);
// The zone of a group's tasks at these prices.
std::size_t zone_of(const Model& model, std::size_t job, std::size_t group, std::size_t home,
                    std::span<const double> prices);

// Cuts so far and the best mixture of their columns.
struct Relaxation {
  std::vector<Cut> cuts;
  std::vector<double> weight;  // of each cut; adds up to 1
  double lower_bound = 0;      // best of the cuts
  double mixture_cost = 0;     // of the mixture, true cost: with homes fixed it is a plan
  std::vector<double> prices;  // where the bound is best
  int evaluations = 0;
};

// Adds cuts until mixture and bound meet.
void tighten(const Model& model, const Allowed& allowed, Relaxation& relaxation, double tolerance);
Relaxation relax(const Model& model, const Allowed& allowed, std::span<const std::vector<double>> start,
                 double tolerance);
// The same cuts where only `job` may now choose less.
Relaxation restricted(const Model& model, const Relaxation& relaxation, std::size_t job, std::uint64_t allowed);
std::vector<double> load_of(const Model& model, const Relaxation& relaxation);
// One price for all zones at which supply meets the work.
std::vector<double> common_price(const Model& model);

}  // namespace lips::home
