// The faults between an operator and its cluster, as shares of requests and mean times between disasters. A value; by
// default nothing goes wrong.
#pragma once

#include <cstdint>

#include "base/units.h"

namespace lips::virtual_cluster {

// A time in which no request reaches the server and no watch says anything.
struct Outage {
  TimePoint begin{}, end{};  // by the client's clock; equal: there is none
  bool hangs = false;        // nothing answers, not even with a refusal
  bool covers(TimePoint when) const { return begin <= when && when < end; }
};

struct Storm {
  std::uint64_t seed = 1;
  // Shares of all requests: they never reach the server; its answer never comes; it is too busy; the way takes long.
  double lost_request = 0, lost_answer = 0, busy = 0, slow = 0;
  Duration slowest = std::chrono::seconds(20);
  double cut_watch = 0;         // of all deliveries of a watch: the connection breaks in the middle of a line
  double late_event = 0;        // of all deliveries: they come as late as slow answers
  Duration restart_every = {};  // of the operator, in the mean; 0: never
  Duration compact_every = {};  // the server forgets old versions, in the mean; 0: never
  Outage outage;
};

}  // namespace lips::virtual_cluster
