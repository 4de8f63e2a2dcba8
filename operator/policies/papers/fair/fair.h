// Hadoop 1.2.1's fair and capacity schedulers, and the modified fair scheduler with each of its five mechanisms as a
// switch (docs/modified-fair.md).
#pragma once

#include <memory>

#include "policies/policy.h"
#include "policies/settings.h"

namespace lips {

std::unique_ptr<Policy> make_fair(const PolicySettings& settings);
std::unique_ptr<Policy> make_capacity(const PolicySettings& settings);
std::unique_ptr<Policy> make_modified_fair(const PolicySettings& settings);

}  // namespace lips
