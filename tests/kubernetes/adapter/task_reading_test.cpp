#include "kubernetes/adapter/task_reading.h"

#include <gtest/gtest.h>

#include "kubernetes/pods/volume_cache.h"

namespace lips::kubernetes {
namespace {

// Pods of other schedulers with the mark of a steered one, which anybody can write.
class IsRead : public ::testing::Test {
 protected:
  PodRecord& add(const std::string& name_space, const std::string& data_set) {
    Pod pod;
    pod.meta = {name_space, "p", "uid-" + name_space, "1"};
    pod.scheduler = "nobody";
    pod.annotations = {{"lips.dev/dataset", data_set}, {"lips.dev/steered", "x"}};
    return *pods_.update(pod, start_).record;
  }
  bool is_read(const std::string& data_set, Duration after = {}) const {
    const MayRead may_read = [](const std::string& set, const std::string& name_space) {
      return set.starts_with(name_space + '/') || (set == "etl/shared" && name_space == "friend");
    };
    return kubernetes::is_read(pods_, {data_set, 3, "store"}, may_read, start_ + after);
  }

  VolumeCache volumes_;
  PodGroups groups_;
  NodeCache nodes_;
  PodCache pods_{"lips", volumes_, groups_, nodes_};
  const TimePoint start_{std::chrono::hours(1)};
};

TEST_F(IsRead, APodThatNamesAPathHoldsNothingOfOtherNamespaces) {
  add("evil", "s3://no/where");
  EXPECT_FALSE(is_read("etl/books"));
  EXPECT_TRUE(is_read("evil/own")) << "of which it may read any";
}

TEST_F(IsRead, APodThatNamesADataSetHoldsItIfItsNamespaceMayReadIt) {
  add("evil", "etl/books");
  EXPECT_FALSE(is_read("etl/books"));
  add("friend", "etl/shared");
  EXPECT_TRUE(is_read("etl/shared"));
  EXPECT_FALSE(is_read("etl/books"));
}

TEST_F(IsRead, APodOfWhichNobodyKnowsWhatItReadsHoldsItForADay) {
  add("etl", "books");
  EXPECT_TRUE(is_read("etl/books", std::chrono::hours(23)));
  EXPECT_FALSE(is_read("etl/books", std::chrono::hours(24)));
}

TEST_F(IsRead, APodThatWasToldWhatToReadHoldsItAsLongAsItIsThere) {
  PodRecord& pod = add("evil", "etl/books");
  pod.reads = {{"etl/books", 3, 1}};
  pod.read_from = "store";
  EXPECT_TRUE(is_read("etl/books", std::chrono::hours(1000)));
  pod.read_from = "another";
  EXPECT_FALSE(is_read("etl/books"));
}

}  // namespace
}  // namespace lips::kubernetes
