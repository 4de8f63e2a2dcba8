#include "tests/virtual/drills/drill.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>

#include "kubernetes/adapter/restore_guard.h"
#include "policies/registry/registry.h"
#include "tests/simulation/random_scenario.h"
#include "tests/virtual/elastic_day.h"
#include "virtual/scenario_settings.h"

namespace lips::virtual_cluster::drills {

simulation::Scenario scene(std::uint64_t seed) {
  if (seed % 3 == 0) return elastic_day(seed);
  simulation::Scenario scenario = simulation::tiny::random_scenario(seed);
  scenario.thinking = simulation::Thinking::free;
  scenario.failures.clear();
  if (seed % 2 == 0) scenario.cluster.pools[PoolId(1)].reclaim = ReclaimRule::from_borrowers;
  return scenario;
}

const OperatorState* States::at(TimePoint when) const {
  const OperatorState* last = nullptr;
  for (const Seen& seen : seen_)
    if (seen.at <= when) last = &seen.state;
  return last;
}

std::string States::words() const {
  std::string text;
  for (const Seen& seen : seen_)
    text += std::to_string(to_seconds(seen.at - scenario_day)) + " s: " + seen.state.words() + '\n';
  return text;
}

std::optional<int> confirm_restore(VirtualKubernetes& cluster, const States& states) {
  const std::string& why = states.seen().back().state.why;
  const std::string mark = std::string(kubernetes::restore_checked_annotation) + '=';
  const std::size_t at = why.rfind(mark);
  if (at == std::string::npos) return std::nullopt;
  kubernetes::ApiRequest request;
  request.verb = kubernetes::Verb::patch;
  request.path = std::string("/api/v1/namespaces/") + operator_name_space + "/configmaps/" + memory_name;
  request.content_type = kubernetes::merge_patch;
  request.body =
      Json{{"metadata", {{"annotations", {{kubernetes::restore_checked_annotation, why.substr(at + mark.size())}}}}}}
          .dump();
  return cluster.server().handle(request, ApiServer::Caller::controller).code;
}

Outcome run_drill(const simulation::Scenario& scenario, ThroughOptions options, Audit& audit) {
  const auto policy = *make_policy("lips", scenario.settings);
  Outcome outcome;
  options.at_start = [&audit, more = std::move(options.at_start)](VirtualKubernetes& cluster) {
    audit.watch(cluster);
    if (more) more(cluster);
  };
  options.at_end = [&outcome, more = std::move(options.at_end)](VirtualKubernetes& cluster) {
    if (more) more(cluster);
    outcome.wrong = cluster.wrong();
    outcome.ended = cluster.loop().now();
  };
  Result<simulation::RunResult> run = run_through_kubernetes(scenario, *policy, "lips", options);
  EXPECT_TRUE(run) << run.error().message;
  if (run) outcome.run = *std::move(run);
  return outcome;
}

simulation::RunResult undisturbed(const simulation::Scenario& scenario) {
  Audit audit;
  Outcome outcome = run_drill(scenario, {}, audit);
  EXPECT_THAT(outcome.wrong, testing::IsEmpty());
  EXPECT_EQ(outcome.run.jobs_finished, outcome.run.jobs);
  return std::move(outcome.run);
}

void expect_promises(const simulation::RunResult& usual, const Outcome& outcome, const Audit& audit,
                     const Bounds& bounds) {
  EXPECT_THAT(outcome.wrong, testing::IsEmpty());
  EXPECT_EQ(outcome.run.jobs_finished, usual.jobs);
  EXPECT_THAT(audit.bound_twice(), testing::IsEmpty());
  const Audit::Busiest busiest = audit.busiest();
  EXPECT_LE(busiest.writes, bounds.writes_in_a_minute) << busiest.what;
  EXPECT_LE(outcome.run.bill.total().value(), bounds.dollars * usual.bill.total().value());
}

}  // namespace lips::virtual_cluster::drills
