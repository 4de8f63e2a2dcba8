// The state that the modified fair scheduler recomputes every half second: the small jobs and the pools' shares.
#pragma once

#include "policies/drafting/draft.h"
#include "policies/drafting/stage_slots.h"
#include "policies/settings.h"

namespace lips::fair {

// The snapshot's shares while they are fresh, else new ones.
ShareMemory current_shares(Draft& draft, const StageSlots& slots, const ModifiedFairSettings& settings);

}  // namespace lips::fair
