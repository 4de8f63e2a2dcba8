#include "kubernetes/data/resource_reconciler.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <thread>

#include "tests/kubernetes/api/fake_api_server.h"

namespace lips::kubernetes {
namespace {

TEST(ResourceReconciler, KeepsNothingOfStoresThatAreGone) {
  FakeApiServer server([](const ReceivedRequest&) { return Reply{200, "{}", {}, false, nullptr}; });
  ApiClient client(server.connection(), quick_client());
  DataCatalog catalog("lips");
  ObjectWrites writes(
      client, [] { return false; }, [] {});
  EventRecorder events(client, {}, [] { return false; });
  const WorkSettings work{"lips", "image", "IfNotPresent", "", "", 0};
  StoreKeySecret secret(writes, "lips", "");
  ResourceReconciler reconciler(catalog, writes, events, work, {secret, false});
  TimePoint now(std::chrono::hours(1));
  std::size_t most = 0;
  for (int i = 0; i < 200; ++i) {
    const std::string name = "store-" + std::to_string(i);
    const nlohmann::json store{
        {"metadata", {{"name", name}, {"uid", name}, {"resourceVersion", "1"}, {"generation", 1}}},
        {"spec", {{"zone", "z"}, {"nodeDirectory", {{"node", name}, {"path", "/srv"}}}}}};
    catalog.informers()[1].sink->changed({"", name, name, "1"}, store.dump());
    catalog.poll();
    reconciler.tick(now += std::chrono::seconds(1));
    catalog.informers()[1].sink->deleted({"", name, name, "2"});
    catalog.poll();
    while (writes.anything_under_way()) {
      std::this_thread::yield();
      writes.collect(now);
    }
    reconciler.tick(now += std::chrono::minutes(2));
    most = std::max(most, reconciler.kept());
  }
  EXPECT_LE(most, 2u);
}

TEST(ResourceReconciler, WritesHowAPoolsTargetsAreHeldAndTakesItBack) {
  FakeApiServer server([](const ReceivedRequest&) { return Reply{200, "{}", {}, false, nullptr}; });
  ApiClient client(server.connection(), quick_client());
  DataCatalog catalog("lips");
  ObjectWrites writes(
      client, [] { return true; }, [] {});
  EventRecorder events(client, {}, [] { return true; });
  const WorkSettings work{"lips", "image", "IfNotPresent", "", "", 0};
  StoreKeySecret secret(writes, "lips", "");
  PoolUse use{"etl", Cores(2), 0.5, UsdPerHour(1), 3, 4, {}, {}};
  ResourceReconciler reconciler(catalog, writes, events, work, {secret, false}, [&] { return std::vector{use}; });
  TimePoint now(std::chrono::hours(1));
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
    catalog.informers()[2].sink->changed({"", "etl", "u", std::to_string(version)}, pool.dump());
    catalog.poll();
    writes.collect(now);  // what was answered is known everywhere
    reconciler.tick(now += std::chrono::minutes(1));
    while (writes.anything_under_way()) {
      std::this_thread::yield();
      writes.collect(now);
    }
    nlohmann::json status;
    const std::vector<ReceivedRequest> requests = server.requests();
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
