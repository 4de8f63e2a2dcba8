#include "virtual/event_expiry.h"

namespace lips::virtual_cluster {

void EventExpiry::note(const ObjectChange& change, TimePoint now) {
  const std::string key = key_of(*change.now.json);
  if (change.type == ChangeType::deleted) {
    last_.erase(key);
    return;
  }
  last_[key] = now;
  written_.emplace_back(now, key);
  while (!written_.empty() && now - written_.front().first >= lives) {
    const auto [at, old] = std::move(written_.front());
    written_.pop_front();
    const auto last = last_.find(old);
    if (last != last_.end() && last->second == at) objects_.remove(collection_, old);
  }
}

}  // namespace lips::virtual_cluster
