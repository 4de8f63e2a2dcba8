// The clock of the operator's machine jumps by a day, forward or back, and back again; its leases too.
#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/random.h"
#include "kubernetes/api/lease.h"
#include "tests/virtual/drills/drill.h"
#include "tests/virtual/drills/operator_loop.h"

namespace lips::virtual_cluster::drills {
namespace {

constexpr Duration day = std::chrono::hours(24);

// The machine's clock is ahead by that from then on. The operator notices within a minute and begins anew.
struct Jump {
  TimePoint at;
  Duration ahead{};
};

std::vector<Jump> jumps_of(Random& random, TimePoint start) {
  std::vector<Jump> jumps{{start, random.uniform() < 0.3 ? day : Duration(0)}};
  TimePoint at = start;
  for (int i = 0; i < 3; ++i) {
    at += seconds(random.uniform(60, 300));
    const Duration other = random.uniform() < 0.5 ? day : -day;
    jumps.push_back({at, jumps.back().ahead == Duration(0) ? other : Duration(0)});
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
  // Each pod seems to have waited for a day: where nodes can be bought, faster ones are.
  const bool elastic = !scenario.fleet.offers.empty();
  expect_promises(undisturbed(scenario), outcome, audit, {elastic ? 5 : 1.5});
}

TEST(ClockDrill, EverythingEndsThoughTheOperatorsClockJumpsByADay) {
  for (std::uint64_t seed = 1; seed <= 24; ++seed) with_jumps(seed);
}

}  // namespace
}  // namespace lips::virtual_cluster::drills
