// Events by simulated time; ties in the order in which they were added. Knows no kind of event.
#pragma once

#include <cstdint>
#include <queue>
#include <vector>

#include "base/units.h"

namespace lips::simulation {

template <class Payload>
class EventQueue {
 public:
  void add(TimePoint at, Payload payload) { heap_.push({at, next_++, payload}); }
  bool empty() const { return heap_.empty(); }
  std::size_t size() const { return heap_.size(); }
  TimePoint next_time() const { return heap_.empty() ? TimePoint::max() : heap_.top().at; }
  // The queue must not be empty.
  Payload take() {
    Payload payload = heap_.top().payload;
    heap_.pop();
    return payload;
  }

 private:
  struct Entry {
    TimePoint at;
    std::uint64_t sequence;
    Payload payload;
    bool operator<(const Entry& other) const { return at != other.at ? at > other.at : sequence > other.sequence; }
  };
  std::priority_queue<Entry> heap_;
  std::uint64_t next_ = 0;
};

}  // namespace lips::simulation
