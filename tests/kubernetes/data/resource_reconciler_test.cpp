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

}  // namespace
}  // namespace lips::kubernetes
