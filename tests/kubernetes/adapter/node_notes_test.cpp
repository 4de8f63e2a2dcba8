// Notes on nodes that cannot be meant so.
#include <gtest/gtest.h>

#include "tests/kubernetes/adapter/planned.h"

namespace lips::kubernetes {
namespace {

TEST(NodeNotes, ThatMakeNoSenseAreReportedOnce) {
  FakeCluster cluster;
  cluster.put_node("comma", {.usd_per_hour = "0,2"});
  cluster.put_node("priced", {.usd_per_hour = "0.2"});
  Planned planned(cluster);
  ASSERT_TRUE(planned.until([&] { return planned.counted().rejections()["nodes annotation"] == 1; }));
  cluster.put_node("comma", {.cordoned = true, .usd_per_hour = "0,2"});
  cluster.put_node("dollar", {.usd_per_hour = "$2"});
  EXPECT_TRUE(planned.until([&] { return planned.counted().rejections()["nodes annotation"] == 2; }));
}

}  // namespace
}  // namespace lips::kubernetes
