// Li, Lee and Hu, "Degraded-First Scheduling for MapReduce in Erasure-Coded Storage Clusters" (DSN 2014), and what they
// compare with. Tasks whose block is lost read k other blocks of its stripe. docs/degraded-first.md says how.
#pragma once

#include <memory>

#include "policies/policy.h"
#include "policies/settings.h"

namespace lips {

std::unique_ptr<Policy> make_locality_first(const PolicySettings& settings);
std::unique_ptr<Policy> make_degraded_first_basic(const PolicySettings& settings);
std::unique_ptr<Policy> make_degraded_first(const PolicySettings& settings);

}  // namespace lips
