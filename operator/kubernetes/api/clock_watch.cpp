#include "kubernetes/api/clock_watch.h"

#include <chrono>

namespace lips::kubernetes {
namespace {

constexpr Duration small_difference = std::chrono::seconds(2);  // as of a leap second, or of two readings apart
constexpr Duration stable_for = std::chrono::minutes(1);

bool near(Duration a, Duration b) { return std::chrono::abs(a - b) <= small_difference; }

}  // namespace

bool ClockWatch::was_set(Duration since_boot, Duration wall) {
  const Duration offset = wall - since_boot;
  if (near(offset, offset_)) {
    other_.reset();
    return false;
  }
  if (!other_ || !near(offset, other_->offset)) other_ = Other{offset, since_boot};
  return since_boot - other_->since >= stable_for;
}

}  // namespace lips::kubernetes
