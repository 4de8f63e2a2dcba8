#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "records/journal_reader.h"
#include "tests/cmd/program.h"

namespace lips::cmd_test {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

// Two pools that share, selectors by node, data, and jobs that come one after the other.
const std::string day =
    "name: day\nzones: [a, b]\n"
    "nodes:\n  - {name: cheap, count: 2, zone: a, cores: 4, pricePerHour: 0.1, labels: {kubernetes.io/hostname: "
    "cheap-1}}\n  - {name: dear, count: 2, zone: b, cores: 4, pricePerHour: 0.3}\n"
    "pools: [{name: extracts, weight: 2}, {name: adhoc}]\ndataSets: [{name: clicks, size: 1Gi}]\njobs:\n"
    "  - {name: nightly, tasks: 20, cpuPerTask: 90, pool: extracts}\n"
    "  - {name: kept-there, tasks: 3, cpuPerTask: 60, arrival: 1m, pool: adhoc, nodeSelector: {kubernetes.io/hostname: "
    "cheap-1}}\n"
    "  - {name: funnel, input: clicks, application: Grep, arrival: 2m, pool: adhoc}\n"
    "  - {name: zebra, tasks: 5, cpuPerTask: 30, arrival: 20m, pool: extracts}\n";

class Record : public testing::Test {
 protected:
  // Runs the operator on the scenario, and keeps its journal.
  std::string journal_of(const std::string& scenario, const std::string& policy = "lips") const {
    const Said said = lips({"operator", "--cluster", "simulated:" + scenario, "--speed", "0", "--set",
                            "server.listen=", "policy.name=" + policy, "journal.directory=" + folder_.file("journal")});
    EXPECT_EQ(said.status, 0) << said.err;
    return folder_.file("journal");
  }
  std::string day_journal(const std::string& policy = "lips") const {
    write(folder_.file("day.yaml"), day);
    return journal_of(folder_.file("day.yaml"), policy);
  }
  Folder folder_;
};

std::string all_text(const std::string& path) {
  std::string text;
  Result<JournalReader> journal = JournalReader::open(path);
  EXPECT_TRUE(journal);
  while (journal) {
    const Result<std::optional<EpochRecord>> record = journal->next();
    EXPECT_TRUE(record);
    if (!record || !*record) break;
    text += write_epoch(**record);
  }
  return text;
}

TEST_F(Record, CutsEpochsThatReplayBitForBit) {
  const std::string journal = day_journal(), part = folder_.file("part.zst");
  const Said cut = lips({"record", "cut", journal, "--from", "2", "--to", "4", "--output", part});
  ASSERT_EQ(cut.status, 0) << cut.err;
  EXPECT_EQ(cut.out, part + ": 3 records, epochs 2 to 4\n");
  const Said replayed = lips({"replay", part});
  EXPECT_EQ(replayed.status, 0);
  EXPECT_THAT(replayed.out, HasSubstr("3 of 3 plans are the same"));
  Result<JournalReader> whole = JournalReader::open(journal), some = JournalReader::open(part);
  for (const std::uint64_t epoch : {2, 3, 4})
    EXPECT_EQ(write_epoch(*some->find(epoch)), write_epoch(*whole->find(epoch)));
}

TEST_F(Record, CutsByTimeSinceTheFirstRecordOrOnTheClock) {
  const std::string journal = day_journal();
  const Said late = lips({"record", "cut", journal, "--from", "19m", "--output", folder_.file("late.zst")});
  ASSERT_EQ(late.status, 0) << late.err;
  Result<JournalReader> read = JournalReader::open(folder_.file("late.zst"));
  EXPECT_GE(to_seconds((**read->next()).snapshot.cluster.now), 19 * 60);
  const Said early =
      lips({"record", "cut", journal, "--to", "1970-01-01T00:01:30Z", "--output", folder_.file("early")});
  ASSERT_EQ(early.status, 0) << early.err;
  Result<JournalReader> first = JournalReader::open(folder_.file("early"));
  EXPECT_EQ(first->first_epoch(), 1u);
  EXPECT_LE(to_seconds(first->find(first->last_epoch())->snapshot.cluster.now), 90);
}

TEST_F(Record, GivesAwayNoNamesAndThePlansStayTheSame) {
  for (const char* policy : {"lips", "spread", "fair"}) {
    std::filesystem::remove_all(folder_.file("journal"));
    const std::string journal = day_journal(policy), part = folder_.file(std::string(policy) + ".zst");
    const Said cut = lips({"record", "cut", journal, "--names", "replaced", "--output", part});
    ASSERT_EQ(cut.status, 0) << cut.err;
    EXPECT_THAT(cut.out, Not(HasSubstr("cannot be compared")));
    const Said replayed = lips({"replay", part});
    EXPECT_EQ(replayed.status, 0) << replayed.out;
    const std::string text = all_text(part);
    for (const char* name :
         {"nightly", "kept-there", "funnel", "zebra", "extracts", "adhoc", "clicks", "cheap-", "dear-"})
      EXPECT_THAT(text, Not(HasSubstr(name))) << policy;
    EXPECT_THAT(text, AllOf(HasSubstr("job-1"), HasSubstr("pool-1"), HasSubstr("node-1"), HasSubstr("data-set-1")));
  }
}

TEST_F(Record, WritesAScenarioThatSimulateRuns) {
  const std::string journal = day_journal(), file = folder_.file("day.json.gz");
  const Said said = lips({"record", "scenario", journal, "--output", file});
  ASSERT_EQ(said.status, 0) << said.err;
  EXPECT_THAT(said.out, AllOf(HasSubstr("4 jobs"), HasSubstr("policy lips")));
  const json was =
      json::parse(lips({"simulate", folder_.file("day.yaml"), "--policy", "lips,spread", "--format", "json"}).out);
  const json is = json::parse(lips({"simulate", file, "--policy", "lips,spread", "--format", "json"}).out);
  for (const std::size_t run : {0u, 1u}) {
    EXPECT_NEAR(is["runs"][run]["invoice"]["total"].get<double>(), was["runs"][run]["invoice"]["total"].get<double>(),
                1e-6);
    EXPECT_EQ(is["runs"][run]["completionSeconds"], was["runs"][run]["completionSeconds"]);
  }
  const json dear = json::parse(
      lips({"simulate", file, "--policy", "lips", "--set", "settings.waitingPrice=50", "--format", "json"}).out);
  EXPECT_TRUE(dear["runs"][0]["finished"].get<bool>());
  const Said refused = lips({"simulate", file, "--set", "load=0.5"});
  EXPECT_EQ(refused.status, 2);
  EXPECT_THAT(refused.err, HasSubstr("settings.KEY"));
  EXPECT_EQ(json::parse(lips({"tune", file, "--prices", "1", "--format", "json"}).out)["kind"], "scenario");
}

TEST_F(Record, ReportsAGapInsteadOfFillingIt) {
  const std::string journal = day_journal(), apart = folder_.file("apart");
  ASSERT_EQ(lips({"record", "cut", journal, "--to", "2", "--output", apart}).status, 0);
  ASSERT_EQ(lips({"record", "cut", journal, "--from", "5", "--output", folder_.file("rest")}).status, 0);
  for (const auto& entry : std::filesystem::directory_iterator(folder_.file("rest")))
    std::filesystem::copy(entry.path(), apart + "/" + entry.path().filename().string());
  const Said said = lips({"record", "scenario", apart, "--output", folder_.file("gap.json")});
  ASSERT_EQ(said.status, 0) << said.err;
  EXPECT_THAT(said.out, AllOf(HasSubstr("gap: "), HasSubstr("2 records"), HasSubstr("is left out")));
  EXPECT_THAT(lips({"simulate", folder_.file("gap.json"), "--policy", "lips"}).out, HasSubstr("not known: gap"));
  const Said one = lips({"record", "cut", apart, "--output", folder_.file("one.zst")});
  EXPECT_EQ(one.status, 2);
  EXPECT_THAT(one.err, HasSubstr("no record of the epochs 3 to 4"));
  EXPECT_EQ(lips({"record", "cut", apart, "--output", folder_.file("both")}).status, 0);
  EXPECT_EQ(all_text(folder_.file("both")), all_text(apart));
}

TEST_F(Record, SaysWhatIsWrong) {
  const std::string journal = day_journal();
  const std::vector<std::pair<std::vector<std::string>, std::string>> all{
      {{"record"}, "expected cut or scenario"},
      {{"record", "scenari"}, "did you mean 'scenario'?"},
      {{"record", "cut", journal}, "--output: expected a file that ends in .zst"},
      {{"record", "scenario", journal}, "--output: expected a file such as"},
      {{"record", "cut", journal, "--from", "noon", "--output", folder_.file("x.zst")}, "--from: expected the number"},
      {{"record", "cut", journal, "--from", "900", "--output", folder_.file("x.zst")}, "found no record from --from"},
      {{"record", "cut", journal, "--output", journal}, "found a folder with files"},
      {{"record", "cut", journal, "--names", "secret", "--output", folder_.file("x.zst")}, "--names"},
      {{"twin", journal, "--policy", "spred"}, "spread"},
      {{"twin", journal, "--vary", "load"}, "--vary: expected KEY=A,B,..."},
      {{"twin", journal, "--vary", "load=1,2"}, "settings.KEY"},
  };
  for (const auto& [words, expected] : all) {
    const Said said = lips(words);
    EXPECT_EQ(said.status, 2) << testing::PrintToString(words);
    EXPECT_THAT(said.err, HasSubstr(expected)) << testing::PrintToString(words);
  }
  EXPECT_EQ(lips({"record", "cut", folder_.file("none"), "--output", folder_.file("x.zst")}).status, 2);
}

class TwinCommand : public Record {};

TEST_F(TwinCommand, HasTheCountedInvoiceAndThatOfEachRegime) {
  const std::string journal = day_journal();
  const json result = lips_json({"twin", journal, "--vary", "settings.waitingPrice=0.1,50"});
  ASSERT_EQ(result["regimes"].size(), 6u);
  EXPECT_EQ(result["regimes"][0]["regime"], "lips, as it ran");
  EXPECT_TRUE(result["regimes"][0]["ran"].get<bool>());
  EXPECT_EQ(result["regimes"][4]["with"], "settings.waitingPrice=0.1");
  EXPECT_GT(result["counted"]["total"].get<double>(), 0);
  EXPECT_LT(std::abs(result["error"].get<double>()), 0.01);
  for (const json& regime : result["regimes"]) {
    if (!regime["with"].is_null()) continue;
    const std::string policy = regime["policy"];
    std::vector<std::string> words{"simulate", folder_.file("day.yaml"), "--policy", policy, "--format", "json"};
    // Ties of kube-scheduler's scores are broken in the order of the nodes.
    const bool is_kube_scheduler = policy == "spread" || policy == "most-allocated";
    if (is_kube_scheduler) words.insert(words.end(), {"--through", "kubernetes", "--mode", "watch"});
    const json run = json::parse(lips(words).out)["runs"][0];
    const double invoice = run["invoice"]["total"], mean = run["completionSeconds"]["mean"];
    EXPECT_NEAR(regime["invoice"]["total"].get<double>(), invoice, is_kube_scheduler ? 0.02 * invoice : 1e-6) << regime;
    EXPECT_NEAR(regime["completionSeconds"]["mean"].get<double>(), mean, is_kube_scheduler ? 0.01 * mean : 0) << regime;
    EXPECT_GE(regime["invoice"]["total"].get<double>(), result["floor"]["dollars"].get<double>());
  }
}

TEST_F(TwinCommand, SaysInTextWhatWasCountedAndWhatNobodyKnows) {
  const Said said = lips({"twin", day_journal("spread"), "--policy", "lips"});
  EXPECT_EQ(said.status, 0) << said.err;
  EXPECT_THAT(said.out, AllOf(HasSubstr("policy spread; 4 jobs"), HasSubstr("counted until the last record"),
                              HasSubstr("its own error"), HasSubstr("spread, as it ran"), HasSubstr("mean completion"),
                              HasSubstr("no scheduler that ends within"), HasSubstr("not known")));
}

}  // namespace
}  // namespace lips::cmd_test
