// Movers that never begin: something in the cluster suspends their Jobs, as a queue of Jobs does that is full for ever.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "kubernetes/data/mover_objects.h"
#include "tests/virtual/drills/drill.h"

namespace lips::virtual_cluster::drills {
namespace {

// The key from which the pods of a copy have their password.
Json key_secret(const std::string& name_space, const std::string& name) {
  return {{"metadata", {{"namespace", name_space}, {"name", name}}},
          {"data", {{"key", "MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY="}}}};
}

// Returns how many copies were begun. `named`: in how many runs a state says that they got no further.
std::size_t without_movers(std::uint64_t seed, std::size_t& named) {
  SCOPED_TRACE("seed " + std::to_string(seed));
  simulation::Scenario scenario = scene(seed);
  scenario.settings.lips.billing = Billing::use;  // each transfer that costs something leaves a copy
  States states;
  std::size_t suspended = 0;
  ThroughOptions options;
  options.adapter = &states;
  VirtualKubernetes* there = nullptr;
  options.adjust = [](kubernetes::ClusterSettings& settings) { settings.data.mover.key_secret = "key"; };
  options.at_start = [&](VirtualKubernetes& cluster) {
    there = &cluster;
    states.use(cluster.loop());
    cluster.server().objects().create("/api/v1/secrets", key_secret("lips", "key"), cluster.loop().now());
    cluster.server().prune_by([&](const std::string& collection, Json& object) {
      if (collection != "/apis/batch/v1/jobs" || !object["metadata"].contains("labels")) return;
      const bool copies = object["metadata"]["labels"].value(kubernetes::role_label, "") ==
                          kubernetes::to_string(kubernetes::WorkRole::copy);
      if (!copies) return;
      object["spec"]["suspend"] = true;
      ++suspended;
    });
  };
  options.stop = [&] { return there->loop().now() - start_of(scenario) > std::chrono::hours(6); };
  Audit audit;
  const Outcome outcome = run_drill(scenario, std::move(options), audit);
  expect_promises(undisturbed(scenario), outcome, audit, {3});
  named += states.words().find("got no further, so no task waits") != std::string::npos;
  return suspended;
}

TEST(StalledMovesDrill, ReadersEndThoughNoCopyEverBegins) {
  std::size_t suspended = 0, named = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed)
    if (seed % 3 != 0) suspended += without_movers(seed, named);  // every third buys its nodes, by the invoice alone
  EXPECT_GE(suspended, 20U);
  EXPECT_GE(named, 3U);
}

}  // namespace
}  // namespace lips::virtual_cluster::drills
