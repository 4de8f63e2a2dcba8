// The adapter where the API server refuses lists: of each kind in turn, whichever the adapter lists.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "tests/kubernetes/adapter/scheduling.h"

namespace lips::kubernetes {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::Field;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

// Every kind is there that LiPS may list, so it lists them all.
void put_all(FakeCluster& cluster) {
  cluster.put_node("n", {.zone = "zone-c"});
  put_books(cluster);
  cluster.put_resource("nodepools", "batch",
                       R"({"metadata":{"name":"batch","uid":"batch","resourceVersion":"1"},)"
                       R"("spec":{"template":{"spec":{"requirements":[]}}}})");
  for (const char* plural : {"jobsets", "workflows"}) cluster.put_storage(plural, "none", nlohmann::json::object());
  FakePod member = pod_of(1);
  member.spec = R"("schedulingGroup":{"podGroupName":"train"},)";
  cluster.put_pod("member", member);
  FakePod apart = pod_of(1);
  apart.scheduler = "default-scheduler";
  apart.node = "n";
  apart.spec =
      R"("affinity":{"podAntiAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":[{"topologyKey":"host",
      "namespaceSelector":{"matchLabels":{"team":"a"}}}]}},)";
  cluster.put_pod("apart", apart);
  cluster.put_pod("p", pod_of(1));
}

ClusterSettings settings_for_all() {
  ClusterSettings settings;
  settings.patience = Duration(100'000);
  settings.detect_every = Duration(50'000);
  settings.data.mover.work.name_space = "lips";
  settings.self.name_space = "lips";
  settings.pool_offers = {[](const auto&, const NodeCache&) { return std::vector{offer_in("zone-c", 0.2)}; },
                          [](const auto&, const NodeCache&) { return LaunchLimits{}; },
                          [](const auto&, const NodeCache&) { return std::vector<PoolProblem>{}; }};
  return settings;
}

class Everything {
 public:
  explicit Everything(FakeCluster& cluster) : scheduling(cluster, {}, PodMode::watch, {}, {}, settings_for_all()) {}
  bool until_state(const std::function<bool(const OperatorState&)>& is) {
    return scheduling.until([&] { return is(scheduling.counted.state()); });
  }
  Scheduling scheduling;
};

bool names(const std::vector<Lack>& lacks, const std::string& path) {
  return std::any_of(lacks.begin(), lacks.end(), [&](const Lack& lack) {
    return lack.what == kind_of_path(path) && lack.why.find("lips may not list " + path) != std::string::npos;
  });
}

bool is_needed_path(const std::string& path) { return path == "/api/v1/pods" || path == "/api/v1/nodes"; }

// The paths of all lists, as the server has been asked for them.
std::set<std::string> listed_paths() {
  FakeCluster cluster;
  put_all(cluster);
  Everything all(cluster);
  std::set<std::string> paths;
  EXPECT_TRUE(all.scheduling.until([&] {
    paths.clear();
    for (const ReceivedRequest& request : cluster.requests())
      if (request.method == "GET" && !request.query_value("limit").empty()) paths.insert(request.path);
    return paths.size() >= enum_size<WatchedKind> + 7;
  })) << paths.size();
  EXPECT_TRUE(all.scheduling.until_bound("p"));
  EXPECT_TRUE(all.scheduling.until([&] { return all.scheduling.counted.status().watches.size() == paths.size(); }))
      << "every kind is on the status, and no other list has been asked for";
  return paths;
}

// Those of the adapter, six of data, and NodePools.
TEST(RefusedKinds, AreTriedWithEveryKindThatTheAdapterLists) {
  std::set<std::string> kinds;
  for (const std::string& path : listed_paths()) kinds.insert(path.substr(path.rfind('/') + 1));
  for (const WatchedKind kind : enumerators<WatchedKind>) EXPECT_THAT(kinds, Contains(resource_name(kind)));
  for (const char* kind : {"datasets", "datastores", "pools", "datamoves", "nodepools"})
    EXPECT_THAT(kinds, Contains(kind));
}

void try_refusal(const std::string& path, int code) {
  SCOPED_TRACE(fmt::format("{} {}", path, code));
  FakeCluster cluster;
  put_all(cluster);
  cluster.refuse_lists(path, code);
  Everything all(cluster);
  if (is_needed_path(path)) {
    EXPECT_TRUE(all.until_state([&](const OperatorState& state) { return names(state.awaited, path); }));
    EXPECT_EQ(all.scheduling.counted.state().doing, Doing::awaits);
    EXPECT_FALSE(all.scheduling.counted.state().ready());
    EXPECT_EQ(cluster.pod("p").node, "");
  } else {
    EXPECT_TRUE(all.scheduling.until_bound("p")) << all.scheduling.counted.state().words();
    EXPECT_TRUE(all.until_state([&](const OperatorState& state) { return names(state.degraded, path); }))
        << all.scheduling.counted.state().words();
    EXPECT_TRUE(all.until_state([](const OperatorState& state) { return state.decides(); }))
        << all.scheduling.counted.state().words();
  }
  cluster.refuse_lists("");
  EXPECT_TRUE(all.scheduling.until_bound("p"));
  EXPECT_TRUE(all.until_state([](const OperatorState& state) {
    return state.decides() && state.awaited.empty() && state.degraded.empty();
  })) << all.scheduling.counted.state().words();
}

TEST(RefusedKinds, AreNamedAndThePlansGoOnWithoutThemUnlessTheyAreNeeded) {
  for (const std::string& path : listed_paths())
    for (const int code : {403, 404}) try_refusal(path, code);
}

// A right that is taken away shows when the watch begins anew.
TEST(RefusedKinds, AreNamedThoughTheyWereListedBefore) {
  for (const char* path : {"/api/v1/pods", "/apis/lips.dev/v1alpha1/datasets", "/apis/batch/v1/jobs"}) {
    SCOPED_TRACE(path);
    FakeCluster cluster;
    put_all(cluster);
    Everything all(cluster);
    ASSERT_TRUE(all.scheduling.until_bound("p"));
    cluster.refuse_lists(path);
    cluster.cut_watches();
    const bool needed = is_needed_path(path);
    EXPECT_TRUE(all.until_state([&](const OperatorState& state) {
      return names(needed ? state.awaited : state.degraded, path) && state.decides() != needed;
    })) << all.scheduling.counted.state().words();
    cluster.put_pod("late", pod_of(1));
    EXPECT_TRUE(needed || all.scheduling.until_bound("late"));
    cluster.refuse_lists("");
    EXPECT_TRUE(all.scheduling.until_bound("late"));
    EXPECT_TRUE(all.until_state([](const OperatorState& state) { return state.decides() && state.degraded.empty(); }));
  }
}

// Moves are made by what is in the cluster, not by what was.
TEST(RefusedKinds, OfDataStopNothingButMoves) {
  FakeCluster cluster;
  put_all(cluster);
  cluster.refuse_lists("/v1alpha1/datamoves");
  FakePod reader = pod_of(1);
  reader.annotations["lips.dev/dataset"] = "books";
  cluster.put_pod("reader", reader);
  Everything all(cluster);
  EXPECT_TRUE(all.scheduling.until_bound("reader")) << "the data set and its store are known";
}

TEST(RefusedKinds, TheCustomResourcesOfWhichTheServerDoesNotSayWhetherTheyAreThere) {
  FakeCluster cluster;
  cluster.put_node("n", {});
  cluster.put_pod("p", pod_of(1));
  cluster.refuse_lists("/apis/lips.dev/v1alpha1", 403);
  Everything all(cluster);
  EXPECT_TRUE(all.scheduling.until_bound("p"));
  EXPECT_TRUE(all.until_state([](const OperatorState& state) {
    return state.degraded.size() == 1 && state.degraded[0].what == "API /apis/lips.dev/v1alpha1";
  })) << all.scheduling.counted.state().words();
  cluster.refuse_lists("");
  EXPECT_TRUE(all.until_state([](const OperatorState& state) { return state.degraded.empty(); }));
}

TEST(RefusedKinds, ThatTheServerFailsToListAreWaitedForAndNamed) {
  for (const char* path : {"/api/v1/pods", "/v1alpha1/pools"}) {
    SCOPED_TRACE(path);
    FakeCluster cluster;
    put_all(cluster);
    cluster.refuse_lists(path, 500);
    Everything all(cluster);
    EXPECT_TRUE(all.until_state([&](const OperatorState& state) {
      return state.doing == Doing::awaits && !state.awaited.empty() &&
             state.awaited[0].why.find("lips may not list") != std::string::npos;
    })) << all.scheduling.counted.state().words();
    EXPECT_EQ(cluster.pod("p").node, "");
    cluster.refuse_lists("");
    EXPECT_TRUE(all.scheduling.until_bound("p"));
  }
}

TEST(UnreachableServer, IsSaidAndNothingElse) {
  FakeCluster cluster;
  cluster.break_connections(true);
  ClusterSettings settings;
  settings.patience = Duration(100'000);
  Scheduling scheduling(cluster, {}, PodMode::watch, {}, {}, std::move(settings));
  EXPECT_TRUE(scheduling.until([&] { return scheduling.counted.state().doing == Doing::unreachable; }));
  EXPECT_FALSE(scheduling.counted.state().ready());
  scheduling.end();
  EXPECT_EQ(scheduling.counted.state().doing, Doing::stopping);
}

}  // namespace
}  // namespace lips::kubernetes
