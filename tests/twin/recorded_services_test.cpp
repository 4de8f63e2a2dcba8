#include "twin/recorded_services.h"

#include <gtest/gtest.h>

#include <array>

#include "base/random.h"

namespace lips::twin {
namespace {

TimePoint at(double time) { return TimePoint(seconds(time)); }

ServicePods pods(const std::string& workload, std::uint32_t count, double newest, double cores = 1) {
  ServicePods made;
  made.workload = workload, made.request = {Cores(cores), Mebibytes(0), 1};
  made.newest = at(newest);
  if (count > 0) made.on = {{"n", count}};
  return made;
}

ClusterSnapshot cluster_of(double cores) {
  ClusterSnapshot cluster;
  cluster.profiles.push_back({{{"zone", "a"}}, {}});
  Node node;
  node.profile = ProfileId(0), node.capacity = {Cores(cores), Mebibytes(1000), 10};
  cluster.nodes.push_back(node);
  return cluster;
}

// Records of random numbers of pods at random times, and the pods that there are in what is made of them.
TEST(RecordedServices, HaveAsManyPodsAsTheRecordsAtEveryTime) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    Random random(seed);
    RecordedServices seen;
    std::vector<std::pair<double, std::array<std::uint32_t, 2>>> counts;
    double now = 500;
    for (int i = 0; i < 30; ++i, now += random.uniform(1, 50)) {
      counts.push_back(
          {now, {static_cast<std::uint32_t>(random.below(5)), static_cast<std::uint32_t>(random.below(5))}});
      std::vector<ServicePods> rows{pods("a", counts.back().second[0], now)};
      if (counts.back().second[1] > 0) rows.push_back(pods("b", counts.back().second[1], now));
      seen.add(at(now), rows);
    }
    ClusterSnapshot cluster = cluster_of(4);
    const RecordedServices::Placed placed = seen.place(cluster);
    for (std::size_t i = 0; i + 1 < counts.size(); ++i) {
      const TimePoint middle = at((counts[i].first + counts[i + 1].first) / 2 - 500);
      for (const int which : {0, 1}) {
        std::uint32_t sum = 0;
        for (const simulation::Service& one : placed.services)
          if (one.name == (which == 0 ? "a" : "b") && one.from <= middle && middle < one.until) sum += one.pods;
        EXPECT_EQ(sum, counts[i].second[static_cast<std::size_t>(which)]) << "seed " << seed << ", record " << i;
      }
    }
  }
}

TEST(RecordedServices, ComeWhenTheirYoungestPodCameButAfterTheRecordBefore) {
  RecordedServices seen;
  seen.add(at(100), std::vector{pods("a", 1, 20)});
  seen.add(at(160), std::vector{pods("a", 2, 130)});
  seen.add(at(200), std::vector{pods("a", 4, 130)});
  seen.add(at(300), std::vector{pods("a", 4, 130)});
  ClusterSnapshot cluster = cluster_of(4);
  std::vector<std::pair<double, std::uint32_t>> came;
  for (const simulation::Service& one : seen.place(cluster).services) came.emplace_back(to_seconds(one.from), one.pods);
  EXPECT_EQ(came, (std::vector<std::pair<double, std::uint32_t>>{{0, 1}, {30, 1}, {60, 2}}));
}

// A pod that its controller replaced is the same load.
TEST(RecordedServices, AreTheSameLoadWhereAPodIsReplacedByAnother) {
  RecordedServices seen;
  seen.add(at(0), std::vector{pods("a", 2, 0)});
  seen.add(at(50), std::vector{pods("a", 2, 49)});
  seen.add(at(90), std::vector{pods("a", 2, 80)});
  ClusterSnapshot cluster = cluster_of(4);
  const RecordedServices::Placed placed = seen.place(cluster);
  ASSERT_EQ(placed.services.size(), 1u);
  EXPECT_EQ(placed.services[0].pods, 2u);
  EXPECT_EQ(placed.services[0].until, at(90));
}

TEST(RecordedServices, SayWhichPodsFitNowhereAndWhichLabelsAreNotKnown) {
  RecordedServices seen;
  ServicePods large = pods("large", 3, 0, 9), elsewhere = pods("elsewhere", 1, 0), ssd = pods("ssd", 2, 0),
              never = pods("never", 0, 0);
  elsewhere.constraint.required = {{"zone", LabelRequirement::Operator::in, {"b"}}};
  ssd.constraint.required = {{"disk", LabelRequirement::Operator::in, {"ssd"}},
                             {"zone", LabelRequirement::Operator::in, {"a"}}};
  ssd.extended = {{"ephemeral-storage", 5}};
  never.waiting = 2, never.constraint = ssd.constraint;
  for (const double time : {0, 10}) seen.add(at(time), std::vector{large, elsewhere, ssd, never});
  EXPECT_TRUE(seen.known());
  ClusterSnapshot cluster = cluster_of(4);
  const RecordedServices::Placed placed = seen.place(cluster);
  EXPECT_EQ(placed.nowhere, 6u) << "too large, in another zone, and those that no node ever took";
  EXPECT_EQ(placed.any_label, 1u);
  EXPECT_EQ(placed.no_amounts, 1u);
  ASSERT_EQ(placed.services.size(), 1u);
  EXPECT_EQ(placed.services[0].name, "ssd");
  EXPECT_EQ(cluster.constraints[placed.services[0].constraint].required.size(), 1u);
  seen.add(at(20), std::nullopt);
  EXPECT_FALSE(seen.known());
}

}  // namespace
}  // namespace lips::twin
