// Prices in tests of the policy.
#pragma once

#include "base/units.h"

namespace lips {

inline constexpr double millicent = 1e-5;
inline constexpr UsdPerMebibyte across(0.01);  // zones

}  // namespace lips
