#include "kubernetes/pods/run_sizes.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace lips::kubernetes {
namespace {

const RunSizes::Run first{"etl/count", "etl/spark-1"}, second{"etl/count", "etl/spark-2"};

TEST(RunSizes, AreTheMostWorkersAtOnce) {
  RunSizes sizes;
  sizes.runs("d", first, true);
  for (const char* uid : {"a", "b"}) sizes.runs(uid, first, false);
  sizes.runs("a", first, false);  // a new version of the same pod
  EXPECT_FALSE(sizes.ended("a"));
  EXPECT_FALSE(sizes.ended("b"));
  sizes.runs("c", first, false);
  EXPECT_FALSE(sizes.ended("c")) << "its driver runs, and may ask for more";
  const auto run = sizes.ended("d");
  ASSERT_TRUE(run);
  EXPECT_EQ(run->of, first);
  EXPECT_EQ(run->workers, 2u);
  EXPECT_EQ(sizes.kept(), 0u);
}

TEST(RunSizes, OfTwoRunsAtOnceAreCountedApart) {
  RunSizes sizes;
  for (int i = 0; i < 3; ++i) sizes.runs(fmt::format("a{}", i), first, false);
  sizes.runs("b", second, false);
  const auto short_run = sizes.ended("b");
  ASSERT_TRUE(short_run);
  EXPECT_EQ(short_run->workers, 1u);
  EXPECT_FALSE(sizes.ended("a0"));
  EXPECT_FALSE(sizes.ended("a1"));
  const auto long_run = sizes.ended("a2");
  ASSERT_TRUE(long_run);
  EXPECT_EQ(long_run->workers, 3u);
}

TEST(RunSizes, OfADriverWithoutWorkersSayNothing) {
  RunSizes sizes;
  sizes.runs("d", first, true);
  EXPECT_FALSE(sizes.ended("d"));
  EXPECT_FALSE(sizes.ended("d")) << "again";
  EXPECT_FALSE(sizes.ended("unknown"));
}

}  // namespace
}  // namespace lips::kubernetes
