#include "policies/lips/demand/job_order.h"

#include <cmath>

#include "tests/policies/elastic_builder.h"
#include "tests/policies/lips/lips_case.h"

namespace lips::testing {
namespace {

// The first of two equal jobs that arrived together has finished `finished` of its ten tasks and runs two more: by how
// many seconds it goes earlier than the second.
double seconds_earlier(const ClusterBuilder& builder, int finished, Billing billing) {
  Case test("lips", builder);
  const JobId first = test.add({.maps = 10, .cpu = 60}), second = test.add({.maps = 10, .cpu = 60});
  const NodeId node(0);
  for (int i = 0; i < finished + 2; ++i) {
    EXPECT_TRUE(test.state.assume({test.task(first, i), node, {}, {}}));
    if (i < finished) test.finish(test.task(first, i));
  }
  test.at(100);
  const ClusterSnapshot& cluster = test.state.snapshot();
  LipsSettings settings;
  settings.billing = billing;
  const NodeClasses classes = make_classes(cluster, one_time_slot());
  const JobOrderSettings order =
      job_order(cluster, settings, job_weights(cluster, settings).in_order, classes.mean_price);
  const JobOrder jobs(cluster, classes, order);
  return jobs.urgency(second) - jobs.urgency(first);
}

struct Urgency : ::testing::Test {
  ElasticBuilder builder;
  Urgency() { builder.node({.slots = 4, .cpu = 4}); }
  double before(int finished, Billing billing) const { return seconds_earlier(builder, finished, billing); }
};

TEST_F(Urgency, OnFixedNodesIsByTheWorkThatIsLeftUnlessByUse) {
  const double work = 20 * 600 / 4.0;  // of a whole job: k x its work / the cluster's rate
  EXPECT_NEAR(before(0, Billing::invoice), 0, 1e-9) << "tasks that run are left";
  EXPECT_NEAR(before(5, Billing::invoice), (1 - std::sqrt(0.5)) * work, 1e-6);
  EXPECT_NEAR(before(7, Billing::invoice), (1 - std::sqrt(0.3)) * work, 1e-6);
  EXPECT_NEAR(before(7, Billing::use), 0, 1e-9);
}

// There they take no slots from others.
TEST_F(Urgency, BesideNodesThatCanBeLaunchedPutsLastTasksFirst) {
  builder.offer(ZoneId(0), 0.4);
  EXPECT_GT(before(0, Billing::invoice), 0);
  EXPECT_GT(before(7, Billing::invoice), before(0, Billing::invoice));
  EXPECT_NEAR(before(7, Billing::use), 0, 1e-9);
}

}  // namespace
}  // namespace lips::testing
