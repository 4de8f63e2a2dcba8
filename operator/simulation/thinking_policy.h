// A policy whose thinking takes simulated time: its snapshot lacks the events of that time.
#pragma once

#include "policies/policy.h"
#include "simulation/simulated_cluster.h"

namespace lips::simulation {

class ThinkingPolicy : public Policy {
 public:
  // Policy and cluster must outlive this. `measured` reads the span from the stopwatch of the input; otherwise it is
  // `fixed`.
  ThinkingPolicy(const Policy& policy, SimulatedCluster& cluster, Thinking thinking, Duration fixed)
      : policy_(policy), cluster_(cluster), thinking_(thinking), fixed_(fixed) {}

  Cadence cadence() const override { return policy_.cadence(); }
  Result<Plan> decide(const PolicyInput& input) const override {
    const auto clock = [&] { return input.stopwatch ? input.stopwatch->seconds() : 0.0; };
    const double began = clock();
    Result<Plan> plan = policy_.decide(input);
    if (thinking_ == Thinking::fixed) cluster_.think(fixed_);
    if (thinking_ == Thinking::measured) cluster_.think(seconds(clock() - began));
    return plan;
  }

 private:
  const Policy& policy_;
  SimulatedCluster& cluster_;
  Thinking thinking_;
  Duration fixed_;
};

}  // namespace lips::simulation
