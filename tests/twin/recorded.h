// Simulated days under a policy with the journal that an operator would have kept of them.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "controller/checked_policy.h"
#include "controller/epoch_controller.h"
#include "model/cluster_state.h"
#include "policies/registry/registry.h"
#include "records/digest.h"
#include "records/ended_tasks.h"
#include "records/epoch_journal.h"
#include "records/epoch_record.h"
#include "simulation/metrics.h"
#include "simulation/run.h"
#include "simulation/scenario_reader.h"
#include "simulation/simulated_cluster.h"

namespace lips::testing {

class TwinFolder : public ::testing::Test {
 protected:
  TwinFolder() { std::filesystem::remove_all(folder_); }
  ~TwinFolder() override { std::filesystem::remove_all(folder_); }
  std::string file(const std::string& name) const { return folder_ + "/" + name; }
  std::string folder_ = (std::filesystem::temp_directory_path() / ("lips-twin-" + std::to_string(getpid()))).string();
};

inline simulation::Scenario shipped(const std::string& name,
                                    std::vector<std::pair<std::string, std::string>> set = {}) {
  simulation::ScenarioOptions options;
  options.config_folder = std::string(LIPS_SOURCE_DIR) + "/config";
  options.set = std::move(set);
  Result<simulation::Scenario> read =
      simulation::read_scenario(options.config_folder + "/scenarios/" + name + ".yaml", options);
  EXPECT_TRUE(read) << read.error().message;
  return *std::move(read);
}

inline simulation::Scenario scenario_of(const std::string& text) {
  simulation::ScenarioOptions options;
  options.config_folder = std::string(LIPS_SOURCE_DIR) + "/config";
  Result<simulation::Scenario> read = simulation::parse_scenario("day.yaml", text, options);
  EXPECT_TRUE(read) << read.error().message;
  return *std::move(read);
}

// Writes each decision of a run, with what ended before it, as an operator does.
class Recorder : public Policy, public Observer {
 public:
  Recorder(std::string name, const simulation::Scenario& scenario, const std::string& folder)
      : name_(std::move(name)),
        scenario_(scenario),
        policy_(*make_policy(name_, scenario.settings)),
        checked_(*policy_, [](const PlanFault&) {}),
        journal_(*EpochJournal::open(folder, Mebibytes(1000))) {}

  Cadence cadence() const override { return policy_->cadence(); }
  Result<Plan> decide(const PolicyInput& input) const override {
    Result<Plan> plan = checked_.decide(input);
    if (!plan) return plan;
    EpochRecord record;
    record.epoch = journal_.next_epoch(), record.version = "test", record.policy = name_;
    record.settings = scenario_.settings, record.seed = input.seed;
    record.reporting.assign(input.reporting.begin(), input.reporting.end());
    record.digest = plan_digest(*plan);
    record.assignments = plan->assignments.size(), record.moves = plan->moves.size();
    record.dollars = plan->account.dollars().value();
    record.ended = ended_.take(input.cluster.now);
    record.snapshot = {input.cluster, input.costs};
    EXPECT_TRUE(journal_.add(write_epoch(record)));
    return plan;
  }
  void on_event(const ClusterSnapshot& cluster, const ClusterEvent& event) override { ended_.on_event(cluster, event); }
  void on_bind(const ClusterSnapshot&, const Assignment&) override {}

 private:
  std::string name_;
  const simulation::Scenario& scenario_;
  std::unique_ptr<Policy> policy_;
  CheckedPolicy checked_;
  mutable EpochJournal journal_;
  mutable EndsCollector ended_;
};

// The run with its journal in the folder.
inline simulation::RunResult run_and_record(const simulation::Scenario& scenario, const std::string& policy,
                                            const std::string& folder) {
  Recorder recorder(policy, scenario, folder);
  simulation::RunMetrics metrics(scenario);
  simulation::SimulatedCluster cluster(scenario, recorder.cadence(), metrics);
  ClusterState state(scenario.at_start());
  EpochController controller(state, cluster, recorder, scenario.costs);
  controller.observe(metrics);
  controller.observe(recorder);
  ControllerSettings settings;
  settings.seed = scenario.seed;
  EXPECT_TRUE(controller.run(settings));
  const PolicyInput end{state.snapshot(), scenario.costs, scenario.seed, {}, nullptr};
  EXPECT_TRUE(recorder.decide(end));  // the last record, which no plan follows
  cluster.close();
  return metrics.finish(cluster.now());
}

inline simulation::RunResult run(const simulation::Scenario& scenario, const std::string& policy,
                                 std::optional<TimePoint> until = std::nullopt) {
  simulation::RunOptions options;
  options.until = until;
  Result<simulation::RunResult> result =
      simulation::run(scenario, **make_policy(policy, scenario.settings), policy, options);
  EXPECT_TRUE(result) << result.error().message;
  return *std::move(result);
}

}  // namespace lips::testing
