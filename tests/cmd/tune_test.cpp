#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <nlohmann/json.hpp>

#include "base/random.h"
#include "records/epoch_journal.h"
#include "records/journal_reader.h"
#include "tests/cmd/program.h"

namespace lips::cmd_test {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

json tuned(std::vector<std::string> words) {
  words.insert(words.begin(), "tune");
  return lips_json(std::move(words));
}

double mean_completion(const json& point) { return point["completionSeconds"]["mean"]; }
double mean_wait(const json& point) { return point["meanWaitSeconds"]; }
double dollars(const json& point) { return point["dollars"]; }

// A cluster that is full for a while, whose dear nodes pay only for those in a hurry. By use, so that prices differ.
const std::string cluster =
    "name: small\nzones: [a]\nbilling: use\nnodes:\n"
    "  - {name: cheap, count: 2, cores: 4, pricePerHour: 0.1}\n  - {name: dear, count: 2, cores: 4, pricePerHour: "
    "0.4}\n";
const std::string jobs =
    "jobs:\n"
    "  - {name: first, tasks: 60, cpuPerTask: 600}\n  - {name: second, tasks: 20, cpuPerTask: 900, arrival: 2m}\n"
    "  - {name: third, tasks: 30, cpuPerTask: 300, cores: 2, arrival: 5m}\n"
    "  - {name: small, tasks: 1, cpuPerTask: 20, arrival: 6m}\n";
const std::string table =
    "name,arrival,tasks,cpuPerTask,cores\n"
    "second,1790000120,20,900,\nfirst,1790000000,60,600,\nthird,1790000300,30,300,2\nsmall,1790000360,1,20,\n";

class Tune : public testing::Test {
 protected:
  Tune()
      : scenario_(folder_.file("day.yaml")), cluster_(folder_.file("cluster.yaml")), table_(folder_.file("jobs.csv")) {
    write(scenario_, cluster + jobs);
    write(cluster_, cluster);
    write(table_, table);
  }
  Folder folder_;
  const std::string scenario_, cluster_, table_;
};

TEST_F(Tune, JsonHasEveryFieldOfTheContract) {
  const json result = tuned({scenario_, "--prices", "0.5,2"});
  for (const char* field : {"name", "description", "kind", "version", "seed", "nodes", "jobs", "billing", "present",
                            "points", "recommended", "assumptions"})
    EXPECT_TRUE(result.contains(field)) << field;
  EXPECT_EQ(result["kind"], "scenario");
  EXPECT_EQ(result["nodes"], 4);
  EXPECT_EQ(result["jobs"], 4);
  ASSERT_EQ(result["points"].size(), 3u) << "the present price is added";
  EXPECT_EQ(result["points"][1]["waitingPrice"], 1);
  for (const json& point : result["points"]) {
    EXPECT_EQ(point["present"], point["waitingPrice"] == 1);
    EXPECT_TRUE(point["finished"].get<bool>());
    EXPECT_TRUE(point["with"].is_null());
    EXPECT_EQ(point["dollars"], point["byUse"]);
    for (const char* figure : {"mean", "p50", "p95", "max"}) EXPECT_GT(point["completionSeconds"][figure], 0) << figure;
    EXPECT_GT(mean_wait(point), 0);
    EXPECT_GT(point["invoice"], 0);
  }
  double longest = 0;
  for (const json& point : result["points"]) longest = std::max(longest, point["makespanSeconds"].get<double>());
  for (const json& point : result["points"])
    EXPECT_NEAR(point["dollarsPerDay"].get<double>(), dollars(point) * 86400 / longest, 1e-9);
  for (const char* field : {"waitingPrice", "with", "rule", "held", "why", "settings"})
    EXPECT_TRUE(result["recommended"].contains(field)) << field;
}

TEST_F(Tune, EachPointIsTheRunOfThatPrice) {
  const json result = tuned({scenario_, "--prices", "0.25,4"});
  for (const json& point : result["points"]) {
    const Said said = lips({"simulate", scenario_, "--policy", "lips", "--format", "json", "--set",
                            "settings.waitingPrice=" + point["waitingPrice"].dump()});
    const json run = json::parse(said.out)["runs"][0];
    EXPECT_EQ(dollars(point), run["dollars"]["total"]);
    EXPECT_EQ(point["invoice"], run["invoice"]["total"]);
    EXPECT_EQ(point["completionSeconds"], run["completionSeconds"]);
    EXPECT_EQ(point["makespanSeconds"], run["makespanSeconds"]);
  }
  EXPECT_LT(dollars(result["points"][0]), dollars(result["points"][2])) << "or the prices could not be told apart";
  EXPECT_GT(mean_wait(result["points"][0]), mean_wait(result["points"][2]));
}

TEST_F(Tune, MarksAPointThatAnotherBeatsInEveryWay) {
  const json result = tuned({"quickstart", "--prices", "0.1,0.25,0.5,2,4,8,16"});
  int dominated = 0;
  for (const json& point : result["points"]) {
    bool beaten = false;
    for (const json& other : result["points"]) {
      const bool no_worse = dollars(other) <= dollars(point) && mean_wait(other) <= mean_wait(point) &&
                            mean_completion(other) <= mean_completion(point);
      const bool better = dollars(other) < dollars(point) || mean_wait(other) < mean_wait(point) ||
                          mean_completion(other) < mean_completion(point);
      beaten |= no_worse && better;
    }
    EXPECT_EQ(point["dominated"], beaten) << point;
    dominated += beaten;
  }
  EXPECT_GT(dominated, 0) << "or the test shows nothing";
  EXPECT_LT(dominated, static_cast<int>(result["points"].size()));
}

// The point whose figure is least; the first of several.
template <class Figure>
json least(const json& result, Figure figure) {
  json best;
  double least = std::numeric_limits<double>::infinity();
  for (const json& point : result["points"])
    if (const double value = figure(point); !point["dominated"].get<bool>() && value < least)
      least = value, best = point["waitingPrice"];
  return best;
}

TEST_F(Tune, RecommendsTheKneeUnlessItIsToldWhatAWaitIsWorth) {
  const json result = tuned({scenario_});
  double least_dollars = 1e9, most_dollars = 0, least_wait = 1e9, most_wait = 0;
  for (const json& point : result["points"]) {
    if (point["dominated"].get<bool>()) continue;
    least_dollars = std::min(least_dollars, dollars(point)), most_dollars = std::max(most_dollars, dollars(point));
    least_wait = std::min(least_wait, mean_wait(point)), most_wait = std::max(most_wait, mean_wait(point));
  }
  ASSERT_LT(least_wait, most_wait);
  EXPECT_EQ(result["recommended"]["rule"], "knee");
  EXPECT_EQ(result["recommended"]["waitingPrice"], least(result, [&](const json& point) {
              return (dollars(point) - least_dollars) / (most_dollars - least_dollars) +
                     (mean_wait(point) - least_wait) / (most_wait - least_wait);
            }));
}

TEST_F(Tune, LeavesThePriceAsItIsWhereNothingDependsOnIt) {
  write(folder_.file("one.yaml"),
        cluster + "settings: {waitingPrice: 4}\njobs: [{name: one, tasks: 1, cpuPerTask: 60}]\n");
  const json result = tuned({folder_.file("one.yaml")});
  EXPECT_EQ(result["present"], 4);
  EXPECT_EQ(result["recommended"]["waitingPrice"], 4);
  for (const json& point : result["points"]) EXPECT_FALSE(point["dominated"].get<bool>());
}

TEST_F(Tune, ChargesEachHourOfAJobOnRequest) {
  for (const double hour : {0.01, 0.5, 50.0}) {
    const json result = tuned({scenario_, "--hour", std::to_string(hour)});
    EXPECT_EQ(result["recommended"]["rule"], "hour");
    EXPECT_EQ(result["recommended"]["waitingPrice"], least(result, [&](const json& point) {
                return dollars(point) + hour * result["jobs"].get<double>() * mean_completion(point) / 3600;
              }));
  }
  const json cheap = tuned({scenario_, "--hour", "0.000001"}), quick = tuned({scenario_, "--hour", "1000000"});
  EXPECT_LT(cheap["recommended"]["waitingPrice"], quick["recommended"]["waitingPrice"]);
}

TEST_F(Tune, HoldsAMeanWaitOrABudgetOrSaysThatNoPriceDoes) {
  const json result = tuned({scenario_});
  const json& points = result["points"];
  const double quickest = least(result, mean_wait), cheapest = least(result, dollars);
  const json wait = tuned({scenario_, "--mean-wait", std::to_string(mean_wait(points[2]) + 0.001) + "s"});
  EXPECT_EQ(wait["recommended"]["rule"], "mean-wait");
  EXPECT_TRUE(wait["recommended"]["held"].get<bool>());
  EXPECT_EQ(wait["recommended"]["waitingPrice"], least(result, [&](const json& point) {
              return mean_wait(point) <= mean_wait(points[2]) + 0.001 ? dollars(point) : 1e9;
            }));
  const json no_wait = tuned({scenario_, "--mean-wait", "1ms"});
  EXPECT_FALSE(no_wait["recommended"]["held"].get<bool>());
  EXPECT_EQ(no_wait["recommended"]["waitingPrice"], quickest);
  const json rich = tuned({scenario_, "--budget-per-day", "1000000"});
  EXPECT_EQ(rich["recommended"]["rule"], "budget-per-day");
  EXPECT_EQ(rich["recommended"]["waitingPrice"], quickest);
  const json poor = tuned({scenario_, "--budget-per-day", "0.001"});
  EXPECT_FALSE(poor["recommended"]["held"].get<bool>());
  EXPECT_EQ(poor["recommended"]["waitingPrice"],
            least(result, [](const json& point) -> double { return point["dollarsPerDay"]; }));
  EXPECT_NE(quickest, cheapest) << "or the test shows nothing";
}

TEST_F(Tune, ReadsATableOfJobsOnTheClusterOfAScenario) {
  json from_table = tuned({table_, "--cluster", cluster_}), from_scenario = tuned({scenario_});
  EXPECT_EQ(from_table["kind"], "table");
  EXPECT_EQ(from_table["points"], from_scenario["points"]);
  EXPECT_EQ(tuned({table_, "--cluster", scenario_})["jobs"], 4) << "in place of its own";
}

TEST_F(Tune, ReadsATraceByTheRulesOfTheClustersScenario) {
  write(folder_.file("trace.tsv"), "a\t0\t0\t1000000000\t0\t0\nb\t60\t60\t300000000\t100000000\t0\n");
  const json result = tuned({folder_.file("trace.tsv"), "--cluster", scenario_, "--prices", "2"});
  EXPECT_EQ(result["kind"], "trace");
  EXPECT_EQ(result["jobs"], 2);
  write(cluster_, cluster + "trace: {file: other.tsv, maxTasks: 2}\n");
  const json cut = tuned({folder_.file("trace.tsv"), "--cluster", cluster_, "--prices", "2"});
  EXPECT_LT(cut["points"][0]["byUse"], result["points"][0]["byUse"]);
}

TEST_F(Tune, MakesACurveForEachValueOfAnotherSetting) {
  const json result = tuned({scenario_, "--prices", "1,4", "--vary", "settings.replanEvery=5s,60s"});
  ASSERT_EQ(result["points"].size(), 4u);
  EXPECT_EQ(result["points"][0]["with"], "settings.replanEvery=5s");
  EXPECT_EQ(result["points"][3]["with"], "settings.replanEvery=60s");
  EXPECT_EQ(result["recommended"]["settings"].size(), 2u);
  const json apart = tuned({scenario_, "--prices", "1,4", "--set", "settings.replanEvery=60s"});
  for (std::size_t i : {0u, 1u}) EXPECT_EQ(result["points"][i + 2]["dollars"], apart["points"][i]["dollars"]);
  const json nodes = tuned({scenario_, "--prices", "1", "--vary", "nodes.dear.count=1,4"});
  EXPECT_NE(nodes["points"][0]["invoice"], nodes["points"][1]["invoice"]);
  EXPECT_EQ(nodes["recommended"]["settings"].size(), 1u) << "no setting of an operator";
}

// Two pools that both want more than half of the nodes.
class TuneWeights : public Tune {
 protected:
  TuneWeights() {
    write(scenario_, cluster + "pools: [{name: day, weight: 1}, {name: night, weight: 3}]\njobs:\n" +
                         "  - {name: a, pool: day, tasks: 200, cpuPerTask: 300}\n" +
                         "  - {name: b, pool: night, tasks: 200, cpuPerTask: 300}\n");
  }
};

TEST_F(TuneWeights, SayWhatAnotherWeightWouldCost) {
  const json result = tuned({scenario_, "--weight", "day=1,9"});
  ASSERT_EQ(result["points"].size(), 2u) << "at the present price alone";
  EXPECT_TRUE(result["recommended"].is_null());
  double first_used = 0;
  for (std::size_t i = 0; i < 2; ++i) {
    const json& point = result["points"][i];
    const json run = lips_json({"simulate", scenario_, "--policy", "lips", "--set",
                                i == 0 ? "pools=[{name: day, weight: 1}, {name: night, weight: 3}]"
                                       : "pools=[{name: day, weight: 9}, {name: night, weight: 3}]"})["runs"][0];
    EXPECT_EQ(point["with"], i == 0 ? "weight of day=1" : "weight of day=9");
    EXPECT_EQ(point["present"], i == 0);
    EXPECT_EQ(point["invoice"], run["invoice"]["total"]);
    EXPECT_EQ(point["pools"][0]["pool"], "day");
    EXPECT_EQ(point["pools"][0]["weight"], i == 0 ? 1 : 9);
    for (const char* figure : {"usedCoreSeconds", "entitledCoreSeconds", "longestBelowShareSeconds"})
      for (std::size_t pool = 0; pool < 2; ++pool)
        EXPECT_EQ(point["pools"][pool][figure], run["fairness"]["pools"][pool][figure]) << figure;
    if (i == 0) first_used = point["pools"][0]["entitledCoreSeconds"];
  }
  EXPECT_NE(result["points"][1]["pools"][0]["entitledCoreSeconds"], first_used);
}

TEST_F(TuneWeights, SayOfAnyClusterWhatARunAtThatWeightSays) {
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(derive_seed(seed, 4));
    const auto some = [&](int most) { return 1 + static_cast<int>(random.below(static_cast<std::uint64_t>(most))); };
    const int pools = 2 + some(2), own = some(9), other = 10 + some(9);
    std::string text = "name: drawn\nzones: [a, b]\nnodes:\n";
    for (int i = 0; i < some(3) + 1; ++i)
      text += fmt::format("  - {{name: n{}, count: {}, cores: {}, pricePerHour: 0.{}}}\n", i, some(4), 2 * some(4),
                          some(9));
    text += fmt::format("pools:\n  - {{name: p0, weight: {}}}\n", own);
    for (int i = 1; i < pools; ++i) text += fmt::format("  - {{name: p{}, weight: {}}}\n", i, some(9));
    text += "jobs:\n";
    for (int i = 0; i < 12; ++i)
      text += fmt::format("  - {{name: j{}, pool: p{}, tasks: {}, cpuPerTask: {}, arrival: {}s}}\n", i,
                          random.below(pools), some(60), 30 * some(20), some(600));
    write(scenario_, text);
    const json result = tuned({scenario_, "--weight", fmt::format("p0={}", other)});
    ASSERT_EQ(result["points"].size(), 2u);
    for (std::size_t i = 0; i < 2; ++i) {
      const json& point = result["points"][i];
      const std::string weight = fmt::format("weight: {}}}", i == 0 ? own : other);
      std::string changed = text;
      const std::string before = fmt::format("name: p0, weight: {}}}", own);
      write(scenario_, changed.replace(changed.find(before), before.size(), "name: p0, " + weight));
      const json run = lips_json({"simulate", scenario_, "--policy", "lips"})["runs"][0];
      EXPECT_EQ(point["invoice"], run["invoice"]["total"]);
      for (std::size_t pool = 0; pool < point["pools"].size(); ++pool)
        for (const char* figure : {"usedCoreSeconds", "entitledCoreSeconds", "longestBelowShareSeconds"})
          EXPECT_EQ(point["pools"][pool][figure], run["fairness"]["pools"][pool][figure]) << figure;
    }
    if (HasFailure()) return;
  }
}

TEST_F(TuneWeights, AddTheirPresentWeightAndAreOnTheScreenAndThePage) {
  const std::string page = folder_.file("tune.html");
  const Said said = lips({"tune", scenario_, "--weight", "day=2,4", "--report", page});
  EXPECT_EQ(said.status, 0) << said.err;
  EXPECT_THAT(said.out,
              AllOf(HasSubstr("weight of day=1"), HasSubstr("weight of day=2"), HasSubstr("weight of day=4"),
                    HasSubstr("used of what it may use"), Not(HasSubstr("dominated")), Not(HasSubstr("recommended"))));
  EXPECT_THAT(text_of(page), AllOf(HasSubstr("What other weights of day would cost"),
                                   HasSubstr("What each pool used of what it may use")));
}

TEST_F(TuneWeights, SayWhatIsWrong) {
  const auto refusal = [&](std::vector<std::string> words) {
    words.insert(words.begin(), {"tune", scenario_});
    const Said said = lips(std::move(words));
    EXPECT_EQ(said.status, 2);
    return said.err;
  };
  EXPECT_THAT(refusal({"--weight", "dusk=2"}), HasSubstr("--weight: found no pool 'dusk'; allowed: day, night"));
  EXPECT_THAT(refusal({"--weight", "day"}), HasSubstr("--weight: expected POOL=A,B,..."));
  for (const char* bad : {"day=0", "day=-1", "day=x", "day=1e9", "day=nan"})
    EXPECT_THAT(refusal({"--weight", bad}), HasSubstr("allowed: a weight above 0")) << bad;
  EXPECT_THAT(refusal({"--weight", "day=2", "--vary", "seed=1,2"}), HasSubstr("expected one of them"));
  EXPECT_THAT(refusal({"--weight", "day=2", "--hour", "1"}), HasSubstr("recommends no price"));
}

TEST_F(Tune, LeavesTargetsOut) {
  write(folder_.file("target.yaml"), cluster + "settings: {meanWait: 10s}\n" + jobs);
  json result = tuned({folder_.file("target.yaml")});
  EXPECT_EQ(result["points"], tuned({scenario_})["points"]);
  EXPECT_THAT(result["assumptions"].dump(), HasSubstr("would move the price of waiting"));
}

TEST_F(Tune, SaysInTextWhatToSet) {
  const Said said = lips({"tune", scenario_, "--prices", "0.25,8"});
  EXPECT_EQ(said.status, 0);
  EXPECT_EQ(said.err, "");
  const std::string chosen = tuned({scenario_, "--prices", "0.25,8"})["recommended"]["waitingPrice"].dump();
  EXPECT_THAT(said.out, AllOf(StartsWith("small"), HasSubstr("4 nodes, 4 jobs, seed 1"), HasSubstr("mean completion"),
                              HasSubstr("recommended: " + chosen.substr(0, chosen.find(".0"))),
                              HasSubstr("policy.settings.waitingPrice: "), HasSubstr("assumptions"), HasSubstr("now")));
}

TEST_F(Tune, WritesAPageWithTheCurve) {
  const std::string page = folder_.file("tune.html");
  ASSERT_EQ(lips({"tune", scenario_, "--report", page}).status, 0);
  EXPECT_THAT(text_of(page),
              AllOf(HasSubstr("<html"), HasSubstr("Dollars against waiting"), HasSubstr("Recommended"),
                    HasSubstr("policy.settings.waitingPrice: "), HasSubstr("Assumptions"), Not(HasSubstr("<script"))));
}

TEST_F(Tune, RecommendsNothingWhereNoRunFinishesAllJobs) {
  write(folder_.file("never.yaml"), cluster + "jobs: [{name: huge, tasks: 1, cpuPerTask: 5, cores: 64}]\n");
  const std::string page = folder_.file("never.html");
  const Said said = lips({"tune", folder_.file("never.yaml"), "--prices", "1,2", "--report", page});
  EXPECT_EQ(said.status, 1);
  EXPECT_THAT(said.out, HasSubstr("no recommendation"));
  EXPECT_THAT(said.err, HasSubstr("waitingPrice 2: only 0 of 1 jobs finished"));
  EXPECT_THAT(text_of(page), HasSubstr("No price of waiting finished all jobs"));
}

TEST_F(Tune, CtrlCPrintsTheFinishedPricesAndMarksTheRest) {
  const std::string file = folder_.file("long.yaml");
  ASSERT_EQ(lips({"generate", "scenario", "--nodes", "60", "--jobs", "1500", "--output", file}).status, 0);
  const Said said =
      lips_interrupted({"tune", file, "--prices", "1,2,4", "--jobs", "1", "--format", "json"}, "/1500 jobs");
  EXPECT_EQ(said.status, 130) << said.err;
  EXPECT_FALSE(json::parse(said.out)["notRun"].empty());
}

TEST_F(Tune, SaysWhatIsWrong) {
  const std::vector<std::pair<std::vector<std::string>, std::string>> all{
      {{"tune"}, "expected FILE"},
      {{"tune", table_}, "a table of jobs needs --cluster"},
      {{"tune", scenario_, "--cluster", cluster_}, "--cluster: expected for a .csv or a .tsv"},
      {{"tune", cluster_}, "found no jobs"},
      {{"tune", scenario_, "--prices", "1,-2"}, "--prices: expected numbers from 0"},
      {{"tune", scenario_, "--prices", ","}, "--prices: expected numbers"},
      {{"tune", scenario_, "--hour", "0"}, "--hour: expected dollars above 0"},
      {{"tune", scenario_, "--hour", "1", "--mean-wait", "1m"}, "expected one of them"},
      {{"tune", scenario_, "--vary", "load"}, "--vary: expected KEY=A,B,..."},
      {{"tune", scenario_, "--vary", "waitingPrice=1,2"}, "--prices varies"},
      {{"tune", scenario_, "--vary", "settings.replanEver=5s"}, "did you mean 'replanEvery'?"},
      {{"tune", "/no/such/file.csv", "--cluster", cluster_}, "no file '/no/such/file.csv'"},
      {{"tune", "/no/such/folder"}, "found no scenario '/no/such/folder'"},
  };
  for (const auto& [words, expected] : all) {
    const Said said = lips(words);
    EXPECT_EQ(said.status, 2) << testing::PrintToString(words);
    EXPECT_THAT(said.err, HasSubstr(expected)) << testing::PrintToString(words);
  }
}

class TuneJournal : public testing::Test {
 protected:
  // Runs the operator on the scenario, and keeps its journal.
  std::string journal_of(const std::string& scenario) const {
    const Said said = lips({"operator", "--cluster", "simulated:" + scenario, "--speed", "0", "--set",
                            "server.listen=", "journal.directory=" + folder_.file("journal")});
    EXPECT_EQ(said.status, 0) << said.err;
    return folder_.file("journal");
  }
  // A journal of its later records only, as when the oldest have been deleted.
  std::string later_half(const std::string& journal) const {
    Result<JournalReader> all = JournalReader::open(journal);
    Result<EpochJournal> later = EpochJournal::open(folder_.file("later"), Mebibytes(100));
    for (std::uint64_t epoch = all->records() / 2; epoch <= all->last_epoch(); ++epoch) {
      Result<EpochRecord> record = all->find(epoch);
      record->epoch = later->next_epoch();
      EXPECT_TRUE(later->add(write_epoch(*record)));
    }
    return folder_.file("later");
  }
  Folder folder_;
};

TEST_F(TuneJournal, SimulatesTheSameDayAgain) {
  const json run = json::parse(lips({"simulate", "quickstart", "--policy", "lips", "--format", "json"}).out)["runs"][0];
  const json result = tuned({journal_of("quickstart"), "--prices", "8,32"});
  EXPECT_EQ(result["kind"], "journal");
  EXPECT_EQ(result["nodes"], 6);
  EXPECT_EQ(result["jobs"], 5);
  EXPECT_EQ(result["present"], 8) << "the default of fixed nodes";
  const json& point = result["points"][0];
  EXPECT_NEAR(point["invoice"].get<double>(), run["invoice"]["total"].get<double>(), 1e-9);
  EXPECT_NEAR(point["byUse"].get<double>(), run["dollars"]["total"].get<double>(), 1e-9);
  EXPECT_EQ(point["completionSeconds"], run["completionSeconds"]);
  EXPECT_THAT(result["assumptions"].dump(), AllOf(HasSubstr("as it turned out"), HasSubstr("prices of requests")));
}

TEST_F(TuneJournal, HasTheJobsThatCameSinceItsFirstRecordAndWhatWasLeftOfEarlierOnes) {
  const std::string journal = journal_of("quickstart");
  const double all = tuned({journal, "--prices", "1"})["points"][0]["byUse"];
  const json result = tuned({later_half(journal), "--prices", "1"});
  EXPECT_LE(result["jobs"], 5);
  EXPECT_THAT(result["assumptions"].dump(), HasSubstr("under way at the first record"));
  EXPECT_GT(result["points"][0]["byUse"], 0);
  EXPECT_LT(result["points"][0]["byUse"], all) << "a part of the work was done";
}

TEST_F(TuneJournal, BuysItsElasticNodesAgain) {
  const std::string file = folder_.file("elastic.yaml");
  write(file,
        "zones: [a]\nnodes:\n  - {name: fixed, cores: 4, pricePerHour: 0.1}\n"
        "  - {name: more, fleet: elastic, limit: 6, cores: 4, pricePerHour: 0.2}\n"
        "jobs: [{name: early, tasks: 30, cpuPerTask: 60}, {name: late, tasks: 30, cpuPerTask: 60, arrival: 20m}]\n");
  const json direct = tuned({file, "--prices", "1"}), again = tuned({journal_of(file), "--prices", "1"});
  EXPECT_EQ(again["nodes"], 1) << "the fixed one";
  EXPECT_THAT(again["assumptions"].dump(), HasSubstr("1 offers"));
  EXPECT_NEAR(again["points"][0]["invoice"].get<double>(), direct["points"][0]["invoice"].get<double>(),
              0.02 * direct["points"][0]["invoice"].get<double>());
}

TEST_F(TuneJournal, LetsSettingsBeChangedAndNothingElse) {
  const std::string journal = journal_of("quickstart");
  EXPECT_EQ(tuned({journal, "--prices", "8", "--vary", "settings.replanEvery=5s,60s"})["points"].size(), 2u);
  const Said said = lips({"tune", journal, "--set", "load=0.5"});
  EXPECT_EQ(said.status, 2);
  EXPECT_THAT(said.err, HasSubstr("allowed for a journal: settings.KEY"));
}

TEST_F(TuneJournal, SaysWhatIsWrong) {
  std::filesystem::create_directory(folder_.file("empty"));
  EXPECT_THAT(lips({"tune", folder_.file("empty")}).err, HasSubstr("no journal records found"));
  write(folder_.file("broken.json"), "{}");
  EXPECT_EQ(lips({"tune", folder_.file("broken.json")}).status, 2);
  EXPECT_EQ(lips({"tune", folder_.file("none.json")}).status, 2);
}

}  // namespace
}  // namespace lips::cmd_test
