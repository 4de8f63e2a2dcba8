#include "tests/virtual/storms/storm_case.h"

#include <gtest/gtest.h>

#include <set>

namespace lips::virtual_cluster::storms {
namespace {

TEST(StormCase, ShrinksToTheTroublesAndJobsThatAreNeeded) {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    Random random(seed);
    StormCase storm = storm_of(seed);
    EnumArray<Trouble, bool> needed;
    for (const Trouble trouble : troubles) needed[trouble] = storm.has[trouble] && random.uniform() < 0.3;
    const std::size_t jobs = 1 + random.below(40), needs = 1 + random.below(jobs);
    const auto fails = [&](const StormCase& smaller) {
      for (const Trouble trouble : troubles)
        if (needed[trouble] && !smaller.has[trouble]) return false;
      return std::min(smaller.most_jobs, jobs) >= needs;
    };
    ASSERT_TRUE(fails(storm));
    const StormCase least = shrunk(storm, jobs, fails);
    EXPECT_TRUE(fails(least));
    EXPECT_EQ(least.has, needed) << "seed " << seed;
    EXPECT_LT(std::min(least.most_jobs, jobs) / 2, needs) << "seed " << seed;
    EXPECT_EQ(least.seed, storm.seed);
  }
}

TEST(StormCase, SeedsDrawEveryTroubleAndEveryScene) {
  EnumArray<Trouble, int> seen;
  std::set<Scene> scenes;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    for (const Trouble trouble : troubles) seen[trouble] += storm_of(seed).has[trouble];
    scenes.insert(scene_of(seed));
  }
  for (const Trouble trouble : troubles) EXPECT_GT(seen[trouble], 10) << to_string(trouble);
  EXPECT_EQ(scenes.size(), 4U);
}

TEST(StormCase, NamesItsCommand) {
  StormCase storm;
  storm.seed = 7;
  EXPECT_EQ(command_of(storm), "scripts/storm --first 7 --seeds 1 --only nothing");
  storm.has[Trouble::cut_watches] = storm.has[Trouble::hostile] = true;
  storm.most_jobs = 3;
  EXPECT_EQ(command_of(storm), "scripts/storm --first 7 --seeds 1 --only cut-watches,hostile --jobs 3");
  for (const Trouble trouble : troubles) EXPECT_EQ(trouble_of(to_string(trouble)), trouble);
  EXPECT_EQ(trouble_of("thunder"), std::nullopt);
}

}  // namespace
}  // namespace lips::virtual_cluster::storms
