#include "kubernetes/adapter/untaken_pods.h"

#include <utility>

namespace lips::kubernetes {

std::vector<const PodRecord*> UntakenPods::review(const PodCache& pods, TimePoint now) {
  std::vector<const PodRecord*> late;
  if (!look_.due(now)) return late;
  std::map<std::string, Waiting> before = std::exchange(waiting_, {});
  told_ = 0;
  for (const auto& [name, record] : pods.steered()) {
    if (record->state != PodState::ungated) continue;
    const auto known = before.find(record->meta.uid);
    Waiting& waiting = waiting_[record->meta.uid] = known == before.end() ? Waiting{now} : known->second;
    if (now - waiting.since < patience) continue;
    ++told_;
    if (!std::exchange(waiting.told, true)) late.push_back(record);
  }
  return late;
}

bool UntakenPods::is_late(const PodRecord& pod) const {
  const auto known = waiting_.find(pod.meta.uid);
  return known != waiting_.end() && known->second.told;
}

}  // namespace lips::kubernetes
