#include "kubernetes/adapter/awaited_workers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lips::kubernetes {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class AwaitedWorkersTest : public ::testing::Test {
 protected:
  AwaitedApplication application(const std::string& name, std::uint32_t here, const std::string& name_space = "n") const {
    return {name_space + '/' + name, name_space, 10, here, start_};
  }
  const TimePoint start_{std::chrono::hours(1)};
  const Duration soon_ = AwaitedWorkers::patience / 2, late_ = AwaitedWorkers::patience;
  AwaitedWorkers awaited_;
};

TEST_F(AwaitedWorkersTest, ADriverWhoseWorkersDidNotComeCostsTheNextOfItsNamespaceTheRoom) {
  awaited_.review({application("a", 0), application("b", 0, "other")}, start_ + soon_);
  EXPECT_FALSE(awaited_.in_vain("n")) << "they may be late";
  awaited_.review({application("a", 0)}, start_ + late_);
  EXPECT_TRUE(awaited_.in_vain("n"));
  EXPECT_FALSE(awaited_.in_vain("other"));
  awaited_.review({}, start_ + late_ + AwaitedWorkers::mistrust);
  EXPECT_FALSE(awaited_.in_vain("n")) << "nothing is held against it for ever";
}

// The driver of c runs beside a worker of its own.
TEST_F(AwaitedWorkersTest, TheNextDriverOfThatNamespaceKeepsNoneOnceItRuns) {
  awaited_.review({application("a", 0), application("b", 0, "other")}, start_ + soon_);
  EXPECT_THAT(awaited_.take_mistrusted(), IsEmpty());
  awaited_.review({application("a", 0)}, start_ + late_);
  EXPECT_THAT(awaited_.take_mistrusted(), ElementsAre("n/a"));
  awaited_.review({application("b", 0), application("c", 1)}, start_ + late_);
  EXPECT_THAT(awaited_.take_mistrusted(), ElementsAre("n/b"));
  awaited_.review({application("b", 0), application("c", 1)}, start_ + late_);
  EXPECT_THAT(awaited_.take_mistrusted(), IsEmpty()) << "it has been named";
}

TEST_F(AwaitedWorkersTest, WorkersThatComeMakeUpForIt) {
  awaited_.review({application("a", 0)}, start_ + late_);
  awaited_.review({application("a", 0), application("b", 10)}, start_ + late_);
  EXPECT_FALSE(awaited_.in_vain("n"));
  awaited_.review({application("a", 0), application("b", 10)}, start_ + 2 * late_);
  EXPECT_FALSE(awaited_.in_vain("n")) << "each application is judged once";
}

TEST_F(AwaitedWorkersTest, WorkersThatHaveComeMayGo) {
  awaited_.review({application("a", 10)}, start_ + soon_);
  awaited_.review({application("a", 0)}, start_ + late_);
  EXPECT_FALSE(awaited_.in_vain("n"));
  awaited_.review({application("b", 5)}, start_ + late_);
  EXPECT_FALSE(awaited_.in_vain("n")) << "half of them have come";
  awaited_.review({application("c", 4)}, start_ + late_);
  EXPECT_TRUE(awaited_.in_vain("n"));
}

}  // namespace
}  // namespace lips::kubernetes
