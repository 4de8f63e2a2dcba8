// Whole simulated runs against what they gave before. After a wanted change: LIPS_UPDATE_GOLDEN=1
// build/release/cmd_tests
// --gtest_filter='*Golden*', and look at the difference that git shows.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "tests/cmd/program.h"

namespace lips::cmd_test {
namespace {

using Json = nlohmann::ordered_json;

// The part of a run that only the policy and the simulator decide: no version, no wall time.
Json essence(const std::string& out) {
  const Json all = Json::parse(out);
  Json result;
  result["lowerBound"] = all.at("lowerBound");
  for (const Json& run : all.at("runs")) {
    Json kept;
    for (const char* field :
         {"policy", "dollars", "makespanSeconds", "jobsFinished", "completionSeconds", "locality", "plans"})
      kept[field] = run.at(field);
    result["runs"].push_back(kept);
  }
  return result;
}

// Numbers may differ in their last digits between compilers.
void expect_alike(const Json& found, const Json& wanted, const std::string& where) {
  if (wanted.is_number() && found.is_number()) {
    const double a = found.get<double>(), b = wanted.get<double>();
    EXPECT_LE(std::abs(a - b), 1e-6 * std::max(1.0, std::abs(b))) << where;
    return;
  }
  ASSERT_EQ(found.type(), wanted.type()) << where;
  ASSERT_EQ(found.size(), wanted.size()) << where;
  if (!wanted.is_structured()) {
    EXPECT_EQ(found, wanted) << where;
    return;
  }
  for (const auto& [key, value] : wanted.items())
    expect_alike(wanted.is_array() ? found.at(std::stoul(key)) : found.at(key), value, where + "/" + key);
}

// The scenario planned by that bill; by use in the file of its name, by invoice in a file of its own.
void expect_as_before(const std::string& name, const std::string& billing, const std::string& kept_as) {
  const std::string file = std::string(LIPS_SOURCE_DIR) + "/tests/cmd/golden/" + kept_as + ".json";
  const Said said =
      lips({"simulate", name, "--set", "billing=" + billing, "--format", "json", "--no-progress", "--policy",
            "lips,lips-paper,hadoop-default,delay,fifo,spread,own-zone-cheapest,greedy-cheapest"});
  ASSERT_EQ(said.status, 0) << said.err;
  const Json found = essence(said.out);
  if (std::getenv("LIPS_UPDATE_GOLDEN")) write(file, found.dump(1) + "\n");
  expect_alike(found, Json::parse(text_of(file)), kept_as);
}

class Golden : public testing::TestWithParam<const char*> {};

TEST_P(Golden, RunsGiveWhatTheyGaveBefore) { expect_as_before(GetParam(), "use", GetParam()); }

TEST(GoldenInvoice, RunsGiveWhatTheyGaveBefore) { expect_as_before("quickstart", "invoice", "quickstart-invoice"); }

TEST(GoldenTune, TheCurveIsWhatItWasBefore) {
  const std::string file = LIPS_SOURCE_DIR "/tests/cmd/golden/tune-quickstart.json";
  const Said said = lips({"tune", "quickstart", "--set", "billing=use", "--prices", "0.5,2,8", "--format", "json"});
  ASSERT_EQ(said.status, 0) << said.err;
  Json found = Json::parse(said.out);
  found.erase("version");
  if (std::getenv("LIPS_UPDATE_GOLDEN")) write(file, found.dump(1) + "\n");
  expect_alike(found, Json::parse(text_of(file)), "tune-quickstart");
}

INSTANTIATE_TEST_SUITE_P(Scenarios, Golden, testing::Values("quickstart", "table-iv-i", "table-iv-iii", "swim-400"),
                         [](const auto& scenario) {
                           std::string name = scenario.param;
                           for (char& letter : name)
                             if (letter == '-') letter = '_';
                           return name;
                         });

}  // namespace
}  // namespace lips::cmd_test
