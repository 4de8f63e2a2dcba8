// Properties of every run, whatever the policy does.
#include <gtest/gtest.h>

#include <sstream>

#include "policies/registry/registry.h"
#include "simulation/run.h"
#include "tests/simulation/auditor.h"
#include "tests/simulation/random_scenario.h"

namespace lips::simulation {
namespace {

class KeepsCopies : public tiny::FirstFit {
 public:
  explicit KeepsCopies(StoreId store) { keep_in_ = store; }
  void change(const PolicyInput& input, Plan& plan) const override {
    const ClusterSnapshot& cluster = input.cluster;
    if (!cluster.moves.empty()) return;
    for (BlockId block : cluster.blocks.ids()) {
      const std::vector<Replica>& replicas = cluster.blocks[block].replicas;
      const StoreId to((block.index() + static_cast<std::uint32_t>(to_seconds(cluster.now))) %
                       static_cast<std::uint32_t>(cluster.stores.size()));
      if (replicas.size() == 1 && replicas[0].store != to)
        plan.moves.push_back({block, replicas[0].store, to, block.index() % 2 == 0});
      else if (replicas.size() > 2)
        plan.drops.push_back({block, replicas[0].store});
    }
  }
};

TEST(Conservation, HoldsForAGreedyPolicyInEveryCadence) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE(seed);
    const Scenario scenario = tiny::random_scenario(seed);
    for (Cadence::Trigger trigger : {Cadence::Trigger::epoch, Cadence::Trigger::events, Cadence::Trigger::heartbeats}) {
      SCOPED_TRACE(static_cast<int>(trigger));
      audit(scenario, tiny::FirstFit({trigger, seconds(10), seconds(0)}));
    }
  }
}

TEST(Conservation, HoldsWhileDataMovesAndCopiesComeAndGo) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE(seed);
    const Scenario scenario = tiny::random_scenario(seed);
    audit(scenario, KeepsCopies(StoreId(static_cast<std::uint32_t>(seed % scenario.cluster.stores.size()))));
  }
}

TEST(Conservation, HoldsForEveryPolicyOfTheRegistry) {
  for (const PolicyEntry& entry : policy_registry()) {
    SCOPED_TRACE(entry.name);
    for (std::uint64_t seed = 1; seed <= 12; ++seed) {
      SCOPED_TRACE(seed);
      audit(tiny::random_scenario(seed), *entry.make(PolicySettings{}));
    }
  }
}

// Every figure to the last bit.
std::string text(const RunResult& result) {
  std::ostringstream out;
  out << std::hexfloat;
  const auto write = [&](const Series& series) {
    out << series.bin.count() << ';';
    for (const auto& channel : series.value)
      for (double value : channel) out << value << ',';
  };
  const Bill& bill = result.bill;
  for (Usd term : {bill.cpu, bill.transfer, bill.shuffle, bill.moves, bill.storage, result.lost_work, result.nodes_all,
                   result.nodes_when_used})
    out << term.value() << ' ';
  out << result.makespan.count() << ' ' << result.jobs_finished << ' ' << result.tasks_finished << ' '
      << result.attempts_lost << ' ' << result.completion.mean << ' ' << result.completion.p95 << ' '
      << result.small_jobs.mean_slowdown << ' ' << result.events << ' ' << result.plans.made << ' '
      << result.fairness.jain << ' ' << result.fairness.worst_shortfall;
  write(result.fairness.share);
  write(result.utilisation);
  for (const BusyInterval& busy : result.busy)
    out << busy.node.index() << ',' << busy.start.time_since_epoch().count() << ','
        << busy.end.time_since_epoch().count() << ';';
  return out.str();
}

TEST(Conservation, EqualSeedsGiveEqualBytes) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    SCOPED_TRACE(seed);
    for (const PolicyEntry& entry : policy_registry()) {
      SCOPED_TRACE(entry.name);
      const Result<RunResult> first = run(tiny::random_scenario(seed), *entry.make({}), "p");
      const Result<RunResult> second = run(tiny::random_scenario(seed), *entry.make({}), "p");
      ASSERT_TRUE(first && second);
      EXPECT_EQ(text(*first), text(*second));
    }
  }
  const Result<RunResult> one = run(tiny::random_scenario(1), tiny::FirstFit(), "p");
  const Result<RunResult> two = run(tiny::random_scenario(2), tiny::FirstFit(), "p");
  EXPECT_NE(text(*one), text(*two));
}

}  // namespace
}  // namespace lips::simulation
