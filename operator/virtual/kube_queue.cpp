#include "virtual/kube_queue.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace lips::virtual_cluster {

TimePoint KubeQueue::first_look_after(TimePoint end) const {
  if (rules_.look_every == Duration(0)) return end;
  return TimePoint((end.time_since_epoch() / rules_.look_every + 1) * rules_.look_every);
}

void KubeQueue::take_out(const std::string& key, const Entry& entry) {
  if (entry.place == Place::active) active_.erase(turn_of(key, entry));
  if (entry.place == Place::back_off) back_off_.erase(back_off_of(key, entry));
  if (entry.place == Place::error) errors_.erase(back_off_of(key, entry));
  if (entry.place == Place::resting) resting_.erase(key);
}

void KubeQueue::put_in(const std::string& key, Entry& entry, Place place) {
  take_out(key, entry);
  entry.place = place;
  if (place == Place::active) active_.insert(turn_of(key, entry));
  if (place == Place::back_off) back_off_.insert(back_off_of(key, entry));
  if (place == Place::error) errors_.insert(back_off_of(key, entry));
  if (place == Place::resting) resting_.insert(key);
}

void KubeQueue::add(const std::string& key, std::int64_t priority) {
  const auto [place, fresh] = pods_.try_emplace(key);
  Entry& entry = place->second;
  if (!fresh) take_out(key, entry);
  entry.place = Place::under_way;
  entry.priority = priority;
  if (fresh) entry.turn = ++last_turn_;
  put_in(key, entry, Place::active);
}

void KubeQueue::remove(const std::string& key) {
  const auto found = pods_.find(key);
  if (found == pods_.end()) return;
  take_out(key, found->second);
  pods_.erase(found);
}

void KubeQueue::end_back_offs(const std::set<BackOff>& of, TimePoint now) {
  std::vector<std::string> over;
  for (const BackOff& one : of) {
    if (std::get<0>(one) > now) break;
    over.push_back(std::get<3>(one));
  }
  for (const std::string& key : over) put_in(key, pods_.at(key), Place::active);
}

std::optional<std::string> KubeQueue::pop(TimePoint now) {
  end_back_offs(back_off_, now);
  end_back_offs(errors_, now);
  std::string key;
  if (!active_.empty())
    key = std::get<2>(*active_.begin());
  else if (rules_.pops_from_back_off && !back_off_.empty())
    key = std::get<3>(*back_off_.begin());
  else
    return std::nullopt;
  put_in(key, pods_.at(key), Place::under_way);
  return key;
}

void KubeQueue::end_attempt(Entry& entry, TimePoint now) {
  constexpr int most_doublings = 16;
  const Duration pause = rules_.first_back_off * (1 << std::min(entry.attempts++, most_doublings));
  entry.back_off_ends = now + std::min(pause, rules_.longest_back_off);
  if (!rules_.keeps_turns) entry.turn = ++last_turn_;
}

void KubeQueue::put_off(const std::string& key, TimePoint now) {
  const auto found = pods_.find(key);
  if (found == pods_.end() || found->second.place != Place::under_way) return;
  end_attempt(found->second, now);
  put_in(key, found->second, Place::resting);
}

void KubeQueue::put_back(const std::string& key, TimePoint now) {
  const auto found = pods_.find(key);
  if (found == pods_.end() || found->second.place != Place::under_way) return;
  end_attempt(found->second, now);
  put_in(key, found->second, rules_.first_back_off > Duration(0) ? Place::error : Place::resting);
}

void KubeQueue::wake(const std::function<bool(const std::string& key)>& helps, TimePoint now) {
  std::vector<std::string> woken;
  for (const std::string& key : resting_)
    if (helps(key)) woken.push_back(key);
  for (const std::string& key : woken) {
    Entry& entry = pods_.at(key);
    put_in(key, entry, entry.back_off_ends <= now ? Place::active : Place::back_off);
  }
}

TimePoint KubeQueue::next(TimePoint now) const {
  if (!active_.empty() || (rules_.pops_from_back_off && !back_off_.empty())) return now;
  const TimePoint first = std::min(first_end(back_off_), first_end(errors_));
  return first == TimePoint::max() ? first : std::max(first, now);
}

}  // namespace lips::virtual_cluster
