#include "kubernetes/pods/pod_book.h"

#include <gtest/gtest.h>

#include "kubernetes/pods/volumes.h"

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

TEST(PodBook, ForgetsTheKindsOfPodsThatAreGone) {
  VolumeBook volumes;
  NodeBook nodes;
  PodBook book("lips", volumes, nodes);
  Pod stays = sample();
  stays.node_selector = {{"disk", "ssd"}};
  const PodRecord* record = book.see(stays, TimePoint{}).record;
  const PodNeeds needs = book.kinds()[record->kind];
  for (int i = 0; i < 5000; ++i) {
    Pod passes = sample();
    passes.meta = {"n", "p" + std::to_string(i), "uid" + std::to_string(i), "1"};
    passes.node_selector = {{"ticket-" + std::to_string(i), "x"}};
    book.see(passes, TimePoint{});
    book.forget(passes.meta);
    book.forget_unused_kinds();
  }
  EXPECT_LT(book.kinds().size(), 300u);
  EXPECT_LT(book.kinds().label_keys().size(), 300u);
  EXPECT_EQ(book.kinds()[record->kind].constraint, needs.constraint) << "of those that are there the kind is the same";
}

}  // namespace
}  // namespace lips::kubernetes
