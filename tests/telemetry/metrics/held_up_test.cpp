#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "telemetry/metrics/operator_metrics.h"

namespace lips {
namespace {

using testing::HasSubstr;

TEST(HeldUpOperator, IsNotSyncedWhileSomethingThatPlansNeedIsMissing) {
  OperatorMetrics metrics{{"1.2", "abc", "test"}};
  metrics.on_synced(true);
  EXPECT_THAT(metrics.exposition(), HasSubstr("\nlips_synced 1\n"));
  metrics.on_held_up("cannot list jobs: 403");
  EXPECT_THAT(metrics.exposition(), HasSubstr("\nlips_synced 0\n"));
  EXPECT_EQ(metrics.held_up(), "cannot list jobs: 403");
  metrics.on_held_up("");
  EXPECT_THAT(metrics.exposition(), HasSubstr("\nlips_synced 1\n"));
}

}  // namespace
}  // namespace lips
