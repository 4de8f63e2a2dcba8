// The store of the API server goes back to an earlier time, as after a restored backup: pods that were bound are gone
// or wait again, pods that had ended are there again. With and without versions that are used twice.
#include <gtest/gtest.h>

#include <string>

#include "base/random.h"
#include "tests/virtual/drills/drill.h"
#include "virtual/scenario_settings.h"

namespace lips::virtual_cluster::drills {
namespace {

struct SeenRestores {
  int restored = 0, vanished = 0, back = 0, suspended = 0;
};

void restored(std::uint64_t seed, SeenRestores& seen) {
  SCOPED_TRACE("seed " + std::to_string(seed));
  const simulation::Scenario scenario = scene(seed);
  Random random(derive_seed(seed, 14));
  const double longest = scenario.fleet.offers.empty() ? 300 : 1'200;
  const TimePoint saved = start_of(scenario) + seconds(random.uniform(1, longest));
  const TimePoint back = saved + seconds(random.uniform(10, longest));
  const std::uint64_t gap = seed % 2 == 0 ? 1'000'000 : 0;
  ThroughOptions options;
  options.storm.outage = {back - std::chrono::seconds(1), back + std::chrono::seconds(15), false};
  options.adjust = [](kubernetes::ClusterSettings& settings) { settings.shares = {operator_name_space, memory_name}; };
  Audit audit;
  States states;
  options.adapter = &states;
  ObjectStore::Backup backup;
  const auto pods = [](VirtualKubernetes& cluster, auto counts) {
    int count = 0;
    for (const auto& [key, pod] : cluster.server().objects().all("/api/v1/pods")) count += counts(key, *pod.json);
    return count;
  };
  options.at_start = [&](VirtualKubernetes& cluster) {
    states.use(cluster.loop());
    cluster.set_patience(std::chrono::hours(3));
    cluster.loop().at(saved, [&] { backup = cluster.server().objects().backup(); });
    cluster.loop().at(back, [&] {
      ++seen.restored;
      const ObjectStore::Objects& kept = backup.objects.at("/api/v1/pods");
      const ObjectStore::Objects before = cluster.server().objects().all("/api/v1/pods");
      seen.vanished += pods(cluster, [&](const std::string& key, const Json& pod) {
        return pod["spec"].contains("nodeName") && !kept.contains(key);
      });
      cluster.restore(backup, gap);
      audit.begin_anew();
      seen.back += pods(cluster, [&](const std::string& key, const Json&) { return !before.contains(key); });
    });
    cluster.loop().at(back + std::chrono::seconds(60), [&] {
      seen.suspended += !states.seen().empty() && states.seen().back().state.doing == Doing::moves_suspended;
      EXPECT_EQ(confirm_restore(cluster, states).value_or(200), 200);
    });
    cluster.loop().at(back + std::chrono::seconds(90),
                      [&] { EXPECT_NE(states.seen().back().state.doing, Doing::moves_suspended) << states.words(); });
  };
  Outcome outcome = run_drill(scenario, std::move(options), audit);
  // Containers that the restored store does not know end within half a minute. Until then a kubelet may refuse a pod.
  const auto refused =
      std::erase_if(outcome.wrong, [](const std::string& what) { return what.starts_with("no room"); });
  EXPECT_LE(refused, outcome.run.tasks / 5);
  expect_promises(undisturbed(scenario), outcome, audit, {3});
}

TEST(RestoreDrill, EverythingEndsThoughTheStoreGoesBack) {
  SeenRestores seen;
  for (std::uint64_t seed = 1; seed <= 24; ++seed) restored(seed, seen);
  EXPECT_GE(seen.restored, 15);
  EXPECT_GE(seen.vanished, 20);
  EXPECT_GE(seen.back, 20);
  EXPECT_GE(seen.suspended, 5);
}

}  // namespace
}  // namespace lips::virtual_cluster::drills
