// The adapter where the custom resource definitions of LiPS come after it.
#include <gmock/gmock.h>

#include "tests/kubernetes/adapter/planned.h"

namespace lips::kubernetes {
namespace {

TEST(CustomResources, ThatAreInstalledLaterAreUsed) {
  FakeCluster cluster;
  cluster.put_pod("p", pod_of(1));
  Planned planned(cluster);
  ASSERT_TRUE(planned.until_pending(1)) << "pods do not wait for definitions";
  EXPECT_EQ(planned.snapshot().data_sets.size(), 0u);
  put_books(cluster);
  EXPECT_TRUE(planned.until([&] { return planned.snapshot().data_sets.size() == 1; }));
  EXPECT_EQ(planned.pending(), 1u);
}

}  // namespace
}  // namespace lips::kubernetes
