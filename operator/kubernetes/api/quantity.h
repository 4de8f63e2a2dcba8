// Kubernetes quantities ("100m", "1.5Gi", "2e3") as exact numbers. Knows no resource.
#pragma once

#include <compare>
#include <cstdint>
#include <string_view>

#include "base/result.h"

namespace lips::kubernetes {

// whole + nanos / 1e9; both have the same sign and |nanos| < 1e9, so the defaulted order is the numbers' order.
struct ResourceQuantity {
  std::int64_t whole = 0;
  std::int32_t nanos = 0;

  // In thousandths, rounded up as the scheduler and the kubelet do; the largest int64 where it does not fit.
  std::int64_t milli() const;
  // Rounded up.
  std::int64_t units() const;
  friend constexpr auto operator<=>(const ResourceQuantity&, const ResourceQuantity&) = default;
};

// Like resource.ParseQuantity of k8s.io/apimachinery: digits finer than a billionth are rounded away from zero, and
// values above 2^63-1 become 2^63-1. Digits after the first 19 are rounded up. Anything else is `invalid_input`.
Result<ResourceQuantity> parse_quantity(std::string_view text);

}  // namespace lips::kubernetes
