// Reads how many executors a Spark application has from the ConfigMap that its driver mounts: by name, once, when a
// driver appears that does not say it. Decides nothing.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>

#include "base/log.h"
#include "kubernetes/api/api_client.h"
#include "kubernetes/data/object_writes.h"
#include "kubernetes/pods/pod_cache.h"

namespace lips::kubernetes {

class ApplicationSizes {
 public:
  struct Surroundings {  // all outlive it
    PodCache& pods;
    ApiClient& client;
    std::function<bool()> may_act;
    std::function<void()> wake;
    Log& log;
  };
  explicit ApplicationSizes(const Surroundings& around);

  // Call it for each new version of a pod of ours.
  void found(const PodRecord& pod);
  // Sends what is due, and gives the cache what has arrived.
  void flush(TimePoint now);
  std::size_t kept() const { return asked_.size() + requests_->kept(); }

 private:
  void ask(const std::string& uid, TimePoint now);
  void answered(const std::string& uid, const Answer& answer);

  Surroundings around_;
  struct Asked {
    ObjectMeta driver;
    std::string config_map;
    int failures = 0;
  };
  std::map<std::string, Asked> asked_;  // without an answer, by the uid of the driver
  bool said_ = false;                   // in the log that the right is missing
  std::unique_ptr<ObjectWrites> requests_;
};

}  // namespace lips::kubernetes
