#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "tests/cmd/program.h"

namespace lips::cmd_test {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;

class PlanCommand : public testing::Test {
 protected:
  PlanCommand() : snapshot_(folder_.file("cluster.json.gz")) {
    const Said said = lips({"generate", "snapshot", "--nodes", "20", "--tasks", "300", "--zones", "2", "--seed", "5",
                            "--output", snapshot_});
    EXPECT_EQ(said.status, 0) << said.err;
  }
  Said plan(std::vector<std::string> words = {}) const {
    words.insert(words.begin(), {"plan", snapshot_});
    return lips(words);
  }
  json plan_json(std::vector<std::string> words = {}) const {
    words.insert(words.end(), {"--format", "json"});
    const Said said = plan(words);
    EXPECT_EQ(said.status, 0) << said.err;
    return json::parse(said.out);
  }

  Folder folder_;
  std::string snapshot_;
};

TEST_F(PlanCommand, JsonHasEveryFieldOfTheContract) {
  const json plan = plan_json();
  for (const char* field : {"policy",  "version",  "cost",         "lowerBound",       "gap",      "form",
                            "seconds", "nodes",    "pending",      "assigned",         "deferred", "moves",
                            "drops",   "dollars",  "stages",       "groups",           "classes",  "rows",
                            "columns", "fellBack", "shadowPrices", "deferredByReason", "billing", "loss", "terms"})
    EXPECT_TRUE(plan.contains(field)) << field;
  EXPECT_EQ(plan["policy"], "lips");
  EXPECT_EQ(plan["billing"], "use");
  EXPECT_EQ(plan["pending"], 300);
  EXPECT_EQ(plan["assigned"].get<int>() + plan["deferred"].get<int>(), 300);
  int waiting = 0;
  for (const auto& [reason, count] : plan["deferredByReason"].items()) waiting += count.get<int>();
  EXPECT_EQ(waiting, plan["deferred"].get<int>());
  const json& dollars = plan["dollars"];
  double sum = 0;
  for (const char* term : {"cpu", "transfer", "shuffle", "moves", "storage"}) sum += dollars.at(term).get<double>();
  EXPECT_NEAR(sum, dollars["total"].get<double>(), 1e-9);
  EXPECT_GT(sum, 0);
}

TEST_F(PlanCommand, NoPlanCostsLessThanItsLowerBound) {
  const json plan = plan_json();
  EXPECT_GE(plan["cost"].get<double>(), plan["lowerBound"].get<double>() * (1 - 1e-9));
  EXPECT_NEAR(plan["gap"].get<double>(), plan["cost"].get<double>() / plan["lowerBound"].get<double>() - 1, 1e-9);
}

TEST_F(PlanCommand, PlansAsAnOperatorDoesUnlessItIsGivenAHorizon) {
  const json as_operator = plan_json();
  EXPECT_GT(plan_json({"--horizon", "600s"})["assigned"].get<int>(), as_operator["assigned"].get<int>());
  json older = plan_json({"--buckets", "--set", "billing=invoice"});
  for (const char* field : {"cost", "assigned", "loss", "terms"}) EXPECT_EQ(older[field], as_operator[field]) << field;
}

TEST_F(PlanCommand, APolicyWithoutALinearProgramHasNoBound) {
  const json plan = plan_json({"--policy", "greedy-cheapest"});
  EXPECT_TRUE(plan["lowerBound"].is_null());
  EXPECT_TRUE(plan["gap"].is_null());
  EXPECT_GT(plan["assigned"].get<int>(), 0);
}

TEST_F(PlanCommand, PoliciesThatWaitForHeartbeatsHearFromEveryNode) {
  for (const char* policy : {"hadoop-default", "delay", "fifo"})
    EXPECT_GT(plan_json({"--policy", policy})["assigned"].get<int>(), 0) << policy;
}

TEST_F(PlanCommand, TextSaysCostBoundStagesAndWhatWaits) {
  const Said said = plan({"--buckets"});
  EXPECT_EQ(said.status, 0);
  EXPECT_THAT(said.out, AllOf(HasSubstr("20 nodes, 300 pending tasks"), HasSubstr("certified lower bound"),
                              HasSubstr("form "), HasSubstr("total"), HasSubstr("decided in"), HasSubstr("wait: ")));
}

TEST_F(PlanCommand, EqualSeedsGiveEqualPlans) {
  const auto written = [&](const char* name) {
    EXPECT_EQ(plan({"--output", folder_.file(name)}).status, 0);
    return text_of(folder_.file(name));
  };
  const std::string first = written("a.json");
  EXPECT_EQ(first, written("b.json"));
  const json plan = json::parse(first);
  const json summary = plan_json();
  EXPECT_EQ(plan["assignments"].size(), summary["assigned"].get<std::size_t>());
  EXPECT_EQ(plan["moves"].size(), summary["moves"].get<std::size_t>());
  std::set<std::pair<std::string, int>> tasks;
  for (const json& one : plan["assignments"]) tasks.emplace(one.at("job"), one.at("task"));
  EXPECT_EQ(tasks.size(), plan["assignments"].size());
  EXPECT_TRUE(plan["assignments"][0].contains("readFrom"));
}

// Files that ended the program with a signal, or never: see tests/records/hostile_records_test.cpp.
TEST_F(PlanCommand, HostileFilesEndWithASentenceAndStatusTwo) {
  std::ofstream(folder_.file("huge.json")) << R"({"format":1e999})";
  std::ofstream(folder_.file("many.json"))
      << R"({"format":"lips-snapshot","version":1,"now":0,"zones":["a"],"racks":{"name":{"runs":[[100000000,"x"]]},"zone":0}})";
  std::vector<std::vector<std::string>> commands{{"plan", folder_.file("huge.json")},
                                                 {"plan", folder_.file("many.json")}};
  commands.push_back({"explain", "move", folder_.file("huge.json"), "--job", "j"});
  for (const auto& entry : std::filesystem::directory_iterator(LIPS_SOURCE_DIR "/tests/records/hostile"))
    commands.push_back({"replay", entry.path().string()});
  ASSERT_GE(commands.size(), 8u);
  for (const std::vector<std::string>& words : commands) {
    const Said said = lips(words);
    EXPECT_EQ(said.status, 2) << testing::PrintToString(words);
    EXPECT_THAT(said.err, HasSubstr("found")) << testing::PrintToString(words);
    EXPECT_THAT(said.err, testing::Not(HasSubstr("exception"))) << testing::PrintToString(words);
  }
}

TEST_F(PlanCommand, AnotherSeedGivesAnotherSnapshotAndTheSameSeedTheSame) {
  const auto snapshot = [](const char* seed) {
    return lips({"generate", "snapshot", "--nodes", "5", "--tasks", "20", "--seed", seed}).out;
  };
  EXPECT_EQ(snapshot("1"), snapshot("1"));
  EXPECT_NE(snapshot("1"), snapshot("2"));
}

TEST_F(PlanCommand, EveryShapeThatGenerateOffersCanBePlanned) {
  const std::vector<std::vector<std::string>> shapes{{"--memory", "--selectors", "0.5"},
                                                     {"--sharing", "0.5"},
                                                     {"--shuffle", "0.5", "--busy", "0.5"},
                                                     {"--without-input", "1"},
                                                     {"--nothing-fits"},
                                                     {"--free-of-charge"},
                                                     {"--equal-prices"},
                                                     {"--uneven-transfer", "--skew", "1"},
                                                     {"--tasks", "0"}};
  for (const std::vector<std::string>& shape : shapes) {
    std::vector<std::string> words{"generate", "snapshot", "--nodes",  "10",
                                   "--tasks",  "60",       "--output", folder_.file("shape.json")};
    words.insert(words.end(), shape.begin(), shape.end());
    ASSERT_EQ(lips(words).status, 0) << testing::PrintToString(shape);
    for (const char* policy : {"lips", "lips-paper"}) {
      const Said said = lips({"plan", folder_.file("shape.json"), "--policy", policy, "--format", "json"});
      EXPECT_EQ(said.status, 0) << testing::PrintToString(shape) << said.err;
      EXPECT_TRUE(json::accept(said.out)) << testing::PrintToString(shape);
    }
  }
}

TEST_F(PlanCommand, ExportsTheLinearProgramOfPoliciesThatHaveOne) {
  EXPECT_EQ(plan({"--export-mps", folder_.file("program.mps")}).status, 0);
  EXPECT_THAT(text_of(folder_.file("program.mps")),
              AllOf(HasSubstr("ROWS"), HasSubstr("COLUMNS"), HasSubstr("ENDATA")));
  const Said refused = plan({"--policy", "fifo", "--export-mps", folder_.file("none.mps")});
  EXPECT_EQ(refused.status, 2);
  EXPECT_THAT(refused.err, HasSubstr("solves no linear program"));
}

TEST_F(PlanCommand, ACutOffSnapshotIsBadInput) {
  write(folder_.file("cut.json"), lips({"generate", "snapshot", "--nodes", "5", "--tasks", "20"}).out.substr(0, 500));
  const Said said = lips({"plan", folder_.file("cut.json")});
  EXPECT_EQ(said.status, 2);
  EXPECT_THAT(said.err, HasSubstr("cut.json"));
}

}  // namespace
}  // namespace lips::cmd_test
