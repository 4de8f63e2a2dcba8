// Kubernetes times (RFC 3339) as time points since 1970. Reads no clock.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "base/units.h"

namespace lips::kubernetes {

// "2026-01-31T12:00:00Z", with or without a fraction, with Z or an offset. Digits beyond microseconds are dropped.
Result<TimePoint> parse_time(std::string_view text);
// metav1.Time: whole seconds, rounded down.
std::string time_text(TimePoint time);
// metav1.MicroTime
std::string micro_time_text(TimePoint time);

}  // namespace lips::kubernetes
