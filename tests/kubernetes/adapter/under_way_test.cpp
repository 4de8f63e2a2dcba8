#include "kubernetes/adapter/under_way.h"

#include <gtest/gtest.h>

#include "kubernetes/pods/zone_gate.h"

namespace lips::kubernetes {
namespace {

class UnderWayTest : public ::testing::Test {
 protected:
  static PodRecord gated_pod(const std::string& name_space) {
    PodRecord pod;
    pod.meta.name_space = name_space;
    pod.steered = true;
    return pod;
  }
  PodRecord sent(const std::string& name_space) const {
    PodRecord pod = gated_pod(name_space);
    pod.state = PodState::ungated;
    pod.selector = place_;
    return pod;
  }
  // Says whether a request of that namespace for that place is one for the pod.
  bool stands_for(PodRecord& pod, const std::string& name_space, const TextMap& place, Duration after = {}) const {
    UnderWay under_way(start_ + after, longest_);
    under_way.see(pod);
    return under_way.stands_for(gated_pod(name_space), place);
  }

  const TextMap place_ = place_selector("zone-a", CapacityType::spot);
  const TimePoint start_{std::chrono::hours(1)};
  const Duration longest_ = std::chrono::minutes(4);
};

TEST_F(UnderWayTest, OnePodStandsForOneRequest) {
  PodRecord pod = sent("team");
  UnderWay under_way(start_, longest_);
  under_way.see(pod);
  EXPECT_TRUE(under_way.stands_for(gated_pod("team"), place_));
  EXPECT_FALSE(under_way.stands_for(gated_pod("team"), place_));
}

// Whoever writes the annotation on his own pods takes nobody else's nodes away.
TEST_F(UnderWayTest, APodStandsForNoRequestOfAnotherNamespaceOrPlace) {
  PodRecord pod = sent("evil");
  EXPECT_FALSE(stands_for(pod, "team", place_));
  EXPECT_FALSE(stands_for(pod, "evil", place_selector("zone-b", CapacityType::spot)));
  EXPECT_TRUE(stands_for(pod, "evil", place_));
}

TEST_F(UnderWayTest, APodForWhichNoNodeComesStandsForNothingAfterAWhile) {
  PodRecord pod = sent("team");
  EXPECT_TRUE(stands_for(pod, "team", place_));
  EXPECT_TRUE(stands_for(pod, "team", place_, longest_ - Duration(1)));
  EXPECT_FALSE(stands_for(pod, "team", place_, longest_));
  pod.node = "bought";
  EXPECT_FALSE(stands_for(pod, "team", place_, longest_)) << "it is on a node";
  pod.node.clear();
  EXPECT_TRUE(stands_for(pod, "team", place_, 2 * longest_)) << "it has lost its node, and waits anew";
}

TEST_F(UnderWayTest, APodOfOursAsksForItself) {
  PodRecord pod = sent("team"), own = gated_pod("team");
  own.steered = false;
  UnderWay under_way(start_, longest_);
  under_way.see(pod);
  EXPECT_FALSE(under_way.stands_for(own, place_));
}

}  // namespace
}  // namespace lips::kubernetes
