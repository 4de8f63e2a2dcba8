// The operator is killed after each of its writes in turn, before it hears the answer; another begins at once.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>

#include "tests/simulation/random_scenario.h"
#include "tests/virtual/drills/drill.h"
#include "tests/virtual/drills/operator_loop.h"
#include "tests/virtual/elastic_day.h"

namespace lips::virtual_cluster::drills {
namespace {

// So few jobs that each write can be tried.
simulation::Scenario small_scene(std::uint64_t seed) {
  simulation::Scenario scenario = scene(seed);
  const bool elastic = !scenario.fleet.offers.empty();
  const auto too_large = [&](const JobArrived& job) { return job.tasks.size() > (elastic ? 16U : 10U); };
  std::erase_if(scenario.jobs, too_large);
  const std::size_t most = 1 + seed % 2;
  if (scenario.jobs.size() > most) scenario.jobs.resize(most);
  return scenario;
}

void killed_after(const simulation::Scenario& scenario, std::size_t writes, const simulation::RunResult& usual) {
  std::shared_ptr<OperatorLoop> loop;
  std::size_t lives = 0, seen = 0;
  Audit audit([&](const Write&) {
    if (++seen == writes) loop->kill();
  });
  ThroughOptions options;
  options.link = [&](VirtualKubernetes& cluster, const Storm& storm) {
    ++lives;
    loop = std::make_shared<OperatorLoop>(cluster.loop());
    return link_on(loop, cluster, storm);
  };
  options.ends = [&] { return !loop->alive(); };
  const Outcome outcome = run_drill(scenario, std::move(options), audit);
  expect_promises(usual, outcome, audit, {3});
  EXPECT_LE(lives, 2U);
}

TEST(KillDrill, TheNextOperatorGoesOnWhicheverWriteWasTheLast) {
  std::size_t tried = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const simulation::Scenario scenario = small_scene(seed);
    Audit usual_writes;
    const Outcome usual = run_drill(scenario, {}, usual_writes);
    expect_promises(usual.run, usual, usual_writes);
    const std::size_t writes = usual_writes.writes().size();
    for (std::size_t last = 1; last <= writes && !testing::Test::HasFailure(); ++last, ++tried) {
      SCOPED_TRACE("seed " + std::to_string(seed) + ", killed after write " + std::to_string(last));
      killed_after(scenario, last, usual.run);
    }
  }
  EXPECT_GT(tried, 300U);
}

}  // namespace
}  // namespace lips::virtual_cluster::drills
