// The surroundings of a scenario file: folders, and fields that replace those of the file.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace lips::simulation {

struct ScenarioOptions {
  std::string config_folder;  // has the shipped prices and traces; empty: find_config_folder()
  std::string data_folder;    // has traces that are not shipped; empty: environment variable LIPS_DATA
  // Field paths with YAML values that replace those of the file (--set load=0.5). "epoch" stands for settings.epoch.
  std::vector<std::pair<std::string, std::string>> set;
};

}  // namespace lips::simulation
