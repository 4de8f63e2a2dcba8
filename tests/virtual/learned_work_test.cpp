// Tasks that take longer than their pods say: does the model learn it while others of the job still wait, and without
// being told of the whole cluster again?
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <string>

#include "base/random.h"
#include "policies/registry/registry.h"
#include "simulation/scenario_reader.h"
#include "virtual/run_through.h"

namespace lips::virtual_cluster {
namespace {

// One job, so that its tasks keep their ids until the model is listed anew.
simulation::Scenario job_that_takes(double factor, int tasks, double seconds) {
  const std::string text =
      "name: late\nzones: [a]\nprices: {region: us-east-1}\nnodes:\n  - {name: n, count: 2, "
      "instanceType: m7g.large}\nstores: {nodeDirectories: false}\njobs:\n  - {name: j, tasks: " +
      std::to_string(tasks) + ", cpuPerTask: " + std::to_string(seconds) + "}\n";
  simulation::ScenarioOptions options;
  options.config_folder = std::string(LIPS_SOURCE_DIR) + "/config";
  Result<simulation::Scenario> read = simulation::parse_scenario("late.yaml", text, options);
  EXPECT_TRUE(read) << read.error().message;
  read->work_factors.assign(static_cast<std::size_t>(tasks), factor);
  return *std::move(read);
}

// Decides as another policy, and looks at what it is told.
class Looks : public Policy {
 public:
  explicit Looks(const Policy& other) : other_(other) {}
  Cadence cadence() const override { return other_.cadence(); }
  Result<Plan> decide(const PolicyInput& input) const override {
    const ClusterSnapshot& cluster = input.cluster;
    if (cluster.tasks.size() < most_tasks_) ++listed_;
    most_tasks_ = std::max(most_tasks_, cluster.tasks.size());
    for (const Task& task : cluster.tasks)
      if (task.state == TaskState::pending) last_ = task.cpu.value();
    return other_.decide(input);
  }
  int listed() const { return listed_; }  // with fewer tasks, as those that have ended are left out
  double last_work() const { return last_; }

 private:
  const Policy& other_;
  mutable std::size_t most_tasks_ = 0;
  mutable int listed_ = 0;
  mutable double last_ = 0;
};

TEST(LearnedWork, OfWaitingTasksIsToldWithoutAListing) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    const double factor = random.uniform(3, 10), said = random.uniform(5, 20);
    const simulation::Scenario scenario = job_that_takes(factor, 30 + static_cast<int>(random.below(40)), said);
    const auto policy = *make_policy("lips", scenario.settings);
    const Looks looks(*policy);
    const Result<simulation::RunResult> run = run_through_kubernetes(scenario, looks, "lips");
    ASSERT_TRUE(run) << run.error().message;
    EXPECT_EQ(run->jobs_finished, 1u);
    EXPECT_EQ(looks.listed(), 0);
    // A change of less than a quarter of what was told is not told.
    const double told = looks.last_work() / (factor * said);
    EXPECT_GT(told, 1 / 1.25);
    EXPECT_LT(told, 1 / 0.75);
  }
}

}  // namespace
}  // namespace lips::virtual_cluster
