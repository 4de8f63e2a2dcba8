#include "kubernetes/adapter/under_way.h"

namespace lips::kubernetes {

void UnderWay::see(PodRecord& pod) {
  if (pod.state != PodState::ungated || pod.on_node()) return pod.under_way_since.reset();
  if (!pod.under_way_since) pod.under_way_since = now_;
  if (now_ - *pod.under_way_since < longest_) ++sent_[{pod.meta.name_space, pod.selector}];
}

bool UnderWay::stands_for(const PodRecord& asks, const TextMap& place) {
  if (!asks.steered) return false;
  const auto sent = sent_.find({asks.meta.name_space, place});
  if (sent == sent_.end() || sent->second == 0) return false;
  --sent->second;
  return true;
}

}  // namespace lips::kubernetes
