// With faults injected between the controller and the cluster: no node is overcommitted, no task runs twice, and every
// job that ends without faults ends with them.
#include <gtest/gtest.h>

#include "policies/registry/registry.h"
#include "tests/simulation/auditor.h"
#include "tests/simulation/random_scenario.h"

namespace lips::simulation {
namespace {

// Without losses of data, which end jobs by the moment at which they strike.
Scenario mendable_scenario(std::uint64_t seed) {
  Scenario scenario = tiny::random_scenario(seed);
  for (NodeFailure& failure : scenario.failures) {
    failure.data_lost = false;
    failure.down = std::max<Duration>(failure.down, seconds(1));
  }
  return scenario;
}

Faults faults_of(std::uint64_t seed, double share) {
  Faults faults{seed};
  faults.refused = faults.unsent = faults.unanswered = faults.doubled = faults.failed_moves = share;
  faults.late = std::min(0.5, 2 * share);
  return faults;
}

std::uint64_t expect_mended(const Scenario& scenario, const Policy& policy, const Faults& faults) {
  Audited without, with;
  audit(scenario, policy, {}, &without);
  audit(scenario, policy, faults, &with);
  EXPECT_EQ(with.ended, without.ended) << "stranded";
  return with.faults;
}

TEST(Faults, StrandNothingAndOvercommitNothingUnderAGreedyPolicyInEveryCadence) {
  std::uint64_t injected = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE(seed);
    const Scenario scenario = mendable_scenario(seed);
    for (Cadence::Trigger trigger : {Cadence::Trigger::epoch, Cadence::Trigger::events, Cadence::Trigger::heartbeats})
      for (double share : {0.05, 0.3})
        injected += expect_mended(scenario, tiny::FirstFit({trigger, seconds(10), seconds(0)}), faults_of(seed, share));
  }
  EXPECT_GT(injected, 10'000u);
}

TEST(Faults, StrandNothingAndOvercommitNothingUnderEveryPolicyOfTheRegistry) {
  for (const PolicyEntry& entry : policy_registry()) {
    SCOPED_TRACE(entry.name);
    for (std::uint64_t seed = 1; seed <= 12; ++seed) {
      SCOPED_TRACE(seed);
      expect_mended(mendable_scenario(seed), *entry.make(PolicySettings{}), faults_of(100 + seed, 0.1));
    }
  }
}

TEST(Faults, EqualSeedsInjectTheSame) {
  Audited first, second, other;
  const Scenario scenario = mendable_scenario(3);
  audit(scenario, tiny::FirstFit(), faults_of(1, 0.2), &first);
  audit(scenario, tiny::FirstFit(), faults_of(1, 0.2), &second);
  audit(scenario, tiny::FirstFit(), faults_of(2, 0.2), &other);
  EXPECT_EQ(first.faults, second.faults);
  EXPECT_NE(first.faults, other.faults);
}

}  // namespace
}  // namespace lips::simulation
