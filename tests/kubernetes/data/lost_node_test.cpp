// Moves from and to the directory of a node that does not come back.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "kubernetes/data/data_mover.h"
#include "kubernetes/data/resource_reconciler.h"
#include "tests/kubernetes/adapter/scheduling.h"
#include "tests/kubernetes/api/virtual_api.h"

namespace lips::kubernetes {
namespace {

using Json = nlohmann::json;

Json of(const std::string& name, Json spec) {
  return {{"metadata", {{"name", name}, {"uid", name}, {"resourceVersion", "1"}, {"generation", 1}}},
          {"spec", std::move(spec)}};
}

class LostNode : public testing::Test {
 protected:
  // A move of block 0 from a to b, of which one is a directory of the node n, with that status.
  void begin(const char* on_node, Json status) {
    const auto add = [&](std::size_t kind, const Json& object) {
      const Json& meta = object["metadata"];
      catalog_.informers()[kind].sink->changed({meta.value("namespace", ""), meta["name"], meta["uid"], "1"},
                                               object.dump());
    };
    for (const char* name : {"a", "b"}) {
      const std::string node = std::string(name) == on_node ? "n" : "other";
      add(1, of(name, {{"zone", "z"}, {"nodeDirectory", {{"node", node}, {"path", "/srv"}}}}));
    }
    Json set = of("s", {{"blocks", 1}, {"blockSize", 1}, {"stores", {{{"name", "a"}}}}});
    set["metadata"]["namespace"] = "d";
    const bool committed = status["phase"] == "Committed";
    Json at_a{{"store", "a"}, {"blocks", committed ? "" : "0"}},
        at_b{{"store", "b"}, {"blocks", committed ? "0" : ""}, {"copies", "0"}};
    (committed ? at_a : at_b)["leaving"] = "0";
    set["status"] = {{"blocks", 1}, {"size", 1}, {"replicas", {at_a, at_b}}};
    add(0, set);
    Json move = of("m", {{"dataSet", {{"namespace", "d"}, {"name", "s"}}},
                         {"from", "a"},
                         {"to", "b"},
                         {"dropSource", true},
                         {"blocks", "0"}});
    move["metadata"]["finalizers"] = {move_finalizer};
    status.update({{"dataSetUid", "s"},
                   {"blocks", "0"},
                   {"attempt", 1},
                   {"dropAttempt", 1},
                   {"started", "1970-01-01T00:00:01Z"}});
    move["status"] = std::move(status);
    add(3, move);
    for (const DataCatalog::Informer& informer : catalog_.informers()) informer.sink->complete(1);
    look();
  }
  void look() {
    catalog_.use_nodes([this](const std::string& node) {
      return node == "n" && gone_ ? NodeState{"", false, true} : NodeState{"uid-of-" + node, true, false};
    });
  }
  // The last status of the move that is written in that time.
  Json written(Duration span) {
    for (const TimePoint end = now_ + span; now_ < end; now_ += std::chrono::seconds(5)) {
      catalog_.poll();
      mover_.tick(now_);
      api_.settle();
    }
    return last_written();
  }
  Json last_written() {
    Json status = Json::object();
    for (const ReceivedRequest& request : api_.requests())
      if (request.path.ends_with("/datamoves/m/status")) status = Json::parse(request.body)["status"];
    return status;
  }

  bool gone_ = false;
  std::string suspended_;
  TimePoint now_{std::chrono::hours(1)};
  VirtualApi api_{[](const ReceivedRequest&) { return Reply{200, "{}", {}, false, nullptr}; }};
  DataCatalog catalog_{"lips"};
  EventRecorder events_{api_.client(), {}, [] { return true; }};
  DataMover mover_{api_.client(),
                   catalog_,
                   events_,
                   MoverOptions{.work = {"lips", "image", "IfNotPresent", "", "", 0},
                                .limits = {},
                                .rules = {},
                                .suspended = [this] { return suspended_; },
                                .wake = {}},
                   [] { return true; },
                   [](const std::string&, std::uint32_t, const std::string&) { return false; }};
};

TEST_F(LostNode, WhatWasToBeDroppedThereIsGone) {
  begin("a", {{"phase", "Committed"}, {"source", "Removed"}});
  EXPECT_TRUE(written(std::chrono::minutes(1)).empty()) << "it is being deleted";
  gone_ = true;
  look();
  EXPECT_TRUE(written(std::chrono::minutes(4)).empty()) << "it may come back";
  written(std::chrono::minutes(3));
  EXPECT_TRUE(last_written().value("source", "") == "Deleted");
}

TEST_F(LostNode, JobsAreCreatedInTheMoversNamespace) {
  begin("a", {{"phase", "Committed"}, {"source", "Removed"}});
  written(std::chrono::minutes(1));
  EXPECT_TRUE(api_.until([&] {
    for (const ReceivedRequest& request : api_.requests())
      if (request.method == "POST" && request.path == "/apis/batch/v1/namespaces/lips/jobs") return true;
    return false;
  }));
}

// A restored backup suspends moves; RestoredMoves.* show that nothing is deleted meanwhile, RestoredStore.* that
// they go on.
TEST_F(LostNode, SaysThatItsMoveIsSuspended) {
  suspended_ = "the store went back";
  begin("a", {{"phase", "Committed"}, {"source", "Removed"}});
  written(std::chrono::minutes(1));
  ASSERT_TRUE(last_written().contains("conditions"));
  const Json conditions = last_written()["conditions"];
  EXPECT_EQ(conditions[0]["type"], "Suspended");
  EXPECT_EQ(conditions[0]["status"], "True");
  EXPECT_EQ(conditions[0]["message"], "the store went back");
}

TEST_F(LostNode, WhatWasToBeCleanedThereIsGone) {
  begin("b", {{"phase", "Failed"}, {"message", "cancelled"}});
  gone_ = true;
  look();
  EXPECT_TRUE(written(std::chrono::minutes(4)).empty()) << "it may come back";
  written(std::chrono::minutes(3));
  EXPECT_TRUE(last_written().value("cleaned", false));
}

}  // namespace
}  // namespace lips::kubernetes
