// Reads a file again when its content changes, however it was replaced (a ConfigMap is a moved link).
#pragma once

#include <functional>
#include <string>
#include <thread>

#include "base/result.h"

namespace lips::cmd {

class FileWatch {
 public:
  using File = std::function<std::string()>;  // its path, which may change; empty: none, which reads as empty
  // Called on the watch's own thread with each new content, and once with each reason why it cannot be read.
  using Changed = std::function<void(const std::string& file, const Result<std::string>& text)>;

  // `text` is the content that was read at the start.
  FileWatch(File file, std::string text, Changed changed);

 private:
  std::jthread thread_;
};

}  // namespace lips::cmd
