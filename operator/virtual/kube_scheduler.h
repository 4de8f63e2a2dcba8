// The kube-scheduler of a virtual cluster: a task of the one loop that watches pods and nodes, and binds those pods
// that leave their scheduler to the default and have no gate, one at a time. Default profile; docs/virtual.md lists
// what it leaves out.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/random.h"
#include "kubernetes/api/event_loop.h"
#include "virtual/api_server.h"
#include "virtual/kube_objects.h"
#include "virtual/kube_queue.h"
#include "virtual/kube_scores.h"

namespace lips::virtual_cluster {

struct KubeSchedulerRules {
  KubeScoring scoring = KubeScoring::least_allocated;
  Duration attempt{2'000};  // the time that an attempt takes
  KubeQueueRules queue;
};

class KubeScheduler {
 public:
  // Both outlive it. Ties of scores are broken by the seed.
  KubeScheduler(ApiServer& server, kubernetes::EventLoop& loop, std::uint64_t seed, KubeSchedulerRules rules = {});
  KubeScheduler(const KubeScheduler&) = delete;
  KubeScheduler& operator=(const KubeScheduler&) = delete;

  // The store is another one: reads everything anew, as after a restart.
  void relist();

 private:
  // Pods that fit the same nodes find none together, until a node has more room or is another.
  struct Kind {
    std::uint64_t found_none_at = 0;  // by news_
    std::string why;
  };
  struct Known {
    KubePod pod;
    Kind* kind = nullptr;
  };
  struct Place {
    KubeRoom room;
    bool there = false;  // the node itself; pods may be bound to one that is not
  };
  void note_pod(const ObjectChange& change);
  void note_node(const ObjectChange& change);
  void forget(const std::string& key);
  void take(KubePod pod);
  void wake(const std::string& node);
  void expect_next();
  void try_next();
  bool has_nodes() const;
  void attempt(const Known& known);
  std::string choose(const KubePod& pod, std::string& why_not);
  void bind(const KubePod& pod, const std::string& node);
  void refuse(const KubePod& pod, const std::string& why);

  ApiServer& server_;
  kubernetes::EventLoop& loop_;
  const KubeSchedulerRules rules_;
  Random random_;
  KubeQueue queue_;
  std::map<std::string, Known> pods_;    // by key: those that wait for this scheduler, and all that are on nodes
  std::map<std::string, Place> places_;  // by node
  std::map<std::string, Kind> kinds_;    // by KubePod::kind
  std::uint64_t news_ = 1;               // grows when a node may take what it did not take before
  std::optional<kubernetes::EventLoop::TimerId> next_;
  TimePoint next_at_{};
};

}  // namespace lips::virtual_cluster
