// Tasks that read blocks of which no replica is left: they are told so, and go on when there is one again.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/kubernetes/adapter/scheduling.h"

namespace lips::kubernetes {
namespace {

using testing::HasSubstr;

// Blocks 0 and 1 lie on node-0, blocks 2 and 3 on node-1.
class LostBlocks : public testing::Test {
 protected:
  LostBlocks() {
    for (const char* kind : {"pools", "datamoves"}) cluster.put_resource(kind, "none", "{}");
    for (int i = 0; i < 2; ++i) {
      cluster.put_node(fmt::format("node-{}", i), {.cpu = 8});
      cluster.put_resource(
          "datastores", fmt::format("store-{}", i),
          fmt::format(R"({{"metadata":{{"name":"store-{0}","uid":"s{0}"}},"spec":{{"zone":"zone-a",)"
                      R"("nodeDirectory":{{"node":"node-{0}","path":"/srv/data"}}}}}})",
                      i));
    }
    put_replicas(R"({"store":"store-0","blocks":"0-1"},{"store":"store-1","blocks":"2-3"})");
    cluster.put_job("reads", 4);
  }
  void put_replicas(const std::string& replicas) {
    cluster.put_resource("datasets", "d",
                         R"({"metadata":{"namespace":"default","name":"d","uid":"d"},"spec":{"blocks":4,)"
                         R"("blockSize":"16Mi","stores":[{"name":"store-0","blocks":"0-1"},)"
                         R"({"name":"store-1","blocks":"2-3"}]},"status":{"blocks":4,"replicas":[)" +
                             replicas + "]}}");
  }
  void put_reader(int index, const std::map<std::string, std::string>& more = {}) {
    FakePod pod = pod_of(1, "reads", index);
    pod.annotations = {{"lips.dev/dataset", "d"}};
    pod.annotations.insert(more.begin(), more.end());
    cluster.put_pod(fmt::format("reads-{}", index), pod);
  }
  void expect_missing(const Scheduling& scheduling, const std::string& pod, const std::string& words) {
    ASSERT_TRUE(scheduling.until([&] { return !cluster.pod(pod).reason.empty(); }));
    EXPECT_EQ(cluster.pod(pod).reason, "BlocksMissing");
    EXPECT_THAT(cluster.pod(pod).message, HasSubstr(words));
  }
  FakeCluster cluster;
};

TEST_F(LostBlocks, HaveAReasonOfTheirOwnAndAreReadOnceAReplicaIsThere) {
  cluster.remove_node("node-1");
  put_reader(1);
  put_reader(2);
  Scheduling scheduling(cluster);
  ASSERT_TRUE(scheduling.until_bound("reads-1"));
  expect_missing(scheduling, "reads-2",
                 "block 2 of data set 'default/d' is in store store-1, whose node node-1 is not there");
  put_replicas(R"({"store":"store-0","blocks":"0-2"},{"store":"store-1","blocks":"2-3"})");
  EXPECT_TRUE(scheduling.until_bound("reads-2"));
}

TEST_F(LostBlocks, OfAPodThatWaitsAlreadyAreNoticedAndComeBackWithTheirNode) {
  FakePod large = pod_of(100, "reads", 3);
  large.annotations = {{"lips.dev/dataset", "d"}};
  cluster.put_pod("reads-3", large);
  Scheduling scheduling(cluster);
  ASSERT_TRUE(scheduling.until([&] { return scheduling.listings() > 0; }));
  cluster.put_node("node-1", {.cpu = 8, .ready = false});
  ASSERT_TRUE(scheduling.until([&] { return cluster.pod("reads-3").reason == "BlocksMissing"; }));
  EXPECT_THAT(cluster.pod("reads-3").message, HasSubstr("whose node node-1 is not ready"));
  cluster.put_node("node-1", {.cpu = 128});
  EXPECT_TRUE(scheduling.until_bound("reads-3"));
}

TEST_F(LostBlocks, OfADataSetThatGrewWithoutAReplicaAreNotInAnyStore) {
  put_replicas(R"({"store":"store-0","blocks":"0-1"},{"store":"store-1","blocks":"2"})");
  put_reader(3);
  Scheduling scheduling(cluster);
  expect_missing(scheduling, "reads-3", "no store has block 3 of data set 'default/d'");
}

}  // namespace
}  // namespace lips::kubernetes
