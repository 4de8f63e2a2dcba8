// Guo, Fox and Zhou, "Investigation of Data Locality and Fairness in MapReduce" (MapReduce 2012): tasks to idle slots
// as one assignment problem a decision, and the slot by slot scheduler that they compare with. docs/lsap.md says how.
#pragma once

#include <memory>

#include "policies/policy.h"
#include "policies/settings.h"

namespace lips {

std::unique_ptr<Policy> make_dl_sched(const PolicySettings& settings);
std::unique_ptr<Policy> make_lsap(const PolicySettings& settings);
std::unique_ptr<Policy> make_lsap_uniform(const PolicySettings& settings);
std::unique_ptr<Policy> make_lsap_fair(const PolicySettings& settings);

}  // namespace lips
