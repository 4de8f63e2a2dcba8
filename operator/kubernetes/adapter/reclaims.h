// Takes running pods back: asks the API server to evict them, which respects PodDisruptionBudgets and the time that a
// pod has for an orderly end. That a pod has ended comes from the watch, as ever.
#pragma once

#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include "base/log.h"
#include "kubernetes/api/api_client.h"
#include "kubernetes/api/objects.h"
#include "model/cluster_event.h"

namespace lips::kubernetes {

// A task that cannot be taken back is not asked for again before.
inline constexpr Duration reclaim_again = std::chrono::minutes(1);

class Reclaims {
 public:
  struct Surroundings {  // all outlive it
    ApiClient& client;
    std::function<bool()> may_act;
    std::function<void()> wake;  // an answer has come; from any thread
    Log& log;
  };
  explicit Reclaims(Surroundings around) : around_(std::move(around)) {}

  // `listing`: the number of the list by which the task has its id.
  void evict(const ObjectMeta& pod, TaskId task, std::uint64_t listing);
  // Adds TaskStays for those that the server did not evict, of that list.
  void report(std::vector<ClusterEvent>& events, std::uint64_t listing, TimePoint now);

 private:
  struct Refusal {
    std::string pod, why;
    TaskId task;
    std::uint64_t listing = 0;
  };
  const Surroundings around_;
  std::mutex mutex_;  // answers come on the client's thread
  std::vector<Refusal> refused_;
};

}  // namespace lips::kubernetes
