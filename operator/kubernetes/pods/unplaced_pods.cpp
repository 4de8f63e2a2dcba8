#include "kubernetes/pods/unplaced_pods.h"

#include <algorithm>
#include <vector>

namespace lips::kubernetes {

void UnplacedPods::leave(std::string_view name, const Place& place) {
  held_.erase(name);
  awake_told_.erase(name), awake_untold_.erase(name);
  if (resting_.erase(name) > 0) rise(name, place);
  const auto alike = waiting_.find(place.pod_class);
  if (alike == waiting_.end() || alike->second.erase(name) == 0) return;
  --waiting_count_;
  place.peers->second.erase({place.since, name});
  if (place.peers->second.empty()) by_age_.erase(place.peers);
  if (alike->second.empty()) waiting_.erase(alike);
}

void UnplacedPods::rise(std::string_view name, const Place& place) {
  due_.erase({place.until, name});
  const auto told = told_once_.find(place.pod_class);
  if (told == told_once_.end() || told->second.erase(name) == 0) return;
  if (told->second.empty()) told_once_.erase(told);
}

void UnplacedPods::note(std::string_view name, PodRecord& pod) {
  const auto [known, fresh] = places_.try_emplace(name);
  name = known->first;
  Place& place = known->second;
  if (fresh)
    all_.emplace(name, &pod);
  else
    leave(name, place);
  place = {pod.state, pod.pod_class, pod.created == TimePoint{} ? pod.first_seen : pod.created, {}};
  if (pod.state == PodState::held) held_.emplace(name, &pod);
  if (pod.state == PodState::waiting) {
    place.peers = by_age_.try_emplace({place.pod_class, pod.meta.name_space, pod.work.pool}).first;
    place.peers->second.emplace(place.since, name);
    waiting_[place.pod_class].emplace(name, &pod);
    ++waiting_count_;
  }
  if (pod.state != PodState::ungated) (pod.reported_message.empty() ? awake_untold_ : awake_told_).emplace(name, &pod);
}

TimePoint UnplacedPods::oldest_waiting(PodClassId pod_class) const {
  TimePoint oldest = TimePoint::max();
  for (auto peers = by_age_.lower_bound({pod_class, "", ""}); peers != by_age_.end(); ++peers) {
    if (peers->first.pod_class != pod_class) break;
    oldest = std::min(oldest, peers->second.begin()->first);
  }
  return oldest;
}

void UnplacedPods::forget(std::string_view name) {
  const auto known = places_.find(name);
  if (known == places_.end()) return;
  leave(name, known->second);
  all_.erase(name);
  places_.erase(known);
}

void UnplacedPods::rest(std::string_view name, TimePoint until) {
  const auto known = places_.find(name);
  for (Part* awake : {&awake_told_, &awake_untold_}) {
    auto moved = awake->extract(name);
    if (moved.empty()) continue;
    known->second.until = until;
    if (until < TimePoint::max())
      due_.emplace(until, known->first);
    else if (awake == &awake_told_)
      told_once_[known->second.pod_class].insert(known->first);
    resting_.insert(std::move(moved));
  }
}

void UnplacedPods::wake(std::string_view name) {
  auto moved = resting_.extract(name);
  if (moved.empty()) return;
  rise(name, places_.find(name)->second);
  (moved.mapped()->reported_message.empty() ? awake_untold_ : awake_told_).insert(std::move(moved));
}

void UnplacedPods::wake(PodClassId pod_class) {
  const auto alike = waiting_.find(pod_class);
  if (alike == waiting_.end()) return;
  for (const auto& [name, pod] : alike->second) wake(name);
}

void UnplacedPods::wake_told(PodClassId pod_class) {
  if (const auto told = told_once_.extract(pod_class); !told.empty())
    for (const std::string_view name : told.mapped()) wake(name);
}

void UnplacedPods::wake_due(TimePoint now) {
  while (!due_.empty() && due_.begin()->first <= now) wake(std::string_view(due_.begin()->second));
}

}  // namespace lips::kubernetes
