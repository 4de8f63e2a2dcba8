#include "experiments/li.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <set>
#include <sstream>
#include <string>

#include "experiments/li_analysis.h"
#include "experiments/li_setup.h"
#include "model/stripe.h"

namespace lips::experiments {
namespace {

std::vector<std::vector<std::string>> rows_of(const std::string& path) {
  std::ifstream file(path);
  std::vector<std::vector<std::string>> rows;
  for (std::string line; std::getline(file, line);) {
    std::istringstream cells(line);
    rows.emplace_back();
    for (std::string cell; std::getline(cells, cell, ',');) rows.back().push_back(cell);
  }
  return rows;
}

TEST(LiAnalysis, AgreesWithThePublishedTableToThePrintedDigit) {
  const char* data = std::getenv("LIPS_DATA");
  const std::string path =
      (data ? std::string(data) : LIPS_SOURCE_DIR "/../shared/data") + "/papers/degraded_first_fig5_analysis.csv";
  const auto rows = rows_of(path);
  if (rows.empty()) GTEST_SKIP() << "no " << path << "; set LIPS_DATA";
  ASSERT_EQ(rows.size(), 13u);
  for (std::size_t i = 1; i < rows.size(); ++i) {
    SCOPED_TRACE("row " + std::to_string(i));
    const auto number = [&](std::size_t column) { return std::stod(rows[i].at(column)); };
    const LiCluster cluster{number(1), number(2), number(3), number(4), number(5),
                            number(6), number(7), number(8), number(9)};
    EXPECT_EQ(fmt::format("{:.4f}", li_normal(cluster)), rows[i].at(10));
    EXPECT_EQ(fmt::format("{:.4f}", li_locality_first(cluster)), rows[i].at(11));
    EXPECT_EQ(fmt::format("{:.4f}", li_degraded_first(cluster)), rows[i].at(12));
    EXPECT_EQ(fmt::format("{:.4f}", li_reduction(cluster)), rows[i].at(13));
  }
}

TEST(LiAnalysis, AgreesWithTheRangesOfTheText) {
  const Result<ExperimentResult> result = li_fig5({});
  ASSERT_TRUE(result);
  for (const Claim& claim : result->claims) EXPECT_TRUE(claim.agrees()) << claim.test << " " << claim.what;
}

TEST(LiSetup, LosesTheNodesThatItSays) {
  for (std::uint32_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    LiShape shape;
    const auto lost = [&](LiFailure failure) {
      shape.failure = failure;
      return li_scenario(shape, seed).failures;
    };
    EXPECT_TRUE(lost(LiFailure::none).empty());
    EXPECT_EQ(lost(LiFailure::one_node).size(), 1u);
    EXPECT_EQ(lost(LiFailure::two_nodes).size(), 2u);
    const simulation::Scenario rack = (shape.failure = LiFailure::rack, li_scenario(shape, seed));
    ASSERT_EQ(rack.failures.size(), 10u);
    std::set<RackId> racks;
    for (const simulation::NodeFailure& failure : rack.failures) racks.insert(rack.cluster.nodes[failure.node].rack);
    EXPECT_EQ(racks.size(), 1u);
  }
}

TEST(LiSetup, RunsEveryTaskOfALostNodeAsADegradedOne) {
  LiShape shape;
  shape.native_blocks = 300;
  const simulation::Scenario scenario = li_scenario(shape, 3);
  double lost = 0;
  for (std::uint32_t i = 0; i < shape.native_blocks; ++i) {
    const Replica& replica = scenario.cluster.blocks[BlockId(i)].replicas.at(0);
    lost += scenario.cluster.stores[replica.store].node == scenario.failures.at(0).node;
  }
  ASSERT_GT(lost, 0);
  for (const char* policy : {"locality-first", "degraded-first-basic", "degraded-first"}) {
    const Result<LiRun> run = li_run(scenario, policy);
    ASSERT_TRUE(run) << run.error().message;
    EXPECT_EQ(run->degraded, lost) << policy;
  }
}

TEST(LiSetup, IsQuickerDegradedFirst) {
  LiShape shape;
  shape.native_blocks = 720;
  double first = 0, enhanced = 0;
  for (std::uint32_t seed = 1; seed <= 5; ++seed) {
    const simulation::Scenario scenario = li_scenario(shape, seed);
    first += li_run(scenario, "locality-first")->seconds;
    enhanced += li_run(scenario, "degraded-first")->seconds;
  }
  EXPECT_LT(enhanced, 0.85 * first);
}

TEST(LiSetup, GivesUnequalNodesTheirSpeeds) {
  LiShape shape;
  shape.slow_nodes = 0.25;
  int slow = 0;
  for (const Node& node : li_scenario(shape, 1).cluster.nodes) slow += node.speed < 1;
  EXPECT_EQ(slow, 10);
}

}  // namespace
}  // namespace lips::experiments
