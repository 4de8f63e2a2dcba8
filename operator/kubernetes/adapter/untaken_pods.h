// Steered pods that no scheduler binds: they have lost their gate, their zone cannot be taken back, and nothing else
// would ever say so. Reads no clock.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "kubernetes/adapter/every.h"
#include "kubernetes/pods/pod_cache.h"

namespace lips::kubernetes {

class UntakenPods {
 public:
  static constexpr Duration patience = std::chrono::minutes(10);  // a node may have to be launched first

  // Pods of which it is to be said now: for so long they have been on no node since their gate went, or since this
  // process has known them. Each comes once.
  std::vector<const PodRecord*> review(const PodCache& pods, TimePoint now);
  // True: it is one of them, as of the last review.
  bool is_late(const PodRecord& pod) const;
  // All of them, as of the last review.
  std::size_t count() const { return told_; }

 private:
  struct Waiting {
    TimePoint since{};
    bool told = false;
  };
  std::map<std::string, Waiting> waiting_;  // by uid
  std::size_t told_ = 0;
  Every look_{Duration(10'000'000)};
};

}  // namespace lips::kubernetes
