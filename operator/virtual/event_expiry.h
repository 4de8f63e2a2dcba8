// kube-apiserver forgets an event an hour after it was written last (--event-ttl). Here that happens when the next one
// is written, so that time passes without a task of its own.
#pragma once

#include <deque>
#include <map>
#include <string>
#include <utility>

#include "virtual/object_store.h"

namespace lips::virtual_cluster {

class EventExpiry {
 public:
  static constexpr Duration lives = std::chrono::hours(1);

  // The store outlives it. The collection is that of the events.
  EventExpiry(ObjectStore& objects, std::string collection) : objects_(objects), collection_(std::move(collection)) {}
  // An event was written, or is gone.
  void note(const ObjectChange& change, TimePoint now);

 private:
  ObjectStore& objects_;
  const std::string collection_;
  std::deque<std::pair<TimePoint, std::string>> written_;  // by time
  std::map<std::string, TimePoint> last_;                  // by the event's key
};

}  // namespace lips::virtual_cluster
