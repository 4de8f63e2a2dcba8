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

// Whoever made the workers of a framework deletes them: they neither succeed nor fail.
TEST(PodBook, LearnsHowLongDeletedPodsWereThere) {
  VolumeBook volumes;
  NodeBook nodes;
  PodBook book("lips", volumes, nodes);
  const TimePoint start(std::chrono::hours(1));
  Pod worker = sample();
  worker.owner = Owner{"Pod", "app-driver", "uid-driver", "v1"};
  worker.node = "n";
  worker.started = start;
  PodRecord* record = book.see(worker, start).record;
  record->declared = std::chrono::seconds(60);
  book.forget(worker.meta, start + std::chrono::minutes(4));
  const std::string of = template_of(worker.meta.name_space, worker.owner, worker.meta.name);
  EXPECT_EQ(book.run_times().mean(of), Duration(std::chrono::minutes(4)));
  EXPECT_EQ(book.run_times().excess(of), 4);
}

TEST(PodBook, KnowsWhereAPodRanThatItSeesOnlyAfterItsEnd) {
  VolumeBook volumes;
  NodeBook nodes;
  PodBook book("lips", volumes, nodes);
  Pod done = sample();
  done.node = "n";
  done.phase = PodPhase::succeeded;
  const PodRecord* record = book.see(done, TimePoint{}).record;
  EXPECT_EQ(record->state, PodState::over);
  EXPECT_TRUE(record->succeeded);
  EXPECT_EQ(record->node, "n");
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
    book.forget(passes.meta, TimePoint{});
    book.forget_unused_kinds();
  }
  EXPECT_LT(book.kinds().size(), 300u);
  EXPECT_LT(book.kinds().label_keys().size(), 300u);
  EXPECT_EQ(book.kinds()[record->kind].constraint, needs.constraint) << "of those that are there the kind is the same";
}

}  // namespace
}  // namespace lips::kubernetes
