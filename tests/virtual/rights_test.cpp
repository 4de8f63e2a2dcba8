// The whole adapter without one of its rights: of each right in turn, whichever it uses.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/log.h"
#include "policies/registry/registry.h"
#include "simulation/scenario_reader.h"
#include "tests/simulation/random_scenario.h"
#include "tests/virtual/elastic_day.h"
#include "virtual/run_through.h"

namespace lips::virtual_cluster {
namespace {

using Access = ApiServer::Access;

struct Outcome {
  simulation::RunResult run;
  std::map<Access, std::size_t> asked;
  std::vector<std::string> wrong;
  std::string log;
  double hours = 0;
  OperatorState state;  // the one with most lacks
};

class MostLacks final : public AdapterObserver {
 public:
  void on_state(const OperatorState& state) override {
    const auto lacks = [](const OperatorState& of) { return of.awaited.size() + of.degraded.size(); };
    if (lacks(state) >= lacks(state_)) state_ = state;
  }
  const OperatorState& state() const { return state_; }

 private:
  OperatorState state_;
};

class Lines final : public Log {
 public:
  bool wants(LogLevel level) const override { return level >= LogLevel::warning; }
  void write(LogLevel level, std::string_view message, std::initializer_list<LogField> fields) override {
    if (level < LogLevel::warning) return;
    text += message;
    for (const LogField& field : fields) text += fmt::format(" {}={}", field.key, field.value);
    text += '\n';
  }
  std::string text;
};

std::string words(const Access& access) {
  return fmt::format("{} {}{}{}", verb_name(access.verb), access.collection, access.part.empty() ? "" : "/",
                     access.part);
}

Outcome run_without(const simulation::Scenario& scenario, const std::optional<Access>& right) {
  const auto policy = *make_policy("lips", scenario.settings);
  Outcome outcome;
  Lines log;
  ThroughOptions options;
  options.log = &log;
  MostLacks states;
  options.adapter = &states;
  options.at_start = [&](VirtualKubernetes& cluster) {
    cluster.server().authorize_by([&](const Access& access) {
      ++outcome.asked[access];
      return access != right;
    });
  };
  TimePoint now{};
  options.progress = [&](const simulation::Progress& progress) { now = progress.now; };
  options.stop = [&] { return now - scenario.cluster.now > std::chrono::hours(6); };
  options.at_end = [&](VirtualKubernetes& cluster) {
    outcome.wrong = cluster.wrong();
    outcome.hours = to_seconds(cluster.truth().now() - scenario.cluster.now) / 3600;
  };
  auto run = run_through_kubernetes(scenario, *policy, "lips", options);
  EXPECT_TRUE(run) << run.error().message;
  if (run) outcome.run = std::move(*run);
  outcome.log = log.text;
  outcome.state = states.state();
  return outcome;
}

// Without these nothing starts, or nothing that reads data: a task's part of it is not known.
bool is_needed(const Access& access) {
  static const std::set<std::string> read{"/api/v1/nodes", "/api/v1/pods", "/apis/batch/v1/jobs",
                                          "/apis/lips.dev/v1alpha1/datasets", "/apis/lips.dev/v1alpha1/datastores"};
  if (access.verb == kubernetes::Verb::list) return read.contains(access.collection);
  return access.verb == kubernetes::Verb::create && access.collection == "/api/v1/pods" && access.part != "eviction";
}

// Refused reads are tried again every half minute or so, by at most two informers; refused writes every five minutes,
// when those are over that were under way.
std::size_t most_asked(const Access& access, std::size_t usually, double hours) {
  const bool reads = access.verb == kubernetes::Verb::list || access.verb == kubernetes::Verb::watch;
  return usually + (reads ? 40 : 150) + static_cast<std::size_t>(hours * (reads ? 600 : 30));
}

// Each right that the operator uses in some scenario is missing once: what does not need it goes on, what is missing is
// said by name and not over and over, and nobody asks in vain all the time.
class Rights : public testing::Test {
 protected:
  void try_without_each(const simulation::Scenario& scenario) {
    const Outcome whole = run_without(scenario, std::nullopt);
    for (const auto& [access, usually] : whole.asked) {
      if (HasFailure() || !tried_.insert(access).second) continue;
      SCOPED_TRACE("without the right to " + words(access));
      const Outcome less = run_without(scenario, access);
      EXPECT_THAT(less.wrong, testing::IsEmpty());
      EXPECT_LE(less.asked.at(access), most_asked(access, usually, less.hours));
      if (!is_needed(access)) {
        EXPECT_EQ(less.run.jobs_finished, whole.run.jobs_finished);
      }
      const std::string resource = access.collection.substr(access.collection.rfind('/') + 1);
      EXPECT_THAT(less.log, testing::HasSubstr(resource));
      EXPECT_THAT(less.state.words(), testing::HasSubstr(resource));
      EXPECT_LE(std::count(less.log.begin(), less.log.end(), '\n'), 6 + 70 * less.hours) << less.log.substr(0, 2000);
    }
  }
  std::set<Access> tried_;
};

TEST_F(Rights, ThatAreMissingStopNothingElseAndAreNamedAndNotAskedForAllTheTime) {
  try_without_each(elastic_day(1));
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    simulation::Scenario scenario = simulation::tiny::random_scenario(seed);
    scenario.thinking = simulation::Thinking::free;
    scenario.failures.clear();
    if (seed % 2 == 0) scenario.cluster.pools[PoolId(1)].reclaim = ReclaimRule::from_borrowers;
    try_without_each(scenario);
  }
  EXPECT_TRUE(tried_.contains({kubernetes::Verb::create, "/api/v1/pods", "eviction"}));
  EXPECT_GE(tried_.size(), 40U);
}

}  // namespace
}  // namespace lips::virtual_cluster
