// An hour without API server: every request is refused, or nothing answers; then the server has forgotten all versions.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "base/random.h"
#include "tests/virtual/binding_audit.h"
#include "tests/virtual/drills/drill.h"

namespace lips::virtual_cluster::drills {
namespace {

constexpr Duration soon = std::chrono::minutes(3);  // a watch that hangs is given up after 100 s

struct SeenOutages {
  int unreachable = 0, back = 0;
  double dollars = 0;  // over the usual ones, summed
};

void without_server(std::uint64_t seed, SeenOutages& seen) {
  SCOPED_TRACE("seed " + std::to_string(seed));
  const simulation::Scenario scenario = scene(seed);
  Random random(derive_seed(seed, 11));
  ThroughOptions options;
  Outage& outage = options.storm.outage;
  outage.begin = start_of(scenario) + seconds(random.uniform(1, scenario.fleet.offers.empty() ? 400 : 1'500));
  outage.end = outage.begin + std::chrono::hours(1);
  outage.hangs = random.uniform() < 0.5;
  options.storm.seed = seed;
  States states;
  options.adapter = &states;
  options.at_start = [&](VirtualKubernetes& cluster) {
    states.use(cluster.loop());
    cluster.set_patience(std::chrono::hours(3));
    cluster.loop().at(outage.end, [&cluster] { cluster.server().objects().compact(); });
  };
  Audit audit;
  // An administrator cordons a node meanwhile. Nothing is bound to it later, though a watch hangs for longer.
  BindingAudit bindings;
  options.at_start = [&, begin = options.at_start](VirtualKubernetes& cluster) {
    begin(cluster);
    bindings.watch(cluster);
    const auto cordon = [&cluster, seed](bool closed) {
      ObjectStore& objects = cluster.server().objects();
      const ObjectStore::Objects& nodes = objects.all("/api/v1/nodes");
      if (nodes.size() < 2) return;  // one is left for the work
      const auto node = std::next(nodes.begin(), static_cast<std::ptrdiff_t>(seed % nodes.size()));
      Json changed = *node->second.json;
      changed["spec"]["unschedulable"] = closed;
      objects.put("/api/v1/nodes", std::string(node->first), std::move(changed));
    };
    cluster.loop().at(outage.begin + std::chrono::minutes(1), [cordon] { cordon(true); });
    cluster.loop().at(outage.end + soon, [cordon] { cordon(false); });
  };
  const Outcome outcome = run_drill(scenario, std::move(options), audit);
  // The work of an hour waits at once when the server is back. It is worth dear nodes then that it does without in
  // usual times: on three nodes one of which is dear four times the dollars.
  const simulation::RunResult usual = undisturbed(scenario);
  Bounds bounds;
  bounds.dollars = 4.5;
  expect_promises(usual, outcome, audit, bounds);
  EXPECT_THAT(bindings.violations(), testing::IsEmpty());
  seen.dollars += outcome.run.bill.total() / usual.bill.total();
  for (const Write& write : audit.writes()) EXPECT_FALSE(outage.covers(write.at)) << write.path;
  if (outcome.ended < outage.end) return;  // all had been bound before
  ++seen.unreachable;
  for (Duration after = soon; after < std::chrono::hours(1); after += soon)
    EXPECT_EQ(states.at(outage.begin + after)->doing, Doing::unreachable) << states.words();
  if (outcome.ended < outage.end + soon) return;
  ++seen.back;
  EXPECT_TRUE(states.at(outage.end + soon)->decides()) << states.words();
  EXPECT_TRUE(states.at(outage.end + soon)->degraded.empty()) << states.words();
}

TEST(OutageDrill, EverythingEndsAfterAnHourWithoutServerAndReadinessSaysSo) {
  SeenOutages seen;
  constexpr int seeds = 24;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) without_server(seed, seen);
  EXPECT_LE(seen.dollars / seeds, 1.25);
  EXPECT_GE(seen.unreachable, 12);
  EXPECT_GE(seen.back, 4);
}

}  // namespace
}  // namespace lips::virtual_cluster::drills
