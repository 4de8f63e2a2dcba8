// Two operators that both act, by mistake: without leader election, or with leases in which both believe.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "base/random.h"
#include "kubernetes/api/write_governor.h"
#include "policies/registry/registry.h"
#include "tests/virtual/drills/drill.h"
#include "tests/virtual/drills/operator_loop.h"
#include "tests/virtual/drills/turns.h"
#include "virtual/operator_life.h"

namespace lips::virtual_cluster::drills {
namespace {

class Onlooker final : public Observer {
 public:
  void on_bind(const ClusterSnapshot&, const Assignment&) override {}
};

// When an operator believes that it leads; empty: there is no election.
using Belief = std::function<bool(TimePoint)>;

Belief belief_of(std::uint64_t seed, std::size_t who) {
  const std::uint64_t kind = seed % 3;
  if (kind == 0) return {};
  if (kind == 1) return [](TimePoint) { return true; };
  // Each leads for two minutes of three, so that they overlap.
  const Duration shift = std::chrono::seconds(90) * static_cast<int>(who);
  return [shift](TimePoint now) {
    return (now.time_since_epoch() + shift) % std::chrono::minutes(3) < std::chrono::minutes(2);
  };
}

void believe(kubernetes::ClusterSettings& settings, const Belief& belief, const kubernetes::EventLoop& clock) {
  if (belief) settings.leads = [belief, &clock] { return belief(clock.now()); };
}

class Second {
 public:
  Second(const simulation::Scenario& scenario, VirtualKubernetes& cluster, Turns& turns, std::uint64_t seed,
         TimePoint from)
      : turns_(turns), thread_([&, seed, from] {
          turns_.await(1);
          auto loop = std::make_shared<OperatorLoop>(cluster.loop(), Duration(0), [this] { turns_.pass(1); });
          while (!stops_ && loop->now() < from) turns_.pass(1);
          const auto policy = *make_policy("lips", scenario.settings);
          Onlooker onlooker;
          AdapterObserver nobody;
          SilentLog silent;
          OperatorLife life{scenario, *policy, [this] { return stops_; }, onlooker, nobody, silent};
          life.adjust = [&](kubernetes::ClusterSettings& settings) {
            settings.instance = "second";
            believe(settings, belief_of(seed, 1), cluster.loop());
          };
          EXPECT_TRUE(live(link_on(loop, cluster), life));
          turns_.leave(1);
        }) {}
  // By the first, in its turn.
  void stop() {
    stops_ = true;
    while (turns_.is_there(1)) turns_.pass(0);
    thread_.join();
  }

 private:
  Turns& turns_;
  bool stops_ = false;  // read and written by whose turn it is
  std::thread thread_;
};

// Returns what was written, and when.
std::vector<std::string> both(std::uint64_t seed) {
  SCOPED_TRACE("seed " + std::to_string(seed));
  const simulation::Scenario scenario = scene(seed);
  Random random(derive_seed(seed, 13));
  const TimePoint from = start_of(scenario) + seconds(random.uniform(0, 120));
  Turns turns;
  std::optional<Second> second;
  ThroughOptions options;
  options.at_start = [&](VirtualKubernetes& cluster) { second.emplace(scenario, cluster, turns, seed, from); };
  options.at_end = [&](VirtualKubernetes&) { second->stop(); };
  options.link = [&](VirtualKubernetes& cluster, const Storm& storm) {
    return link_on(std::make_shared<OperatorLoop>(cluster.loop(), Duration(0), [&] { turns.pass(0); }), cluster, storm);
  };
  VirtualKubernetes* there = nullptr;
  options.adjust = [&](kubernetes::ClusterSettings& settings) {
    if (there) believe(settings, belief_of(seed, 0), there->loop());
  };
  options.at_start = [&, begin = options.at_start](VirtualKubernetes& cluster) {
    there = &cluster;
    begin(cluster);
  };
  Audit audit;
  Outcome outcome = run_drill(scenario, std::move(options), audit);
  // Two that bind at the same moment may choose the same room: the kubelet refuses one of the pods, and a new one
  // comes.
  const auto refused =
      std::erase_if(outcome.wrong, [](const std::string& what) { return what.starts_with("no room"); });
  EXPECT_LE(refused, outcome.run.tasks / 10 + 1);
  // Two that undo each other's work are stopped by WriteGovernor: each after 120 writes within its minute.
  expect_promises(undisturbed(scenario), outcome, audit, {1.5, 4 * kubernetes::WriteGovernor::most_writes});
  std::vector<std::string> written;
  for (const Write& write : audit.writes())
    written.push_back(std::to_string(write.at.time_since_epoch().count()) + ' ' + write.path + ' ' + write.body);
  return written;
}

TEST(TwoOperatorsDrill, EverythingEndsOnceThoughBothAct) {
  for (std::uint64_t seed = 1; seed <= 21; ++seed) both(seed);
}

// Also where memory lies elsewhere.
TEST(TwoOperatorsDrill, TheSameSeedIsTheSameRun) {
  for (const std::uint64_t seed : {7, 11, 17}) {
    const std::vector<std::string> once = both(seed);
    std::vector<std::unique_ptr<std::string>> elsewhere;
    Random random(seed);
    for (int i = 0; i < 20'000; ++i) elsewhere.push_back(std::make_unique<std::string>(random.below(700), 'x'));
    for (std::size_t i = 0; i < elsewhere.size(); i += 1 + random.below(3)) elsewhere[i].reset();
    EXPECT_TRUE(both(seed) == once) << "seed " << seed;
  }
}

}  // namespace
}  // namespace lips::virtual_cluster::drills
