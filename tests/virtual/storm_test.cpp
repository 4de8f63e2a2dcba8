// The whole operator in storms that seeds draw (storms/): a failing seed is a run that can be repeated, and shrinks.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <sstream>
#include <string>

#include "telemetry/metrics/log_lines.h"
#include "tests/virtual/storms/storm_run.h"

namespace lips::virtual_cluster::storms {
namespace {

std::uint64_t number(const char* name, std::uint64_t otherwise) {
  const char* given = std::getenv(name);
  return given ? std::stoull(given) : otherwise;
}

// scripts/storm says by LIPS_STORM_ONLY and LIPS_STORM_JOBS what of a storm is left, and by LIPS_STORM_LOG whether the
// operator's log is shown.
StormCase asked_of(std::uint64_t seed) {
  StormCase storm = storm_of(seed);
  storm.most_jobs = number("LIPS_STORM_JOBS", storm.most_jobs);
  const char* only = std::getenv("LIPS_STORM_ONLY");
  if (!only) return storm;
  storm.has = {};
  std::istringstream names(only);
  for (std::string name; std::getline(names, name, ',');)
    if (const auto trouble = trouble_of(name))
      storm.has[*trouble] = true;
    else
      EXPECT_EQ(name, "nothing") << "is no trouble of storms";
  return storm;
}

struct Seen {
  std::size_t storms = 0, strangers_ended = 0;
  std::uint64_t taken_back = 0;
};

void check(const StormCase& storm, Seen& seen) {
  LineLog lines(LineLog::Form::logfmt, LogLevel::debug);
  const StormOutcome outcome = run_storm(storm, std::getenv("LIPS_STORM_LOG") ? &lines : nullptr);
  ++seen.storms, seen.strangers_ended += outcome.strangers_ended, seen.taken_back += outcome.taken_back;
  if (outcome.violations.empty()) return;
  const std::string all = testing::PrintToString(outcome.violations) + "\nrepeat with: " + command_of(storm);
  if (std::getenv("LIPS_STORM_SHRINK")) {  // no: it is enough that a storm fails
    ADD_FAILURE() << all;
    return;
  }
  const auto fails = [](const StormCase& smaller) { return !run_storm(smaller).violations.empty(); };
  const StormCase least = shrunk(storm, outcome.jobs, fails);
  ADD_FAILURE() << all << "\nand smaller: " << command_of(least) << '\n'
                << testing::PrintToString(run_storm(least).violations);
}

// The storms of one scene. All seeds that fail are named.
Seen search(Scene scene, std::uint64_t seeds) {
  Seen seen;
  const std::uint64_t first = number("LIPS_STORM_SEED", 1), count = number("LIPS_STORM_SEEDS", seeds);
  const bool first_is_enough = std::getenv("LIPS_STORM_SHRINK");
  for (std::uint64_t seed = first; seed < first + count && !(first_is_enough && testing::Test::HasFailure()); ++seed)
    if (scene_of(seed) == scene) check(asked_of(seed), seen);
  return seen;
}

constexpr std::uint64_t seeds_of_the_test_command = 300;
bool is_whole() { return number("LIPS_STORM_SEEDS", seeds_of_the_test_command) >= seeds_of_the_test_command; }

TEST(Storms, EveryJobEndsAndNoNodeIsOvercommitted) {
  const Seen seen = search(Scene::fixed_bind, seeds_of_the_test_command);
  if (!is_whole()) return;
  EXPECT_GT(seen.storms, 100U);
  EXPECT_GT(seen.taken_back, 0U) << "the storms take nothing back";
  EXPECT_GT(seen.strangers_ended, 300U);
}

TEST(Storms, EveryJobEndsOnNodesThatAnAutoscalerBuys) { search(Scene::bought_bind, seeds_of_the_test_command); }

// The same where kube-scheduler binds what the operator steers.
TEST(Storms, EveryJobEndsWhereTheOperatorSteers) {
  const Seen seen = search(Scene::fixed_steer, seeds_of_the_test_command);
  search(Scene::bought_steer, seeds_of_the_test_command);
  if (is_whole()) {
    EXPECT_GT(seen.strangers_ended, 150U);
  }
}

void check_found(std::uint64_t seed) {
  Seen seen;
  check(storm_of(seed), seen);
}

// The watch of nodes breaks when one of them is lost, the list that follows gets no answer, and so does the next one.
// With two minutes for each, pods were bound to the lost node for four.
TEST(FoundStorms, ListsWithoutAnAnswerAreAskedForAgainSoon) { check_found(6460); }

// Jobs whose data is lost were tried again for ever, three pods a second in the end.
TEST(FoundStorms, JobsThatCannotSucceedFail) { check_found(8932); }

// Maps that ended after the backup were counted twice: by the memory, and by their pods, which had not ended in it.
TEST(FoundStorms, NoReduceOfARestoredStoreBeginsBeforeItsMapsHaveEnded) { check_found(432); }

// The counts of quotas were those of before the restore, and nothing changed any more that had them counted anew.
TEST(FoundStorms, QuotasAreCountedAnewInARestoredStore) { check_found(6066); }

}  // namespace
}  // namespace lips::virtual_cluster::storms
