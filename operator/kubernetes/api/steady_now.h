// The operator's time: it never jumps while anything waits for it. It begins at the machine's clock and is put right by
// the API server's, so that it can be compared with the server's timestamps.
#pragma once

#include "base/units.h"

namespace lips::kubernetes {

// Time since the machine started, including the time in which it was suspended: a lease ages then too.
Duration since_boot();
// A time that never jumps by itself and never stops.
TimePoint steady_now();
// The machine's own clock, which may be wrong and may be set at any time.
TimePoint machine_now();
// Puts steady_now() forward, or back. Call it while nothing waits for a time.
void put_steady_now_forward(Duration by);

}  // namespace lips::kubernetes
