// The primal side of home zones: homes rounded from the bound, moved job by job, and branched on.
// Plain numbers, as in home_zone_bound.h; for home_zone.cpp only.
#pragma once

#include <span>
#include <vector>

#include "policies/home_zones/home_zone_bound.h"

namespace lips::home {

inline constexpr double exact = 1e-7;  // relative gap at which an LP counts as solved

// Homes, and the optimal plan with them as a mixture.
struct Candidate {
  Allowed homes;  // one bit a job
  Relaxation relaxation;
  HomeMethod method = HomeMethod::given;
  double cost() const { return relaxation.mixture_cost; }
};

// By home: the part of the mixture in which the job lives there.
void shares_of(const Relaxation& relaxation, std::size_t job, std::span<double> share);

struct SearchResult {
  Candidate best;
  double lower_bound = 0;  // of the cost with any homes
  int evaluations = 0, nodes = 0;
};

// Homes by the prices of the bound, improved; then best-first branching while the gap is above options.enough.
SearchResult search_homes(const Model& model, std::span<const std::vector<double>> start, const HomeOptions& options);

}  // namespace lips::home
