// What the modified fair scheduler works out every half second: which jobs are small, and what each pool may have.
#pragma once

#include "policies/drafting/draft.h"
#include "policies/drafting/stage_slots.h"
#include "policies/settings.h"

namespace lips::fair {

// The snapshot's shares while they are fresh, else new ones.
ShareMemory current_shares(Draft& draft, const StageSlots& slots, const ModifiedFairSettings& settings);

}  // namespace lips::fair
