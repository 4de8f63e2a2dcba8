// Answers writers that ask a running operator where to put new data. Updated with each plan, asked from other threads.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "policies/lips/new_data_advice.h"
#include "telemetry/status/status_server.h"

namespace lips::cmd {

class NewDataHints {
 public:
  // Takes what it needs of the snapshot, at most once in five seconds of its time.
  void update(const PolicyInput& input);
  // node, cpuSecondsPerMebibyte; readers, fraction and size may be left out (docs/operator.md).
  QueryAnswer answer(const std::map<std::string, std::string>& query) const;

 private:
  mutable std::mutex mutex_;
  std::shared_ptr<const NewDataAdvice> advice_;
};

}  // namespace lips::cmd
