#include "kubernetes/adapter/job_pods.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>

namespace lips::kubernetes {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

class JobPodsTest : public testing::Test {
 protected:
  PodRecord& pod(const std::string& name, TaskKind stage, const std::string& owner = "driver") {
    PodRecord& made = *pods_.emplace_back(std::make_unique<PodRecord>());
    made.meta = {"n", name, "uid-" + name, ""};
    made.owner = Owner{"Job", owner, "uid-" + owner, "batch/v1"};
    made.work.stage = stage;
    made.work.job = job_;
    jobs_of.update(made);
    return made;
  }
  static void end(PodRecord& pod, const std::string& node, bool succeeded = true) {
    pod.state = PodState::terminated;
    pod.succeeded = succeeded;
    pod.node = node;
  }
  KnownJob known(const MapsByZone& remembered = {}) {
    return jobs_of.known("job/n/" + job_, {jobs_, [](const std::string& node) { return zone_of(node); }, remembered});
  }
  bool complete() {
    return jobs_of.is_complete("job/n/" + job_, [this](const std::string& uid) { return ended_.contains(uid); });
  }
  static std::string zone_of(const std::string& node) { return node == "gone" ? "" : "zone-of-" + node; }

  std::string job_ = "sort";
  std::map<std::string, BatchJob> jobs_;
  std::set<std::string> ended_;  // uids
  std::vector<std::unique_ptr<PodRecord>> pods_;
  JobPods jobs_of;
};

TEST_F(JobPodsTest, CountTasksThatAreThereWhereNobodySaysHowManyThereAre) {
  for (const char* name : {"m0", "m1", "m2"}) pod(name, TaskKind::map);
  pod("r0", TaskKind::reduce);
  end(*pods_[0], "a");
  end(*pods_[1], "a", false);  // failed: another pod takes its place
  const KnownJob job = known();
  EXPECT_EQ(job.maps, 2u);
  EXPECT_EQ(job.reduces, 1u);
  EXPECT_EQ(job.finished_maps, 1u);
  EXPECT_THAT(job.maps_in, ElementsAre(Pair("zone-of-a", 1)));
}

TEST_F(JobPodsTest, StartWithThePodGroupsOfTheirApplication) {
  for (const auto& [name, group, gang] :
       {std::tuple("a0", "a", 2), std::tuple("a1", "a", 2), std::tuple("b0", "b", 3), std::tuple("c0", "", 0)}) {
    PodRecord& made = pod(name, TaskKind::map);
    made.work.peers = true;
    made.work.group = group;
    made.work.gang = gang;
  }
  EXPECT_EQ(known().gang, 5u);
  EXPECT_EQ(known().expected, 5u);
  for (int i = 0; i < 9; ++i) {
    PodRecord& made = pod("d" + std::to_string(i), TaskKind::map);
    made.work.peers = true;
    made.work.group = made.meta.name;
    made.work.gang = 1'000'000'000;
  }
  EXPECT_EQ(known().gang, 1'000'000'000u);
}

TEST_F(JobPodsTest, BelieveCompletionsOfAllOwnersOfAStage) {
  jobs_["uid-maps"].spec.completions = 5;
  jobs_["uid-more-maps"].spec.completions = 2;
  jobs_["uid-reduces"].spec.completions = 4;
  pod("m0", TaskKind::map, "maps");
  pod("m1", TaskKind::map, "maps");
  pod("n0", TaskKind::map, "more-maps");
  pod("r0", TaskKind::reduce, "reduces");
  EXPECT_EQ(known().maps, 7u);
  EXPECT_EQ(known().reduces, 4u);
}

TEST_F(JobPodsTest, BelieveTheAnnotationBeforeCompletions) {
  jobs_["uid-reduces"].spec.completions = 4;
  pod("r0", TaskKind::reduce, "reduces").work.tasks = 8;
  EXPECT_EQ(known().reduces, 8u);
}

TEST_F(JobPodsTest, RememberMapsWhosePodsAndNodesAreGone) {
  end(pod("m0", TaskKind::map), "a");
  end(pod("m1", TaskKind::map), "gone");
  pod("r0", TaskKind::reduce);
  const KnownJob job = known({{"zone-of-a", 1}, {"zone-of-b", 3}});
  EXPECT_THAT(job.maps_in, ElementsAre(Pair("zone-of-a", 1), Pair("zone-of-b", 3)));
  EXPECT_EQ(job.finished_maps, 4u) << "the one whose node is gone is one of those in zone b";
  EXPECT_EQ(job.maps, 4u);
  EXPECT_EQ(known({{"zone-of-a", 1}}).finished_maps, 2u) << "nobody remembers where it ran";
}

TEST_F(JobPodsTest, CountMapsThatHaveNotEnded) {
  end(pod("m0", TaskKind::map), "a");
  end(pod("m1", TaskKind::map), "a", false);
  pod("m2", TaskKind::map);
  pod("m3", TaskKind::map).state = PodState::held;
  pod("r0", TaskKind::reduce);
  EXPECT_EQ(known().open_maps, 2u);
}

TEST_F(JobPodsTest, KnowWhetherAJobHandsDataOnAndForgetWhatIsGone) {
  PodRecord& map = pod("m0", TaskKind::map);
  EXPECT_FALSE(jobs_of.shuffles("job/n/sort"));
  map.work.shuffle = Mebibytes(1);
  jobs_of.update(map);
  EXPECT_TRUE(jobs_of.shuffles("job/n/sort"));
  map.work.job = "other";  // somebody relabels it
  jobs_of.update(map);
  EXPECT_THAT(jobs_of.of("job/n/sort"), IsEmpty());
  EXPECT_THAT(jobs_of.of("job/n/other"), ElementsAre(&map));
  jobs_of.forget(map);
  EXPECT_THAT(jobs_of.of("job/n/other"), IsEmpty());
}

TEST_F(JobPodsTest, AreCompleteWhenNobodyIsLeftWhoWouldCreateMore) {
  EXPECT_FALSE(complete()) << "there are none";
  PodRecord& driver = pod("driver", TaskKind::map, "application");
  driver.work.driver = true;
  jobs_of.update(driver);
  for (const char* name : {"w1", "w2"}) pod(name, TaskKind::map, "driver");  // whose uid is that of the driver
  EXPECT_FALSE(complete());
  ended_ = {"uid-application"};
  EXPECT_FALSE(complete()) << "the driver creates workers, whoever has created it";
  ended_ = {"uid-driver"};
  EXPECT_TRUE(complete());
  PodRecord& other = pod("v1", TaskKind::map, "other");
  EXPECT_FALSE(complete());
  EXPECT_EQ(jobs_of.created_by("uid-other").size(), 1u);
  jobs_of.forget(other);
  EXPECT_TRUE(complete());
  EXPECT_EQ(jobs_of.created_by("uid-other").size(), 0u);
  pod("by-hand", TaskKind::map).owner.reset();
  jobs_of.update(*pods_.back());
  EXPECT_FALSE(complete()) << "whoever made it may make more";
}

TEST_F(JobPodsTest, CountPeersWithTheirDriverAndKnowWhenTheLastCame) {
  for (const char* name : {"driver", "w1", "w2"}) {
    PodRecord& one = pod(name, TaskKind::map);
    one.work.peers = true;
    one.first_seen = TimePoint(Duration(static_cast<std::int64_t>(pods_.size())));
  }
  pods_[0]->work.driver = true;
  KnownJob job = known();
  EXPECT_TRUE(job.peers);
  EXPECT_EQ(job.expected, 0u);
  EXPECT_EQ(job.drivers, 1u);
  EXPECT_EQ(job.arrived, TimePoint(Duration(3)));
  EXPECT_FALSE(job.worker->work.driver);
  pods_[1]->work.tasks = 4;  // workers
  EXPECT_EQ(known().expected, 5u);
  EXPECT_EQ(known().maps, 5u);
  pods_[1]->work.pods = 7;  // all
  EXPECT_EQ(known().expected, 7u);
}

}  // namespace
}  // namespace lips::kubernetes
