// A server whose definitions are not the operator's: each kind is missing in turn, and each field that the operator
// writes into a custom resource is dropped in turn.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "kubernetes/adapter/watch_book.h"
#include "tests/simulation/random_scenario.h"
#include "tests/virtual/drills/drill.h"
#include "tests/virtual/elastic_day.h"

namespace lips::virtual_cluster::drills {
namespace {

constexpr const char* custom = "/apis/lips.dev/v1alpha1/";

// Nothing starts without these, or nothing that reads data.
bool is_needed(const std::string& collection) {
  static const std::set<std::string> needed{"/api/v1/nodes", "/api/v1/pods", "/apis/batch/v1/jobs",
                                            "/apis/lips.dev/v1alpha1/datasets", "/apis/lips.dev/v1alpha1/datastores"};
  return needed.contains(collection);
}

simulation::Scenario short_scene(std::uint64_t seed) {
  simulation::Scenario scenario = scene(seed);
  if (scenario.jobs.size() > 6) scenario.jobs.resize(6);
  return scenario;
}

// Reads of it, as the operator asks.
std::set<std::string> read_by_operator(const simulation::Scenario& scenario) {
  std::set<std::string> collections;
  Audit audit;
  ThroughOptions options;
  options.at_start = [&](VirtualKubernetes& cluster) {
    cluster.server().authorize_by([&](const ApiServer::Access& access) {
      if (access.verb == kubernetes::Verb::list) collections.insert(access.collection);
      return true;
    });
  };
  run_drill(scenario, std::move(options), audit);
  return collections;
}

bool names(const States& states, const std::string& collection) {
  if (states.seen().empty()) return false;
  const OperatorState& last = states.seen().back().state;
  const std::string kind = kubernetes::kind_of_path(collection);
  return last.words().find(kind.substr(0, kind.find('.'))) != std::string::npos;
}

void without_kind(const simulation::Scenario& scenario, const std::string& collection,
                  const simulation::RunResult& usual, bool read) {
  SCOPED_TRACE("without " + collection);
  States states;
  Audit audit;
  ThroughOptions options;
  options.adapter = &states;
  VirtualKubernetes* there = nullptr;
  options.at_start = [&](VirtualKubernetes& cluster) {
    there = &cluster;
    states.use(cluster.loop());
    cluster.server().hide(collection);
  };
  options.stop = [&] { return there->loop().now() - start_of(scenario) > std::chrono::hours(2); };
  const Outcome outcome = run_drill(scenario, std::move(options), audit);
  EXPECT_THAT(outcome.wrong, testing::IsEmpty());
  EXPECT_LE(audit.busiest().writes, 30U) << audit.busiest().what;
  EXPECT_LE(audit.repeated().size(), 2U) << testing::PrintToString(audit.repeated());
  if (!is_needed(collection)) {
    EXPECT_EQ(outcome.run.jobs_finished, usual.jobs);
  }
  if (read) {
    EXPECT_TRUE(names(states, collection)) << states.words();
  }
}

TEST(SkewDrill, AKindThatIsMissingIsNamedAndTheRestGoesOn) {
  for (const std::uint64_t seed : {1, 3}) {
    const simulation::Scenario scenario = short_scene(seed);
    const simulation::RunResult usual = undisturbed(scenario);
    const std::set<std::string> read = read_by_operator(scenario);
    std::vector<std::string> all;
    ThroughOptions look;
    look.at_start = [&](VirtualKubernetes& cluster) { all = cluster.server().objects().served(); };
    look.stop = [] { return true; };
    Audit nobody;
    run_drill(scenario, std::move(look), nobody);
    EXPECT_GE(all.size(), 20U);
    for (const std::string& collection : all) {
      SCOPED_TRACE("seed " + std::to_string(seed));
      without_kind(scenario, collection, usual, read.contains(collection));
    }
  }
}

// Collection, status or spec, and the name of the field.
using Field = std::tuple<std::string, std::string, std::string>;

std::set<Field> written_fields(const Audit& audit) {
  std::set<Field> fields;
  for (const Write& write : audit.writes()) {
    const auto path = parse_api_path(write.path);
    const Json body = Json::parse(write.body, nullptr, false);
    if (!path || !path->collection().starts_with(custom) || !body.is_object()) continue;
    for (const char* part : {"status", "spec"})
      if (body.contains(part) && body[part].is_object())
        for (const auto& [name, value] : body[part].items()) fields.insert({path->collection(), part, name});
  }
  return fields;
}

// Said nowhere else: where the replicas are. Pods that read the data wait.
bool is_where_data_is(const Field& field) { return std::get<1>(field) == "status" && std::get<2>(field) == "replicas"; }

// Said nowhere else: how far a move has come. Nobody waits for it any more when it gets no further.
bool is_of_moves(const Field& field) {
  return std::get<0>(field) == std::string(custom) + "datamoves" && std::get<1>(field) == "status";
}

TEST(SkewDrill, AFieldThatTheServerDropsIsNotWrittenAgainAndAgain) {
  std::map<Field, int> tried;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const simulation::Scenario scenario = short_scene(seed);
    Audit usual_writes;
    const Outcome usual = run_drill(scenario, {}, usual_writes);
    for (const Field& field : written_fields(usual_writes)) {
      if (tried[field]++ >= 2) continue;
      const auto& [collection, part, name] = field;
      SCOPED_TRACE("seed " + std::to_string(seed) + ": " + collection + ' ' + part + '.' + name);
      Audit audit;
      ThroughOptions options;
      VirtualKubernetes* there = nullptr;
      options.at_start = [&](VirtualKubernetes& cluster) {
        there = &cluster;
        cluster.server().prune_by([&](const std::string& of, Json& object) {
          if (of == std::get<0>(field) && object.contains(std::get<1>(field)))
            object[std::get<1>(field)].erase(std::get<2>(field));
        });
      };
      options.stop = [&] { return there->loop().now() - start_of(scenario) > std::chrono::hours(2); };
      const Outcome outcome = run_drill(scenario, std::move(options), audit);
      if (is_where_data_is(field) || is_of_moves(field)) {
        EXPECT_THAT(outcome.wrong, testing::IsEmpty());
        EXPECT_LE(audit.busiest().writes, 120U) << audit.busiest().what;
        if (is_of_moves(field)) {
          EXPECT_EQ(outcome.run.jobs_finished, usual.run.jobs);
        }
        continue;
      }
      expect_promises(usual.run, outcome, audit, {2});
      EXPECT_LE(audit.without_events(), 2 * usual_writes.without_events() + 20);
    }
  }
  EXPECT_GE(tried.size(), 10U);
}

}  // namespace
}  // namespace lips::virtual_cluster::drills
