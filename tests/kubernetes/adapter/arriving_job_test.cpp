#include "kubernetes/adapter/arriving_job.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "base/random.h"

namespace lips::kubernetes {
namespace {

constexpr TimePoint first_seen{std::chrono::hours(1)};
constexpr Duration moment{20'000};

class ArrivingJob : public testing::Test {
 protected:
  void declare(const std::string& name, std::int32_t completions, std::int32_t parallelism) {
    BatchJob& job = jobs_["uid-" + name];
    job.meta.uid = "uid-" + name;
    job.spec.completions = completions;
    job.spec.parallelism = parallelism;
  }
  PodRecord& make(const std::string& owner, const std::string& kind = "Job") {
    PodRecord& made = *records_.emplace_back(std::make_unique<PodRecord>());
    made.meta = {"n", owner + "-" + std::to_string(records_.size()), "uid-pod-" + std::to_string(records_.size()), ""};
    made.owner = Owner{kind, owner, "uid-" + owner, kind == "Job" ? "batch/v1" : "apps/v1"};
    pods_.insert(&made);
    return made;
  }
  bool arriving(TimePoint now = first_seen + moment) const { return is_arriving(pods_, first_seen, jobs_, now); }

  std::map<std::string, BatchJob> jobs_;
  std::vector<std::unique_ptr<PodRecord>> records_;
  PodsByName pods_;
};

// A controller that makes pods in batches of any size, whose pods begin to end while others are still to come.
TEST_F(ArrivingJob, IsOneWhoseControllerStillHasPodsToMake) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    jobs_.clear(), pods_.clear(), records_.clear();
    const auto completions = static_cast<std::int32_t>(1 + random.below(40));
    const auto parallelism = static_cast<std::int32_t>(1 + random.below(40));
    declare("job", completions, parallelism);
    std::int32_t running = 0, succeeded = 0;
    const auto to_make = [&] { return std::min(parallelism, completions - succeeded) - running; };
    for (int step = 0; step < 30 && succeeded < completions; ++step) {
      for (auto batch = static_cast<std::int32_t>(1 + random.below(20)); batch > 0 && to_make() > 0; --batch)
        make("job"), ++running;
      EXPECT_EQ(arriving(), to_make() > 0);
      EXPECT_FALSE(arriving(first_seen + longest_arrival)) << "nobody waits for a slow controller";
      for (const auto& pod : records_) {
        if (pod->state == PodState::terminated || random.below(5) > 0) continue;
        pod->state = PodState::terminated;
        pod->succeeded = random.below(4) > 0;  // else another one takes its place
        --running, succeeded += pod->succeeded;
      }
    }
  }
}

TEST_F(ArrivingJob, HasAllOfItsStages) {
  declare("maps", 2, 2);
  declare("reduces", 3, 3);
  make("maps"), make("maps"), make("reduces");
  EXPECT_TRUE(arriving());
  make("reduces"), make("reduces");
  EXPECT_FALSE(arriving());
}

TEST_F(ArrivingJob, IsNoneWhoseControllerMakesNothing) {
  declare("job", 5, 5);
  make("job");
  ASSERT_TRUE(arriving());
  jobs_["uid-job"].spec.suspended = true;
  EXPECT_FALSE(arriving());
  jobs_["uid-job"].spec.suspended = false, jobs_["uid-job"].ended = true;
  EXPECT_FALSE(arriving());
  jobs_.clear();
  EXPECT_FALSE(arriving()) << "its Job is not known";
}

TEST_F(ArrivingJob, IsNoneOfPodsThatHaveNoJob) {
  declare("set", 5, 5);
  make("set", "ReplicaSet");
  EXPECT_FALSE(arriving());
}

}  // namespace
}  // namespace lips::kubernetes
