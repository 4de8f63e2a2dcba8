#include "kubernetes/data/resource_reconciler.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/kubernetes/api/virtual_api.h"

namespace lips::kubernetes {
namespace {

// A reconciler of a catalog that the test fills, and its writes to a server that takes them all.
struct Reconciled {
  explicit Reconciled(bool acts, ResourceReconciler::PoolUses pool_uses = {})
      : writes(
            api.client(), [acts] { return acts; }, [] {}),
        events(api.client(), {}, [acts] { return acts; }),
        reconciler(catalog, writes, events, work, {secret, pod_secrets, false}, std::move(pool_uses)) {}

  // All answers to what was sent have been taken.
  void collect() {
    api.settle();
    if (writes.anything_under_way()) writes.collect(now);
  }

  VirtualApi api{[](const ReceivedRequest&) { return Reply{200, "{}", {}, false, nullptr}; }};
  DataCatalog catalog{"lips"};
  ObjectWrites writes;
  EventRecorder events;
  const WorkSettings work{"lips", "image", "IfNotPresent", "", "", 0};
  StoreKeySecret secret{writes, "lips", ""};
  PodSecrets pod_secrets{writes, "lips"};
  ResourceReconciler reconciler;
  TimePoint now{std::chrono::hours(1)};
};

TEST(ResourceReconciler, KeepsNothingOfStoresThatAreGone) {
  Reconciled with(false);
  std::size_t most = 0;
  for (int i = 0; i < 200; ++i) {
    const std::string name = "store-" + std::to_string(i);
    const nlohmann::json store{
        {"metadata", {{"name", name}, {"uid", name}, {"resourceVersion", "1"}, {"generation", 1}}},
        {"spec", {{"zone", "z"}, {"nodeDirectory", {{"node", name}, {"path", "/srv"}}}}}};
    with.catalog.informers()[1].sink->changed({"", name, name, "1"}, store.dump());
    with.catalog.poll();
    with.reconciler.tick(with.now += std::chrono::seconds(1));
    with.catalog.informers()[1].sink->deleted({"", name, name, "2"});
    with.catalog.poll();
    with.collect();
    with.reconciler.tick(with.now += std::chrono::minutes(2));
    most = std::max(most, with.reconciler.kept());
  }
  EXPECT_LE(most, 2u);
}

// Spot nodes end with what lies on them; a purge there would be tried for ever.
TEST(ResourceReconciler, WaitsForNoNodeThatIsGoneWhenADataSetIsDeleted) {
  Reconciled with(true);
  NodeState sight{"u1", true, false};
  const auto look = [&] { with.catalog.use_nodes([&](const std::string&) { return sight; }); };
  look();
  const auto add = [&](std::size_t kind, const nlohmann::json& object) {
    const nlohmann::json& meta = object["metadata"];
    with.catalog.informers()[kind].sink->changed(
        {meta.value("namespace", ""), meta["name"], meta["uid"], meta["resourceVersion"]}, object.dump());
    with.catalog.poll();
  };
  add(1, {{"metadata", {{"name", "a"}, {"uid", "a"}, {"resourceVersion", "1"}, {"generation", 1}}},
          {"spec", {{"zone", "z"}, {"nodeDirectory", {{"node", "n"}, {"path", "/srv"}}}}}});
  add(0, {{"metadata",
           {{"namespace", "d"},
            {"name", "s"},
            {"uid", "s"},
            {"resourceVersion", "2"},
            {"generation", 1},
            {"deletionTimestamp", "2026-01-31T12:00:00Z"},
            {"finalizers", {copies_finalizer, "of.others/one"}}}},
          {"spec", {{"blocks", 1}, {"blockSize", 1}, {"stores", {{{"name", "a"}}}}}},
          {"status", {{"blocks", 1}, {"replicas", {{{"store", "a"}, {"blocks", "0"}, {"copies", "0"}}}}}}});
  const auto sent = [&](Duration after) {
    with.writes.collect(with.now);
    with.reconciler.tick(with.now += after);
    with.collect();
    std::string jobs;
    for (const ReceivedRequest& request : with.api.requests()) {
      if (request.method == "POST" && request.path.ends_with("/jobs")) jobs += "purge ";
      if (request.method == "PATCH" && request.path.ends_with("/datasets/s")) jobs += request.body;
    }
    return jobs;
  };
  EXPECT_EQ(sent(std::chrono::seconds(1)), "purge ");
  sight = {"", false, true};
  look();
  with.catalog.poll();
  EXPECT_EQ(sent(std::chrono::seconds(1)).find("finalizers"), std::string::npos) << "it may come back";
  sent(std::chrono::minutes(4));
  EXPECT_EQ(sent(std::chrono::seconds(1)).find("finalizers"), std::string::npos);
  const std::string end = sent(std::chrono::minutes(2));
  EXPECT_NE(end.find(R"("finalizers":["of.others/one"])"), std::string::npos) << end;
}

TEST(ResourceReconciler, WritesHowAPoolsTargetsAreHeldAndTakesItBack) {
  PoolUse use{"etl", Cores(2), 0.5, UsdPerHour(1), 3, 4, {}, {}};
  Reconciled with(true, [&] { return std::vector{use}; });
  nlohmann::json pool{{"metadata", {{"name", "etl"}, {"uid", "u"}, {"resourceVersion", "1"}, {"generation", 2}}},
                      {"spec", {{"weight", 1}}},
                      {"status",
                       {{"conditions",
                         {{{"type", "Ready"},
                           {"status", "True"},
                           {"reason", "Usable"},
                           {"message", ""},
                           {"lastTransitionTime", "1970-01-01T00:00:00Z"},
                           {"observedGeneration", 2}}}}}}};
  std::size_t seen = 0;
  int version = 0;
  // The status that is written within the next minute; null: none.
  const auto written = [&] {
    pool["metadata"]["resourceVersion"] = std::to_string(++version);
    with.catalog.informers()[2].sink->changed({"", "etl", "u", std::to_string(version)}, pool.dump());
    with.catalog.poll();
    with.writes.collect(with.now);  // what was answered is known everywhere
    with.reconciler.tick(with.now += std::chrono::minutes(1));
    with.collect();
    nlohmann::json status;
    const std::vector<ReceivedRequest> requests = with.api.requests();
    for (; seen < requests.size(); ++seen)
      if (requests[seen].method == "PATCH" && requests[seen].path.ends_with("/pools/etl/status"))
        status = nlohmann::json::parse(requests[seen].body)["status"];
    if (!status.is_null()) pool["status"].merge_patch(status);
    return status;
  };
  TargetReport report;
  report.target = 50, report.reached = 10, report.forecast = 20, report.state = TargetState::held;
  use.targets = {report};
  nlohmann::json status = written();
  EXPECT_EQ(status["targets"], "held");
  ASSERT_EQ(status["conditions"].size(), 2u) << "beside those that others write";
  EXPECT_EQ(status["conditions"][1]["type"], "TargetsHeld");
  EXPECT_EQ(status["conditions"][1]["observedGeneration"], 2);
  const nlohmann::json since = status["conditions"][1]["lastTransitionTime"];
  EXPECT_TRUE(written().is_null()) << "nothing has changed";
  use.targets[0].reached = 12;
  EXPECT_EQ(written()["conditions"][1]["lastTransitionTime"], since) << "as long as it is held";
  use.targets[0].state = TargetState::behind;
  status = written();
  EXPECT_EQ(status["conditions"][1]["status"], "False");
  EXPECT_NE(status["conditions"][1]["lastTransitionTime"], since);
  use.targets.clear();
  status = written();
  EXPECT_EQ(status["targets"], "");
  ASSERT_EQ(status["conditions"].size(), 1u);
  EXPECT_EQ(status["conditions"][0]["type"], "Ready");
}

}  // namespace
}  // namespace lips::kubernetes
