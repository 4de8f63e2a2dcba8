// Answers the HTTP requests of writers who want to know where to put new data. Updated with each plan; any thread may
// ask.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "policies/lips/data/new_data_advice.h"
#include "telemetry/status/status_server.h"

namespace lips::cmd {

class NewDataEndpoint {
 public:
  // Copies what it needs from the snapshot, at most once in five seconds of cluster time.
  void update(const PolicyInput& input);
  // node, cpuSecondsPerMebibyte; readers, fraction and size may be left out (docs/operator.md).
  QueryAnswer answer(const std::map<std::string, std::string>& query) const;

 private:
  mutable std::mutex mutex_;
  std::shared_ptr<const NewDataAdvice> advice_;
};

}  // namespace lips::cmd
