#include "tests/policies/case.h"

namespace lips::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

PolicySettings fast_path_up_to(double usd) {
  PolicySettings settings;
  settings.lips.fast_path_limit = Usd(usd);
  return settings;
}

TEST(LipsFastPath, KeepsTheNextFreeSlotForASmallJobThatFoundNone) {
  ClusterBuilder builder;
  const NodeId node = builder.node({.slots = 1, .cpu = 1});
  Case with("lips", builder, fast_path_up_to(5));
  const JobId big = with.add({.maps = 3, .cpu = 10});
  EXPECT_THAT(with.step(), ElementsAre(Runs(with.task(big, 0), node)));
  with.at(9);  // the slot frees within a second, and the big job may be given it ahead
  EXPECT_THAT(with.plan().assignments, ElementsAre(Runs(with.task(big, 1), node)));
  const JobId small = with.add({.arrival = 9, .maps = 1, .cpu = 1});
  EXPECT_THAT(with.step(), IsEmpty());
  with.at(10);
  with.finish(with.task(big, 0));
  EXPECT_THAT(with.step(), ElementsAre(Runs(with.task(small, 0), node)));
}

}  // namespace
}  // namespace lips::testing
