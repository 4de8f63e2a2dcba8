// For how long pods of each pool wait, and which are held, for alerts that go to the owner of the pool. Reads no clock.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>

#include "controller/adapter_observer.h"
#include "kubernetes/adapter/every.h"
#include "kubernetes/adapter/untaken_pods.h"
#include "kubernetes/pods/pod_cache.h"
#include "kubernetes/pods/pod_conditions.h"

namespace lips::kubernetes {

class PoolWaits {
 public:
  using PoolOf = std::function<std::string(const PodRecord&)>;

  // Looks at all held pods and the oldest of those that wait, at most once in a while. What is over is told once more,
  // with 0.
  void tell(PodCache& pods, const PodConditions& conditions, const UntakenPods& untaken, const PoolOf& pool_of,
            AdapterObserver& observer, TimePoint now);
  std::size_t kept() const { return waits_.size() + held_.size(); }

 private:
  std::map<std::string, Duration> waits_;                              // by pool
  std::map<std::pair<std::string, std::string>, std::uint64_t> held_;  // by pool and reason
  Every look_{Duration(10'000'000)};
};

}  // namespace lips::kubernetes
