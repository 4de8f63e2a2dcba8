// Quotients of what tasks request.
#pragma once

#include <algorithm>

#include "model/nodes.h"

namespace lips {

// Stands for a request of no CPU, so that quotients stay finite.
inline double cores_of(const Resources& request) { return std::max(1e-3, request.cpu.value()); }

// 0 of nothing.
inline double ratio(double part, double whole) { return whole > 0 ? part / whole : 0; }

}  // namespace lips
