#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/cmd/program.h"

namespace lips::cmd_test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

TEST(ExperimentCommand, ListsTheExperiments) {
  const Said said = lips({"experiment", "list"});
  EXPECT_EQ(said.status, 0);
  EXPECT_THAT(said.out, AllOf(HasSubstr("guo-4.2a"), HasSubstr("Guo 4.4")));
  const auto json = nlohmann::json::parse(lips({"experiment", "list", "--format", "json"}).out);
  ASSERT_FALSE(json.empty());
  for (const auto& one : json) EXPECT_TRUE(one.contains("name") && one.contains("summary"));
}

TEST(ExperimentCommand, PrintsPrintedBesideOursWithItsSetting) {
  const Said said = lips({"experiment", "guo-4.2b", "--quick", "--seeds", "15"});
  EXPECT_EQ(said.status, 0);
  EXPECT_THAT(said.out,
              AllOf(HasSubstr("the paper fixes"), HasSubstr("we chose"), HasSubstr("72 %"),
                    HasSubstr("1 experiment, 2 claims: 2 agree, 0 differ, 0 cannot be compared; 2 in other readings")));
}

TEST(ExperimentCommand, WritesTheSameAsJsonAndAsOnePage) {
  const Folder folder;
  const std::string page = folder.file("page.html");
  const Said said = lips({"experiment", "guo-4.2", "--quick", "--seeds", "2", "--format", "json", "--report", page});
  EXPECT_EQ(said.status, 0);
  const auto json = nlohmann::json::parse(said.out);
  ASSERT_EQ(json["experiments"].size(), 3u);
  EXPECT_EQ(json["experiments"][0]["name"], "guo-4.2a");
  for (const auto& experiment : json["experiments"]) {
    EXPECT_FALSE(experiment["claims"].empty());
    EXPECT_FALSE(experiment["charts"][0]["curves"][0]["points"].empty());
    EXPECT_FALSE(experiment["setting"]["chosen"].empty());
  }
  const std::string html = text_of(page);
  EXPECT_THAT(html, AllOf(StartsWith("<!DOCTYPE html>"), HasSubstr("id=\"guo-4.2c\""), HasSubstr("<figure>")));
  EXPECT_THAT(html, AllOf(Not(HasSubstr("<script")), Not(HasSubstr("http://")), Not(HasSubstr("https://"))));
}

TEST(ExperimentCommand, WritesTablesForAPage) {
  const Said said = lips({"experiment", "guo-4.2b", "--quick", "--seeds", "2", "--format", "markdown"});
  EXPECT_EQ(said.status, 0);
  EXPECT_THAT(said.out,
              AllOf(StartsWith("## Guo 4.2b: "), HasSubstr("`lips experiment guo-4.2b`, 2 seeds."),
                    HasSubstr("| test | what | printed | agrees within | ours: mean (seeds: least to greatest) |"),
                    HasSubstr("\n| replicas of a block |"), Not(HasSubstr("1 experiment"))));
}

TEST(ExperimentCommand, GivesTheSameFiguresWithAnyNumberOfThreads) {
  const auto claims = [](const char* threads) {
    const Said said =
        lips({"experiment", "guo-4.3a", "--quick", "--seeds", "3", "--jobs", threads, "--format", "json"});
    return nlohmann::json::parse(said.out)["experiments"][0]["claims"];
  };
  EXPECT_EQ(claims("1"), claims("2"));
}

TEST(ExperimentCommand, NamesWhatItDoesNotKnow) {
  const Said said = lips({"experiment", "guo-4.2q"});
  EXPECT_EQ(said.status, 2);
  EXPECT_THAT(said.err, AllOf(HasSubstr("unknown experiment 'guo-4.2q'"), HasSubstr("did you mean")));
  EXPECT_EQ(lips({"experiment"}).status, 2);
}

TEST(ExperimentCommand, PrintsWhatIsFinishedAfterAnInterrupt) {
  const Said said = lips_interrupted({"experiment", "guo", "--seeds", "2000"}, "guo-4.2a");
  EXPECT_EQ(said.status, 130);
  EXPECT_THAT(said.out, HasSubstr("guo-4.1 (Guo 4.1)"));
  EXPECT_THAT(said.err, HasSubstr("interrupted; no results of: guo-4.2a"));
}

}  // namespace
}  // namespace lips::cmd_test
