// Clusters on which kube-scheduler places everything: without an operator, with one that looks on, and with services.
#include "virtual/run_alone.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>

#include "base/random.h"
#include "tests/simulation/random_scenario.h"
#include "tests/virtual/elastic_day.h"
#include "tests/virtual/two_doors.h"

namespace lips::virtual_cluster {
namespace {

simulation::Scenario any_cluster(std::uint64_t seed) {
  if (seed % 4 == 0) return elastic_day(seed);
  simulation::Scenario scenario = simulation::tiny::random_scenario(seed);
  if (seed % 4 == 1) simulation::tiny::add_sizes(seed, scenario);
  scenario.thinking = simulation::Thinking::free;
  return scenario;
}

// Services of all sizes, from seconds to the whole time, on the nodes of that cluster.
simulation::Scenario with_services(std::uint64_t seed) {
  simulation::Scenario scenario = any_cluster(seed);
  Random random(derive_seed(seed, 3));
  Resources largest{Cores(0), Mebibytes(0)};
  for (const Node& node : scenario.cluster.nodes) largest.cpu = std::max(largest.cpu, node.capacity.cpu);
  for (std::uint64_t i = 0; i < 2 + random.below(4); ++i) {
    simulation::Service service;
    service.name = fmt::format("s{}", i);
    service.request = {Cores(largest.cpu.value() * random.uniform(0.05, 0.4)), Mebibytes(0), 1};
    service.pods = 1 + static_cast<std::uint32_t>(random.below(4));
    service.from = TimePoint(seconds(random.below(2) == 0 ? 0 : random.uniform(0, 900)));
    service.until = service.from + seconds(random.uniform(30, 2000));
    scenario.services.push_back(service);
  }
  return scenario;
}

simulation::RunResult alone(const simulation::Scenario& scenario, const std::string& policy,
                            const simulation::RunOptions& options = {}) {
  const auto run = run_alone(scenario, policy, options);
  EXPECT_TRUE(run);
  if (!run) return {};
  EXPECT_TRUE(*run) << run->error().message;
  return *run ? **run : simulation::RunResult{};
}

TEST(RunAlone, AnOperatorThatWatchesChangesNothing) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const bool packs = seed % 2 == 0;
    const std::string policy = packs ? "most-allocated" : "spread";
    const simulation::Scenario scenario = seed % 3 == 0 ? with_services(seed) : any_cluster(seed);
    ThroughOptions watching;
    watching.cluster.mode = PodMode::watch;
    watching.cluster.scheduler.scoring = *scoring_of(policy);
    const simulation::RunResult without = alone(scenario, policy), watched = through(scenario, policy, watching);
    EXPECT_EQ(without.invoice.total().value(), watched.invoice.total().value());
    EXPECT_EQ(without.completion.mean, watched.completion.mean);
    EXPECT_EQ(without.fleet.launches, watched.fleet.launches);
    EXPECT_EQ(without.jobs_finished, watched.jobs_finished);
  }
}

TEST(RunAlone, EndsAtATimeAndCountsNodesUntilThen) {
  const simulation::Scenario scenario = elastic_day(1);
  double before = 0;
  for (int minutes = 5; minutes <= 60; minutes += 5) {
    simulation::RunOptions options;
    options.until = TimePoint(std::chrono::minutes(minutes));
    const simulation::RunResult run = alone(scenario, "spread", options);
    EXPECT_GE(run.invoice.nodes.value(), before);
    before = run.invoice.nodes.value();
  }
  EXPECT_GT(before, 0);
}

// By the words of the API, at every change: no node has more than fits, and each pod of a service is there once.
class ServiceAudit {
 public:
  explicit ServiceAudit(const simulation::Scenario& scenario) : scenario_(scenario) {}

  void watch(VirtualKubernetes& cluster) {
    for (const NodeId node : scenario_.cluster.nodes.ids())
      room_[scenario_.cluster.nodes[node].name] =
          (scenario_.cluster.nodes[node].capacity - scenario_.cluster.nodes[node].others).cpu.value();
    cluster.server().objects().listen("/api/v1/pods", [this](const ObjectChange& change) { note(change); });
  }
  int most() const { return most_; }

 private:
  void note(const ObjectChange& change) {
    const Json& pod = *change.now.json;
    const std::string key = key_of(pod), node = text_in(look_in(pod, "spec"), "nodeName");
    const std::string phase = text_in(look_in(pod, "status"), "phase");
    if (const auto known = pods_.find(key); known != pods_.end()) {
      used_[known->second.first] -= known->second.second;
      pods_.erase(known);
    }
    services_.erase(key);
    if (change.type == ChangeType::deleted || node.empty() || phase == "Succeeded" || phase == "Failed") return;
    const std::string text = pod["spec"]["containers"][0]["resources"]["requests"]["cpu"];
    pods_[key] = {node, std::stod(text) / 1000};
    used_[node] += std::stod(text) / 1000;
    EXPECT_LE(used_[node], room_[node] + 2e-3) << node << " with " << key;
    if (text_in(pod["metadata"]["ownerReferences"][0], "kind") == "ReplicaSet") services_.insert(key);
    most_ = std::max(most_, static_cast<int>(services_.size()));
  }

  const simulation::Scenario& scenario_;
  std::map<std::string, double> room_, used_;
  std::map<std::string, std::pair<std::string, double>> pods_;
  std::set<std::string> services_;
  int most_ = 0;
};

TEST(RunAlone, PodsOfServicesTakeTheirRoomInEveryMode) {
  int with_pods = 0;
  for (const PodMode mode : {PodMode::watch, PodMode::steer, PodMode::bind})
    for (std::uint64_t seed = 1; seed <= 12; ++seed) {
      SCOPED_TRACE(std::string(to_string(mode)) + ", seed " + std::to_string(seed));
      const simulation::Scenario scenario = with_services(seed);
      ThroughOptions options;
      options.cluster.mode = mode;
      ServiceAudit audit(scenario);
      std::vector<std::string> wrong;
      options.at_start = [&](VirtualKubernetes& cluster) { audit.watch(cluster); };
      options.at_end = [&](VirtualKubernetes& cluster) { wrong = cluster.wrong(); };
      const simulation::RunResult run = through(scenario, mode == PodMode::watch ? "spread" : "lips", options);
      EXPECT_TRUE(wrong.empty()) << wrong.front();
      with_pods += audit.most() > 0;
      if (scenario.failures.empty()) {
        EXPECT_EQ(run.jobs_finished, run.jobs);
      }
    }
  EXPECT_GT(with_pods, 18);
}

TEST(RunAlone, ServicesCostInTheMeanWhatTheSimulatorsPolicySays) {
  double dollars = 0, completion = 0;
  int count = 0;
  for (std::uint64_t seed = 1; seed <= 120; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const simulation::Scenario scenario = with_services(seed);
    if (!scenario.failures.empty()) continue;
    const auto policy = *make_policy("spread", scenario.settings);
    const auto direct = simulation::run(scenario, *policy, "spread");
    ASSERT_TRUE(direct) << direct.error().message;
    const BothDoors both{*direct, alone(scenario, "spread")};
    if (both.direct.jobs_finished != both.direct.jobs) continue;  // a service holds what a job needs
    EXPECT_EQ(both.through.jobs_finished, both.through.jobs);
    dollars += in_dollars(both), completion += in_completion(both), ++count;
  }
  EXPECT_GE(count, 50);
  EXPECT_NEAR(dollars / count, 0, 0.03) << count;
  EXPECT_NEAR(completion / count, 0, 0.06) << count;
}

}  // namespace
}  // namespace lips::virtual_cluster
