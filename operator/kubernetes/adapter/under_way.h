// Gated pods that were sent to a place where no node is yet: the next plan no longer sees them, and may ask again for the
// nodes that are being launched for them. So many requests of the same namespace for the same place are theirs. A pod
// says by an annotation that it was sent, which its namespace can write: it stands for no request of others, nor for ever.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <utility>

#include "kubernetes/pods/pod_record.h"

namespace lips::kubernetes {

class UnderWay {
 public:
  // `longest`: for which a pod waits for its node before that counts as not coming.
  UnderWay(TimePoint now, Duration longest) : now_(now), longest_(longest) {}

  // Call it for every pod of other schedulers.
  void see(PodRecord& pod);
  // True: a pod that was sent before stands for this request of another one.
  bool stands_for(const PodRecord& asks, const TextMap& place);

 private:
  const TimePoint now_;
  const Duration longest_;
  std::map<std::pair<std::string, TextMap>, std::size_t> sent_;  // by namespace, zone and capacity type
};

}  // namespace lips::kubernetes
