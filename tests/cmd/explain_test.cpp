#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/cmd/program.h"

namespace lips::cmd_test {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;

// A 64 MB block of the paper at its 62.5 millicent.
Said block(const std::string& application, const std::string& from_price) {
  return lips({"explain", "move", "--application", application, "--from-price", from_price, "--to-price", "0.92e-5",
               "--transfer", "0.01/GiB", "--format", "json"});
}

json only_case(const Said& said) {
  EXPECT_EQ(said.status, 0) << said.err;
  return json::parse(said.out)["cases"].at(0);
}

TEST(ExplainMove, DecidesThePapersGrepByThePriceReading) {
  const json caption = only_case(block("Grep", "4.44e-5"));
  EXPECT_EQ(caption["decision"], "move");
  EXPECT_NEAR(caption["savedDollars"].get<double>(), (70.4 - 62.5) * 1e-5, 1e-12);
  EXPECT_NEAR(caption["moveDollars"]["transfer"].get<double>(), 62.5e-5, 1e-12);
  const json ecu = only_case(block("Grep", "2.22e-5"));
  EXPECT_EQ(ecu["decision"], "stay");
  EXPECT_NEAR(ecu["savedDollars"].get<double>(), (26.0 - 62.5) * 1e-5, 1e-12);
  EXPECT_NEAR(ecu["breakEvenCpuSecondsPerMebibyte"].get<double>() * 64, 62.5 / 1.3, 1e-6);
}

TEST(ExplainMove, MovesThePapersWordCountInBothReadings) {
  for (const char* price : {"4.44e-5", "2.22e-5"})
    EXPECT_EQ(only_case(block("WordCount", price))["decision"], "move") << price;
}

TEST(ExplainMove, SaysBothCostsAndTheBreakEvenInWords) {
  const Said said = lips({"explain", "move", "--application", "Grep", "--from-price", "2.22e-5", "--to-price",
                          "0.92e-5", "--transfer", "0.01/GiB"});
  EXPECT_THAT(said.out, AllOf(HasSubstr("stay"), HasSubstr("work +"), HasSubstr("(48.08 per 64 MiB block)"),
                              HasSubstr("stay: moving would cost $0.00037 more")));
}

TEST(ExplainMove, AnswersForAJobOfAScenario) {
  for (const auto& [reading, decision] : {std::pair("caption", "move"), std::pair("ecu", "stay")}) {
    const Said said = lips({"explain", "move", "table-iv-iii", "--job", "J5-grep", "--from", "m1-medium-0", "--to",
                            "c1-medium-1", "--set", std::string("priceReading=") + reading, "--format", "json"});
    ASSERT_EQ(said.status, 0) << said.err;
    double size = 0;
    const json answer = json::parse(said.out);
    for (const json& one : answer["cases"]) {
      size += one["mebibytes"].get<double>();
      EXPECT_NEAR(one["cpuSecondsPerMebibyte"].get<double>() * 64, 20, 1e-9);
      if (one["transferUsdPerMebibyte"].get<double>() > 0) {
        EXPECT_EQ(one["decision"], decision) << reading;
      }
    }
    EXPECT_NEAR(size, 20480, 1e-6);
  }
}

TEST(ExplainMove, CountsAllReadersOfADataSetForOneMove) {
  const Folder folder;
  const std::string file = folder.file("two-readers.yaml");
  write(file,
        "name: two-readers\nzones: [a, b]\n"
        "nodes:\n  - {name: dear, zone: a, cores: 1, memory: 0, pricePerHour: 1, cpuPrice: 2.22e-5}\n"
        "  - {name: cheap, zone: b, cores: 1, memory: 0, pricePerHour: 1, cpuPrice: 0.92e-5}\n"
        "blockSize: 64Mi\ntransfer: {acrossZones: 0.0093132257}\n"
        "dataSets: [{name: logs, size: 640Mi, placement: {replicas: 1, store: dear-0}}]\n"
        "jobs:\n  - {name: one, input: logs, application: Grep}\n  - {name: two, input: logs, application: Grep}\n"
        "  - {name: three, input: logs, application: Grep}\n");
  const auto ask = [&](const char* by, const char* name) {
    return only_case(lips({"explain", "move", file, by, name, "--format", "json"}));
  };
  EXPECT_EQ(ask("--job", "one")["decision"], "stay");
  const json all = ask("--data-set", "logs");
  EXPECT_EQ(all["decision"], "move");  // 60 CPU-seconds a block: 3 x 26.0 > 62.5
  EXPECT_NEAR(all["mebibytes"].get<double>(), 640, 1e-9);
  EXPECT_EQ(all["from"]["node"], "dear-0");
}

TEST(ExplainMove, ReadsASnapshot) {
  const Folder folder;
  const std::string snapshot = folder.file("cluster.json.gz");
  ASSERT_EQ(lips({"generate", "snapshot", "--nodes", "20", "--tasks", "100", "--output", snapshot}).status, 0);
  const Said wrong = lips({"explain", "move", snapshot, "--job", "none"});
  EXPECT_EQ(wrong.status, 2);
  EXPECT_THAT(wrong.err, HasSubstr("there is no 'none'"));
  const Said said = lips({"explain", "move", snapshot, "--job", "job-0000000"});
  EXPECT_EQ(said.status, 0) << said.err;
}

TEST(ExplainMove, NamesWhatIsMissing) {
  EXPECT_THAT(lips({"explain", "move"}).err,
              HasSubstr("--from-price: expected a number of at least 0, or a FILE, found nothing"));
  EXPECT_THAT(lips({"explain", "move", "table-iv-iii"}).err, HasSubstr("--job or --data-set"));
  EXPECT_EQ(lips({"explain", "stay"}).status, 2);
  EXPECT_EQ(lips({"explain", "move", "--from-price", "1", "--to-price", "1", "--size", "many"}).status, 2);
}

}  // namespace
}  // namespace lips::cmd_test
