#include "kubernetes/api/api_request.h"

#include <gtest/gtest.h>

namespace lips::kubernetes {
namespace {

TEST(ResourceOfPath, NamesResourceAndSubresource) {
  EXPECT_EQ(resource_of_path("/api/v1/pods?limit=500"), "pods");
  EXPECT_EQ(resource_of_path("/api/v1/namespaces/default/pods/x/binding"), "pods/binding");
  EXPECT_EQ(resource_of_path("/apis/coordination.k8s.io/v1/namespaces/a/leases/lips"), "leases");
  EXPECT_EQ(resource_of_path("/apis/lips.dev/v1alpha1"), "");
  EXPECT_EQ(resource_of_path("/api/v1/namespaces/default"), "namespaces");
}

}  // namespace
}  // namespace lips::kubernetes
