// Takes running pods back: asks the API server to evict them, which respects PodDisruptionBudgets and the time that a
// pod has for an orderly end. That a pod has ended comes from the watch, as ever. Until then it is known to leave, also
// after the model has been listed anew.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>
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
    std::function<void()> wake;  // an answer has come
    Log& log;
  };
  struct Leaving {
    TaskId task;
    std::uint64_t listing = 0;  // the number of the list by which the task has its id
    std::string pool, node;     // for whose task it leaves, and the node that it leaves
  };
  explicit Reclaims(Surroundings around) : around_(std::move(around)) {}

  void evict(const ObjectMeta& pod, Leaving leaving);
  // Adds TaskStays for those that the server did not evict, of that list.
  void report(std::vector<ClusterEvent>& events, std::uint64_t listing, TimePoint now);
  // The pool for whose task the pod has been asked to end; none: it has not.
  const std::string* pool_of(const ObjectMeta& pod) const;
  // Nodes that pods have been asked to leave.
  std::set<std::string> nodes() const;
  bool any() const { return !leaving_.empty(); }
  void forget_gone(const std::function<bool(const ObjectMeta&)>& is_there);

 private:
  struct Asked {
    ObjectMeta pod;
    Leaving leaving;
  };
  struct Refusal {
    Asked asked;
    std::string why;
  };
  const Surroundings around_;
  std::map<std::string, Asked> leaving_;  // by uid
  std::vector<Refusal> refused_;
};

}  // namespace lips::kubernetes
