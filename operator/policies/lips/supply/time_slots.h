// The time slots of a plan, and what a wait until each of them costs.
#pragma once

#include <vector>

#include "model/counted_work.h"
#include "policies/settings.h"

namespace lips {

struct TimeSlotSettings {
  std::vector<Duration>
      edges;  // rising, from 0; time slots lie between neighbours; fewer than two: one time slot of least_window
  double waiting_price = 1;  // pi: an hour's wait of a CPU-second costs this many mean prices
  Duration least_window =
      std::chrono::seconds(120);  // time slot 0 offers a free slot at least that long, and at least a mean task
  Billing billing = Billing::use;
  bool charge_queue = false;
  CountedWork expected = {};    // which the charge leaves out
  bool wait_to_middle = false;  // what starts in a later slot waits until its middle, not its beginning
  bool stretch_first = true;    // off: time slot 0 is exactly its span (one time slot = the paper's epoch)
};

}  // namespace lips
