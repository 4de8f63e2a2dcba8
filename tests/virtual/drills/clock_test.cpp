// The clock of the operator's machine is another than the server's: by a day or by minutes, ahead or behind, and again
// and again another.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "base/random.h"
#include "tests/virtual/drills/drill.h"
#include "tests/virtual/drills/operator_loop.h"

namespace lips::virtual_cluster::drills {
namespace {

// The machine's clock is ahead by that from then on, and the operator's process begins with it.
struct Jump {
  TimePoint at;
  Duration ahead{};
};

Duration difference(Random& random) {
  const Duration most = random.uniform() < 0.5 ? Duration(std::chrono::hours(24)) : seconds(random.uniform(10, 1'200));
  return random.uniform() < 0.5 ? most : -most;
}

std::vector<Jump> jumps_of(Random& random, TimePoint start) {
  std::vector<Jump> jumps{{start, random.uniform() < 0.3 ? difference(random) : Duration(0)}};
  TimePoint at = start;
  for (int i = 0; i < 3; ++i) {
    at += seconds(random.uniform(60, 300));
    jumps.push_back({at, jumps.back().ahead == Duration(0) ? difference(random) : Duration(0)});
  }
  return jumps;
}

void with_jumps(std::uint64_t seed) {
  SCOPED_TRACE("seed " + std::to_string(seed));
  const simulation::Scenario scenario = scene(seed);
  Random random(derive_seed(seed, 12));
  const std::vector<Jump> jumps = jumps_of(random, start_of(scenario));
  std::size_t next = 0;
  VirtualKubernetes* there = nullptr;
  ThroughOptions options;
  options.link = [&](VirtualKubernetes& cluster, const Storm& storm) {
    there = &cluster;
    return link_on(std::make_shared<OperatorLoop>(cluster.loop(), jumps[next++].ahead), cluster, storm);
  };
  options.ends = [&] { return next < jumps.size() && there->loop().now() >= jumps[next].at; };
  Audit audit;
  const Outcome outcome = run_drill(scenario, std::move(options), audit);
  EXPECT_GE(next, 2U);
  expect_promises(undisturbed(scenario), outcome, audit);
}

TEST(ClockDrill, EverythingEndsThoughTheOperatorsClockJumps) {
  for (std::uint64_t seed = 1; seed <= 24; ++seed) with_jumps(seed);
}

TEST(ClockDrill, AWrongClockCostsNothingAndIsNamed) {
  double dollars = 0, usually = 0;
  for (std::uint64_t seed = 1; seed <= 21; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const simulation::Scenario scenario = scene(seed);
    Random random(derive_seed(seed, 14));
    const Duration ahead = difference(random);
    States states;
    ThroughOptions options;
    options.adapter = &states;
    options.link = [&](VirtualKubernetes& cluster, const Storm& storm) {
      states.use(cluster.loop());
      return link_on(std::make_shared<OperatorLoop>(cluster.loop(), ahead), cluster, storm);
    };
    Audit audit;
    const Outcome outcome = run_drill(scenario, std::move(options), audit);
    const simulation::RunResult usual = undisturbed(scenario);
    expect_promises(usual, outcome, audit);
    dollars += outcome.run.bill.total().value(), usually += usual.bill.total().value();
    ASSERT_FALSE(states.seen().empty());
    const std::string words = states.seen().back().state.words();
    EXPECT_NE(words.find("clock of the machine"), std::string::npos) << words;
    EXPECT_NE(words.find(ahead > Duration(0) ? " s ahead of" : " s behind"), std::string::npos) << words;
  }
  EXPECT_NEAR(dollars, usually, 0.02 * usually);
}

}  // namespace
}  // namespace lips::virtual_cluster::drills
