// A server whose definitions are older than the operator: it accepts a status and drops a field that it does not know.
#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>

#include "kubernetes/data/resource_reconciler.h"
#include "tests/kubernetes/api/virtual_api.h"
#include "tests/kubernetes/data/crd_schema.h"

namespace lips::kubernetes {
namespace {

using Json = nlohmann::json;

// Keeps objects by path, merges patches of their statuses, and gives a new version only to what has changed.
class Pruning {
 public:
  explicit Pruning(std::string dropped) : dropped_(std::move(dropped)) {}

  Json put(const std::string& path, Json object) {
    object["metadata"]["resourceVersion"] = std::to_string(++version_);
    return objects_[path] = std::move(object);
  }
  Reply answer(const ReceivedRequest& request) {
    const std::size_t end = request.path.rfind("/status");
    if (request.method != "PATCH" || end == std::string::npos) return {200, "{}", {}, false, nullptr};
    ++writes_;
    Json& object = objects_[request.path.substr(0, end)];
    Json status = Json::parse(request.body)["status"];
    status.erase(dropped_);
    Json changed = object.value("status", Json::object());
    changed.merge_patch(status);
    if (changed != object.value("status", Json::object())) {
      object["status"] = std::move(changed);
      object["metadata"]["resourceVersion"] = std::to_string(++version_);
    }
    return {200, object.dump(), {}, false, nullptr};
  }
  int writes() const { return writes_; }

 private:
  const std::string dropped_;
  std::map<std::string, Json> objects_;
  int version_ = 0, writes_ = 0;
};

Json object_of(DataKind kind) {
  Json object{{"metadata", {{"name", "o"}, {"uid", "u"}, {"generation", 1}}}};
  switch (kind) {
    case DataKind::data_set:
      object["metadata"]["namespace"] = "n";
      object["spec"] = {{"blocks", 4}, {"blockSize", 10}, {"stores", {{{"name", "st"}}}}};
      break;
    case DataKind::data_store:
      object["spec"] = {{"zone", "z"}, {"nodeDirectory", {{"node", "n"}, {"path", "/srv"}}}};
      break;
    case DataKind::pool:
      object["spec"] = {{"weight", 1}};
      break;
    case DataKind::data_move:
      break;
  }
  return object;
}

// The writes of ten minutes, where nothing happens but what the operator itself writes.
int writes_without(const std::string& field) {
  Pruning pruning(field);
  VirtualApi api([&](const ReceivedRequest& request) { return pruning.answer(request); });
  DataCatalog catalog("lips");
  ObjectWrites writes(
      api.client(), [] { return true; }, [] {});
  EventRecorder events(api.client(), {}, [] { return true; });
  const WorkSettings work{"lips", "image", "IfNotPresent", "", "", 0};
  StoreKeySecret secret(writes, "lips", "");
  PodSecrets pod_secrets(writes, "lips");
  TargetReport report;
  report.target = 50, report.reached = 10, report.forecast = 20, report.state = TargetState::held;
  const PoolUse use{"o", Cores(2), 0.5, UsdPerHour(1), 3, 4, {report}, {}};
  ResourceReconciler reconciler(catalog, writes, events, work, {secret, pod_secrets, false},
                                [&] { return std::vector{use}; });
  const auto add = [&](DataKind kind, const std::string& name) {
    Json object = object_of(kind);
    object["metadata"]["name"] = name;
    const std::string name_space = object["metadata"].value("namespace", "");
    object = pruning.put(resource_path(kind, {name_space, name, "u", ""}), std::move(object));
    catalog.informers()[static_cast<std::size_t>(kind)].sink->changed(
        {name_space, name, "u", object["metadata"]["resourceVersion"]}, object.dump());
  };
  add(DataKind::data_store, "st");
  add(DataKind::data_set, "o");
  add(DataKind::pool, "o");
  catalog.use_nodes([](const std::string&) { return NodeState{"node-uid", true, false}; });
  TimePoint now(std::chrono::hours(1));
  for (const TimePoint end = now + std::chrono::minutes(9); now < end; now += std::chrono::milliseconds(250)) {
    catalog.poll();
    reconciler.tick(now);
    api.run_for(std::chrono::milliseconds(100));
    writes.collect(now);
    writes.collect(now);
  }
  return pruning.writes();
}

TEST(PrunedStatus, IsNotWrittenAgainWhicheverFieldTheServerDrops) {
  const int undisturbed = writes_without("");
  EXPECT_GE(undisturbed, 4) << "all kinds have something to say";
  EXPECT_LE(undisturbed, 12);
  for (const DataKind kind : {DataKind::data_set, DataKind::data_store, DataKind::pool})
    for (const auto& field : schema_of(kind)["properties"]["status"]["properties"]) {
      const auto name = field.first.as<std::string>();
      EXPECT_LE(writes_without(name), 2 * undisturbed) << kind_name(kind) << ' ' << name;
    }
}

}  // namespace
}  // namespace lips::kubernetes
