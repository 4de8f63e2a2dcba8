// Simulated days under a policy with the journal that an operator would have kept of them.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "policies/registry/registry.h"
#include "records/epoch_journal.h"
#include "records/epoch_record.h"
#include "simulation/run.h"
#include "simulation/scenario_reader.h"
#include "tests/twin/record_run.h"

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

// The run with its journal in the folder.
inline simulation::RunResult run_and_record(const simulation::Scenario& scenario, const std::string& policy,
                                            const std::string& folder) {
  Result<EpochJournal> journal = EpochJournal::open(folder, Mebibytes(1000));
  EXPECT_TRUE(journal) << journal.error().message;
  Result<simulation::RunResult> recorded = record_run(scenario, policy, [&](EpochRecord record) {
    record.epoch = journal->next_epoch();
    return journal->add(write_epoch(record));
  });
  EXPECT_TRUE(recorded) << recorded.error().message;
  return *std::move(recorded);
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
