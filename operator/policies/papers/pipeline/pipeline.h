// Parts of the published schedulers put together: shares from one, amounts, places and order from others
// (docs/policies.md). Combinations that make no sense are refused with a reason.
#pragma once

#include <memory>

#include "base/result.h"
#include "policies/policy.h"
#include "policies/settings.h"

namespace lips {

std::unique_ptr<Policy> make_pipeline(const PolicySettings& settings);
// invalid_input with the reason when the parts do not go together.
Result<void> check_pipeline(const PolicySettings& settings);

}  // namespace lips
