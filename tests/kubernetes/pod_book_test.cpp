#include "kubernetes/pod_book.h"

#include <gtest/gtest.h>

#include "kubernetes/volumes.h"

namespace lips::kubernetes {
namespace {

Pod sample() {
  Pod pod;
  pod.meta = {"n", "p", "uid", "1"};
  pod.scheduler = "lips";
  return pod;
}

TEST(PodBook, ARefusedPodWaitsItsTurnThoughItsObjectChanges) {
  VolumeBook volumes;
  NodeBook nodes;
  PodBook book("lips", volumes, nodes);
  Pod pod = sample();
  PodRecord* record = book.see(pod, TimePoint{}).record;
  ASSERT_NE(record, nullptr);
  for (const auto& reason : {binding_refused, data_set_not_ready}) {
    book.hold(*record, reason, "not now");
    EXPECT_EQ(book.see(pod, TimePoint{}).change, PodBook::Change::none);  // such as by the condition that tells it
    EXPECT_EQ(record->state, PodState::held);
    EXPECT_EQ(record->obstacle, "not now");
    ++pod.priority;  // what may get another answer is asked at once
    EXPECT_EQ(book.see(pod, TimePoint{}).change, PodBook::Change::arrived);
  }
}

}  // namespace
}  // namespace lips::kubernetes
