// The whole adapter in storms: a failing seed is a run that can be repeated.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "base/random.h"
#include "policies/registry/registry.h"
#include "tests/simulation/random_scenario.h"
#include "tests/virtual/binding_audit.h"
#include "tests/virtual/elastic_day.h"
#include "virtual/run_through.h"

namespace lips::virtual_cluster {
namespace {

Storm random_storm(std::uint64_t seed) {
  Random random(derive_seed(seed, 7));
  const auto some = [&](double most) { return random.uniform() < 0.5 ? random.uniform(0, most) : 0; };
  Storm storm;
  storm.seed = seed;
  storm.lost_request = some(0.05), storm.lost_answer = some(0.05), storm.busy = some(0.2), storm.slow = some(0.1);
  storm.cut_watch = some(0.1), storm.late_event = some(0.1);
  if (random.uniform() < 0.5) storm.restart_every = seconds(random.uniform(20, 200));
  if (random.uniform() < 0.5) storm.compact_every = seconds(random.uniform(5, 100));
  return storm;
}

// From LIPS_STORM_SEED on; LIPS_STORM_SEEDS of them.
std::uint64_t number(const char* name, std::uint64_t otherwise) {
  const char* given = std::getenv(name);
  return given ? std::stoull(given) : otherwise;
}

std::uint64_t taken_back = 0;  // tasks, in all runs

void check(const simulation::Scenario& scenario, std::uint64_t seed, PodMode mode) {
  const auto policy = *make_policy("lips", scenario.settings);
  ThroughOptions options;
  options.storm = random_storm(seed);
  options.cluster.mode = mode;
  BindingAudit audit;
  options.at_start = [&](VirtualKubernetes& cluster) { audit.watch(cluster); };
  std::vector<std::string> wrong;
  options.at_end = [&](VirtualKubernetes& cluster) { wrong = cluster.wrong(); };
  const auto run = run_through_kubernetes(scenario, *policy, "lips", options);
  ASSERT_TRUE(run) << run.error().message;
  EXPECT_THAT(wrong, testing::IsEmpty());
  taken_back += run->reclaimed.tasks;
  if (scenario.failures.empty()) {
    EXPECT_EQ(run->jobs_finished, run->jobs);
  }
}

template <class Make>
void search(std::uint64_t seeds, Make make, std::initializer_list<std::uint64_t> known = {},
            PodMode mode = PodMode::bind) {
  for (const std::uint64_t seed : known) check(make(seed), seed, mode);
  const std::uint64_t first = number("LIPS_STORM_SEED", 1), count = number("LIPS_STORM_SEEDS", seeds);
  for (std::uint64_t seed = first; seed < first + count && !testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE("LIPS_STORM_SEED=" + std::to_string(seed) + " LIPS_STORM_SEEDS=1");
    check(make(seed), seed, mode);
  }
}

simulation::Scenario random_cluster(std::uint64_t seed) {
  simulation::Scenario scenario = simulation::tiny::random_scenario(seed);
  scenario.thinking = simulation::Thinking::free;
  if (seed % 2 == 0) scenario.cluster.pools[PoolId(1)].reclaim = ReclaimRule::from_borrowers;
  return scenario;
}

// Nodes that fail with their data, stragglers, jobs with reduces, two pools of which one may take room back.
TEST(Storms, EveryJobEndsAndNoNodeIsOvercommitted) {
  // Once a pod was evicted whose binding was on its way.
  search(150, random_cluster, {20138});
  if (number("LIPS_STORM_SEEDS", 150) >= 150) {
    EXPECT_GT(taken_back, 0U) << "the storms take nothing back";
  }
}

// Nodes that are ordered, come late and go.
TEST(Storms, EveryJobEndsOnNodesThatAnAutoscalerBuys) { search(60, elastic_day); }

// The same where kube-scheduler binds what the operator steers.
TEST(Storms, EveryJobEndsWhereTheOperatorSteers) {
  search(100, random_cluster, {}, PodMode::steer);
  search(30, elastic_day, {}, PodMode::steer);
}

}  // namespace
}  // namespace lips::virtual_cluster
