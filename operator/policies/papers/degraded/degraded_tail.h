// For policies that do not know erasure codes: their own plan, then the degraded tasks on the remaining capacity.
#pragma once

#include <memory>

#include "policies/policy.h"
#include "policies/settings.h"

namespace lips {

std::unique_ptr<Policy> with_degraded_tail(std::unique_ptr<Policy> policy, const PolicySettings& settings);

// make_ function of a registry entry.
template <std::unique_ptr<Policy> (*Make)(const PolicySettings&)>
std::unique_ptr<Policy> tailed(const PolicySettings& settings) {
  return with_degraded_tail(Make(settings), settings);
}

}  // namespace lips
