#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <sstream>

#include "tests/cmd/program.h"

namespace lips::cmd_test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

TEST(Usage, HelpNamesEveryCommandAndTheExitStatuses) {
  for (const char* word : {"--help", "-h", "help"}) {
    const Said said = lips({word});
    EXPECT_EQ(said.status, 0);
    EXPECT_EQ(said.err, "");
    EXPECT_THAT(said.out, AllOf(HasSubstr("simulate"), HasSubstr("tune"), HasSubstr("plan"), HasSubstr("generate"),
                                HasSubstr("policies"), HasSubstr("Examples:"), HasSubstr("130 after Ctrl-C")));
  }
}

const std::vector<std::vector<std::string>> commands{{"operator"},
                                                     {"simulate"},
                                                     {"tune"},
                                                     {"plan"},
                                                     {"replay"},
                                                     {"record", "cut"},
                                                     {"record", "scenario"},
                                                     {"twin"},
                                                     {"generate", "snapshot"},
                                                     {"generate", "scenario"},
                                                     {"policies"},
                                                     {"explain", "move"},
                                                     {"experiment"},
                                                     {"status"},
                                                     {"why"},
                                                     {"what-if"},
                                                     {"plans"},
                                                     {"data"},
                                                     {"moves"},
                                                     {"ledger"},
                                                     {"report"},
                                                     {"completion"},
                                                     {"encode"},
                                                     {"decode"}};

std::string help_of(std::vector<std::string> words) {
  words.emplace_back("--help");
  const Said said = lips(words);
  EXPECT_EQ(said.status, 0) << words[0];
  return said.out;
}

TEST(Usage, EachCommandExplainsItsOptionsWithExamples) {
  for (const std::vector<std::string>& words : commands)
    EXPECT_THAT(help_of(words), AllOf(HasSubstr("Usage: lips " + words[0]), HasSubstr("--"), HasSubstr("Examples:")));
  EXPECT_EQ(lips({"help", "plan"}).out, lips({"plan", "--help"}).out);
  EXPECT_EQ(lips({"generate", "--help"}).status, 0);
}

TEST(Usage, LinesOfHelpFitATerminal) {
  for (const std::vector<std::string>& words : commands) {
    std::istringstream lines(help_of(words));
    for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 120U) << line;
  }
}

TEST(Usage, VersionSaysWhatItIsBuiltFrom) {
  const Said said = lips({"--version"});
  EXPECT_EQ(said.status, 0);
  EXPECT_THAT(said.out, AllOf(StartsWith("lips 0."), HasSubstr("CLP 1.")));
}

TEST(Usage, WithoutACommandItShowsTheOverviewOnStderr) {
  const Said said = lips({});
  EXPECT_EQ(said.status, 2);
  EXPECT_EQ(said.out, "");
  EXPECT_THAT(said.err, AllOf(StartsWith("lips: expected a command"), HasSubstr("Usage:")));
}

struct Wrong {
  std::vector<std::string> words;
  std::string said;
};

TEST(Usage, WhatIsWrongIsNamedAndTheStatusIs2) {
  const std::vector<Wrong> all{
      {{"simulat"}, "did you mean 'simulate'?"},
      {{"simulate"}, "expected FILE"},
      {{"simulate", "quickstart", "--polcy", "lips"}, "--polcy: unknown option; did you mean '--policy'?"},
      {{"simulate", "quickstart", "--policy", "lisp"}, "unknown policy 'lisp'; did you mean 'lips'?"},
      {{"simulate", "quickstart", "--policy"}, "--policy: expected A,B,..., found nothing"},
      {{"simulate", "quickstart", "--policy", "lips", "--baseline", "fifo"},
       "--baseline: expected one of the policies that run, found 'fifo'"},
      {{"simulate", "quickstart", "--format", "xml"}, "--format: expected text or json, found 'xml'"},
      {{"simulate", "quickstart", "--seed", "-1"},
       "--seed: expected a whole number from 0 to 9223372036854775807, found '-1'"},
      {{"simulate", "quickstart", "--jobs", "0"}, "--jobs: expected a whole number from 1 to 100000000, found '0'"},
      {{"simulate", "quickstart", "--epochs", "soon"}, "(seconds) or 200s,10m, found 'soon'"},
      {{"simulate", "quickstart", "--no-progress=yes"}, "--no-progress: expected no value, found 'yes'"},
      {{"simulate", "quickstart", "--set", "lod=1"}, "lod"},
      {{"simulate", "quickstart", "--set", "load"}, "--set: expected KEY=VALUE, found 'load'"},
      {{"simulate", "quickstart", "another"}, "unexpected 'another': expected a single FILE"},
      {{"simulate", "no-such-scenario"}, "no-such-scenario"},
      {{"plan"}, "expected FILE"},
      {{"plan", "/no/such/file"}, "/no/such/file"},
      {{"plan", "/no/such/file", "--buckets", "--horizon", "60s"}, "--buckets and --horizon"},
      {{"plan", "/no/such/file", "--horizon", "0"}, "600s, 10m or 1h30m, found '0'"},
      {{"plan", "/no/such/file", "--set", "waitingPric=2"}, "did you mean 'waitingPrice'?"},
      {{"generate"}, "expected snapshot or scenario"},
      {{"generate", "snapsht"}, "did you mean 'snapshot'?"},
      {{"generate", "snapshot", "--nodes", "0"}, "--nodes: expected a whole number from 1 to 1000000, found '0'"},
      {{"generate", "snapshot", "--nodes", "1000001"}, "--nodes: expected a whole number from 1 to 1000000"},
      {{"generate", "snapshot", "--zones", "65"}, "--zones: expected a whole number from 1 to 64, found '65'"},
      {{"generate", "snapshot", "--tasks", "10000000"}, "--tasks: expected at most 6666666 with --replicas 3"},
      {{"generate", "snapshot", "--tasks", "10000001"}, "--tasks: expected a whole number from 0 to 10000000"},
      {{"generate", "snapshot", "--jobs", "1000001"}, "--jobs: expected a whole number from 0 to 1000000"},
      {{"generate", "snapshot", "--classes", "10001"}, "--classes: expected a whole number from 0 to 10000"},
      {{"generate", "snapshot", "--racks", "1001"}, "--racks: expected a whole number from 1 to 1000"},
      {{"generate", "snapshot", "--pools", "1001"}, "--pools: expected a whole number from 1 to 1000"},
      {{"generate", "snapshot", "--replicas", "101"}, "--replicas: expected a whole number from 1 to 100"},
      {{"generate", "snapshot", "--zones-per-block", "65"}, "--zones-per-block: expected a whole number from 1 to 64"},
      {{"generate", "snapshot", "--load", "1e300"}, "--load: expected a number from 0 to 100, found 1e+300"},
      {{"generate", "snapshot", "--skew", "101"}, "--skew: expected a number from 0 to 100, found 101"},
      {{"generate", "scenario", "--nodes", "1000001"}, "--nodes: expected a whole number from 1 to 1000000"},
      {{"generate", "scenario", "--jobs", "200001"}, "--jobs: expected a whole number from 1 to 200000"},
      {{"generate", "scenario", "--pools", "1001"}, "--pools: expected a whole number from 1 to 1000"},
      {{"generate", "scenario", "--nodes", "4", "--zones", "5"}, "--zones: expected at most as many as nodes, found 5"},
      {{"generate", "scenario", "--most-tasks", "10000001"},
       "--most-tasks: expected a whole number from 0 to 10000000"},
      {{"generate", "scenario", "--gpus", "1.5"}, "--gpus: expected a share from 0 to 1, found 1.5"},
      {{"generate", "scenario", "--nodes", "6", "--gpus", "0.5"},
       "--gpus: expected more nodes than --instance-types, so that some can have GPUs, found 6 nodes of 6 types"},
      {{"generate", "snapshot", "--sharing", "1.5"}, "--sharing: expected a share from 0 to 1, found 1.5"},
      {{"generate", "snapshot", "--load", "nan"}, "--load: expected a number of at least 0, found 'nan'"},
      {{"generate", "scenario", "--policy", "lisp"}, "did you mean 'lips'?"},
      {{"policies", "lips"}, "unexpected 'lips': expected options only"},
  };
  for (const Wrong& wrong : all) {
    const Said said = lips(wrong.words);
    EXPECT_EQ(said.status, 2) << testing::PrintToString(wrong.words);
    EXPECT_EQ(said.out, "") << testing::PrintToString(wrong.words);
    EXPECT_THAT(said.err, AllOf(StartsWith("lips: "), HasSubstr(wrong.said), Not(HasSubstr("lips: lips: "))));
  }
}

TEST(Usage, ErrorsInAFileNameFileLineAndField) {
  const Folder folder;
  write(folder.file("broken.yaml"),
        "name: broken\nzones: [a]\nnodes:\n  - {name: n, count: many, instanceType: m7g.xlarge}\n");
  const Said said = lips({"simulate", folder.file("broken.yaml")});
  EXPECT_EQ(said.status, 2);
  EXPECT_THAT(said.err, AllOf(StartsWith("lips: " + folder.file("broken.yaml") + ":4: "), HasSubstr("count"),
                              HasSubstr("found")));
}

TEST(Usage, OutputThatCannotBeWrittenIsAFailure) {
  const Folder folder;
  const Said said =
      lips({"simulate", "quickstart", "--policy", "fifo", "--report", folder.file("no/such/folder.html")});
  EXPECT_NE(said.status, 0);
  EXPECT_THAT(said.err, HasSubstr("no/such/folder.html"));
}

TEST(Usage, AFolderInTheWayOfAFileIsAFailureAndNothingIsLeft) {
  const Folder folder;
  std::filesystem::create_directory(folder.file("inner"));
  const Said said = lips({"simulate", "quickstart", "--policy", "fifo", "--report", folder.file("inner")});
  EXPECT_EQ(said.status, 1);
  EXPECT_THAT(said.err, HasSubstr("inner: cannot be written: it is a folder"));
  EXPECT_FALSE(std::filesystem::exists(folder.file("inner.unfinished")));
  EXPECT_EQ(lips({"simulate", "quickstart", "--policy", "fifo", "--report", folder.file("no/page.html")}).status, 1);
  EXPECT_EQ(lips({"generate", "snapshot", "--output", folder.file("no/x.json")}).status, 1);
}

TEST(Usage, NamesFromFilesDoNotSteerTheTerminal) {
  const Folder folder;
  const std::string scenario =
      "zones: [a]\nnodes: [{name: n, count: 1, cores: 2, pricePerHour: 0.1}]\n"
      "description: \"red \\e[31m and \\u202e turned\"\njobs: [{name: j, tasks: 1, cpuPerTask: 5}]\n";
  write(folder.file("s.yaml"), scenario);
  for (const char* format : {"text", "json"}) {
    const Said said = lips({"simulate", folder.file("s.yaml"), "--policy", "fifo", "--format", format});
    EXPECT_EQ(said.status, 0) << said.err;
    EXPECT_THAT(said.out, HasSubstr("red \\u001b[31m and \\u202e turned")) << format;
    EXPECT_THAT(said.out, testing::Not(HasSubstr("\x1b"))) << format;
  }
  write(folder.file("e.yaml"), "\"\\e[2J\": 1\n");
  EXPECT_THAT(lips({"simulate", folder.file("e.yaml")}).err, HasSubstr("\\u001b[2J: found an unknown field"));
}

TEST(Usage, PoliciesListsNamesWithASentence) {
  const Said said = lips({"policies"});
  EXPECT_EQ(said.status, 0);
  for (const char* name : {"lips ", "lips-paper ", "delay ", "hadoop-default ", "fifo "})
    EXPECT_THAT("\n" + said.out, HasSubstr(std::string("\n") + name));
}

}  // namespace
}  // namespace lips::cmd_test
