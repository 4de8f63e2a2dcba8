// Other weights of one pool, for lips tune to try.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "simulation/scenario.h"

namespace lips::cmd {

struct PoolWeights {
  std::string pool;
  std::vector<double> weights;

  // Adds the pool's present weight to the others, in order. Fails where the scenario has no such pool.
  Result<void> add_present(const simulation::Scenario& scenario);
};

// POOL=A,B,...; weights are above 0 and at most a million.
Result<PoolWeights> read_pool_weights(const std::string& text);
// False: it is that weight already.
bool set_weight(simulation::Scenario& scenario, const std::string& pool, double weight);

}  // namespace lips::cmd
