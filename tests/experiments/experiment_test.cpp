#include "experiments/experiment.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <fstream>
#include <iterator>
#include <mutex>
#include <set>

#include "experiments/seeds.h"
#include "policies/registry/registry.h"

namespace lips::experiments {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::vector<std::string_view> names(std::string_view asked) {
  std::vector<std::string_view> found;
  for (const Experiment* experiment : find_experiments(asked)) found.push_back(experiment->name);
  return found;
}

TEST(ExperimentRegistry, HasEveryNameOnceAndSaysWhatItIs) {
  std::set<std::string_view> seen;
  for (const Experiment& experiment : experiment_registry()) {
    EXPECT_TRUE(seen.insert(experiment.name).second) << experiment.name;
    EXPECT_FALSE(experiment.paper.empty() || experiment.figure.empty() || experiment.summary.empty())
        << experiment.name;
    EXPECT_GT(experiment.seconds, 0) << experiment.name;
  }
}

TEST(ExperimentRegistry, FindsANameOrTheBeginningOfSome) {
  EXPECT_THAT(names("guo-4.2a"), ElementsAre("guo-4.2a"));
  EXPECT_THAT(names("guo-4.2"), ElementsAre("guo-4.2a", "guo-4.2b", "guo-4.2c"));
  EXPECT_EQ(names("guo").size(), 9u);
  EXPECT_EQ(names("all").size(), experiment_registry().size());
  for (const char* none : {"", "gu", "guo-", "guo-4.", "fig", "guo-4.2d"}) EXPECT_EQ(names(none).size(), 0u) << none;
}

TEST(ExperimentsPage, NamesEveryExperimentAndHasEveryPolicyInBothTables) {
  std::ifstream file(std::string(LIPS_SOURCE_DIR) + "/docs/experiments.md");
  const std::string page{std::istreambuf_iterator<char>(file), {}};
  for (const Experiment& experiment : experiment_registry())
    EXPECT_NE(page.find(experiment.name), std::string::npos) << experiment.name;
  for (const PolicyEntry& policy : policy_registry()) {
    const std::string row = "\n| " + std::string(policy.name) + " |";
    const std::size_t first = page.find(row);
    ASSERT_NE(first, std::string::npos) << policy.name;
    EXPECT_NE(page.find(row, first + 1), std::string::npos) << policy.name;
  }
}

TEST(EachPiece, RunsEveryPieceOnceWithProgressToTheEnd) {
  for (const std::uint32_t threads : {1u, 3u}) {
    ExperimentRun run;
    run.threads = threads;
    std::mutex mutex;
    double greatest = 0;
    run.progress = [&](double share) {
      const std::lock_guard lock(mutex);
      greatest = std::max(greatest, share);
    };
    std::vector<std::atomic<int>> count(50);
    EXPECT_TRUE(each_piece(run, count.size(), [&](std::size_t index) { ++count[index]; }));
    for (const std::atomic<int>& one : count) EXPECT_EQ(one, 1);
    EXPECT_DOUBLE_EQ(greatest, 1);
  }
}

TEST(EachPiece, IsCancelledWhenItIsStopped) {
  ExperimentRun run;
  int ran = 0;
  run.stop = [&] { return ran == 3; };
  const Result<void> result = each_piece(run, 10, [&](std::size_t) { ++ran; });
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, ErrorCode::cancelled);
  EXPECT_EQ(ran, 3);
}

TEST(PartOf, MapsItsProgressIntoItsPartOfTheWhole) {
  ExperimentRun run;
  std::vector<double> seen;
  run.progress = [&](double share) { seen.push_back(share); };
  part_of(run, 0.25, 0.75).report(0.5);
  EXPECT_THAT(seen, ElementsAre(0.5));
}

TEST(SweepSeeds, GivesTheSameSpreadsWithAnyNumberOfThreads) {
  const auto figures = [](double x, std::uint32_t seed) { return std::vector<double>{x * seed, x + seed}; };
  ExperimentRun run;
  run.seeds = 4;
  for (const std::uint32_t threads : {1u, 2u}) {
    run.threads = threads;
    const Result<Sweep> sweep = sweep_seeds(run, {1, 10}, figures);
    ASSERT_TRUE(sweep);
    ASSERT_EQ(sweep->size(), 2u);
    EXPECT_DOUBLE_EQ((*sweep)[0][1].mean, 25);
    EXPECT_DOUBLE_EQ((*sweep)[0][1].least, 10);
    EXPECT_DOUBLE_EQ((*sweep)[0][1].most, 40);
    EXPECT_DOUBLE_EQ((*sweep)[1][0].mean, 3.5);
  }
}

TEST(Claim, SaysWhyItCannotBeCompared) {
  Claim claim{"1", "what", "curve", 0, 0, {exactly(3)}, "s"};
  EXPECT_EQ(claim.verdict(), Verdict::differ);
  claim.comparable = false;
  claim.reason = "no axis is printed";
  EXPECT_EQ(claim.verdict(), Verdict::not_comparable);
  EXPECT_THAT(claims_table({&claim, 1}), HasSubstr("| 3.0 s | cannot be compared: no axis is printed |"));
}

TEST(Claim, WritesBandsWithoutAnEndAsSuch) {
  EXPECT_EQ(band_text({"1", "", "", 50, 1e9, {}}), "at least 50");
  EXPECT_EQ(band_text({"1", "", "", -1e9, 5, {}}), "at most 5");
  EXPECT_EQ(band_text({"1", "", "", 1, 5, {}}), "1 to 5");
  EXPECT_EQ(band_text({"1", "", "", 0, 0, {}}), "0");
}

TEST(Claim, WritesWhatIsLeftOfRoundingAsZero) {
  const Claim claim{"1", "", "", 0, 0, {{-2e-12, -0.1, 0.1}}};
  EXPECT_EQ(ours_text(claim), "0 (-0.1 to 0.1) %");
}

}  // namespace
}  // namespace lips::experiments
