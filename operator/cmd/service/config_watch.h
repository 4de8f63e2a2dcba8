// Reads the configuration file again when its content changes, however it was replaced (a ConfigMap is a moved link).
#pragma once

#include <functional>
#include <string>
#include <thread>

#include "config/operator_config.h"

namespace lips::cmd {

class ConfigWatch {
 public:
  // Called on the watch's own thread with the new configuration, or with the error in the new file.
  using Changed = std::function<void(Result<OperatorConfig>)>;

  // `text` is the content that was read at the start.
  ConfigWatch(std::string file, std::string text, ConfigOverrides set, Changed changed);

 private:
  std::jthread thread_;
};

}  // namespace lips::cmd
