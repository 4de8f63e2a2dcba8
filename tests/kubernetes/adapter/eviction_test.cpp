#include "kubernetes/adapter/eviction.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "base/random.h"
#include "kubernetes/api/time_text.h"
#include "tests/kubernetes/adapter/planned.h"
#include "tests/kubernetes/adapter/scheduling.h"

namespace lips::kubernetes {
namespace {

constexpr Duration hour = std::chrono::hours(1);
constexpr TimePoint began{std::chrono::hours(1000)};

// A task of one core on a node of eight that Karpenter bought.
struct Kept {
  Kept() { put_node("karpenter.sh/nodepool"); }
  void put_node(const char* label) {
    Node node;
    node.meta.name = "n";
    node.labels = {{label, "any"}};
    node.allocatable = {{"cpu", 8000}, {"memory", 8LL << 30}, {"pods", 10}};
    nodes.update(node);
    pod.node = "n";
    pod.requests = {{"cpu", 1000}};
    pod.started = began;
    pod.work.run_time = 10 * hour;
  }
  // The task's own request, and so much beside it.
  void beside(std::int64_t millicores) { nodes.take("n", {{"cpu", 1000 + millicores}}, NodeCache::Whose::ours); }
  EvictionContext context() const { return {nodes, index, {run_times, std::chrono::minutes(1)}}; }
  bool from_start() const { return is_kept_from_start(pod, context()); }
  bool after(Duration run) const { return is_kept_by_now(pod, context(), began + run); }

  UsdPerHour price{0.8};
  NodeCache nodes;
  RunTimes run_times;
  PodRecord pod;
  ModelIndex index{{.network = {},
                    .node_price = [this](const PriceQuestion&) { return NodePrice{.price = price}; },
                    .transfer_price = {}}};
};

TEST(Eviction, TasksOfMinutesAreKeptFromTheStart) {
  Kept kept;
  kept.pod.work.run_time = too_short_to_move;
  EXPECT_TRUE(kept.from_start());
  kept.pod.work.run_time.reset();
  EXPECT_TRUE(kept.from_start()) << "a minute is assumed";
  kept.pod.says_disruption = true;
  EXPECT_FALSE(kept.from_start()) << "its template says what it wants";
  kept.pod.says_disruption = false;
  kept.pod.work.run_time = too_short_to_move + Duration(1'000'000);
  EXPECT_FALSE(kept.from_start());
}

TEST(Eviction, APartOfAnApplicationIsKeptFromTheStart) {
  for (const auto part :
       {+[](PodAnnotations& work) { work.driver = true; }, +[](PodAnnotations& work) { work.peers = true; },
        +[](PodAnnotations& work) { work.group = "gang"; }}) {
    Kept kept;
    part(kept.pod.work);
    EXPECT_TRUE(kept.from_start());
  }
}

TEST(Eviction, NobodyIsKeptWhereNodesStay) {
  Kept kept;
  kept.put_node("disk");
  kept.pod.work.run_time = std::chrono::minutes(1);
  EXPECT_FALSE(kept.from_start());
  EXPECT_FALSE(kept.after(hour));
}

TEST(Eviction, ATaskAloneOnALargeNodeDoesNotHoldItForHours) {
  Kept kept;
  kept.beside(0);
  EXPECT_FALSE(kept.after(Duration(0)));
  EXPECT_FALSE(kept.after(5 * hour));
  EXPECT_FALSE(kept.after(8 * hour + hour / 2)) << "1.06 core-hours of 8.5 are lost, 1.5 hours of the whole node saved";
  EXPECT_TRUE(kept.after(9 * hour));
  EXPECT_TRUE(kept.after(20 * hour)) << "longer than expected";
}

TEST(Eviction, OfAFullNodeEachTaskCountsItsPart) {
  Kept kept;
  kept.beside(7000);
  EXPECT_FALSE(kept.after(5 * hour - std::chrono::minutes(1)));
  EXPECT_TRUE(kept.after(5 * hour));
}

TEST(Eviction, WithoutAPriceNothingIsSaved) {
  Kept kept;
  kept.beside(0);
  kept.price = UsdPerHour(0);
  EXPECT_TRUE(kept.after(hour));
}

TEST(Eviction, WhoIsKeptStaysSoUntilItsMarkEnds) {
  Random random(1);
  for (int run = 0; run < 200; ++run) {
    Kept kept;
    kept.pod.work.run_time = seconds(static_cast<double>(random.below(100'000)) + 1);
    kept.beside(static_cast<std::int64_t>(random.below(7000)));
    bool before = false;
    const Duration end = kept_for(kept.pod, kept.context());
    EXPECT_GE(end, least_kept);
    EXPECT_LE(end, most_kept);
    EXPECT_FALSE(kept.after(end)) << "run " << run;
    for (int minute = 0; std::chrono::minutes(minute) < end; minute += 7) {
      const bool now = kept.after(std::chrono::minutes(minute));
      EXPECT_TRUE(now || !before) << "run " << run << ", minute " << minute;
      before = now;
    }
    EXPECT_TRUE(before) << "run " << run;
  }
}

// A cluster of Ray, a session of Flink or a Thrift server would hold its nodes for its whole life.
TEST(Eviction, ServicesAndWhatRunsForWeeksAreNotKeptForEver) {
  Kept kept;
  kept.pod.work.peers = true;
  kept.pod.work.run_time.reset();
  EXPECT_TRUE(kept.from_start());
  EXPECT_TRUE(kept.after(least_kept - hour));
  EXPECT_FALSE(kept.after(least_kept));
  kept.pod.work.run_time = 40 * hour;
  EXPECT_TRUE(kept.after(79 * hour)) << "its end is known";
  EXPECT_FALSE(kept.after(80 * hour));
  kept.pod.work.run_time = 1000 * hour;
  EXPECT_FALSE(kept.from_start());
  EXPECT_FALSE(kept.after(most_kept));
}

TEST(EvictionMarks, EndAndWhatOthersHaveMarkedStays) {
  constexpr const char *mark = "karpenter.sh/do-not-disrupt", *kept = "lips.dev/kept-for";
  FakeCluster cluster;
  cluster.put_node("a", {.cpu = 8, .more = R"(,"karpenter.sh/nodepool":"any")"});
  FakePod old = pod_of(1, "old");
  old.node = "a";
  old.phase = "Running";
  old.status = R"(,"startTime":"2026-03-01T10:00:00Z")";
  old.annotations[mark] = "true";
  cluster.put_pod("of-others", old);
  old.uid = {};
  old.annotations[kept] = "86400s";
  cluster.put_pod("ours", old);
  old.uid = {};
  old.annotations[kept] = "999999999s";
  cluster.put_pod("not-yet", old);
  Scheduling scheduling(cluster);
  ASSERT_TRUE(scheduling.until([&] { return cluster.pod("ours").annotations[mark].empty(); }));
  EXPECT_EQ(cluster.pod("of-others").annotations[mark], "true");
  EXPECT_EQ(cluster.pod("not-yet").annotations[mark], "true");
}

// Two marked pods: one keeps seven cores of its node empty, and one fills its node.
TEST(EvictionMarks, OfAPoolThatOwesTooMuchGo) {
  constexpr const char *mark = "karpenter.sh/do-not-disrupt", *kept = "lips.dev/kept-for";
  FakeCluster cluster;
  for (const char* node : {"a", "b"}) cluster.put_node(node, {.cpu = 8, .more = R"(,"karpenter.sh/nodepool":"any")"});
  for (const bool fills : {false, true}) {
    FakePod pod = pod_of(fills ? 8 : 1);
    pod.node = fills ? "b" : "a";
    pod.phase = "Running";
    pod.status = R"(,"startTime":")" + time_text(cluster.now() - std::chrono::minutes(1)) + '"';
    pod.annotations[mark] = "true";
    pod.annotations[kept] = "86400s";
    cluster.put_pod(fills ? "fills" : "alone", pod);
  }
  Planned planned(cluster);
  const auto marked = [&] {
    return std::ranges::count_if(planned.snapshot().running, [](const RunningTask& run) { return run.is_marked(); });
  };
  ASSERT_TRUE(planned.until([&] { return marked() == 2; })) << "the model knows them";
  const auto is_marked = [&](const char* pod) { return cluster.pod(pod).annotations[mark] == "true"; };
  planned.plan_with_debts(CpuSeconds(1e9));
  EXPECT_TRUE(planned.until([&] { return !is_marked("alone"); }));
  EXPECT_TRUE(planned.until([&] { return marked() == 1; }));
  EXPECT_TRUE(is_marked("fills")) << "it keeps nothing empty";
  planned.plan_with_debts(CpuSeconds(0));
  EXPECT_TRUE(planned.until([&] { return is_marked("alone"); })) << "the debt is paid";
}

TEST(EvictionMarks, ComeWithTheBindingOrLaterAlsoWhereKarpenterAloneBuys) {
  constexpr const char* mark = "karpenter.sh/do-not-disrupt";
  FakeCluster cluster;
  cluster.put_node("a", {.cpu = 8, .more = R"(,"karpenter.sh/nodepool":"any")"});
  cluster.put_pod("short", pod_of(1));
  FakePod fresh = pod_of(1, "fresh");
  fresh.annotations["lips.dev/run-time"] = "10h";
  cluster.put_pod("long", fresh);
  FakePod old = pod_of(1, "old");
  old.annotations["lips.dev/run-time"] = "10h";
  old.node = "a";
  old.phase = "Running";
  old.status = R"(,"startTime":")" + time_text(cluster.now() - std::chrono::minutes(594)) + '"';
  cluster.put_pod("nearly-done", old);
  FakePod own = old;
  own.uid = {};
  own.annotations[mark] = "false";
  cluster.put_pod("says-itself", own);
  Scheduling scheduling(cluster);
  ASSERT_TRUE(scheduling.until_bound("short"));
  ASSERT_TRUE(scheduling.until_bound("long"));
  EXPECT_EQ(cluster.pod("short").annotations[mark], "true");
  EXPECT_FALSE(cluster.pod("long").annotations.contains(mark));
  EXPECT_TRUE(scheduling.until([&] { return cluster.pod("nearly-done").annotations.contains(mark); }));
  EXPECT_FALSE(cluster.pod("long").annotations.contains(mark));
  EXPECT_EQ(cluster.pod("says-itself").annotations[mark], "false");
}

}  // namespace
}  // namespace lips::kubernetes
