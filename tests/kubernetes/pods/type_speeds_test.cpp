#include "kubernetes/pods/type_speeds.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/random.h"

namespace lips::kubernetes {
namespace {

// Run times that scatter by a third around what length and speed give.
class Cluster {
 public:
  void run(TypeSpeeds& speeds, const std::string& of, const std::string& type, double length, double speed, int tasks) {
    for (int i = 0; i < tasks; ++i)
      speeds.add(of, type, seconds(length / speed * std::exp((random_.uniform() - 0.5) * 1.2)));
  }

 private:
  Random random_{1};
};

TEST(TypeSpeeds, AreLearnedFromTemplatesThatRanOnSeveralTypes) {
  TypeSpeeds speeds;
  Cluster cluster;
  for (int round = 0; round < 10; ++round) {
    cluster.run(speeds, "etl", "fast", 100, 2, 20);
    cluster.run(speeds, "etl", "slow", 100, 1, 20);
    cluster.run(speeds, "report", "slow", 10, 1, 20);
    cluster.run(speeds, "report", "middle", 10, 1.5, 20);
  }
  EXPECT_EQ(speeds.of("fast"), 1) << "not before it is looked at";
  EXPECT_TRUE(speeds.moved());
  speeds.mark_reviewed();
  EXPECT_FALSE(speeds.moved());
  EXPECT_NEAR(speeds.of("fast") / speeds.of("slow"), 2, 0.3);
  EXPECT_NEAR(speeds.of("middle") / speeds.of("slow"), 1.5, 0.2) << "though the two never ran the same";
  EXPECT_EQ(speeds.of("unknown"), 1);
}

TEST(TypeSpeeds, AreNotReadFromTasksThatDiffer) {
  TypeSpeeds speeds;
  Cluster cluster;
  cluster.run(speeds, "long", "a", 1000, 1, 300);
  cluster.run(speeds, "short", "b", 1, 1, 300);
  speeds.mark_reviewed();
  EXPECT_EQ(speeds.of("a"), 1);
  EXPECT_EQ(speeds.of("b"), 1);
  // Most long ones still run on a and most short ones on b.
  cluster.run(speeds, "long", "b", 1000, 1, 30);
  cluster.run(speeds, "short", "a", 1, 1, 30);
  speeds.mark_reviewed();
  EXPECT_NEAR(speeds.of("a") / speeds.of("b"), 1, 0.15);
}

TEST(TypeSpeeds, OfFewTasksAreDoubtedAndNeverExtreme) {
  TypeSpeeds speeds;
  speeds.add("etl", "a", seconds(1));
  speeds.add("etl", "b", seconds(100));
  speeds.mark_reviewed();
  EXPECT_LT(speeds.of("a") / speeds.of("b"), 1.3);
  Cluster cluster;
  cluster.run(speeds, "etl", "a", 1, 1, 500);
  cluster.run(speeds, "etl", "b", 1000, 1, 500);
  speeds.mark_reviewed();
  EXPECT_LE(speeds.of("a"), 3);
  EXPECT_GE(speeds.of("b"), 1.0 / 3);
}

TEST(TypeSpeeds, FollowATypeThatChanges) {
  TypeSpeeds speeds;
  Cluster cluster;
  for (int round = 0; round < 10; ++round) {
    cluster.run(speeds, "etl", "a", 100, 1, 30);
    cluster.run(speeds, "etl", "b", 100, 1, 30);
  }
  speeds.mark_reviewed();
  EXPECT_NEAR(speeds.of("a") / speeds.of("b"), 1, 0.1);
  cluster.run(speeds, "etl", "b", 100, 0.5, 1000);
  EXPECT_TRUE(speeds.moved());
  speeds.mark_reviewed();
  EXPECT_NEAR(speeds.of("a") / speeds.of("b"), 2, 0.4);
}

TEST(TypeSpeeds, OfAMillionTemplatesTakeNoMoreRoom) {
  TypeSpeeds speeds;
  for (int i = 0; i < 20'000; ++i) speeds.add("job-" + std::to_string(i), i % 2 ? "a" : "b", seconds(10));
  speeds.add("one", "", seconds(10));
  speeds.add("one", "a", seconds(0));
  speeds.mark_reviewed();
  EXPECT_EQ(speeds.of("a"), 1) << "no template ran on both";
}

}  // namespace
}  // namespace lips::kubernetes
